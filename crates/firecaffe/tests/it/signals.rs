//! Signals: Ctrl-C and SIGTERM snapshot and stop, SIGHUP snapshots, a second Ctrl-C ends at once.

use super::support::{Folder, Running};

/// Starts a run that would not end by itself and waits until it trains.
fn start(folder: &Folder, more: &[&str]) -> Running {
    let args = [&["train", "--solver", "solver.prototxt"], more].concat();
    let mut run = Running::start(&mut folder.command(&args));
    run.wait_for("Iteration 0 (");
    run
}

#[test]
fn ctrl_c_and_sigterm_write_a_snapshot_and_stop() {
    for signal in ["-INT", "-TERM"] {
        let folder = Folder::new("max_iter: 10000000 display: 1000000");
        let run = start(&folder, &[]);
        run.send(signal);
        let ran = run.end().succeeds();
        assert!(ran.err.contains("Optimization stopped early."), "{}", ran.err);
        let state = folder.files().into_iter().find(|name| name.ends_with(".solverstate"));
        folder.solver("max_iter: 1");
        let state = state.expect("a snapshot");
        folder.train(&["--snapshot", &state]).succeeds();
    }
}

#[test]
fn sighup_writes_a_snapshot_and_goes_on() {
    let folder = Folder::new("max_iter: 10000000 display: 1000000");
    let mut run = start(&folder, &[]);
    run.send("-HUP");
    run.wait_for("Snapshotting solver state");
    run.send("-INT");
    let ran = run.end().succeeds();
    let snapshots = ran.err.matches("Snapshotting solver state").count();
    assert_eq!(snapshots, 2, "it went on and stopped later: {}", ran.err);
}

#[test]
fn effects_can_be_chosen_as_in_caffe() {
    let folder = Folder::new("max_iter: 10000000 display: 1000000");
    let mut run = start(&folder, &["-sigint_effect", "snapshot", "-sighup_effect=stop"]);
    run.send("-INT");
    run.wait_for("Snapshotting solver state");
    run.send("-HUP");
    run.end().succeeds();
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    // One iteration that takes long: ten million batches, of which the first is running.
    let folder =
        Folder::new("max_iter: 2 iter_size: 10000000 display: 0 test_iter: 1 test_interval: 1");
    let args = ["train", "--solver", "solver.prototxt"];
    let mut run = Running::start(&mut folder.command(&args));
    run.wait_for("Test net output #0");
    // Two that arrive before the program comes to run are one to it, so there is always another.
    while !run.has_ended() {
        run.send("-INT");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(run.end().code, Some(130));
}
