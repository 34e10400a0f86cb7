//! `firecaffe bench network`: a cluster file for the cluster one has.

mod describe;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use exchange::bench::network::{NetworkBench, NetworkFigures, measure, measure_local};

use super::{BenchRankArgs, machine};
use crate::clock::RealClock;
use crate::commands::columns::{self, Side};
use crate::cores::{self, Neighbours};
use crate::launch;
use crate::output::print;
use describe::MeasuredLinks;

const EXAMPLES: &str = "\
Examples:
  firecaffe bench network --workers 2
  firecaffe time --model net.prototxt --save-profile net.json
  mpirun -n 4 firecaffe bench network --profile net.json --save cluster.toml
  firecaffe simulate --model net.prototxt --cluster cluster.toml --ranks 1..4
  mpirun -n 4 firecaffe train --solver solver.prototxt --network cluster.toml

The file has the ranks that were measured; change `nodes` to ask for more. `gflops` is that of a
matrix product, which nets do not reach: give profiles of the nets that matter.";

/// How long the exchanges of one size should take, in real time.
const SIZE_SPAN: Duration = Duration::from_secs(2);

/// Options of `bench network`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NetworkArgs {
    #[command(flatten)]
    ranks: BenchRankArgs,
    /// Where the cluster file goes
    #[arg(long, value_name = "FILE", default_value = "cluster.toml")]
    save: PathBuf,
    /// What the cluster is called
    #[arg(long, value_name = "NAME", default_value = "measured")]
    name: String,
    /// Profiles of nets on one device, as `time --save-profile` writes them, separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    profile: Vec<PathBuf>,
    /// Threads that compute on every rank while it is measured how much messages slow them down
    /// [default: its cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Measure as an emulated run with this dilation sees the network (`train --dilate`); it does
    /// not compute, so nothing slows it down
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    dilate: u32,
}

pub(crate) fn run(args: &NetworkArgs) -> Result<()> {
    let size_span = SIZE_SPAN / args.dilate;
    let threads_of =
        |neighbours| args.threads.map_or_else(|| cores::per_rank(neighbours), usize::from);
    let bench = |threads, distance| {
        let computing_threads = if args.dilate > 1 { 0 } else { threads };
        NetworkBench { distance, computing_threads, size_span }
    };
    let (threads, links) = if args.ranks.mpi.is_launched() {
        let per_node = launch::ranks_here();
        let found = machine::on_ranks(
            &args.ranks,
            args.dilate,
            Box::new(io::stdout()),
            &|exchange, _, clock, _| {
                let threads = threads_of(Neighbours::meet(exchange)?);
                let world = exchange.rank().world();
                let nodes = (world / per_node).max(1);
                let mut links = MeasuredLinks { nodes, per_node, nic: None, intra_node: None };
                if per_node > 1 {
                    links.intra_node = Some(measure(exchange, clock, bench(threads, 1))?);
                }
                if per_node < world {
                    links.nic = Some(measure(exchange, clock, bench(threads, per_node))?);
                }
                Ok((threads, links))
            },
        )?;
        let Some(found) = found else { return Ok(()) }; // rank 0 speaks for all
        found
    } else {
        let (workers, clock) = (args.ranks.workers(), RealClock::start());
        let threads = threads_of(Neighbours::of_launcher());
        let bench = bench(threads, 1);
        let intra_node = Some(measure_local(workers, cores::available(), &clock, bench)?);
        (threads, MeasuredLinks { nodes: 1, per_node: workers, nic: None, intra_node })
    };
    let cluster = describe::cluster(args, threads, &links)?;
    let text = format!("{}{cluster}", describe::head(&links));
    snapshot::atomic::write(&args.save, text.as_bytes())?;
    for (what, figures) in [("intra_node", &links.intra_node), ("nic", &links.nic)] {
        if let Some(figures) = figures {
            print(&format!("# {what}\n{}\n", table(figures)))?;
        }
    }
    print(&format!("{cluster}\nsaved to {}\n", args.save.display()))?;
    Ok(())
}

/// What was measured, and what the fit says of each size.
fn table(figures: &NetworkFigures) -> String {
    let columns = [("bytes", Side::Right), ("us", Side::Right), ("fitted us", Side::Right)];
    let rows = figures.times_us.iter().map(|&(bytes, time)| {
        [bytes.to_string(), format!("{time:.1}"), format!("{:.1}", fitted_us(figures, bytes))]
    });
    columns::render(columns, rows)
}

/// Microseconds of one message after a rest.
fn fitted_us(figures: &NetworkFigures, bytes: usize) -> f64 {
    let shaped = (bytes as f64 - figures.burst_bytes).max(0.0);
    let listed = figures.bandwidth_by_size.iter().find(|(size, _)| *size == bytes);
    let gbs = listed.map_or(figures.bandwidth_gbs, |&(_, gbs)| gbs);
    figures.latency_us + figures.message_overhead_us + 1e-3 * shaped / gbs
}
