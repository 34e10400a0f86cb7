//! From Caffe's snapshots on.

use caffe_format::NetParameter;
use train::{Event, Job, JobConfig, NoControl, ResumeData, ResumeGap};

use crate::support::{case, compare, config, near, open};

/// Trains `name` from the snapshot `state` to the end and gives the model.
fn go_on(name: &str, state: &str, resume_data: ResumeData) -> NetParameter {
    let (case, folder) = (case(name), tempfile::tempdir().unwrap());
    let config = config(&case, folder.path());
    let mut job = open(JobConfig { resume: Some(case.join(state)), resume_data, ..config });
    assert_eq!(job.iter(), 20);
    job.run(&NoControl, &mut |_| ()).unwrap();
    job.model().unwrap()
}

/// Caffe's runs went from 0 to 40 without a stop, so the data must go on after the 20 iterations,
/// the transformer's crops and mirrors with it.
#[test]
fn caffes_snapshots_lead_to_caffes_weights() {
    let cases = [
        ("adam", 40),
        ("crop_mirror_mean", 40),
        ("nesterov", 40),
        ("sgd_fixed", 40),
        ("sgd_multistep", 40),
        ("sgd_iter_size", 24),
    ];
    for (name, end) in cases {
        let end = case(name).join(format!("snap_iter_{end}.caffemodel"));
        let want = snapshot::load_model(&end).unwrap();
        let got = go_on(name, "snap_iter_20.solverstate", ResumeData::Continue);
        compare(&got, &want, near);
    }
}

/// The same run, saved as HDF5; it is recorded up to iteration 20, and `sgd_fixed` up to 40.
#[test]
fn caffes_hdf5_snapshots_too() {
    let want = snapshot::load_model(&case("sgd_fixed").join("snap_iter_40.caffemodel")).unwrap();
    let state = "../hdf5_snapshot/snap_iter_20.solverstate.h5";
    compare(&go_on("sgd_fixed", state, ResumeData::Continue), &want, near);
}

#[test]
fn reading_from_the_first_record_leads_elsewhere() {
    let want = snapshot::load_model(&case("sgd_fixed").join("snap_iter_40.caffemodel")).unwrap();
    let got = go_on("sgd_fixed", "snap_iter_20.solverstate", ResumeData::Start);
    let differs = std::panic::catch_unwind(|| compare(&got, &want, near)).is_err();
    assert!(differs, "`start` reads other records than `continue`");
}

#[test]
fn a_missing_sidecar_is_told() {
    let (case, folder) = (case("sgd_fixed"), tempfile::tempdir().unwrap());
    let mut gaps = Vec::new();
    let resume = Some(case.join("snap_iter_20.solverstate"));
    Job::open(JobConfig { resume, ..config(&case, folder.path()) }, &mut |event| {
        if let Event::ResumeGap(gap) = event {
            gaps.push(gap);
        }
    })
    .unwrap();
    let [ResumeGap { missing, data: ResumeData::Continue }] = &gaps[..] else {
        panic!("one gap, not {gaps:?}")
    };
    assert!(missing.ends_with("snap_iter_20.firecaffe"), "{}", missing.display());
}
