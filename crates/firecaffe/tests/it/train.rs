//! Training from start to end.

use super::support::{Folder, NET, SOLVER};

#[test]
fn trains_tests_and_snapshots() {
    let folder = Folder::new(
        "max_iter: 20 display: 10 snapshot: 10 test_iter: 4 test_interval: 20 test_initialization: false",
    );
    let ran = folder.train(&[]).succeeds();
    for text in [
        "Memory plan: parameters 0.006 MB",
        "Iteration 10 (",
        "Train net output #0: loss = ",
        "lr = 0.05",
        "Snapshotting to binary proto file snap_iter_10.caffemodel",
        "Snapshotting solver state to binary proto file snap_iter_20.solverstate",
        "Iteration 20, Testing net (#0)",
        "Test net output #0: accuracy = ",
        "Optimization Done.",
    ] {
        assert!(ran.err.contains(text), "`{text}` is not in {}", ran.err);
    }
    let made =
        folder.files().into_iter().filter(|name| name.starts_with("snap")).collect::<Vec<_>>();
    let want = [10, 20].map(|n| {
        ["caffemodel", "firecaffe", "solverstate"].map(|end| format!("snap_iter_{n}.{end}"))
    });
    assert_eq!(made, want.concat());
}

#[test]
fn a_second_run_replaces_the_first() {
    let folder = Folder::new("max_iter: 5 display: 0");
    let first = folder.train(&[]).succeeds();
    let model = folder.read("snap_iter_5.caffemodel");
    let second = folder.train(&[]).succeeds();
    assert_eq!(first.hash(), second.hash());
    assert!(model == folder.read("snap_iter_5.caffemodel"), "same job, same bytes");
}

#[test]
fn threads_do_not_change_a_bit() {
    let folder = Folder::new("max_iter: 10");
    let one = folder.train(&["--threads", "1"]).succeeds();
    let two = folder.train(&["--threads", "2"]).succeeds();
    let three = folder.train(&["--threads", "3"]).succeeds();
    assert_eq!(one.hash(), two.hash());
    assert_eq!(one.hash(), three.hash());
}

