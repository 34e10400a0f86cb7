//! Scaling as a table for people and as JSON for programs.

use cluster_sim::{BucketRule, SimulatedScaling, SimulationConfig};
use serde::Serialize;

use super::job::ClusterJob;
use crate::commands::columns::{self, Side};

const COLUMNS: [(&str, Side); 9] = [
    ("ranks", Side::Right),
    ("batch", Side::Right),
    ("iteration ms", Side::Right),
    ("compute ms", Side::Right),
    ("exposed ms", Side::Right),
    ("update ms", Side::Right),
    ("images/s", Side::Right),
    ("speed-up", Side::Right),
    ("efficiency", Side::Right),
];

/// The table, with a line before it that says what was simulated.
pub(super) fn render(
    job: &ClusterJob,
    config: &SimulationConfig,
    rows: &[SimulatedScaling],
) -> String {
    let ms = |seconds: f64| format!("{:.1}", 1e3 * seconds);
    let cells = rows.iter().map(|row| {
        [
            row.ranks.to_string(),
            row.global_batch.to_string(),
            ms(row.iteration),
            ms(row.time.compute),
            ms(row.time.exposed),
            ms(row.time.update),
            format!("{:.0}", row.images_per_s),
            format!("{:.2}", row.speed_up),
            format!("{:.1} %", 100.0 * row.efficiency),
        ]
    });
    let table = columns::render(COLUMNS, cells);
    format!("{}\n{table}{}", title(job, config), training(rows))
}

/// Time to train, if a length was given.
fn training(rows: &[SimulatedScaling]) -> String {
    let has_failures = rows.iter().any(|row| row.training_with_failures.is_some());
    let failures = if has_failures { "expected with failures" } else { "" };
    let columns = [("ranks", Side::Right), ("time to train", Side::Right), (failures, Side::Right)];
    let cells = rows.iter().filter_map(|row| {
        let failures = row.training_with_failures.map(duration).unwrap_or_default();
        Some([row.ranks.to_string(), duration(row.training?), failures])
    });
    let cells: Vec<_> = cells.collect();
    if cells.is_empty() { String::new() } else { format!("\n{}", columns::render(columns, cells)) }
}

/// What was simulated, in one line.
fn title(job: &ClusterJob, config: &SimulationConfig) -> String {
    let SimulationConfig { batch, precision, allreduce, wire, .. } = config;
    let bucket = match config.buckets {
        BucketRule::Bytes(bytes) => format!("buckets of {} MB", bytes as f64 / 1e6),
        BucketRule::PerParam => "one bucket per param".to_owned(),
    };
    let compression = config.compression.as_ref().map(|c| format!(", {c}")).unwrap_or_default();
    let workers = match config.workers {
        1 => String::new(),
        workers => format!(", {workers} workers per rank"),
    };
    let overlap = if config.overlap { "" } else { ", no overlap" };
    format!(
        "{} on {}: {batch} images per device in {precision}, {allreduce} in {wire}, \
         {bucket}{compression}{workers}{overlap}",
        job.net.name, job.cluster.name
    )
}

/// `2 h 5 min`, `3.4 min` or `12 s`.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.0} s"),
        s if s < 3600.0 => format!("{:.1} min", s / 60.0),
        s if s < 86_400.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

/// All of it, in seconds.
#[derive(Serialize)]
pub(super) struct ScalingJson<'a> {
    net: &'a str,
    cluster: &'a str,
    allreduce: String,
    wire: &'static str,
    precision: &'a str,
    rows: &'a [SimulatedScaling],
}

pub(super) fn json<'a>(
    job: &'a ClusterJob,
    config: &'a SimulationConfig,
    rows: &'a [SimulatedScaling],
) -> ScalingJson<'a> {
    ScalingJson {
        net: &job.net.name,
        cluster: &job.cluster.name,
        allreduce: config.allreduce.to_string(),
        wire: config.wire.name,
        precision: &config.precision,
        rows,
    }
}
