//! Files that are missing, cut short or have a flipped bit: one line that names the culprit, exit
//! code 1, no panic, nothing overwritten.

use std::fs;

use super::support::{DATA, Folder, NET, Ran, SOLVER};

/// The run failed and its error names `culprit`, without having changed the folder.
#[track_caller]
fn blames(ran: &Ran, culprit: &str) {
    let error = ran.fails();
    assert!(error.contains(culprit), "`{culprit}` is not in: {error}");
}

/// Every way a file is damaged here: cut at a few places, a bit flipped at many.
fn damaged(good: &[u8]) -> Vec<Vec<u8>> {
    let cuts = [0, 1, good.len() / 3, good.len() / 2, good.len() - 1].map(|at| good[..at].to_vec());
    let step = (good.len() / 24).max(1);
    let flips = (0..good.len()).step_by(step).map(|at| {
        let mut bytes = good.to_vec();
        bytes[at] ^= 1 << (at % 8);
        bytes
    });
    cuts.into_iter().chain(flips).collect()
}

/// Whatever is in the file, the program ends with 0 or 1 and an error names it.
#[track_caller]
fn survives(folder: &Folder, file: &str, args: &[&str]) {
    let good = folder.read(file);
    let mut refused = 0;
    for bytes in damaged(&good) {
        folder.write(file, &bytes);
        let ran = folder.run(args);
        match ran.code {
            Some(0) => assert!(!ran.err.contains("panicked"), "{}", ran.err),
            _ => {
                let error = ran.fails();
                let name = file.rsplit('/').next().unwrap();
                let named = error.contains(name)
                    || error.contains("layer `")
                    || error.contains("cannot read");
                assert!(named, "{file} is not named: {error}");
                refused += 1;
            }
        }
        assert!(folder.read(file) == bytes, "{file} was changed");
    }
    folder.write(file, good);
    assert!(refused > 3, "only {refused} damaged versions of {file} were refused");
}

#[test]
fn missing_files_are_named() {
    let folder = Folder::new("max_iter: 1");
    blames(&folder.run(&["train", "--solver", "absent.prototxt"]), "cannot read absent.prototxt");
    blames(&folder.train(&["--weights", "absent.caffemodel"]), "absent.caffemodel");
    blames(&folder.train(&["--snapshot", "absent.solverstate"]), "absent.solverstate");
    folder.write("solver.prototxt", SOLVER.replace("net.prototxt", "absent.prototxt"));
    blames(&folder.train(&[]), "absent.prototxt");
    folder.solver("max_iter: 1");
    folder.write("net.prototxt", NET.replace("train_lmdb", "absent_lmdb"));
    blames(&folder.train(&[]), "absent_lmdb");
    let mean = "scale: 0.00390625 mean_file: \"absent.binaryproto\"";
    folder.write("net.prototxt", NET.replace("scale: 0.00390625", mean));
    blames(&folder.train(&[]), "absent.binaryproto");
    blames(&folder.run(&["data", "mean", "absent_lmdb", "out"]), "absent_lmdb");
    blames(&folder.run(&["data", "convert-idx", "absent", "absent", "out"]), "absent");
    blames(&folder.run(&["test", "-model", "absent", "-weights", "b"]), "absent");
    blames(&folder.run(&["time", "-model", "absent"]), "absent");
    assert!(!folder.files().contains(&"out".into()));
}

/// Paths start from the working directory, as in Caffe. Who stands elsewhere is told where.
#[test]
fn paths_that_exist_beside_their_prototxt_are_explained() {
    let folder = Folder::new("max_iter: 1");
    fs::create_dir(folder.path("nets")).unwrap();
    for name in ["train_lmdb", "net.prototxt", "solver.prototxt"] {
        fs::rename(folder.path(name), folder.path(&format!("nets/{name}"))).unwrap();
    }
    let remedy = "does: paths start from the working directory; `cd nets`, or change the path";
    let net = format!("net.prototxt does not exist, but nets/net.prototxt {remedy}");
    let source =
        format!("`data_param.source`: train_lmdb does not exist, but nets/train_lmdb {remedy}");
    blames(&folder.run(&["train", "--solver", "nets/solver.prototxt"]), &net);
    blames(&folder.run(&["time", "--solver", "nets/solver.prototxt", "--update"]), &net);
    blames(&folder.run(&["time", "--model", "nets/net.prototxt"]), &source);
    blames(&folder.run(&["model", "summary", "nets/net.prototxt"]), &source);
    let solver = SOLVER.replace("net.prototxt", "nets/net.prototxt");
    folder.write("nets/solver.prototxt", format!("{solver} max_iter: 1"));
    blames(&folder.run(&["train", "--solver", "nets/solver.prototxt"]), &source);
    for file in ["nets/net.prototxt", "nets/solver.prototxt"] {
        let checked = folder.run(&["check", file]);
        assert_eq!(checked.code, Some(1));
        assert!(checked.err.contains(&source), "{}", checked.err);
    }
    let mut command = folder.command(&["check", "net.prototxt"]);
    Ran::from(command.current_dir(folder.path("nets")).output().unwrap()).succeeds();
}