#[test]
fn gradients_in_16_bits_do_not_depend_on_workers_and_the_log_says_how_they_travel() {
    let folder = Folder::new("max_iter: 4 display: 2");
    let mut hashes = Vec::new();
    for (wire, said) in [
        ("f32", "global batch"),
        ("bf16", "gradients travel as bf16"),
        ("f16", "gradients travel as f16, multiplied by 1024"),
    ] {
        let args = ["--wire", wire, "--replicas", "2", "--log-json", "log.json", "--workers"];
        let one = folder.train(&[&args[..], &["1"]].concat()).succeeds();
        let two = folder.train(&[&args[..], &["2"]].concat()).succeeds();
        assert!(one.err.contains(said), "`{said}` is not in {}", one.err);
        assert_eq!(one.hash(), two.hash(), "{wire}");
        let counted = one.err.contains("0 of 4 steps were skipped; scale of gradients 1024");
        assert_eq!(counted, wire == "f16", "{}", one.err);
        let json = String::from_utf8(folder.read("log.json")).unwrap();
        assert_eq!(json.contains(r#""event":"steps_skipped","#), wire == "f16", "{json}");
        hashes.push(one.hash().to_owned());
    }
    hashes.dedup();
    assert_eq!(hashes.len(), 3, "every format rounds differently");
    let ran = folder.train(&["--wire", "f8"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("unknown wire format `f8` (known: bf16, f16, f32)"), "{}", ran.err);
}

#[test]
fn compression_between_workers_is_repeatable_and_says_what_it_sends() {
    let folder = Folder::new("max_iter: 4 display: 2");
    let ring = ["--workers", "2", "--threads", "1", "--allreduce", "ring"];
    let args = [&ring[..], &["--compression-always", "--compression", "power-sgd:rank=1"]].concat();
    let one = folder.train(&[&args[..], &["--log-json", "log.json"]].concat()).succeeds();
    assert_eq!(folder.train(&args).succeeds().hash(), one.hash());
    for said in [
        "compression power-sgd:rank=1: 1 of 1 buckets (`--compression-always`)",
        "inexact: the weights depend on the number of workers",
        "] sent 0.00",
    ] {
        assert!(one.err.contains(said), "`{said}` is not in {}", one.err);
    }
    let json = String::from_utf8(folder.read("log.json")).unwrap();
    assert!(json.contains(r#""sent_bytes":"#) && json.contains(r#""predicted_bytes":"#), "{json}");
    for (compression, want) in [
        ("top-k:share=0", "`share` must be above 0 and at most 1"),
        ("top-k:share=1.5", "`share` must be above 0 and at most 1"),
        ("threshold:tau=-1", "`tau` must be a finite number above 0"),
        ("sparse-chunks:chunk=5000", "`chunk` must be a multiple of 4096"),
        ("power-sgd:speed=2", "has no key `speed` (keys: rank)"),
        ("zip", "unknown compression `zip` (known: one-bit, power-sgd,"),
    ] {
        let ran = folder.train(&[&ring[..], &["--compression", compression]].concat());
        assert_eq!(ran.code, Some(2), "{compression}");
        assert!(ran.err.contains(want), "{compression}: {}", ran.err);
    }
    let alone = folder.train(&["--compression", "one-bit"]).fails();
    assert!(alone.contains("`--compression` needs messages"), "{alone}");
}

#[test]
fn the_simd_level_can_be_pinned() {
    let folder = Folder::new("max_iter: 2");
    let one = folder.train(&["--simd", "portable"]).succeeds();
    let two = folder.train(&["--simd", "portable", "--threads", "2"]).succeeds();
    assert_eq!(one.hash(), two.hash());
    assert_eq!(folder.train(&["--simd", "mmx"]).code, Some(2));
}

#[test]
fn the_precision_is_named_saved_and_the_same_on_any_workers() {
    let folder = Folder::new("max_iter: 4 snapshot: 2");
    let plain = folder.train(&[]).succeeds();
    for (precision, format) in [("mixed-bf16", "bf16"), ("mixed-f16", "f16")] {
        let flags = ["--precision", precision, "--replicas", "2"];
        let one = folder.train(&flags).succeeds();
        let named = format!("precision {precision}: blobs and params in {format}");
        assert!(one.err.contains(&named), "{}", one.err);
        let two = folder.train(&[&flags[..], &["--workers", "2"]].concat()).succeeds();
        assert_eq!(one.hash(), two.hash(), "{precision}");
        assert_ne!(one.hash(), plain.hash(), "{precision}");
        let error = folder.train(&["--snapshot", "snap_iter_2.solverstate"]).fails();
        assert!(error.contains(&format!("resume with `--precision {precision}`")), "{error}");
        let model = ["--model", "net.prototxt", "--precision", precision];
        folder.run(&[&["time", "--iterations", "1"], &model[..]].concat()).succeeds();
        let weights = ["--weights", "snap_iter_4.caffemodel", "--iterations", "2"];
        folder.run(&[&["test"], &model[..], &weights[..]].concat()).succeeds();
    }
    assert_eq!(folder.train(&["--precision", "f8"]).code, Some(2));
}

#[test]
fn caffes_spellings_train_too() {
    let folder = Folder::new("max_iter: 2 solver_mode: GPU");
    let ours = folder.train(&[]).succeeds();
    let caffes = folder
        .run(&["train", "-solver=solver.prototxt", "-sigint_effect", "stop", "-gpu", "0,1"])
        .succeeds();
    assert_eq!(ours.hash(), caffes.hash());
    assert_eq!(caffes.err.matches("has no effect here").count(), 1);
    assert!(caffes.err.contains("`--workers 2`"));
    assert!(caffes.err.contains("`solver_mode: GPU`"));
}

#[test]
fn weights_are_loaded_by_layer_name() {
    let folder = Folder::new("max_iter: 5");
    let first = folder.train(&[]).succeeds();
    folder.solver("max_iter: 0");
    let tuned = folder.train(&["-weights", "snap_iter_5.caffemodel"]).succeeds();
    let digits = |ran: &str| ran.rsplit(' ').next().unwrap().to_owned();
    assert_eq!(digits(first.hash()), digits(tuned.hash()));
    folder.write("net.prototxt", NET.replace("num_output: 4", "num_output: 5"));
    let error = folder.train(&["-weights", "snap_iter_5.caffemodel"]).fails();
    assert!(error.contains("snap_iter_5.caffemodel") && error.contains("`conv`"), "{error}");
}

#[test]
fn stages_and_levels_choose_layers() {
    let folder = Folder::new("max_iter: 1");
    let net = NET.replace("name: \"relu\"", "include { stage: \"bent\" } name: \"relu\"");
    folder.write("net.prototxt", net);
    let straight = folder.train(&[]).succeeds();
    let bent = folder.train(&["-stage", "bent"]).succeeds();
    assert_ne!(straight.hash(), bent.hash());
}

#[test]
fn unknown_fields_stop_unless_allowed() {
    let folder = Folder::new("max_iter: 1 gradient_noise: 3");
    let error = folder.train(&[]).fails();
    assert!(error.starts_with("solver.prototxt:8:13: "), "{error}");
    let ran = folder.train(&["--allow-unknown"]).succeeds();
    assert!(ran.err.contains("gradient_noise"));
}

#[test]
fn a_loss_that_is_not_finite_stops_and_names_the_blob() {
    let folder = Folder::new("");
    let solver = SOLVER.replace("0.05", "1e30") + "max_iter: 50 snapshot: 1";
    folder.write("solver.prototxt", solver);
    let error = folder.train(&[]).fails();
    assert!(error.contains("not finite") && error.contains("layer `"), "{error}");
    assert!(!folder.files().contains(&"snap_iter_50.caffemodel".into()));
}

#[test]
fn a_label_out_of_range_names_the_record() {
    let folder = Folder::new("max_iter: 5");
    folder.write("net.prototxt", NET.replace("num_output: 10", "num_output: 5"));
    let error = folder.train(&[]).fails();
    assert!(error.contains("label") && error.contains("record `000000"), "{error}");
}

#[test]
fn the_json_log_has_one_object_per_line() {
    let folder = Folder::new("max_iter: 4 display: 2 snapshot: 4 test_iter: 1 test_interval: 4");
    folder.train(&["--log-json", "log.json"]).succeeds();
    let log = String::from_utf8(folder.read("log.json")).unwrap();
    let kinds: Vec<_> = log.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
    let display = "display weights worker_times rank_times";
    let want = format!(
        "test {display} {display} snapshot worker_times rank_times speed weights final_loss test"
    );
    let kinds: Vec<_> = kinds.into_iter().filter(|kind| *kind != "bucket").collect();
    assert_eq!(kinds.join(" "), want);
}

#[test]
fn the_timeline_names_every_layer_and_what_each_worker_waited_for() {
    let folder = Folder::new("max_iter: 2");
    folder.write("net.prototxt", NET.replace(r#"name: "ip""#, r#"name: "i\"p""#));
    folder.train(&["--workers", "2", "--timeline", "trace.json"]).succeeds();
    let trace = String::from_utf8(folder.read("trace.json")).unwrap();
    for want in [
        r#""args":{"name":"worker 1"}"#,
        r#""name":"conv","cat":"backward""#,
        r#""name":"i\"p","cat":"forward""#,
        r#""cat":"exposed communication""#,
    ] {
        assert!(trace.contains(want), "no {want} in {trace}");
    }
}

#[test]
fn a_timeline_that_cannot_be_written_is_known_before_training() {
    let folder = Folder::new("max_iter: 2");
    let error = folder.train(&["--timeline", "net.prototxt/trace.json"]).fails();
    assert!(error.contains("net.prototxt/trace.json"), "{error}");
    assert!(!folder.files().contains(&"snap_iter_2.caffemodel".into()));
}

#[test]
fn replicas_that_start_their_data_again_say_so_once() {
    // Two replicas take 32 of 128 records per iteration: replica 0's fifth batch is again the
    // first.
    let folder = Folder::new("max_iter: 6 display: 0");
    let ran = folder.train(&["--replicas", "2"]).succeeds();
    assert_eq!(ran.err.matches("Restarting data prefetching").count(), 1, "{}", ran.err);
}
