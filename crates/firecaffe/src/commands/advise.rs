//! `firecaffe advise`: the best configuration for a net on a described cluster, with reasons and
//! the command line that runs it.

use anyhow::Result;
use clap::CommandFactory;
use cluster_sim::{Advice, AdviceOptions, AdvisedConfig, BucketRule, SimulationConfig, advise};
use exchange::compression::COMPRESSIONS;
use exchange::wire::{WIRE_FORMATS, WireFormat};

use super::columns::{self, Side};
use super::simulate::{ClusterJob, ClusterJobArgs};
use crate::cli::Cli;
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  firecaffe advise --model bench/models/googlenet_b16.prototxt --cluster clusters/gigabit-32.toml --ranks 32
  firecaffe advise --model bench/models/alexnet_b32.prototxt --cluster clusters/cloud-25g.toml --ranks 64

Configurations are simulated (`firecaffe simulate`). Compressions and other batches change what is
learned, and are listed apart. Only what `train` can run is searched.";

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

const COLUMNS: [(&str, Side); 8] = [
    ("images/s", Side::Right),
    ("ranks x workers", Side::Right),
    ("all-reduce", Side::Left),
    ("bucket MB", Side::Right),
    ("wire", Side::Left),
    ("precision", Side::Left),
    ("exposed", Side::Right),
    ("why", Side::Left),
];

/// Searches and prints.
pub(crate) fn run(args: &AdviseArgs) -> Result<()> {
    let ranks = usize::try_from(args.ranks)?;
    let job = args.job.read(Some(ranks))?;
    let base = SimulationConfig { ranks, ..job.config() };
    let advice = advise(&job.cluster, &job.net, &base, &options(&base))?;
    print(&render(&job, &advice, args))?;
    Ok(())
}

/// What `train` offers besides algorithm and bucket size.
fn options(base: &SimulationConfig) -> AdviceOptions {
    let formats = if train_has("wire") { WIRE_FORMATS } else { &[] };
    let named = |name: &str| formats.iter().find(|format| format.name == name);
    let wires: Vec<&'static WireFormat> = ["f32", "f16"].into_iter().filter_map(named).collect();
    let compressions = match train_has("compression") {
        true => COMPRESSIONS.iter().filter_map(|kind| kind.name.parse().ok()).collect(),
        false => Vec::new(),
    };
    let precisions = match train_has("precision") {
        true => vec!["f32".to_owned(), "mixed".to_owned()],
        false => vec![base.precision.clone()],
    };
    let batches = vec![(base.batch / 2).max(1), 2 * base.batch, 4 * base.batch];
    AdviceOptions { wires, precisions, compressions, batches }
}

/// Whether `train` has this flag.
fn train_has(flag: &str) -> bool {
    let cli = Cli::command();
    let train = cli.find_subcommand("train");
    train.is_some_and(|train| train.get_arguments().any(|arg| arg.get_long() == Some(flag)))
}

fn render(job: &ClusterJob, advice: &Advice, args: &AdviseArgs) -> String {
    let best = &advice.configs[0];
    let shown = advice.configs.iter().take(args.show.into());
    let mut text = format!(
        "{} on {}, {} devices, {} images each\n",
        job.net.name, job.cluster.name, args.ranks, best.config.batch
    );
    text += &columns::render(COLUMNS, shown.map(|found| cells(found, best)));
    text += &others(advice, best);
    text += "\nwhat would help:\n";
    for what in &advice.what_if {
        text += &format!("  {:<55} {:.2}x\n", what.change, what.gain);
    }
    text + "\n" + &command(best, job, args) + "\n"
}

/// What changes what is learned.
fn others(advice: &Advice, best: &AdvisedConfig) -> String {
    let mut text = "\nwhat changes what is learned:\n".to_owned();
    for found in &advice.compressed {
        let config = found.config.compression.as_ref().expect("it is compressed").to_string();
        text += &format!("  {config:<55} {:.2}x\n", found.images_per_s / best.images_per_s);
    }
    for found in &advice.batches {
        let SimulationConfig { batch, .. } = found.config;
        let what = format!(
            "{batch} images each (`solver scale --batch-size {}`)",
            found.config.global_batch()
        );
        text += &format!("  {what:<55} {:.2}x\n", found.images_per_s / best.images_per_s);
    }
    text
}

fn cells(found: &AdvisedConfig, best: &AdvisedConfig) -> [String; 8] {
    let AdvisedConfig { config, time, images_per_s, .. } = found;
    [
        format!("{images_per_s:.0}"),
        format!("{} x {}", config.ranks, config.workers),
        config.allreduce.to_string(),
        bucket_mb(config).map_or("all".to_owned(), |mb| format!("{mb}")),
        config.wire.to_string(),
        config.precision.clone(),
        format!("{:.1} %", 100.0 * time.exposed / time.total()),
        reason(found, best),
    ]
}

/// Why a configuration is as fast as it is.
fn reason(found: &AdvisedConfig, best: &AdvisedConfig) -> String {
    let AdvisedConfig { time, latency_fraction, .. } = found;
    let exposed = time.exposed / time.total();
    if exposed < 0.02 {
        return "communication hides behind backward".to_owned();
    }
    let latency = 100.0 * latency_fraction;
    if *latency_fraction > 0.25 {
        return format!("loses {latency:.0} % of its collectives to latency");
    }
    let ratio = time.communication / best.time.communication;
    if ratio > 1.1 {
        return format!("its collectives take {ratio:.1}x as long as the best");
    }
    format!("limited by bandwidth; {latency:.0} % latency")
}

/// Megabytes of a bucket; `None` for the whole pool.
fn bucket_mb(config: &SimulationConfig) -> Option<f64> {
    match config.buckets {
        BucketRule::Bytes(bytes) if bytes < usize::MAX => Some(bytes as f64 / 1e6),
        _ => None,
    }
}

/// What runs the best configuration.
fn command(best: &AdvisedConfig, job: &ClusterJob, args: &AdviseArgs) -> String {
    let config = &best.config;
    let per_node = (job.cluster.devices_per_node / config.workers).max(1);
    let mut text = match config.ranks {
        1 => String::new(),
        ranks => format!("mpirun -n {ranks} --map-by ppr:{per_node}:node "),
    };
    text += &format!("firecaffe train --solver {}", args.solver);
    if config.workers > 1 {
        text += &format!(" --workers {}", config.workers);
    }
    text += &format!(" --allreduce {}", config.allreduce);
    // Larger than any pool: one bucket.
    text += &format!(" --bucket-mb {}", bucket_mb(config).unwrap_or(1e9));
    if train_has("wire") && config.wire.name != "f32" {
        text += &format!(" --wire {}", config.wire);
    }
    if train_has("precision") && config.precision != "f32" {
        text += &format!(" --precision {}", config.precision);
    }
    text
}
