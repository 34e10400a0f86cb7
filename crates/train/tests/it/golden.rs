//! A handful of Caffe's recorded runs; `cargo xtask golden testdata/golden` runs all.

use std::fs;

use train::{Event, NoControl};

use crate::support::{case, compare, config, equal, near, open};

/// Relative; the log has six digits.
const LOSS_TOLERANCE: f32 = 1e-4;

/// What the log of Caffe says about losses, in its order: those of iterations and of tests.
fn recorded_losses(log: &str) -> Vec<f32> {
    let losses = log.lines().filter_map(|line| {
        let (_, rest) = line.split_once(" loss = ")?;
        let iteration = line.contains("Iteration ") || line.contains("Test net output");
        iteration.then(|| rest.split([' ', ',']).next()?.parse().ok()).flatten()
    });
    losses.collect()
}

fn losses(event: Event, shown: &mut Vec<f32>) {
    match event {
        Event::Displayed(display) => shown.push(display.loss),
        Event::FinalLoss { loss, .. } => shown.push(loss),
        Event::Tested { outputs, .. } => {
            let losses = outputs.iter().filter(|output| output.name == "loss");
            shown.extend(losses.map(|output| output.values[0]));
        }
        _ => {}
    }
}

/// Starts with Caffe's weights, shows its losses, ends with its weights.
fn check(name: &str) {
    let (case, folder) = (case(name), tempfile::tempdir().unwrap());
    let mut job = open(config(&case, folder.path()));
    let init = snapshot::load_model(&case.join("init.caffemodel")).unwrap();
    compare(&job.model().unwrap(), &init, equal);
    let mut shown = Vec::new();
    job.run(&NoControl, &mut |event| losses(event, &mut shown)).unwrap();
    let want = recorded_losses(&fs::read_to_string(case.join("log.txt")).unwrap());
    assert_eq!(shown.len(), want.len(), "{name}: losses in the log");
    for (got, want) in shown.iter().zip(&want) {
        assert!((got - want).abs() <= LOSS_TOLERANCE * want.abs(), "{name}: {got}, not {want}");
    }
    let end = format!("snap_iter_{}.caffemodel", job.iter());
    let end = [end.clone(), format!("{end}.h5")].into_iter().find(|e| case.join(e).exists());
    let end = end.unwrap();
    let want = snapshot::load_model(&case.join(&end)).unwrap();
    // Not `job.model()`: the look at the loss after the last update changes running statistics.
    compare(&snapshot::load_model(&folder.path().join(&end)).unwrap(), &want, near);
}

#[test]
fn runs_are_caffes() {
    let cases = ["adam", "batchnorm", "crop_mirror_mean", "dropout", "hdf5_snapshot"];
    let more = ["leveldb", "sgd_iter_size", "sgd_l1_clip", "sgd_multistep"];
    cases.into_iter().chain(more).for_each(check);
}
