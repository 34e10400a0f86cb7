//! `firecaffe advise`: the best configuration for a net on a described cluster, with reasons and
//! the command line that runs it.

mod command;
mod reason;

use anyhow::Result;
use cluster_sim::{
    Advice, AdviceOptions, AdvisedConfig, ExplainedConfig, SimulationConfig, advise,
};
use collective::AlgorithmChoice;
use exchange::compression::COMPRESSIONS;
use exchange::wire::F32;

use super::columns::{self, Side};
use super::simulate::{ClusterJob, ClusterJobArgs};
use crate::output::print;
use command::CommandLine;
use reason::reason;

const EXAMPLES: &str = "\
Examples:
  firecaffe advise --model bench/models/googlenet_b16.prototxt --cluster clusters/gigabit-32.toml --ranks 32
  firecaffe advise --model bench/models/alexnet_b32.prototxt --cluster clusters/cloud-25g.toml --ranks 64

Algorithm, ranks x workers, bucket size, wire format and precision are searched by simulation
(`firecaffe simulate`). Compressions and other batches change what is learned, and are listed apart.
`exact`: the weights do not depend on the number of ranks. `why`: how much of an iteration would be
saved without that cost.";

/// Options of `advise`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AdviseArgs {
    #[command(flatten)]
    job: ClusterJobArgs,
    /// Devices that take part: ranks, times the workers of each
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    ranks: u32,
    /// The solver that the command line names
    #[arg(long, value_name = "FILE", default_value = "solver.prototxt")]
    solver: String,
    /// Configurations to show
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    show: u16,
}

const COLUMNS: [(&str, Side); 9] = [
    ("images/s", Side::Right),
    ("ranks x workers", Side::Right),
    ("all-reduce", Side::Left),
    ("exact", Side::Left),
    ("bucket MB", Side::Right),
    ("wire", Side::Left),
    ("precision", Side::Left),
    ("exposed", Side::Right),
    ("why", Side::Left),
];

/// Gains below this are noise of the description.
const GAIN_MIN: f64 = 1.02;

/// Searches and prints.
pub(crate) fn run(args: &AdviseArgs) -> Result<()> {
    let ranks = usize::try_from(args.ranks)?;
    let job = args.job.read(Some(ranks))?;
    let base = SimulationConfig { ranks, ..job.config() };
    let advice = advise(&job.cluster, &job.net, &base, &options(&job, &base, args.show.into()))?;
    print(&render(&job, &advice, args))?;
    Ok(())
}

/// What `train` offers besides algorithm and bucket size.
fn options(job: &ClusterJob, base: &SimulationConfig, shown: usize) -> AdviceOptions {
    AdviceOptions {
        wires: vec![F32, job.half_wire()],
        precisions: vec!["f32".to_owned(), "mixed".to_owned()],
        compressions: COMPRESSIONS.iter().filter_map(|kind| kind.name.parse().ok()).collect(),
        batches: vec![(base.batch / 2).max(1), 2 * base.batch, 4 * base.batch],
        shown,
    }
}

fn render(job: &ClusterJob, advice: &Advice, args: &AdviseArgs) -> String {
    let best = advice.best();
    let mut text = format!(
        "{} on {}, {} devices, {} images each\n",
        job.net.name, job.cluster.name, args.ranks, best.config.batch
    );
    text += &columns::render(COLUMNS, advice.configs.iter().map(cells));
    text += "\nwhat changes what is learned:\n";
    for found in advice.compressed.iter().chain(&advice.batches) {
        text += &gain_line(&change(found), found.images_per_s / best.images_per_s);
    }
    text += "\nwhat would help:\n";
    for what in &advice.what_if {
        text += &gain_line(what.change, what.gain);
    }
    text += &match advice.what_if.first() {
        Some(most) if most.gain >= GAIN_MIN => format!("  most: {}\n", most.change),
        _ => String::new(),
    };
    text + "\n" + &commands(job, advice, args)
}

fn gain_line(what: &str, gain: f64) -> String {
    format!("  {what:<55} {gain:.2}x\n")
}

/// By what a configuration differs from the best that learns the same.
fn change(found: &AdvisedConfig) -> String {
    match &found.config.compression {
        Some(compression) => compression.to_string(),
        None => format!("{} images each", found.config.batch),
    }
}

fn cells(shown: &ExplainedConfig) -> [String; 9] {
    let AdvisedConfig { config, time, images_per_s, .. } = &shown.found;
    [
        format!("{images_per_s:.0}"),
        format!("{} x {}", config.ranks, config.workers),
        config.allreduce.to_string(),
        if is_exact(config) { "yes" } else { "no" }.to_owned(),
        command::bucket_mb(config).to_string(),
        config.wire.to_string(),
        config.precision.clone(),
        format!("{:.1} %", 100.0 * time.exposed / time.total()),
        reason(shown),
    ]
}

/// Whether the weights are those of any other number of ranks.
fn is_exact(config: &SimulationConfig) -> bool {
    match &config.allreduce {
        AlgorithmChoice::Named(algorithm) => algorithm.is_exact(config.ranks),
        AlgorithmChoice::Auto => true,
        AlgorithmChoice::AutoAny | AlgorithmChoice::Rules(_) => false,
    }
}

/// What runs the best of each kind; the last line is that of the best that learns the same.
fn commands(job: &ClusterJob, advice: &Advice, args: &AdviseArgs) -> String {
    let best = advice.best();
    let faster = |found: &&AdvisedConfig| found.images_per_s >= GAIN_MIN * best.images_per_s;
    let compressed = advice.compressed.first().filter(faster);
    let speed = |found: &&AdvisedConfig| found.images_per_s;
    let batch = advice.batches.iter().max_by(|a, b| speed(a).total_cmp(&speed(b))).filter(faster);
    let line = |found| CommandLine { found, job, solver: &args.solver };
    let mut text = String::new();
    for found in compressed.into_iter().chain(batch) {
        let gain = found.images_per_s / best.images_per_s;
        text += &format!("# {}: {gain:.2}x, if it learns as well\n", change(found));
        text += &format!("{}\n", line(found));
    }
    text + &format!("# the best that learns the same\n{}\n", line(best))
}
