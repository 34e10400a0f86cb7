//! Exchanges of records between eight hosts of 1 Gbit/s, whose links and time are four times
//! slower: two cores carry 4 Gbit/s in all.

use std::num::NonZeroU32;

use anyhow::{Context, Result};
use base::median;
use caffe_format::binary;
use data::order::{GroupShuffle, StreamOrder};
use data::shard::range_of;

use super::super::cluster_run::{FOREGROUND, NamespaceCluster, SCRIPT, up};
use super::DataRow;
use crate::shell::command;
use crate::verify::data::job::{JobFolder, JobLength, data_layer, finish, numbered};

const HOSTS: usize = 8;
const RECORDS: u32 = 60_000;
const SIDE: u32 = 90;
const MBITS: f64 = 1000.0;
/// Time passes slower, so that hosts can share this machine's cores.
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
    let _cluster = NamespaceCluster;
    up(HOSTS, MBITS / f64::from(DILATION), true)?;
    Ok(vec![alone(program, &folder, rounds)?, training(program, &folder, rounds)?])
}

/// The exchange after loading, when nothing else is done.
fn alone(program: &str, folder: &JobFolder, rounds: usize) -> Result<DataRow> {
    folder.write(&data_layer("db", 8), JobLength { iterations: 1, display: 0, snapshot: 0 })?;
    let loaded_by = |record| {
        let holds = |rank: &usize| range_of(RECORDS.into(), (*rank, HOSTS)).contains(&record);
        (0..HOSTS).find(holds).unwrap_or(0)
    };
    let limit = busiest(loaded_by, used_by(0)) / LINK;
    let mut seconds = Vec::new();
    for _ in 0..rounds {
        let log = train(program, folder, SHUFFLED)?;
        let line = log.lines().find(|line| line.contains("where they are used first"));
        let time = line.and_then(|line| line.rsplit_once(" ranks in ")?.1.split_once(" s "));
        seconds.push(time.context("the log has no time of the exchange")?.0.parse::<f64>()?);
    }
    let seconds = median(seconds) / f64::from(DILATION);
    let measured = format!("{seconds:.3} s, limit {limit:.3} s");
    let what = format!("exchange of {RECORDS} records on {HOSTS} hosts, limit over time");
    Ok(DataRow { what, measured, value: limit / seconds, least: ALONE })
}

/// The rank that uses a record in `epoch`.
fn used_by(epoch: u64) -> impl Fn(u64) -> usize {
    let records = u64::from(RECORDS);
    let shuffle = NonZeroU32::new(1701).map(|seed| GroupShuffle::alone(seed, HOSTS));
    let block = StreamOrder { records, shuffle }.block_of(epoch * records);
    move |record| {
        let position = block.use_of(record, 0).unwrap_or(0);
        usize::try_from(position % HOSTS as u64).unwrap_or(0)
    }
}

/// Bytes in or out of the rank with the most, if every record goes from one rank to the other.
fn busiest(from: impl Fn(u64) -> usize, to: impl Fn(u64) -> usize) -> f64 {
    let length = binary::write(&numbered(0, SIDE)).len() as f64;
    let (mut out, mut into) = ([0.0; HOSTS], [0.0; HOSTS]);
    for record in 0..u64::from(RECORDS) {
        let (from, to) = (from(record), to(record));
        if from != to {
            out[from] += length;
            into[to] += length;
        }
    }
    out.into_iter().chain(into).fold(0.0, f64::max)
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
    let bytes = busiest(used_by(0), used_by(1)) * images / f64::from(RECORDS);
    let emulated = format!("--emulate profile.json --dilate {DILATION}");
    let mut ratios = Vec::new();
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let streamed = speed(&train(program, folder, &format!("--shuffle {emulated}"))?)?;
        let exchanged = speed(&train(program, folder, &format!("{SHUFFLED} {emulated}"))?)?;
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

/// Trains on all hosts; the log.
fn train(program: &str, folder: &JobFolder, flags: &str) -> Result<String> {
    let mut mpirun = command(SCRIPT, &["mpirun", &HOSTS.to_string(), "-wdir"]);
    mpirun.arg(&folder.path).args(["sh", "-c", FOREGROUND, program]);
    mpirun.args(["train", "--threads", "1", "--solver", "solver.prototxt"]);
    finish(mpirun.args(flags.split_whitespace()))
}

/// Images per second at the end of a log.
fn speed(log: &str) -> Result<f64> {
    let line = log.lines().rfind(|line| line.contains(" images/s")).context("no images/s")?;
    let speed = line.split_once("firecaffe:1] ").and_then(|(_, rest)| rest.split_once(" images/s"));
    speed.context("no images/s")?.0.trim().parse().context("images/s")
}
