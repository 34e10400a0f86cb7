//! `solver scale`: what it writes trains.

use super::support::{Folder, exists};

const SCALE: [&str; 5] = ["solver", "scale", "--solver", "solver.prototxt", "--batch-size"];

#[test]
fn a_scaled_solver_trains_the_same_number_of_images() {
    let folder = Folder::new("max_iter: 8\ndisplay: 4");
    let args = [&SCALE[..], &["64", "--out", "big"]].concat();
    let ran = folder.run(&args).succeeds();
    assert_eq!(ran.out, "batch 16 -> 64\nwrote big/solver.prototxt\nwrote big/net.prototxt\n");
    let train =
        ["train", "--solver", "big/solver.prototxt", "--replicas", "2", "--batch", "global"];
    let ran = folder.run(&train).succeeds();
    assert!(ran.err.contains("global batch 64 = 2 replicas x 32"), "{}", ran.err);
    assert!(exists(&folder.path("snap_iter_2.caffemodel")));
    let again = folder.run(&args).fails();
    assert!(again.contains("big/solver.prototxt exists"), "{again}");
    folder.run(&[&args[..], &["--overwrite", "--rule", "lars"]].concat()).succeeds();
    folder.run(&train).succeeds();
}

#[test]
fn nonsense_is_refused() {
    let folder = Folder::new("max_iter: 8\niter_size: 3");
    let error = folder.run(&[&SCALE[..], &["64", "--out", "x"]].concat()).fails();
    assert!(error.contains("cannot be divided into `iter_size` 3"), "{error}");
    assert!(!exists(&folder.path("x")));
    let missing = ["solver", "scale", "--solver", "no", "--batch-size", "64", "--out", "x"];
    let error = folder.run(&missing).fails();
    assert!(error.contains("no"), "{error}");
}
