//! Signals: Ctrl-C and SIGTERM snapshot and stop, SIGHUP snapshots, a second Ctrl-C ends at once.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::support::{Folder, Ran};

/// Starts a run that would not end by itself and waits until it trains.
fn start(folder: &Folder, more: &[&str]) -> (Child, BufReader<std::process::ChildStderr>) {
    let args = [&["train", "--solver", "solver.prototxt"], more].concat();
    let mut child = folder.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    wait_for(&mut lines, "Iteration 0 (");
    (child, lines)
}

fn wait_for(lines: &mut impl BufRead, text: &str) {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "`{text}` never came");
    }
}

fn send(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
}

fn end(child: Child, mut lines: impl BufRead) -> Ran {
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    let mut ran = Ran::from(child.wait_with_output().unwrap());
    ran.err = rest;
    ran
}

#[test]
fn ctrl_c_and_sigterm_write_a_snapshot_and_stop() {
    for signal in ["-INT", "-TERM"] {
        let folder = Folder::new("max_iter: 10000000 display: 1000000");
        let (child, lines) = start(&folder, &[]);
        send(&child, signal);
        let ran = end(child, lines).succeeds();
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
    let (child, mut lines) = start(&folder, &[]);
    send(&child, "-HUP");
    wait_for(&mut lines, "Snapshotting solver state");
    send(&child, "-INT");
    let ran = end(child, lines).succeeds();
    assert!(ran.err.contains("Snapshotting solver state"), "it went on and stopped later");
}

#[test]
fn effects_can_be_chosen_as_in_caffe() {
    let folder = Folder::new("max_iter: 10000000 display: 1000000");
    let (child, mut lines) = start(&folder, &["-sigint_effect", "snapshot", "-sighup_effect=stop"]);
    send(&child, "-INT");
    wait_for(&mut lines, "Snapshotting solver state");
    send(&child, "-HUP");
    end(child, lines).succeeds();
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    // One iteration that takes long: a hundred thousand batches, of which the first is running.
    let folder =
        Folder::new("max_iter: 2 iter_size: 10000000 display: 0 test_iter: 1 test_interval: 1");
    let args = ["train", "--solver", "solver.prototxt"];
    let mut child = folder.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    wait_for(&mut lines, "Test net output #0");
    send(&child, "-INT");
    std::thread::sleep(std::time::Duration::from_millis(200));
    send(&child, "-INT");
    assert_eq!(end(child, lines).code, Some(130));
}
