//! `time` beyond Caffe's: whole iterations, the roofline, more workers.

use super::support::Folder;

#[test]
fn update_times_whole_iterations() {
    let folder = Folder::new("max_iter: 1 test_iter: 1 test_interval: 1 display: 1 snapshot: 1");
    for which in [["--model", "net.prototxt"], ["--solver", "solver.prototxt"]] {
        let args = [&["time", "--update", "--iterations", "3", "--threads", "1"], &which[..]];
        let ran = folder.run(&args.concat()).succeeds();
        assert_eq!(ran.err.matches(" forward-backward time: ").count(), 3, "{}", ran.err);
        assert_eq!(ran.err.matches(" update time: ").count(), 3, "{}", ran.err);
        // Convolution and product, 253,440 multiply-adds: forward, and both gradients without the
        // convolution's diff, which nobody wants. Two operations each, 16 images.
        let flops = 2.0 * (2.0 * 230_400.0 + 3.0 * 23_040.0) / 1e9;
        let line = format!("Floating-point operations: {} G", base::general(flops));
        assert!(ran.err.contains(&line), "`{line}` is not in {}", ran.err);
        let ours = "firecaffe:1] Images per second, with update: "; // Caffe has no such line
        assert!(ran.err.contains(ours), "{}", ran.err);
    }
    let left: Vec<_> = folder.files().into_iter().filter(|name| name.contains("snap")).collect();
    assert!(left.is_empty(), "timing saves nothing: {left:?}");
}

#[test]
fn roofline_has_a_line_for_each_direction_of_each_layer() {
    let folder = Folder::new("");
    let args = ["time", "--model", "net.prototxt", "--iterations", "2", "--roofline"];
    let ran = folder.run(&args).succeeds();
    let lines: Vec<Vec<_>> = ran.out.lines().map(|l| l.split_whitespace().collect()).collect();
    let begins = |words: &[&str]| lines.iter().filter(|line| line.starts_with(words)).count();
    assert_eq!(begins(&["conv", "Convolution"]), 2, "{}", ran.out);
    assert_eq!(begins(&["all", "Convolution", "backward"]), 1, "{}", ran.out);
    assert!(ran.out.starts_with("machine: ") && ran.out.contains(" GB/s"), "{}", ran.out);
    assert!(ran.out.ends_with("% of the FMA peak\n"), "{}", ran.out);
}

#[test]
fn conversions_are_named() {
    let folder = Folder::new("");
    let ran = folder.run(&["time", "--model", "net.prototxt", "--iterations", "1"]).succeeds();
    assert!(ran.err.contains("firecaffe:1] Layout conversions: "), "{}", ran.err);
}

#[test]
fn scaling_doubles_the_workers() {
    let folder = Folder::new("");
    let args = ["time", "--scaling", "--workers-max", "3", "--iterations", "2"];
    let ran = folder.run(&[&args[..], &["--model", "net.prototxt"]].concat()).succeeds();
    let rows: Vec<Vec<&str>> = ran.out.lines().map(|l| l.split_whitespace().collect()).collect();
    let firsts: Vec<_> = rows.iter().skip(1).map(|row| (row[0], row[2])).collect();
    assert_eq!(firsts, [("1", "16"), ("2", "32"), ("3", "48")], "{}", ran.out);
    assert_eq!(rows[1][5], "1.00", "one worker is what speed-up is measured by");
}

#[test]
fn modes_exclude_each_other_and_need_a_net() {
    let folder = Folder::empty();
    for args in [&["time"][..], &["time", "--model", "x", "--update", "--scaling"]] {
        assert_eq!(folder.run(args).code, Some(2), "{args:?}");
    }
    assert!(folder.run(&["time", "--solver", "x"]).fails().contains("--update"));
}

/// Two products without a loss: backward computes their gradients all the same.
#[test]
fn backward_of_a_deploy_net_starts_from_its_outputs() {
    let folder = Folder::empty();
    folder.write(
        "deploy.prototxt",
        r#"
        layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 10 } } }
        layer { name: "ip1" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: 30 } }
        layer { name: "ip2" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output: 5 } }
        layer { name: "prob" type: "Softmax" bottom: "b" top: "prob" }"#,
    );
    let time = ["time", "--model", "deploy.prototxt", "--iterations", "2"];
    let ran = folder.run(&time).succeeds();
    let note = "The net has no loss: backward starts from a diff of 1 on prob.";
    assert!(ran.err.contains(note), "{}", ran.err);
    for layer in ["ip1", "ip2", "prob"] {
        let line = format!("] {layer} needs backward computation.");
        assert!(ran.err.contains(&line), "{}", ran.err);
    }
    assert!(ran.err.contains("] Initial loss: 0\n"), "{}", ran.err);
    // 600 and 300 multiply-adds forward; gradients of both, and the diff of `a`. Two operations.
    let flops = 2.0 * (3.0 * 900.0 - 600.0) / 1e9;
    let line = format!("Floating-point operations: {} G", base::general(flops));
    let ran = folder.run(&[&time[..], &["--update"]].concat()).succeeds();
    assert!(ran.err.contains(note) && ran.err.contains(&line), "{}", ran.err);
}
