//! `bench allreduce` and `bench network` between threads; `bench data` of a database.

use super::support::{Folder, Ran};

fn bench(more: &[&str]) -> Ran {
    let flags = ["bench", "allreduce", "--sizes", "40K", "--iterations", "1", "--warm-ups", "0"];
    Folder::empty().run(&[&flags[..], more].concat())
}

#[test]
fn every_type_is_measured_and_named() {
    for (name, elements) in [("f32", "10000"), ("f16", "20000"), ("bf16", "20000")] {
        let ran = bench(&["--type", name, "--algorithms", "direct,ring"]).succeeds();
        assert_eq!(ran.out.matches(&format!("{elements} {name:>6}")).count(), 2, "{}", ran.out);
    }
    let error = bench(&["--type", "f8"]);
    assert!(
        error.err.contains("unknown wire format `f8` (known: bf16, f16, f32)"),
        "{}",
        error.err
    );
}

#[test]
fn json_has_standard_output_to_itself() {
    let ran = bench(&["--algorithms", "ring", "--json", "-", "--type", "bf16"]).succeeds();
    assert!(ran.out.starts_with("{\"results\""), "{}", ran.out);
    assert!(ran.out.contains("\"type\":\"bf16\""), "{}", ran.out);
    assert!(ran.err.contains("#wrong"), "{}", ran.err);
}

/// More lanes, or colours times segments under way, than a plan has.
#[test]
fn lanes_are_bounded() {
    for flags in [
        ["--cut", "1Kx100", "--algorithms", "ring"],
        ["--segments", "1Kx100", "--algorithms", "multi-color"],
        ["--workers", "40", "--algorithms", "multi-color:40"],
    ] {
        let ran = bench(&flags).succeeds();
        assert!(ran.out.contains("#wrong"), "{}", ran.out);
    }
    let ran = bench(&["--algorithms", "multi-color:65"]);
    assert!(ran.err.contains("65 is too many: a plan has 64 lanes"), "{}", ran.err);
}

/// What fits a message depends on the format.
#[test]
fn a_message_holds_at_least_one_element() {
    bench(&["--type", "f16", "--segments", "2x4", "--algorithms", "direct"]).succeeds();
    for (format, segments, element) in [("f32", "2x4", 4), ("f16", "1x4", 2), ("f32", "0x1", 4)] {
        let error = bench(&["--type", format, "--segments", segments]).fails();
        let want = format!("`--segments`: a message holds at least one element of {element} bytes");
        assert!(error.contains(&want), "{error}");
    }
}

/// What `bench network` saves is a cluster that `simulate` reads, and a network for `auto`.
#[test]
fn a_measured_cluster_can_be_simulated() {
    let folder = Folder::new("max_iter: 1 test_iter: 1 test_interval: 1 display: 1 snapshot: 1");
    folder.run(&[
        "time",
        "--model",
        "net.prototxt",
        "--iterations",
        "2",
        "--save-profile",
        "p.json",
    ]);
    let flags = ["--workers", "2", "--threads", "1", "--profile", "p.json", "--save", "c.toml"];
    let ran = folder.run(&[&["bench", "network"], &flags[..]].concat()).succeeds();
    assert!(ran.out.contains("[intra_node]") && ran.out.contains("saved to c.toml"), "{}", ran.out);
    let text = String::from_utf8(folder.read("c.toml")).unwrap();
    for key in ["latency_us", "message_overhead_us", "copy_gbs", "file = \"p.json\"", "top-k"] {
        assert!(text.contains(key), "{key} is not in {text}");
    }
    let job = ["--model", "net.prototxt", "--cluster", "c.toml", "--ranks", "2"];
    folder.run(&[&["simulate"], &job[..]].concat()).succeeds();
    let auto = ["--algorithms", "auto", "--network", "c.toml", "--sizes", "4K"];
    folder.run(&[&["bench", "allreduce"], &auto[..]].concat()).succeeds();
    let error = folder.run(&["bench", "allreduce", "--network", "net.prototxt"]).fails();
    assert!(error.contains("net.prototxt"), "{error}");
    let error = folder.run(&["bench", "network", "--profile", "missing.json"]).fails();
    assert!(error.contains("missing.json"), "{error}");
}

#[test]
fn a_database_is_measured_stage_by_stage() {
    let folder = Folder::new("max_iter: 1");
    let flags = ["bench", "data", "--seconds", "0.01", "--threads", "2", "--json", "d.json"];
    for of in [&["--model", "net.prototxt"][..], &["--model", "net.prototxt", "--shuffle"]] {
        let ran = folder.run(&[&flags[..], of].concat()).succeeds();
        for stage in ["reading", "decoding", "transforming", "together"] {
            assert_eq!(
                ran.out.lines().filter(|line| line.starts_with(stage)).count(),
                2,
                "{}",
                ran.out
            );
        }
        assert!(ran.out.contains("bottleneck with 2 threads: "), "{}", ran.out);
        let json = String::from_utf8(folder.read("d.json")).unwrap();
        assert!(json.contains("\"stage\":\"together\",\"threads\":2"), "{json}");
    }
    let ran = folder.run(&["bench", "data", "train_lmdb", "--transform", "crop_size: 900"]);
    assert!(ran.err.contains("smaller than `crop_size: 900`"), "{}", ran.err);
    let ran = folder.run(&["bench", "data", "none_lmdb"]);
    assert!(ran.err.contains("none_lmdb"), "{}", ran.err);
    let ran = folder.run(&["bench", "data", "x", "--transform", "crop: 1"]);
    assert!(ran.err.contains("crop"), "{}", ran.err);
}
