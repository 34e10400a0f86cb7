//! `firecaffe bench allreduce`: nccl-tests' columns for every algorithm and size.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use collective::{AlgorithmChoice, parse_size};
use exchange::ByteSegmentation;
use exchange::bench::allreduce::{AllReduceBench, run_local, run_rank};
use exchange::bench::report::{AllReduceResult, json};
use exchange::wire::WireFormat;
use report::chart::{ChartAxis, CurveChart};

use super::{BenchRankArgs, machine};
use crate::clock::RealClock;
use crate::cores;
use crate::options::read_network;
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  firecaffe bench allreduce --workers 4 --sizes 1K,1M,100M
  firecaffe bench allreduce --algorithms \"direct,ring,auto\" --json results.json
  firecaffe bench allreduce --type f16 --sizes 50M --algorithms ring
  mpirun -n 8 firecaffe bench allreduce --algorithms mpi,ring,halving-doubling

Sizes are bytes on the wire: K is 10^3, M 10^6, G 10^9. Every sum is checked; `#wrong` counts values that are not the sum.
Algorithms and their costs are listed in docs/algorithms.md.";

/// Options of `bench allreduce`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AllReduceArgs {
    #[command(flatten)]
    ranks: BenchRankArgs,
    /// Bytes to sum, separated by commas
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = parse_size, default_value = AllReduceBench::SIZES)]
    sizes: Vec<usize>,
    /// Algorithms, separated by commas, or `auto`, `auto-any`, or rules like "ring:1M-;direct:0-1M"
    /// [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    algorithms: Vec<AlgorithmChoice>,
    /// Timed iterations per size; the median is reported
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    iterations: u64,
    /// Untimed iterations before them
    #[arg(long, value_name = "N", default_value_t = 2)]
    warm_ups: u64,
    /// How elements travel: f32, f16 or bf16
    #[arg(long = "type", value_name = "FORMAT", default_value = "f32")]
    wire: &'static WireFormat,
    /// Bytes of a message and messages under way at once, like `256Kx4` [default: the transport's]
    #[arg(long, alias = "cut", value_name = "BYTESxN", value_parser = segmentation)]
    segments: Option<ByteSegmentation>,
    /// Network parameters that `auto` computes with, as `bench network` saved them
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Also write results as JSON, to a file or `-` for stdout
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also draw bus bandwidth over size, one curve per algorithm, to this file, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Reads `BYTESxN`.
fn segmentation(text: &str) -> Result<ByteSegmentation> {
    let (bytes, lanes) = text.split_once('x').context("expected BYTESxN")?;
    let (segment_bytes, lanes) = (parse_size(bytes)?, lanes.parse()?);
    ensure!(lanes > 0, "at least one message is under way");
    Ok(ByteSegmentation { segment_bytes, lanes })
}

pub(crate) fn run(args: &AllReduceArgs) -> Result<()> {
    let network = args.network.as_deref().map(read_network).transpose()?;
    if let Some(ByteSegmentation { segment_bytes, .. }) = args.segments {
        let element = args.wire.element_bytes;
        let holds_one = segment_bytes >= element;
        ensure!(holds_one, "`--segments`: a message holds at least one element of {element} bytes");
    }
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let options = AllReduceBench {
        sizes: args.sizes.clone(),
        algorithms: args.algorithms.clone(),
        iterations: count(args.iterations),
        warm_ups: count(args.warm_ups),
        wire: args.wire,
        segmentation: args.segments,
        network,
    };
    // JSON has standard output to itself.
    let table: Box<dyn io::Write + Send> = match args.json.as_deref() {
        Some(path) if path == Path::new("-") => Box::new(io::stderr()),
        _ => Box::new(io::stdout()),
    };
    let results = if args.ranks.mpi.is_launched() {
        machine::on_ranks(&args.ranks, 1, table, &|exchange, config, clock, table| {
            Ok(run_rank(exchange, config, &options, clock, table)?)
        })?
    } else {
        let (clock, mut table) = (RealClock::start(), table);
        let workers = args.ranks.workers();
        Some(run_local(workers, cores::available(), &options, &clock, &mut table)?)
    };
    results.map_or(Ok(()), |results| report(args, &results))
}

/// Bus bandwidth over size, one curve per algorithm that was asked for.
fn chart(results: &[AllReduceResult]) -> CurveChart {
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for result in results {
        let name = result.asked.to_string();
        let point = (result.bytes() as f64 / 1e6, result.busbw_gbs());
        match lines.iter_mut().find(|line| line.0 == name) {
            Some(line) => line.1.push(point),
            None => lines.push((name, vec![point])),
        }
    }
    lines.iter_mut().for_each(|line| line.1.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let axes = [ChartAxis::log10("size, MB"), ChartAxis::log10("bus bandwidth, GB/s")];
    CurveChart::of_lines("All-reduce", axes, lines)
}

fn report(args: &AllReduceArgs, results: &[AllReduceResult]) -> Result<()> {
    match args.json.as_deref() {
        None => {}
        Some(path) if path == Path::new("-") => print(&json(results))?,
        Some(path) => snapshot::atomic::write(path, json(results).as_bytes())?,
    }
    if let Some(path) = &args.svg {
        snapshot::atomic::write(path, chart(results).svg().as_bytes())?;
    }
    let wrong = results.iter().filter(|measured| measured.wrong > 0).count();
    ensure!(wrong == 0, "{wrong} of {} measurements gave wrong sums", results.len());
    Ok(())
}
