//! `model …`: files of models in and out.

use super::support::{Folder, exists};

#[test]
fn a_model_goes_to_safetensors_and_back() {
    let folder = Folder::new("max_iter: 2");
    folder.train(&[]).succeeds();
    let model = "snap_iter_2.caffemodel";
    folder.run(&["model", "to-safetensors", model, "x.safetensors"]).succeeds();
    folder.run(&["model", "from-safetensors", "x.safetensors", "x.caffemodel"]).succeeds();
    assert!(folder.read("x.caffemodel") == folder.read(model));
    let error = folder.run(&["model", "from-safetensors", model, "y.caffemodel"]).fails();
    assert!(error.starts_with("cannot convert snap_iter_2.caffemodel: "), "{error}");
    assert!(!exists(&folder.path("y.caffemodel")));
}

#[test]
fn features_are_records() {
    let folder = Folder::new("max_iter: 2");
    folder.train(&[]).succeeds();
    let args = ["model", "extract-features", "--model", "net.prototxt", "--batches", "3"];
    let weights = ["--weights", "snap_iter_2.caffemodel"];
    let run = |more: &[&str]| folder.run(&[&args[..], &weights, more].concat());
    let ran = run(&["--blobs", "ip,pool", "--out", "ip_lmdb,pool_lmdb"]).succeeds();
    assert_eq!(ran.out, "48 records in ip_lmdb\n48 records in pool_lmdb\n");
    assert!(exists(&folder.path("pool_lmdb/data.mdb")));
    let error = run(&["--blobs", "nothing", "--out", "x"]).fails();
    assert_eq!(error, "the net has no blob `nothing`");
    let error = run(&["--blobs", "ip", "--out", "ip_lmdb"]).fails();
    assert!(error.contains("ip_lmdb"), "{error}");
}

#[test]
fn old_files_are_upgraded() {
    let folder = Folder::empty();
    folder.write("old.prototxt", "layers { name: \"r\" type: RELU bottom: \"a\" top: \"a\" }");
    let ran = folder.run(&["model", "upgrade", "old.prototxt", "new.prototxt"]).succeeds();
    assert!(ran.out.ends_with("wrote new.prototxt\n"), "{}", ran.out);
    assert!(String::from_utf8(folder.read("new.prototxt")).unwrap().contains("type: \"ReLU\""));
    folder.write("solver.prototxt", "solver_type: NESTEROV");
    folder.run(&["model", "upgrade", "--solver", "solver.prototxt", "solver.prototxt"]).succeeds();
    assert_eq!(folder.read("solver.prototxt"), b"type: \"Nesterov\"\n");
}

#[test]
fn nets_are_drawn() {
    let folder = Folder::new("");
    let ran = folder.run(&["model", "draw", "net.prototxt"]).succeeds();
    assert!(ran.out.starts_with("digraph \"small\" {\n  rankdir=LR;"), "{}", ran.out);
    assert!(ran.out.contains("accuracy"));
    let args = ["model", "draw", "net.prototxt", "net.dot", "--phase", "TRAIN", "--rankdir", "BT"];
    folder.run(&args).succeeds();
    let dot = String::from_utf8(folder.read("net.dot")).unwrap();
    assert!(dot.contains("rankdir=BT") && !dot.contains("accuracy"), "{dot}");
    folder.run(&["model", "draw", "net.prototxt", "net.svg"]).succeeds();
    let svg = String::from_utf8(folder.read("net.svg")).unwrap();
    assert!(svg.contains("multiply-adds</text>") && svg.contains("class=\"arrow\""), "{svg}");
    let args = ["model", "draw", "net.prototxt", "net.pdf"];
    let ran = folder.command(&args).env("PATH", "").output().unwrap();
    let error = String::from_utf8(ran.stderr).unwrap();
    assert!(error.contains("install graphviz"), "{error}");
}
