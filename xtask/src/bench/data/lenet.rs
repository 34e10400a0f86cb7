//! LeNet from an LMDB against constants that are made once.

use std::fs;

use anyhow::{Context, Result};
use base::median;

use super::super::speed_up;
use super::DataRow;
use crate::shell::{command, root};
use crate::verify::data::job::{JobFolder, JobLength, finish};

/// As `examples/lenet` reads it.
const DATA: &str = r#"layer {
  name: "data" type: "Data" top: "data" top: "label"
  transform_param { scale: 0.00390625 }
  data_param { source: "db" batch_size: 64 backend: LMDB }
}"#;
const LENGTH: JobLength = JobLength { iterations: 1500, display: 0, snapshot: 0 };
/// Of the speed with constants.
const SPEED: f64 = 0.98;
/// Least time that the net does not wait, in percent. It must wait below 1 %, and the log shows
/// tenths.
const NO_WAIT: f64 = 99.1;

const SOURCES: &[(&str, &str)] = &[
    ("streamed", ""),
    ("streamed and shuffled", "--shuffle"),
    ("shuffled in memory", "--shuffle --data memory"),
];

pub(super) fn run(program: &str, rounds: usize) -> Result<Vec<DataRow>> {
    let folder = JobFolder::new("lenet")?;
    folder.database("db", 60_000, 28, None)?;
    let model = root().join("bench/models/lenet_b64.prototxt");
    let constants = fs::read_to_string(model).context("cannot read LeNet")?;
    let mut layers = constants.match_indices("\nlayer {").map(|(at, _)| at + 1);
    let second = layers.nth(1).context("LeNet has more than one layer")?;
    let reading = format!("{DATA}\n{}", &constants[second..]);
    let mut dummy = Vec::new();
    let mut rates = vec![(Vec::new(), Vec::new()); SOURCES.len()];
    for _ in 0..rounds {
        folder.write_net(&constants, LENGTH)?;
        dummy.push(train(program, &folder, "")?.0);
        folder.write_net(&reading, LENGTH)?;
        for ((speeds, waits), (_, flags)) in rates.iter_mut().zip(SOURCES) {
            let (speed, wait) = train(program, &folder, flags)?;
            speeds.push(speed);
            waits.push(wait);
        }
    }
    let mut rows = Vec::new();
    for ((speeds, waits), (name, _)) in rates.into_iter().zip(SOURCES) {
        let (ratio, wait) = (speed_up(&dummy, &speeds), median(waits));
        let measured = format!("{:.0} images/s", median(speeds));
        let what = format!("LeNet {name}, over DummyData");
        rows.push(DataRow { what, measured, value: ratio, least: SPEED });
        let what = format!("LeNet {name}, percent of the time without waiting for data");
        let measured = format!("waits {wait} % of the time");
        rows.push(DataRow { what, measured, value: 100.0 - wait, least: NO_WAIT });
    }
    Ok(rows)
}

/// Images per second, and the wait for data in percent.
fn train(program: &str, folder: &JobFolder, flags: &str) -> Result<(f64, f64)> {
    let mut train = command(program, &["train", "--solver", "solver.prototxt"]);
    train.args(["--workers", "2", "--threads", "1"]).args(flags.split_whitespace());
    let log = finish(train.current_dir(&folder.path))?;
    let line = log.lines().rfind(|line| line.contains(" images/s")).context("no images/s")?;
    let number = |after: &str, before: &str| -> Option<f64> {
        line.split_once(after)?.1.split_once(before)?.0.trim().parse().ok()
    };
    let speed = number("firecaffe:1] ", " images/s").context("no images/s")?;
    Ok((speed, number("data wait ", " %").context("no wait for data")?))
}
