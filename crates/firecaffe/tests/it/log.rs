//! The log: set-up line by line as Caffe's, and a run as Caffe's `parse_log.py` reads it, a row at
//! every "Iteration", then rates and outputs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::support::{DATA, Folder, Ran};

/// What the parser would make of a line's text.
fn number_after<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split([' ', ',', '(']).next().unwrap_or(rest))
}

#[test]
fn lines_parse_as_caffes_do() {
    let folder = Folder::new("max_iter: 4 display: 2 test_iter: 2 test_interval: 4");
    let ran = folder.train(&[]).succeeds();
    let start = ran.err.lines().position(|line| line.contains("Solving ")).expect("a start");
    let (mut train, mut test, mut rates, mut iteration) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for line in ran.err.lines().skip(start) {
        let (prefix, text) = line.split_once("] ").unwrap_or_else(|| panic!("no prefix: {line}"));
        let [date, time, pid, place] = prefix.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("four words: {line}");
        };
        assert!(date.len() == 5 && date[1..].parse::<u32>().is_ok(), "{line}");
        let shape: String =
            time.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
        assert_eq!(shape, "99:99:99.999999");
        assert!(pid.parse::<u32>().is_ok(), "{line}");
        assert!(place.contains(':'), "{line}");
        if let Some(number) = number_after(text, "Iteration ") {
            iteration = number.parse::<u32>().unwrap();
        }
        if let Some(rate) = number_after(text, "lr = ") {
            rates.push((iteration, rate.parse::<f64>().unwrap()));
        }
        for (which, rows) in [("Train", &mut train), ("Test", &mut test)] {
            if let Some((_, output)) = text.split_once(&format!("{which} net output #")) {
                let value = number_after(output, " = ").unwrap();
                rows.push((iteration, value.parse::<f64>().unwrap()));
            }
        }
    }
    let iterations = |rows: &[(u32, f64)]| rows.iter().map(|row| row.0).collect::<Vec<_>>();
    assert_eq!(iterations(&train), [0, 2]);
    assert_eq!(iterations(&test), [0, 0, 4, 4]);
    assert_eq!(rates, [(0, 0.05), (2, 0.05)]);
}

/// Place and text of the lines from the first net to the end of set-up: Caffe's, in order.
fn set_up_lines(log: &str) -> Vec<String> {
    let lines = log.lines().filter_map(|line| {
        let (prefix, text) = line.split_once("] ")?;
        Some(format!("{}] {text}", prefix.rsplit(' ').next()?))
    });
    lines
        .skip_while(|line| !line.contains("Creating training net"))
        .take_while(|line| !line.contains("Solver scaffolding done."))
        // The first is Caffe's prefetching thread, at any time.
        .filter(|line| !line.contains("Restarting data") && !line.starts_with("firecaffe:"))
        .collect()
}

#[test]
fn set_up_is_logged_as_caffe_logs_it() {
    for case in ["sgd_fixed", "batchnorm", "crop_mirror_mean", "dropout", "leveldb"] {
        let golden = Path::new(DATA).join("../solvers").join(case);
        let read = |name: &str| fs::read_to_string(golden.join(name)).unwrap();
        let folder = Folder::empty();
        // The nets read from `../../data`.
        fs::create_dir_all(folder.path("solvers/case")).unwrap();
        symlink(DATA, folder.path("data")).unwrap();
        folder.write("solvers/case/net.prototxt", read("net.prototxt"));
        let solver = read("solver.prototxt").replace("max_iter: 40", "max_iter: 0");
        folder.write("solvers/case/solver.prototxt", solver);
        let mut command = folder.command(&["train", "--solver", "solver.prototxt"]);
        let ran = Ran::from(command.current_dir(folder.path("solvers/case")).output().unwrap());
        let (got, want) = (set_up_lines(&ran.succeeds().err), set_up_lines(&read("log.txt")));
        assert!(want.len() > 50, "{case} has a set-up");
        let differs = got.iter().zip(&want).find(|(got, want)| got != want);
        assert_eq!(differs, None, "{case}: got and wanted");
        assert_eq!(got.len(), want.len(), "{case}");
    }
}
