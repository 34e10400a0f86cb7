//! `supervise`, around real processes: shell scripts that fail as lost ranks do, and a training
//! run.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::support::{Folder, Ran, send};

/// Runs `script` in sh under supervision, without waiting between runs.
fn supervise(folder: &Folder, options: &[&str], script: &str) -> Ran {
    let args = [&["supervise", "--wait", "0"], options, &["--", "sh", "-c", script]].concat();
    folder.run(&args)
}

/// How often scripts that begin with this ran.
const COUNT: &str = "echo x >> runs; ";

fn runs(folder: &Folder) -> usize {
    fs::read_to_string(folder.path("runs")).unwrap_or_default().lines().count()
}

#[test]
fn a_lost_rank_is_tried_again_until_it_goes_well() {
    let folder = Folder::empty();
    let script = format!("{COUNT} test $(wc -l < runs) -ge 3 || exit 75");
    let ran = supervise(&folder, &["--restarts", "5", "--quick", "0"], &script).succeeds();
    assert_eq!(runs(&folder), 3);
    for line in ["lost a rank (exit code 75): restart 1 of 5", ": restart 2 of 5"] {
        assert!(ran.err.contains(line), "{}", ran.err);
    }
}

#[test]
fn errors_that_would_come_again_are_final() {
    for code in ["1", "2", "127", "130"] {
        let folder = Folder::empty();
        let ran = supervise(&folder, &[], &format!("{COUNT} exit {code}"));
        assert_eq!((ran.code, runs(&folder)), (code.parse().ok(), 1), "{}", ran.err);
    }
    let folder = Folder::empty();
    let ran =
        supervise(&folder, &["--restart-on", "1,9", "--restarts", "1"], &format!("{COUNT} exit 9"));
    assert_eq!((ran.code, runs(&folder)), (Some(9), 2), "{}", ran.err);
    let folder = Folder::empty();
    assert!(
        folder.run(&["supervise", "--", "./no-such-program"]).fails().contains("no-such-program")
    );
}

#[test]
fn a_killed_command_is_tried_again_and_its_signal_is_the_exit_code() {
    let folder = Folder::empty();
    let options = ["--restarts", "1", "--quick", "0"];
    let ran = supervise(&folder, &options, &format!("{COUNT} kill -KILL $$"));
    assert_eq!((ran.code, runs(&folder)), (Some(137), 2), "{}", ran.err);
    assert!(ran.err.contains("killed by signal 9") && ran.err.contains("all restarts are used"));
}

#[test]
fn failing_at_once_again_and_again_is_given_up() {
    let folder = Folder::empty();
    // However slow the machine is.
    let options = ["--restarts", "99", "--quick", "86400"];
    let ran = supervise(&folder, &options, &format!("{COUNT} exit 75"));
    assert_eq!((ran.code, runs(&folder)), (Some(75), 3), "{}", ran.err);
    assert!(ran.err.contains("failed at once three times in a row"), "{}", ran.err);
}

#[test]
fn signals_are_passed_on_and_end_the_supervision() {
    for (signal, name) in [("-INT", "INT"), ("-TERM", "TERM"), ("-USR1", "USR1")] {
        let folder = Folder::empty();
        // Ends as a lost rank would, but because it was asked to.
        let script = format!(
            "{COUNT} trap 'echo got {name} >> runs; exit 75' {name}; echo ready; \
             for _ in $(seq 6000); do sleep 0.05; done"
        );
        let args = ["supervise", "--restarts", "9", "--", "sh", "-c", &script];
        let mut child = folder.command(&args).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        send(signal, &child.id().to_string());
        assert_eq!(child.wait().unwrap().code(), Some(75));
        let log = fs::read_to_string(folder.path("runs")).unwrap();
        assert_eq!(log, format!("x\ngot {name}\n"), "once, and not started again");
    }
}

#[test]
fn a_killed_training_run_goes_on_after_its_last_snapshot() {
    let whole = Folder::new("max_iter: 40 snapshot: 10 display: 40");
    let want = whole.train(&[]).succeeds();
    let folder = Folder::new("max_iter: 40 snapshot: 10 display: 40");
    // The first run stops half-way as a rank that is lost: its solver ends early, then it kills
    // itself.
    let program = env!("CARGO_BIN_EXE_firecaffe");
    let script = format!(
        "sed 's/max_iter: 40/max_iter: 20/' solver.prototxt > half.prototxt; \
         test -e snap_iter_20.solverstate || \
         {{ {program} train --solver half.prototxt && kill -KILL $$; }}; \
         exec {program} train --solver solver.prototxt --snapshot auto"
    );
    let ran = supervise(&folder, &[], &script).succeeds();
    assert!(ran.err.contains("killed by signal 9"), "{}", ran.err);
    assert!(ran.err.contains("Resuming from ./snap_iter_20.solverstate"), "{}", ran.err);
    let model = "snap_iter_40.caffemodel";
    assert!(folder.read(model) == whole.read(model), "{}{}", want.err, ran.err);
}
