//! `firecaffe simulate`: how fast a net would train on a cluster that a file describes.

mod chart;
mod job;
mod ranks;
mod table;

pub(crate) use job::read_cluster;
pub(super) use job::{ClusterJob, ClusterJobArgs};

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use cluster_sim::{
    BucketRule, SimulatedActivity, SimulatedSpan, SimulationConfig, Simulator, TrainingLength,
    scaling,
};
use collective::AlgorithmChoice;
use exchange::compression::CompressionConfig;
use exchange::wire::WireFormat;
use train::{Activity, ActivitySpan, BUCKET_BYTES, Overlap, TimelineTrack, TrackOwner};

use crate::log::timeline::chrome_trace;
use crate::options::{bytes_of_megabytes, megabytes, one_of};
use crate::output::print;
use ranks::{RankCounts, parse_ranks};

const EXAMPLES: &str = "\
Examples:
  firecaffe simulate --model bench/models/nin_b32.prototxt --cluster clusters/titan-k20.toml --ranks 1..128
  firecaffe simulate --model bench/models/resnet50_b8.prototxt --cluster clusters/gradientflow-v.toml \\
      --ranks 8,64,512 --batch-size 128 --precision mixed-f16 --allreduce ring --epochs 90
  firecaffe simulate --model bench/models/alexnet_b32.prototxt --cluster clusters/gigabit-8.toml \\
      --ranks 1..8 --timeline trace.json --svg scaling.svg

Nothing is sent: plans, buckets and compressions are those of `train`, links and devices those of the
file. clusters/README.md explains the keys; docs/reproduction.md says how near this comes to what
was published.";

/// Options of `simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    job: ClusterJobArgs,
    /// Numbers of ranks: `8`, `1,2,48`, or `1..512` for 1, 2, 4 … 512
    #[arg(long, value_name = "RANKS", value_parser = parse_ranks)]
    ranks: RankCounts,
    /// Workers of each rank: devices whose gradients are summed in memory
    #[arg(long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    workers: u16,
    /// How gradients are summed, as in `train`
    #[arg(long, value_name = "NAME", default_value = "auto")]
    allreduce: AlgorithmChoice,
    /// How elements travel: f32, f16 or bf16. Default: as `--precision` rounds
    #[arg(long, value_name = "FORMAT")]
    wire: Option<&'static WireFormat>,
    /// Compression of gradients, like `sparse-chunks:share=0.15`, as it is after its warm-up
    #[arg(long, value_name = "NAME:KEY=VALUE")]
    compression: Option<CompressionConfig>,
    /// Size of a bucket in megabytes (10^6 bytes); 0 sums every layer by itself
    #[arg(long, value_name = "MB", default_value_t = BUCKET_BYTES as f64 / 1e6, value_parser = megabytes)]
    bucket_mb: f64,
    /// Whether gradients are summed during backward, or after it
    #[arg(long, value_name = "ON", default_value = "on",
          value_parser = one_of::<Overlap>(Overlap::NAMES))]
    overlap: Overlap,
    /// Also say how long this many passes over the data take
    #[arg(long, value_name = "N", value_parser = job::positive)]
    epochs: Option<f64>,
    /// Images of one pass over the data
    #[arg(long, value_name = "N", default_value_t = 1_281_167.0, value_parser = job::positive)]
    images: f64,
    /// Bytes of a record, if ranks exchange records between epochs as with `train --data memory`
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1 << 30))]
    record_bytes: u32,
    /// Iterations to average when the cluster has stragglers
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    iterations: u16,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Also write a chart of speed-up over ranks to this file, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Also write a timeline of one iteration of the largest number of ranks to this file, as a
    /// Chrome trace
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
}

/// Simulates and prints.
pub(crate) fn run(args: &SimulateArgs) -> Result<()> {
    let ranks = &args.ranks.0;
    let most = ranks.iter().copied().max();
    let job = args.job.read(most.map(|ranks| ranks.saturating_mul(args.workers.into())))?;
    let config = config(args, &job);
    let length = args.epochs.map(|epochs| TrainingLength { epochs, images: args.images });
    let rows = scaling(&job.cluster, &job.net, &config, ranks, length)?;
    let text = match args.json {
        true => serde_json::to_string_pretty(&table::json(&job, &config, &rows))? + "\n",
        false => table::render(&job, &config, &rows),
    };
    print(&text)?;
    let write = |path: &Path, text: &str| {
        snapshot::atomic::write(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))
    };
    if let Some(path) = &args.svg {
        write(path, &chart::svg(&job, &config, &rows))?;
    }
    if let (Some(path), Some(ranks)) = (&args.timeline, most) {
        let config = SimulationConfig { ranks, ..config };
        let iteration = Simulator::new(&job.cluster).iteration(&job.net, &config)?;
        let names: Vec<&str> = job.net.layers.iter().map(|layer| &*layer.name).collect();
        let ranks = iteration.ranks.iter().enumerate();
        let tracks: Vec<_> = ranks.flat_map(|(rank, spans)| tracks(rank, spans)).collect();
        let trace = chrome_trace(&tracks, &|layer| names[layer]);
        write(path, &trace)?;
    }
    Ok(())
}

fn config(args: &SimulateArgs, job: &ClusterJob) -> SimulationConfig {
    let base = job.config();
    SimulationConfig {
        workers: args.workers.into(),
        record_bytes: usize::try_from(args.record_bytes).unwrap_or(usize::MAX),
        allreduce: args.allreduce.clone(),
        wire: args.wire.unwrap_or(base.wire),
        compression: args.compression.clone(),
        buckets: BucketRule::Bytes(bytes_of_megabytes(args.bucket_mb)),
        overlap: args.overlap == Overlap::DuringBackward,
        iterations: args.iterations.into(),
        ..base
    }
}

/// A rank's computing and communicating, as `train --timeline` has them.
fn tracks(rank: usize, spans: &[SimulatedSpan]) -> [TimelineTrack; 2] {
    let is_bucket = |span: &SimulatedSpan| {
        matches!(span.activity, SimulatedActivity::Bucket(_) | SimulatedActivity::Summary)
    };
    let (buckets, computing): (Vec<_>, Vec<_>) = spans.iter().partition(|span| is_bucket(span));
    let track = |owner, spans: Vec<&SimulatedSpan>| TimelineTrack {
        rank,
        owner,
        spans: spans.into_iter().map(activity_span).collect(),
    };
    [track(TrackOwner::Worker(0), computing), track(TrackOwner::Communicator, buckets)]
}

fn activity_span(span: &SimulatedSpan) -> ActivitySpan {
    let activity = match span.activity {
        SimulatedActivity::Forward(layer) => Activity::Forward(layer),
        SimulatedActivity::Backward(layer) => Activity::Backward(layer),
        SimulatedActivity::Bucket(index) => Activity::Bucket(index),
        SimulatedActivity::Summary => Activity::Summary,
        SimulatedActivity::Wait => Activity::ExposedCommunication,
        SimulatedActivity::Update => Activity::Update,
    };
    let [begin, end] = [span.begin, span.end].map(Duration::from_secs_f64);
    ActivitySpan { activity, begin, end }
}
