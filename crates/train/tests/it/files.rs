//! Files that layers name: the matrix of an InfogainLoss, the output of an HDF5Output.

use std::fs;
use std::path::Path;

use caffe_format::{BlobProto, binary};
use data::rows::DATASETS;
use train::files::{net_from_text, solver_from_text};
use train::{Job, JobConfig, NetConfig, NoControl, Single, TrainError, chain};

const INFOGAIN: &str = r#"
    layer { name: "data" type: "DummyData" top: "x" top: "label"
            dummy_data_param { shape { dim: 1 dim: 2 } shape { dim: 1 } data_filler { type: "constant" } } }
    layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 2 } }
    layer { name: "gain" type: "InfogainLoss" bottom: "y" bottom: "label" top: "loss"
            infogain_loss_param { source: "gain.binaryproto" } }"#;

fn single(net: &str, root: &Path) -> Result<Single, TrainError> {
    let config = NetConfig { root: root.into(), ..NetConfig::new("net") };
    Single::build(&config, &net_from_text("net", net)?, &mut |_| ())
}

fn write_matrix(folder: &Path, side: usize) {
    let values = (0..side * side).map(|i| i as f32 + 1.0).collect();
    let blob = BlobProto::from_values(&[1, 1, side, side], values);
    fs::write(folder.join("gain.binaryproto"), binary::write(&blob)).unwrap();
}

#[test]
fn the_matrix_of_an_infogain_loss_is_read() {
    let folder = tempfile::tempdir().unwrap();
    write_matrix(folder.path(), 2);
    // Both classes have probability one half: the loss is (1 + 2) log 2.
    let loss = single(INFOGAIN, folder.path()).unwrap().forward().unwrap();
    assert!((loss - 3.0 * 2.0_f32.ln()).abs() < 1e-5, "{loss}");
}

#[test]
fn a_job_reads_it_for_train_and_test_nets_and_keeps_it_out_of_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    write_matrix(folder.path(), 2);
    let solver = format!(
        r#"base_lr: 0.1 lr_policy: "fixed" max_iter: 1 test_iter: 1 test_interval: 1
           snapshot_after_train: false net_param {{ {INFOGAIN} }}"#
    );
    let solver = solver_from_text("solver", &solver).unwrap();
    let config = JobConfig { root: folder.path().into(), ..JobConfig::new(solver) };
    let mut job = Job::open(config, &mut |_| ()).unwrap();
    job.run(&NoControl, &mut |_| ()).unwrap();
    let model = job.model().unwrap();
    assert!(model.layer.iter().filter(|l| l.name() == "gain").all(|l| l.blobs.is_empty()));
}

#[test]
fn a_bad_matrix_names_layer_and_file() {
    let folder = tempfile::tempdir().unwrap();
    let told = |net: &str| chain(&single(net, folder.path()).err().unwrap());
    let file = folder.path().join("gain.binaryproto").display().to_string();
    let missing = told(INFOGAIN);
    let want = format!("layer `gain`: `infogain_loss_param.source`: cannot read {file}");
    assert!(missing.starts_with(&want), "{missing}");
    fs::write(&file, [0xff; 7]).unwrap();
    assert!(told(INFOGAIN).contains("gain.binaryproto is not a valid blob"));
    let blob = BlobProto { num: Some(3), data: vec![1.0], ..BlobProto::default() };
    fs::write(&file, binary::write(&blob)).unwrap();
    assert!(told(INFOGAIN).contains(&format!("the blob in {file}")), "{}", told(INFOGAIN));
    write_matrix(folder.path(), 3);
    assert!(told(INFOGAIN).contains("a blob of 9 values"), "{}", told(INFOGAIN));
}

#[test]
fn a_layer_that_is_left_out_needs_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let net = INFOGAIN.replace("top: \"loss\"", "top: \"loss\" include { phase: TRAIN }");
    assert!(single(&net, folder.path()).is_ok());
}

const OUTPUT: &str = r#"
    layer { name: "memory" type: "MemoryData" top: "x" top: "label"
            memory_data_param { batch_size: 2 channels: 1 height: 1 width: 3 } }
    layer { name: "double" type: "Power" bottom: "x" top: "y" power_param { scale: 2 } }
    layer { name: "out" type: "HDF5Output" bottom: "y" bottom: "label"
            hdf5_output_param { file_name: "out.h5" } }"#;

/// Both datasets of the file: shapes and values.
fn read_back(file: &Path) -> [(Vec<u64>, Vec<f32>); 2] {
    let file = hdf5_pure::File::open(file).unwrap();
    DATASETS.map(|name| {
        let dataset = file.dataset(name).unwrap();
        (dataset.shape().unwrap(), dataset.read_f32().unwrap())
    })
}

#[test]
fn hdf5_output_writes_every_forward() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.h5");
    let values: Vec<f32> = (0..30).map(|i| i as f32).collect();
    let labels: Vec<f32> = (0..10).map(|i| i as f32 + 0.5).collect();
    let mut single = single(OUTPUT, folder.path()).unwrap();
    single.set_input_arrays("memory", &values, &labels).unwrap();
    single.forward().unwrap();
    let first = read_back(&file);
    assert_eq!(first[0], (vec![2, 1, 1, 3], vec![0.0, 2.0, 4.0, 6.0, 8.0, 10.0]));
    assert_eq!(first[1], (vec![2, 1, 1, 1], vec![0.5, 1.5]));
    (0..4).for_each(|_| _ = single.forward().unwrap());
    single.finish().unwrap();
    let all = read_back(&file);
    assert_eq!(all[0].1, values.iter().map(|v| 2.0 * v).collect::<Vec<_>>());
    assert_eq!(all[1], (vec![10, 1, 1, 1], labels));
}

#[test]
fn every_replica_has_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let solver = format!(
        r#"base_lr: 0.1 lr_policy: "fixed" max_iter: 3 snapshot_after_train: false
           net_param {{ {OUTPUT} }}"#
    );
    let solver = solver_from_text("solver", &solver).unwrap();
    let root = folder.path().into();
    let mut job =
        Job::open(JobConfig { root, replicas: Some(2), ..JobConfig::new(solver) }, &mut |_| ())
            .unwrap();
    job.set_input_arrays("memory", &[1.0; 6], &[0.0; 2]).unwrap();
    job.run(&NoControl, &mut |_| ()).unwrap();
    for name in ["out.h5", "out.h5.1"] {
        assert_eq!(read_back(&folder.path().join(name))[0].0, [6, 1, 1, 3], "{name}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wall"), "").unwrap();
    let net = OUTPUT.replace("out.h5", "wall/out.h5");
    let mut single = single(&net, folder.path()).unwrap();
    single.set_input_arrays("memory", &[0.0; 6], &[0.0; 2]).unwrap();
    let error = chain(&single.forward().unwrap_err());
    assert!(error.contains("layer `out`") && error.contains("wall/out.h5"), "{error}");
}
