//! Exchanges of records between eight hosts of 1 Gbit/s.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;

use anyhow::{Context, Result};
use base::median;
use caffe_format::binary;
use data::order::{GroupShuffle, StreamOrder};
use serde_json::Value;

use super::super::cluster_run::{FOREGROUND, NamespaceCluster, SCRIPT, up};
use super::DataRow;
use crate::shell::command;
use crate::verify::data::job::{JobFolder, JobLength, data_layer, finish, numbered};

const HOSTS: usize = 8;
const RECORDS: u32 = 60_000;
const SIDE: u32 = 90;
const MBITS: f64 = 1000.0;
/// In emulated training time passes slower, so that hosts can share this machine's cores.
const DILATION: u32 = 4;
/// What a link of 1 Gbit/s carries of a message's bytes, per second.
const LINK: f64 = 117.6e6;
/// Of the limit, an exchange alone; and of the speed that bytes on the links leave, training.
const ALONE: f64 = 1.0 / 1.15;
const TRAINING: f64 = 0.98;

const SHUFFLED: &str = "--shuffle --data memory";

/// Layers that compute for some tenths of a second and have few gradients.
const LAYERS: &str = r#"
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
        convolution_param { num_output: 20 kernel_size: 5 weight_filler { type: "xavier" } } }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool"
        pooling_param { pool: MAX kernel_size: 4 stride: 4 } }
layer { name: "ip" type: "InnerProduct" bottom: "pool" top: "ip"
        inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" }
"#;

pub(super) fn run(program: &str, rounds: usize) -> Result<Vec<DataRow>> {
    let folder = JobFolder::new("exchange")?;
    folder.database("db", RECORDS, SIDE, None)?;
    let cluster = NamespaceCluster;
    up(HOSTS, MBITS, true)?;
    let alone = alone(program, &folder, rounds)?;
    drop(cluster);
    let _slower = NamespaceCluster;
    up(HOSTS, MBITS / f64::from(DILATION), true)?;
    Ok(vec![alone, training(program, &folder, rounds)?])
}

/// Ten large steps per epoch, so that little but records is sent.
fn alone(program: &str, folder: &JobFolder, rounds: usize) -> Result<DataRow> {
    let (batch, iterations) = (750, 30);
    folder.write(&data_layer("db", batch), JobLength { iterations, display: 0, snapshot: 0 })?;
    let epochs = (batch * HOSTS * iterations) as f64 / f64::from(RECORDS);
    let limit = busiest(0..2) / LINK;
    let mut seconds = Vec::new();
    for _ in 0..rounds {
        train(program, folder, &format!("{SHUFFLED} --timeline trace.json"))?;
        let trace: Value =
            serde_json::from_str(&fs::read_to_string(folder.path.join("trace.json"))?)?;
        seconds.push(longest_track(&trace)? / epochs);
    }
    let seconds = median(seconds);
    let measured = format!("{seconds:.3} s, limit {limit:.3} s");
    let what = format!("exchange of {RECORDS} records on {HOSTS} hosts, limit over time");
    Ok(DataRow { what, measured, value: limit / seconds, least: ALONE })
}

/// Bytes in or out of the rank with the most, between these epochs.
fn busiest(epochs: std::ops::Range<u64>) -> f64 {
    let length = binary::write(&numbered(0, SIDE)).len() as f64;
    let records = u64::from(RECORDS);
    let shuffle = NonZeroU32::new(1701).map(|seed| GroupShuffle::alone(seed, HOSTS));
    let order = StreamOrder { records, shuffle };
    let (now, next) =
        (order.block_of(epochs.start * records), order.block_of((epochs.end - 1) * records));
    let (mut out, mut into) = ([0.0; HOSTS], [0.0; HOSTS]);
    for record in 0..records {
        let rank = |position: Option<u64>| {
            usize::try_from(position.unwrap_or(0) % HOSTS as u64).unwrap_or(0)
        };
        let (from, to) = (rank(now.use_of(record, 0)), rank(next.use_of(record, 0)));
        if from != to {
            out[from] += length;
            into[to] += length;
        }
    }
    out.into_iter().chain(into).fold(0.0, f64::max)
}

/// Seconds that the communicator with the longest exchanges spent on them.
fn longest_track(trace: &Value) -> Result<f64> {
    let events = trace["traceEvents"].as_array().or(trace.as_array()).context("a trace")?;
    let mut tracks: BTreeMap<String, f64> = BTreeMap::new();
    for event in events.iter().filter(|event| event["name"] == "records") {
        let track = format!("{} {}", event["pid"], event["tid"]);
        *tracks.entry(track).or_default() += event["dur"].as_f64().unwrap_or(0.0) / 1e6;
    }
    tracks.into_values().reduce(f64::max).context("the timeline shows no exchange")
}

/// The same emulated job with records streamed and exchanged.
fn training(program: &str, folder: &JobFolder, rounds: usize) -> Result<DataRow> {
    let (batch, iterations) = (32, 60);
    let net = format!("{}\n{LAYERS}", data_layer("db", batch));
    folder.write_net(&net, JobLength { iterations, display: 0, snapshot: 0 })?;
    let time = ["time", "--model", "net.prototxt", "--threads", "1", "--iterations", "10"];
    let mut profile = command(program, &[&time[..], &["--save-profile", "profile.json"]].concat());
    finish(profile.current_dir(&folder.path))?;
    let images = (batch * HOSTS) as f64;
    let bytes = busiest(0..2) * images / f64::from(RECORDS);
    let emulated = format!("--emulate profile.json --dilate {DILATION}");
    let mut ratios = Vec::new();
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let streamed = train(program, folder, &format!("--shuffle {emulated}"))?;
        let exchanged = train(program, folder, &format!("{SHUFFLED} {emulated}"))?;
        let allowed = images / (images / streamed + bytes / LINK);
        ratios.push(exchanged / allowed);
        rates[0].push(streamed);
        rates[1].push(exchanged);
    }
    let [streamed, exchanged] = rates.map(median);
    let measured = format!("{exchanged:.0} images/s, streamed {streamed:.0}");
    let what = "emulated training with exchange, over what its bytes leave".into();
    Ok(DataRow { what, measured, value: median(ratios), least: TRAINING })
}

/// Trains on all hosts; images per second.
fn train(program: &str, folder: &JobFolder, flags: &str) -> Result<f64> {
    let mut mpirun = command(SCRIPT, &["mpirun", &HOSTS.to_string(), "-wdir"]);
    mpirun.arg(&folder.path).args(["sh", "-c", FOREGROUND, program]);
    mpirun.args(["train", "--threads", "1", "--solver", "solver.prototxt"]);
    let log = finish(mpirun.args(flags.split_whitespace()))?;
    let line = log.lines().rfind(|line| line.contains(" images/s")).context("no images/s")?;
    let speed = line.split_once("firecaffe:1] ").and_then(|(_, rest)| rest.split_once(" images/s"));
    speed.context("no images/s")?.0.trim().parse().context("images/s")
}
