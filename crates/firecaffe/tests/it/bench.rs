//! `bench allreduce` between threads: types, segments, lanes, and where the JSON goes.

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
