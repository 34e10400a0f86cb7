//! Records, reports and TensorBoard's files of real runs.

use super::support::{Folder, NET};

#[test]
fn a_record_becomes_a_page_with_every_view_and_the_command_that_repeats_the_run() {
    let folder = Folder::new("max_iter: 20 display: 5 test_iter: 2 test_interval: 10 snapshot: 10");
    let hostile = "</script><script>alert(1)</script>";
    folder.write("net.prototxt", NET.replace("name: \"ip\"", &format!("name: \"{hostile}\"")));
    let ran = folder.train(&["--record", "run", "--threads", "1"]).succeeds();
    folder.run(&["report", "run", "--out", "report.html"]).succeeds();
    let html = String::from_utf8(folder.read("report.html")).unwrap();
    for heading in
        ["Summary", "Training", "Rate and speed", "Time", "Layers", "One iteration", "Memory"]
    {
        assert!(html.contains(&format!("<h2>{heading}</h2>")), "no {heading} in {html}");
    }
    assert!(!html.contains(hostile) && html.contains("&lt;/script&gt;"));
    let (_, hash) = ran.hash().rsplit_once(' ').unwrap();
    assert!(html.contains(hash), "no hash {hash} in {html}");
    let repeated = "train --solver solver.prototxt --threads 1</code>";
    assert!(html.contains(repeated), "no command in {html}");
}

#[test]
fn a_resumed_run_continues_its_record() {
    let folder = Folder::new("max_iter: 20 display: 0 snapshot: 10");
    folder.train(&["--record", "run"]).succeeds();
    let resume = ["--record", "run", "--snapshot", "snap_iter_10.solverstate"];
    folder.train(&resume).succeeds();
    folder.run(&["report", "run"]).succeeds();
    let html = String::from_utf8(folder.read("report.html")).unwrap();
    assert!(html.contains("<dt>resumed</dt><dd>1 <small>time</small></dd>"), "{html}");
    let points = html.split("data-points=\"").nth(1).unwrap().split('"').next().unwrap();
    let iterations: Vec<_> = points.split(' ').step_by(2).map(str::to_owned).collect();
    assert_eq!(iterations, (0..20).map(|i| i.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_net_without_a_name_is_recorded() {
    let folder = Folder::new("max_iter: 3 display: 0");
    let named = NET.lines().filter(|line| !line.starts_with("name:"));
    folder.write("net.prototxt", named.collect::<Vec<_>>().join("\n"));
    folder.train(&["--record", "run"]).succeeds();
    let record = String::from_utf8(folder.read("run/000001.jsonl")).unwrap();
    assert_eq!(record.matches("{\"is\":\"steps\"").count(), 3, "{record}");
}

#[test]
fn runs_and_logs_of_caffe_are_compared() {
    let folder = Folder::new("max_iter: 10 display: 5");
    let ran = folder.train(&["--record", "run"]).succeeds();
    folder.write("caffe.log", &ran.err);
    let old = ran.err.lines().map(|line| line.replacen("I1", "I20261", 1));
    folder.write("other.log", old.collect::<Vec<_>>().join("\n"));
    folder.run(&["report", "run", "caffe.log", "other.log", "--out", "both.html"]).succeeds();
    let html = String::from_utf8(folder.read("both.html")).unwrap();
    assert!(html.contains("<h2>Differences</h2>") && html.contains("caffe.log, train"), "{html}");
}

#[test]
fn what_is_no_run_is_named() {
    let folder = Folder::new("max_iter: 1");
    let error = folder.run(&["report", "missing"]).fails();
    assert!(error.contains("cannot read") && error.contains("missing"), "{error}");
    let error = folder.run(&["report", "net.prototxt"]).fails();
    assert!(error.contains("net.prototxt has no line of a training run"), "{error}");
    let error = folder.train(&["--record", "net.prototxt/run"]).fails();
    assert!(error.contains("net.prototxt/run"), "{error}");
    let error = folder.train(&["--page", "nowhere:x"]).fails();
    assert!(error.contains("expected PORT or HOST:PORT"), "{error}");
}

#[test]
fn a_timeline_stays_below_its_limit_and_says_what_it_dropped() {
    let folder = Folder::new("max_iter: 60 display: 0");
    let ran = folder.train(&["--timeline", "t.json", "--timeline-mb", "0.05"]).succeeds();
    let bytes = folder.read("t.json");
    assert!(bytes.len() <= 50_000, "{} bytes", bytes.len());
    assert!(ran.err.contains("spans between the first and the latest were dropped"), "{}", ran.err);
    assert!(String::from_utf8(bytes).unwrap().contains("spans dropped\",\"cat\":\"dropped\""));
}

#[test]
fn tensorboard_files_have_scalars_and_histograms() {
    let folder = Folder::new("max_iter: 6 display: 2");
    folder.train(&["--tensorboard", "board", "--histograms", "3"]).succeeds();
    let files: Vec<_> = std::fs::read_dir(folder.path("board")).unwrap().flatten().collect();
    assert_eq!(files.len(), 1);
    let bytes = std::fs::read(files[0].path()).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    for tag in
        ["brain.Event:2", "train/loss", "train/learning rate", "weights/conv/0", "gradients/"]
    {
        assert!(text.contains(tag), "no {tag}");
    }
}
