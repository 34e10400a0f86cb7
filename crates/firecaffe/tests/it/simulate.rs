//! `simulate` and `advise`: nets on clusters that a file describes.

use super::support::Folder;

const CLUSTER: &str = r#"
name = "four hosts"
nodes = 4
[device]
name = "host"
gflops = 1.0
reduce_gbs = 9.0
[nic]
latency_us = 50.0
bandwidth_gbs = 0.117
"#;

/// The net that is timed in milliseconds, and the cluster.
fn folder() -> Folder {
    let folder = Folder::new("max_iter: 1 test_iter: 1 test_interval: 1 display: 1 snapshot: 1");
    folder.write("cluster.toml", CLUSTER);
    folder
}

const JOB: [&str; 4] = ["--model", "net.prototxt", "--cluster", "cluster.toml"];

#[test]
fn more_ranks_are_faster_and_less_efficient() {
    let folder = folder();
    let args = [&["simulate", "--ranks", "1..4", "--json", "--epochs", "2"], &JOB[..]].concat();
    let ran = folder.run(&args).succeeds();
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let numbers = |key: &str| -> Vec<f64> {
        json["rows"].as_array().unwrap().iter().map(|row| row[key].as_f64().unwrap()).collect()
    };
    assert_eq!(numbers("ranks"), [1.0, 2.0, 4.0]);
    assert_eq!(numbers("global_batch"), [16.0, 32.0, 64.0]);
    assert!(numbers("images_per_s").is_sorted(), "{}", ran.out);
    assert!(numbers("efficiency").is_sorted_by(|a, b| a > b), "{}", ran.out);
    assert!(numbers("training").is_sorted_by(|a, b| a > b), "{}", ran.out);
}

#[test]
fn a_table_and_a_timeline() {
    let folder = folder();
    let more = ["--allreduce", "ring", "--bucket-mb", "0", "--timeline", "trace.json"];
    let args = [&["simulate", "--ranks", "4"], &more[..], &JOB[..]].concat();
    let ran = folder.run(&args).succeeds();
    assert!(ran.out.starts_with("small on four hosts: 16 images per device in f32, ring in f32"));
    assert!(ran.out.contains("efficiency"), "{}", ran.out);
    let trace = String::from_utf8(folder.read("trace.json")).unwrap();
    for name in ["\"conv\",\"cat\":\"forward\"", "\"ip\",\"cat\":\"backward\"", "bucket 1"] {
        assert!(trace.contains(name), "{name} is not in {trace}");
    }
}

/// A profile of the net wins over `gflops`; one of another net names what is wrong.
#[test]
fn profiles_say_how_long_layers_take() {
    let folder = folder();
    let profile = |net: &str| {
        format!("{CLUSTER}[[device.profile]]\nnetwork = \"{net}\"\nfile = \"p.json\"\n")
    };
    let args = [&["simulate", "--ranks", "1", "--json"], &JOB[..]].concat();
    let images_per_s = || {
        let ran = folder.run(&args).succeeds();
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        json["rows"][0]["images_per_s"].as_f64().unwrap()
    };
    folder.write(
        "p.json",
        r#"{ "format": "firecaffe profile 1", "net": "small", "batch": 16, "machine": "m",
             "source": "s", "images_per_second": 1234 }"#,
    );
    folder.write("cluster.toml", profile("another"));
    assert!((images_per_s() - 1234.0).abs() > 1.0);
    folder.write("cluster.toml", profile("small"));
    assert!((images_per_s() - 1234.0).abs() < 0.1);
    folder.write("p.json", "{}");
    let error = folder.run(&args).fails();
    assert!(error.contains("p.json: `format` is missing"), "{error}");
}

#[test]
fn every_mistake_of_a_cluster_file_is_shown() {
    let folder = folder();
    let wrong = CLUSTER.replace("50.0", "-1").replace("0.117", "0");
    folder.write("cluster.toml", wrong);
    let args = [&["simulate", "--ranks", "8"], &JOB[..]].concat();
    let ran = folder.run(&args);
    assert_eq!(ran.code, Some(1));
    let lines =
        ["cluster.toml:3:9: 8 ranks need 8 devices", ":9:14: `latency_us` is -1", ": 3 errors"];
    for line in lines {
        assert!(ran.err.contains(line), "{line} is not in {}", ran.err);
    }
}

#[test]
fn nonsense_flags_are_refused() {
    let folder = folder();
    for (flag, value) in
        [("--ranks", "0"), ("--ranks", "8..2"), ("--epochs", "-1"), ("--allreduce", "carrier")]
    {
        let ranks: &[&str] = if flag == "--ranks" { &[] } else { &["--ranks", "2"] };
        let ran = folder.run(&[&["simulate", flag, value], ranks, &JOB[..]].concat());
        assert_eq!(ran.code, Some(2), "{flag} {value}: {}", ran.err);
    }
    let ran = folder.run(&[&["simulate", "--ranks", "2", "--allreduce", "mpi"], &JOB[..]].concat());
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("`mpi` has no plan"), "{}", ran.err);
}

/// Reasons, what would help most, and a last line that `train` understands.
#[test]
fn advice_ends_with_a_command() {
    let folder = folder();
    let ran = folder.run(&[&["advise", "--ranks", "4"], &JOB[..]].concat()).succeeds();
    for text in
        ["loses", "% to latency at ", "what would help:", "  most: links of half the latency"]
    {
        assert!(ran.out.contains(text), "{text} is not in {}", ran.out);
    }
    let command = ran.out.lines().last().unwrap();
    let (mpirun, train) = command.split_once(" firecaffe ").unwrap();
    assert_eq!(mpirun, "mpirun -n 4 --map-by ppr:1:node --bind-to none");
    let words: Vec<&str> = train.split(' ').collect();
    folder.run(&words).succeeds();
}

/// Mixed precision is named as `train` names it, and decides how gradients travel.
#[test]
fn precisions_are_those_of_train() {
    let folder = folder();
    let fast = "[[device.speed]]\nnetwork = \"small\"\nprecision = \"mixed\"\nimages_per_s = 1e6\n";
    folder.write("cluster.toml", format!("{CLUSTER}{fast}"));
    let advise = |precision: &str| {
        let args = ["advise", "--ranks", "4", "--precision", precision];
        let ran = folder.run(&[&args, &JOB[..]].concat()).succeeds();
        ran.out.lines().last().unwrap().to_owned()
    };
    for (asked, want) in
        [("f32", "mixed-f16"), ("mixed", "mixed-f16"), ("mixed-bf16", "mixed-bf16")]
    {
        let command = advise(asked);
        assert!(command.contains(&format!(" --precision {want}")), "{asked}: {command}");
        let words: Vec<&str> = command.split_once(" firecaffe ").unwrap().1.split(' ').collect();
        folder.run(&words).succeeds();
    }
    let args = [&["simulate", "--ranks", "2", "--precision", "mixed-bf16"], &JOB[..]].concat();
    let ran = folder.run(&args).succeeds();
    assert!(ran.out.contains("in mixed, auto in bf16"), "{}", ran.out);
}
