//! Nets larger than the memory: described without it, and refused before it is allocated.

use super::support::{Folder, NET, Ran};

/// A folder with a net of 13 GB, by its batch.
fn large() -> Folder {
    let folder = Folder::new("max_iter: 1");
    folder.write("net.prototxt", NET.replace("batch_size: 16", "batch_size: 1300000"));
    folder
}

/// Runs the program with at most so many megabytes of address space.
fn run_within(folder: &Folder, megabytes: usize, args: &[&str]) -> Ran {
    let program = env!("CARGO_BIN_EXE_firecaffe");
    let script = format!("ulimit -v {}; exec {program} \"$@\"", megabytes * 1000);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script, "sh"]).args(args).current_dir(folder.path("."));
    Ran::from(shell.output().unwrap())
}

#[test]
fn a_net_of_13_gigabytes_is_described_in_half_of_one() {
    let folder = large();
    for args in [
        &["check", "net.prototxt"][..],
        &["check", "solver.prototxt"],
        &["model", "summary", "net.prototxt"],
    ] {
        let ran = run_within(&folder, 500, args).succeeds();
        assert!(ran.out.contains(", total 13"), "{}", ran.out);
    }
}

#[test]
fn it_is_not_run() {
    let folder = large();
    for (plan, args) in [
        ("1 worker", &["train", "--solver", "solver.prototxt"][..]),
        ("2 workers", &["train", "--solver", "solver.prototxt", "--workers", "2"]),
        ("1 worker", &["test", "--model", "net.prototxt", "--weights", "none"]),
        ("1 worker", &["time", "--model", "net.prototxt"]),
        ("1 worker", &["time", "--model", "net.prototxt", "--update"]),
    ] {
        let error = run_within(&folder, 3000, args).fails();
        assert!(error.contains(" MB are needed, "), "{error}");
        assert!(error.contains("give a smaller `batch_size`"), "{error}");
        assert!(error.contains(&format!("memory plan of {plan}: parameters ")), "{error}");
    }
}
