//! `train --emulate`: a profile that was measured, used, and refused; and the cluster it is for.

use std::process::Command;

use super::support::{Folder, Ran};

/// A run reports its speed, or says that the cores were too busy: what else runs on this machine is
/// not the test's to know.
#[track_caller]
fn is_emulated(ran: &Ran) {
    assert!(ran.err.contains("] emulated: load of the cores "), "{}", ran.err);
    let waits = "ms of computation per replica are waited for";
    assert!(ran.err.contains(waits), "{}", ran.err);
    match ran.code {
        Some(0) => assert!(ran.err.contains(" images/s emulated; "), "{}", ran.err),
        _ => assert!(ran.fails().contains("no images/s: the cores were "), "{}", ran.err),
    }
    for line in ran.err.lines().filter(|line| line.contains("images/s")) {
        assert!(line.contains("emulated"), "{line}");
    }
    assert!(!ran.err.contains("weights after"), "there are none: {}", ran.err);
}

#[test]
fn a_profile_is_measured_and_waited_for() {
    let folder = Folder::new(
        "max_iter: 3 test_iter: 1 test_interval: 1 display: 1 snapshot: 1 snapshot_after_train: true",
    );
    let saved = ["--save-profile", "p.json", "--save-gradients", "g", "--iterations", "3"];
    let which = ["time", "--solver", "solver.prototxt", "--threads", "1"];
    folder.run(&[&which[..], &saved].concat()).succeeds();
    let profile = String::from_utf8(folder.read("p.json")).unwrap();
    assert!(
        profile.contains("\"name\": \"conv\"") && profile.contains("\"batch\": 16"),
        "{profile}"
    );
    let values = 4 * 25 + 4 + 10 * 144 + 10;
    assert_eq!(folder.read("g").len(), 4 * values);
    let emulate = ["--emulate", "p.json"];
    is_emulated(&folder.train(&emulate));
    let gradients = ["--workers", "2", "--dilate", "3", "--emulate-gradients", "g"];
    is_emulated(&folder.train(&[&emulate[..], &gradients].concat()));
    let left: Vec<_> = folder.files().into_iter().filter(|name| name.contains("snap")).collect();
    assert!(left.is_empty(), "nothing is saved: {left:?}");
}

#[test]
fn what_cannot_be_emulated_is_refused() {
    let folder = Folder::new("max_iter: 3");
    let rate = |batch: &str| {
        format!(
            r#"{{ "format": "firecaffe profile 1", "net": "n", "batch": {batch}, "machine": "m",
                "source": "s", "images_per_second": 100 }}"#
        )
    };
    folder.write("batch.json", rate("32"));
    folder.write("text.json", rate("\"16\""));
    folder.write("good.json", rate("16"));
    folder.write("short", [0; 8]);
    let fails = |args: &[&str]| folder.train(args).fails();
    let refused = [
        (fails(&["--emulate", "none.json"]), "cannot read none.json: "),
        (fails(&["--emulate", "text.json"]), "text.json: not a profile: invalid type: string"),
        (
            fails(&["--emulate", "batch.json"]),
            "batch.json does not fit the train net: the profile is for a batch of 32, the net's is 16",
        ),
        (
            fails(&["--emulate", "good.json", "--emulate-gradients", "short"]),
            "short has 8 bytes, but the train net's gradients have 6216: save them with",
        ),
    ];
    for (error, want) in refused {
        assert!(error.starts_with(want), "{error}");
    }
    for args in [
        &["--dilate", "2"][..],
        &["--emulate", "good.json", "--dilate", "0"],
        &["--emulate", "good.json", "--weights", "x"],
        &["--emulate-gradients", "short"],
    ] {
        assert_eq!(folder.train(args).code, Some(2), "{args:?}");
    }
}

/// Refused before anything is made, so this needs no root.
#[test]
fn a_cluster_that_the_machine_cannot_carry_is_refused() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/netns-cluster");
    let up = |args: &[&str]| {
        let mut command = Command::new("bash");
        Ran::from(command.arg(script).arg("up").args(args).output().unwrap())
    };
    for (args, want) in [
        (
            &["8", "1gbit"][..],
            "8 hosts of 1gbit would be 8 Gbit/s, but this machine's cores move 4",
        ),
        (&["64", "62.6mbit"], "use fewer hosts, or links of at most 62mbit"),
        (&["0", "1gbit"], "0 is no number of hosts"),
        (&["4", "quick"], "quick is no rate: write 1gbit"),
        (&["4", "0mbit"], "0mbit is too slow"),
    ] {
        let ran = up(args);
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
        assert!(ran.err.starts_with("netns-cluster: ") && ran.err.contains(want), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
}
