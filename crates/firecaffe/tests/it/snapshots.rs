//! What snapshots are called, and whose they are.

use super::support::{Folder, SOLVER};

#[test]
fn a_solver_without_a_prefix_gives_its_name() {
    let folder = Folder::new("");
    std::fs::create_dir_all(folder.path("sub/out")).unwrap();
    let solver = |prefix: &str| {
        SOLVER.replace("snapshot_prefix: \"snap\"", prefix) + "max_iter: 1 snapshot: 1"
    };
    for (prefix, want, said) in [
        ("", "sub/lenet.v2", "no `snapshot_prefix`"),
        ("snapshot_prefix: \"sub/out\"", "sub/out/lenet.v2", "the folder sub/out:"),
        ("snapshot_prefix: \"new/\"", "new/lenet.v2", "the folder new/:"),
        ("snapshot_prefix: \"sub/ou\"", "sub/ou", ""),
    ] {
        folder.write("sub/lenet.v2.prototxt", solver(prefix));
        let train = ["train", "--solver", "sub/lenet.v2.prototxt"];
        let ran = folder.run(&train).succeeds();
        for ending in ["caffemodel", "firecaffe", "solverstate"] {
            folder.read(&format!("{want}_iter_1.{ending}"));
        }
        assert!(ran.err.contains(said), "{}", ran.err);
        assert_eq!(ran.err.contains("snapshots are named"), !said.is_empty(), "{}", ran.err);
        let again = folder.run(&[&train[..], &["--snapshot", "auto"]].concat()).succeeds();
        assert!(again.err.contains(&format!("Resuming from {want}_iter_1")), "{}", again.err);
        folder.run(&["check", "sub/lenet.v2.prototxt"]).succeeds();
    }
}

#[test]
fn only_snapshots_of_other_runs_are_overwritten_with_a_warning() {
    let folder = Folder::new("max_iter: 4 snapshot: 2");
    let warned = |args: &[&str]| -> Vec<bool> {
        let ran = folder.train(args).succeeds();
        let warning = |iter| format!("snap_iter_{iter}.caffemodel is of another run and is overwr");
        [2, 4].map(|iter| ran.err.contains(&warning(iter))).to_vec()
    };
    assert_eq!(warned(&[]), [false, false], "there is none");
    assert_eq!(warned(&["--threads", "1"]), [false, false], "the same run again");
    folder.solver("max_iter: 4 snapshot: 2 weight_decay: 0.1");
    let resume = ["--snapshot", "snap_iter_2.solverstate"];
    assert_eq!(warned(&resume), [false, false], "a resumed run, even if its solver has changed");
    assert_eq!(warned(&[]), [true, true], "another solver");
    assert_eq!(warned(&["--replicas", "2"]), [true, true], "another global batch");
    folder.write("net.prototxt", super::support::NET.replace("kernel_size: 2", "kernel_size: 3"));
    assert_eq!(warned(&["--replicas", "2"]), [true, true], "another net");
    std::fs::remove_file(folder.path("snap_iter_4.firecaffe")).unwrap();
    assert_eq!(warned(&["--replicas", "2"]), [false, true], "one of Caffe's own");
}