#[test]
fn a_path_that_is_not_written_is_named_by_its_field() {
    let folder = Folder::new("max_iter: 1");
    folder.write("net.prototxt", NET.replace("source: \"train_lmdb\"", ""));
    let source = "layer `data`: `data_param.source` is missing";
    blames(&folder.train(&[]), source);
    let checked = folder.run(&["check", "net.prototxt"]);
    assert!(checked.err.contains(source), "{}", checked.err);
    let output = "layer { name: 'out' type: 'HDF5Output' bottom: 'ip' bottom: 'label' }";
    folder.write("net.prototxt", format!("{NET}{output}"));
    blames(&folder.train(&[]), "layer `out`: `hdf5_output_param.file_name` is missing");
}

/// Without weights, a BatchNorm with `use_global_stats` divides by `sqrt(eps)`: here by 1e-15.
#[test]
fn empty_running_statistics_are_blamed_for_a_loss_that_is_not_finite() {
    let norm = "layer { name: 'bn' type: 'BatchNorm' bottom: 'ip' top: 'ip'
                  batch_norm_param { use_global_stats: true eps: 1e-30 } }
                layer { name: 'cube' type: 'Power' bottom: 'ip' top: 'ip' power_param { power: 3 } }
                layer { name: \"loss\"";
    let folder = Folder::new("max_iter: 1");
    folder.write("net.prototxt", NET.replace("layer { name: \"loss\"", norm));
    let advice = "Layer `bn` normalises with running statistics (`use_global_stats`) that are empty, \
                  all zero: load a model that has them (`--weights`)";
    blames(&folder.train(&[]), advice);
}

#[test]
fn damaged_prototxts() {
    let folder = Folder::new("max_iter: 1");
    let train = ["train", "--solver", "solver.prototxt"];
    survives(&folder, "solver.prototxt", &train);
    survives(&folder, "net.prototxt", &train);
}

#[test]
fn damaged_snapshots() {
    let folder = Folder::new("max_iter: 4 snapshot: 2");
    folder.train(&[]).succeeds();
    let train = ["train", "--solver", "solver.prototxt"];
    let resume = [&train[..], &["--snapshot", "snap_iter_2.solverstate"]].concat();
    survives(&folder, "snap_iter_2.solverstate", &resume);
    survives(&folder, "snap_iter_2.caffemodel", &resume);
    survives(&folder, "snap_iter_2.firecaffe", &resume);
}

#[test]
fn a_model_cut_short() {
    let folder = Folder::new("max_iter: 1");
    folder.train(&[]).succeeds();
    let good = folder.read("snap_iter_1.caffemodel");
    folder.write("cut.caffemodel", &good[..good.len() / 2]);
    blames(&folder.train(&["--weights", "cut.caffemodel"]), "cut.caffemodel");
    let test = ["test", "-model", "net.prototxt", "-weights", "cut.caffemodel"];
    blames(&folder.run(&test), "cut.caffemodel");
}

#[test]
fn damaged_mean_files() {
    let folder = Folder::new("max_iter: 1");
    folder.run(&["data", "mean", "train_lmdb", "mean.binaryproto"]).succeeds();
    let mean = "scale: 0.00390625 mean_file: \"mean.binaryproto\"";
    folder.write("net.prototxt", NET.replace("scale: 0.00390625", mean));
    survives(&folder, "mean.binaryproto", &["train", "--solver", "solver.prototxt"]);
}

#[test]
fn damaged_databases() {
    let folder = Folder::new("max_iter: 8");
    survives(&folder, "train_lmdb/data.mdb", &["train", "--solver", "solver.prototxt"]);
}

#[test]
fn damaged_idx_files() {
    let folder = Folder::empty();
    for name in ["images-idx3", "labels-idx1"] {
        let bytes = fs::read(format!("{DATA}/fashion128-{name}-ubyte")).unwrap();
        folder.write(name, &bytes[..bytes.len() - 1]);
    }
    let error = folder.run(&["data", "convert-idx", "images-idx3", "labels-idx1", "out"]).fails();
    assert!(error.contains("images-idx3"), "{error}");
    assert!(!folder.files().contains(&"out".into()), "half a database looks like none");
    blames(
        &folder.run(&["data", "convert-idx", "labels-idx1", "images-idx3", "out"]),
        "labels-idx1",
    );
}

#[test]
fn an_image_that_cannot_be_decoded_fails_or_is_skipped() {
    let folder = Folder::new("max_iter: 3");
    let net = NET
        .replace("train_lmdb", "images_lmdb")
        .replace("batch_size: 16", "batch_size: 4")
        .replace("scale: 0.00390625", "scale: 0.00390625 crop_size: 32 force_color: true")
        .replace("num_output: 10", "num_output: 12");
    folder.write("net.prototxt", net);
    fs::create_dir(folder.path("images_lmdb")).unwrap();
    let mut bytes = fs::read(format!("{DATA}/images_encoded_lmdb/data.mdb")).unwrap();
    // Zeros over the body of one JPEG, well behind its header.
    let soi = bytes.windows(3).skip(20_000).position(|w| w == [0xff, 0xd8, 0xff]).unwrap() + 20_000;
    bytes[soi..soi + 12].fill(0);
    folder.write("images_lmdb/data.mdb", bytes);
    let error = folder.train(&[]).fails();
    assert!(error.contains("record `"), "{error}");
    let ran = folder.train(&["--on-bad-sample", "skip"]).succeeds();
    assert!(ran.err.contains("skipped"), "{}", ran.err);
}

#[test]
fn shapes_that_overflow_are_refused() {
    let folder = Folder::new("max_iter: 1");
    let huge = NET.replace("num_output: 10", "num_output: 2147483647");
    folder.write("net.prototxt", huge);
    blames(&folder.train(&[]), "layer `ip`");
}
