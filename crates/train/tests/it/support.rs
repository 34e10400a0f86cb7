//! Golden cases and how they are compared.

use std::path::{Path, PathBuf};

use caffe_format::{BlobProto, NetParameter};
use exchange::{Exchange, ExchangeConfig};
use train::files::{UnknownFields, read_solver};
use train::{Job, JobConfig, Ranks};
use transport::local::LocalLink;

/// Of a parameter's mean magnitude.
const WEIGHT_TOLERANCE: f64 = 1e-3;

/// Below this a value is rounding noise.
const WEIGHT_NOISE: f64 = 1e-6;

/// A folder of `testdata/golden/solvers`.
pub(crate) fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/solvers").join(name)
}

/// The case's solver, whose snapshots go to `folder`.
pub(crate) fn config(case: &Path, folder: &Path) -> JobConfig {
    let file = case.join("solver.prototxt");
    let mut solver = read_solver(&file, UnknownFields::Reject).unwrap().message;
    solver.snapshot_prefix = Some(folder.join("snap").display().to_string());
    JobConfig { root: case.into(), threads: 2, ..JobConfig::new(solver) }
}

/// Opens a job; what it reports goes nowhere.
#[track_caller]
pub(crate) fn open(config: JobConfig) -> Job {
    Job::open(config, &mut |_| ()).unwrap_or_else(|error| panic!("{}", train::chain(&error)))
}

/// Runs `body` on `ranks` ranks, each a thread with the code that MPI runs; everyone's result.
pub(crate) fn on_ranks<T: Send + 'static>(
    ranks: usize,
    config: &JobConfig,
    body: impl Fn(JobConfig, Ranks) -> T + Clone + Send + 'static,
) -> Vec<T> {
    on_links(transport::local::mesh(ranks, 2), config, body)
}

/// As [`on_ranks`], over messages only, as between hosts.
pub(crate) fn on_hosts<T: Send + 'static>(
    ranks: usize,
    config: &JobConfig,
    body: impl Fn(JobConfig, Ranks) -> T + Clone + Send + 'static,
) -> Vec<T> {
    let links = transport::local::mesh(ranks, 2).into_iter();
    on_links(links.map(LocalLink::messages_only).collect(), config, body)
}

fn on_links<T: Send + 'static>(
    links: Vec<LocalLink>,
    config: &JobConfig,
    body: impl Fn(JobConfig, Ranks) -> T + Clone + Send + 'static,
) -> Vec<T> {
    let run = |link| {
        let (config, body) = (config.clone(), body.clone());
        std::thread::spawn(move || {
            let link = Exchange::new(Box::new(link), ExchangeConfig::LOCAL);
            body(config, Ranks::joined(link, "here".into(), Default::default(), no_alarm()))
        })
    };
    let ranks: Vec<_> = links.into_iter().map(run).collect();
    ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
}

fn no_alarm() -> train::Alarm {
    Box::new(|error| panic!("{error}"))
}

/// Compares every blob of `want` with that of the same layer.
#[track_caller]
pub(crate) fn compare(got: &NetParameter, want: &NetParameter, near: fn(&[f32], &[f32]) -> bool) {
    let mut blobs = 0;
    for layer in &want.layer {
        let found = got.layer.iter().find(|found| found.name == layer.name);
        for (index, want) in layer.blobs.iter().enumerate() {
            let got = &found.unwrap().blobs[index];
            assert!(near(&values(got), &values(want)), "param {index} of {}", layer.name());
            blobs += 1;
        }
    }
    assert!(blobs > 0);
}

fn values(blob: &BlobProto) -> Vec<f32> {
    blob.values().unwrap().into_owned()
}

/// Equal to the bit.
pub(crate) fn equal(got: &[f32], want: &[f32]) -> bool {
    got.iter().map(|v| v.to_bits()).eq(want.iter().map(|v| v.to_bits()))
}

/// Within a part of the recorded values' mean magnitude.
pub(crate) fn near(got: &[f32], want: &[f32]) -> bool {
    let sum: f64 = want.iter().map(|value| f64::from(value.abs())).sum();
    let allowed = (WEIGHT_TOLERANCE * sum / want.len().max(1) as f64).max(WEIGHT_NOISE);
    let close = |(got, want): (&f32, &f32)| f64::from((got - want).abs()) <= allowed;
    got.len() == want.len() && got.iter().zip(want).all(close)
}
