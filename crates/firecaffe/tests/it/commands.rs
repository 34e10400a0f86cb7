//! The other commands: test, time, model summary, data, help.

use expect_test::expect;

use super::support::{DATA, Folder};

#[test]
fn test_scores_a_model() {
    let folder = Folder::new("max_iter: 30");
    folder.train(&[]).succeeds();
    let args = ["test", "-model", "net.prototxt", "-weights", "snap_iter_30.caffemodel"];
    let ran = folder.run(&[&args[..], &["-iterations", "8"]].concat()).succeeds();
    assert!(ran.err.contains("Running for 8 iterations."), "{}", ran.err);
    assert_eq!(ran.err.matches("Batch 7, ").count(), 2, "{}", ran.err);
    let accuracy = ran.err.lines().rfind(|line| line.contains("] accuracy = ")).unwrap();
    let accuracy: f64 = accuracy.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(accuracy > 0.4, "it has learned these images: {accuracy}");
    assert!(ran.err.contains("] loss = ") && ran.err.contains(" loss)"), "{}", ran.err);
}

#[test]
fn time_lists_every_layer() {
    let folder = Folder::new("");
    let ran =
        folder.run(&["time", "-model", "net.prototxt", "-iterations=3", "-threads=2"]).succeeds();
    assert_eq!(ran.err.matches("forward-backward time: ").count(), 3);
    for layer in ["data", "conv", "relu", "pool", "ip", "loss"] {
        for direction in ["forward", "backward"] {
            let line = format!("{layer:>10}\t{direction}: ");
            assert!(ran.err.contains(&line), "`{line}` is not in {}", ran.err);
        }
    }
    for text in ["Average Forward pass: ", "Average Backward pass: ", "Total Time: "] {
        assert!(ran.err.contains(text), "{text}");
    }
    assert!(!ran.err.contains("accuracy\t"), "phase TRAIN");
    let ran = folder.run(&["time", "-model", "net.prototxt", "-iterations=1", "-phase", "TEST"]);
    assert!(ran.succeeds().err.contains("accuracy\t"));
}

#[test]
fn summary_shows_costs() {
    let folder = Folder::new("");
    let ran = folder.run(&["model", "summary", "net.prototxt"]).succeeds();
    expect![[r#"
        small
        layer  type             top shapes      parameters  multiply-adds  activations
        data   Data             16x1x28x28, 16           0              0     0.050 MB
        conv   Convolution      16x4x12x12             104        230,400     0.037 MB
        relu   ReLU             16x4x12x12               0              0     0.000 MB
        pool   Pooling          16x4x6x6                 0              0     0.009 MB
        ip     InnerProduct     16x10                1,450         23,040     0.001 MB
        loss   SoftmaxWithLoss  1                        0              0     0.000 MB
        total                                        1,554        253,440     0.106 MB
        Memory plan: parameters 0.006 MB, gradients 0.006 MB, activations 0.106 MB, diffs 0.046 MB, workspace 0.010 MB, total 0.175 MB
        |D| 0.004 MB per image, |W| 0.006 MB, |D|/|W| 611.5 at batch 1024, 0.0001 G operations per image forward and backward
    "#]].assert_eq(&ran.out);
}

#[test]
fn gzipped_idx_files_are_unpacked() {
    let folder = Folder::new("");
    for name in ["fashion128-images-idx3-ubyte", "fashion128-labels-idx1-ubyte"] {
        std::fs::copy(format!("{DATA}/{name}"), folder.path(name)).unwrap();
        let gzip = std::process::Command::new("gzip").arg(folder.path(name)).status().unwrap();
        assert!(gzip.success());
    }
    let [images, labels] =
        ["images-idx3", "labels-idx1"].map(|n| format!("fashion128-{n}-ubyte.gz"));
    let ran = folder.run(&["data", "convert-idx", &images, &labels, "gz_lmdb"]).succeeds();
    assert_eq!(ran.out, "128 records in gz_lmdb\n");
    assert!(folder.read("gz_lmdb/data.mdb") == folder.read("train_lmdb/data.mdb"));
}

#[test]
fn an_existing_database_is_not_overwritten() {
    let folder = Folder::new("");
    let before = folder.read("train_lmdb/data.mdb");
    let [images, labels] =
        ["images-idx3", "labels-idx1"].map(|n| format!("{DATA}/fashion128-{n}-ubyte"));
    let error = folder.run(&["data", "convert-idx", &images, &labels, "train_lmdb"]).fails();
    assert!(error.contains("train_lmdb") && error.contains("exists"), "{error}");
    assert!(before == folder.read("train_lmdb/data.mdb"));
}

#[test]
fn mean_is_caffes() {
    let folder = Folder::empty();
    let database = format!("{DATA}/fashion512_lmdb");
    folder.run(&["data", "mean", &database, "mean.binaryproto"]).succeeds();
    let want = std::fs::read(format!("{DATA}/mean.binaryproto")).unwrap();
    assert!(folder.read("mean.binaryproto") == want, "byte for byte what Caffe wrote");
}

#[test]
fn wrong_command_lines_exit_with_2() {
    let folder = Folder::empty();
    let lines: [&[&str]; 9] = [
        &[],
        &["trian"],
        &["train"],
        &["train", "--solver"],
        &["train", "--solver", "x", "--threads", "0"],
        &["train", "--solver", "x", "--bucket-mb", "nan"],
        &["train", "--solver", "x", "--silence-max", "0"],
        &["time", "--model", "x", "--phase", "NIGHT"],
        &["test", "--model", "x"],
    ];
    for args in lines {
        let ran = folder.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("Usage: ") || ran.err.contains("--help"), "{args:?}: {}", ran.err);
    }
}

#[test]
fn help_and_version_exit_with_0() {
    let folder = Folder::empty();
    for args in [&["--help"][..], &["--version"], &["help", "train"], &["data", "mean", "--help"]] {
        assert!(!folder.run(args).succeeds().out.is_empty());
    }
    assert!(folder.run(&["train", "--help"]).out.contains("Examples:"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new("");
    let mut child = folder
        .command(&["check", "net.prototxt"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}
