//! Stopping and going on: the same bits as not stopping.

use super::support::Folder;

#[test]
fn forty_and_forty_are_eighty() {
    let folder = Folder::new("max_iter: 80 snapshot: 40");
    let whole = folder.train(&[]).succeeds();
    let resumed = folder.train(&["--snapshot", "snap_iter_40.solverstate"]).succeeds();
    assert!(resumed.err.contains("Resuming from snap_iter_40.solverstate"));
    assert_eq!(whole.hash(), resumed.hash());
    let again = folder.train(&["-snapshot=snap_iter_40.solverstate", "-threads", "1"]).succeeds();
    assert_eq!(whole.hash(), again.hash());
}

#[test]
fn dropout_goes_on_with_its_random_numbers() {
    let folder = Folder::new("max_iter: 20 snapshot: 10");
    let net = String::from_utf8(folder.read("net.prototxt")).unwrap();
    folder.write("net.prototxt", net.replace("type: \"ReLU\"", "type: \"Dropout\""));
    let whole = folder.train(&[]).succeeds();
    let resumed = folder.train(&["--snapshot", "snap_iter_10.solverstate"]).succeeds();
    assert!(resumed.err.contains("Resuming from"), "not merely the same run again");
    assert_eq!(whole.hash(), resumed.hash());
}

#[test]
fn auto_takes_the_last_complete_snapshot() {
    let folder = Folder::new("max_iter: 10 snapshot: 5");
    let fresh = folder.train(&["--snapshot", "auto"]).succeeds();
    assert!(fresh.err.contains("starting anew"));
    let mut damaged = folder.read("snap_iter_10.caffemodel");
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    folder.write("snap_iter_10.caffemodel", damaged);
    let resumed = folder.train(&["--snapshot", "auto"]).succeeds();
    assert!(resumed.err.contains("snap_iter_10.solverstate is passed over"), "{}", resumed.err);
    assert!(
        resumed.err.contains("Resuming from") && resumed.err.contains("snap_iter_5.solverstate")
    );
    assert_eq!(fresh.hash(), resumed.hash());
}

#[test]
fn without_the_sidecar_data_goes_on_or_starts_anew() {
    let folder = Folder::new("max_iter: 10 snapshot: 5");
    let whole = folder.train(&[]).succeeds();
    let resume = ["--snapshot", "snap_iter_5.solverstate"];
    let start = || folder.train(&[&resume[..], &["--resume-data", "start"]].concat()).succeeds();
    let with_sidecar = start();
    std::fs::remove_file(folder.path("snap_iter_5.firecaffe")).unwrap();
    let ran = start();
    assert!(ran.err.contains("data and random numbers begin anew, as in Caffe"), "{}", ran.err);
    assert_ne!(ran.hash(), whole.hash(), "data starts at the first record again");
    assert_eq!(ran.hash(), with_sidecar.hash());
    let ran = folder.train(&resume).succeeds();
    assert!(ran.err.contains("snap_iter_5.firecaffe is not there"), "{}", ran.err);
    assert_eq!(ran.hash(), whole.hash(), "no layer of this net draws numbers while it runs");
}

#[test]
fn resuming_and_fine_tuning_exclude_each_other() {
    let folder = Folder::new("max_iter: 2");
    let error = folder.train(&["--snapshot", "a.solverstate", "--weights", "b.caffemodel"]).fails();
    assert!(error.contains("not both"), "{error}");
    let error = folder.train(&["--snapshot", "snap_iter_2.caffemodel"]).fails();
    assert!(error.contains("resume from its `.solverstate`"), "{error}");
}
