//! `firecaffe bench allreduce`: times every algorithm at every size and checks every result.
//!
//! Each iteration: fill the buffer, meet at a barrier, time the all-reduce on every rank, check it.
//! An iteration's time is the slowest rank's; the median over iterations is reported.

use super::check::SumChecker;
use super::report::{AllReduceResult, table_head, table_line};
use crate::wire::WireFormat;
use crate::{Exchange, ExchangeConfig, ExchangeError, spawn_ranks};
use base::Clock;
use collective::{Algorithm, AlgorithmChoice, Network, Segmentation, all_with_plans, find};
use std::io::{self, Write};

/// What to measure. Plain data, as the command line gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct AllReduceBench {
    /// Sizes in bytes on the wire (`--sizes 1K,100M`), each rounded down to whole elements.
    pub sizes: Vec<usize>,
    /// Names or choices (`--algorithms ring,auto`).
    pub algorithms: Vec<AlgorithmChoice>,
    /// Timed runs of each (`--iterations`).
    pub iterations: usize,
    /// Runs before those, checked but not timed.
    pub warm_ups: usize,
    /// Wire format (`--type`).
    pub wire: &'static WireFormat,
    /// How buffers are divided; `None` for the transport's default.
    pub segmentation: Option<Segmentation>,
    /// What `auto` computes with; `None` for the transport's default.
    pub network: Option<Network>,
}

impl AllReduceBench {
    /// The sizes of nccl-tests' usual sweep, thinned.
    pub const SIZES: &[usize] = &[1_000, 32_000, 1_000_000, 10_000_000, 100_000_000];

    /// What is measured unless `--algorithms` says otherwise: every algorithm with a plan, by its
    /// shortest name, and on transport `mpi` the library's own.
    #[must_use]
    pub fn all_algorithms(transport: &str) -> Vec<AlgorithmChoice> {
        let library = if transport == "mpi" { find("mpi").ok() } else { None };
        all_with_plans().into_iter().chain(library).map(AlgorithmChoice::Named).collect()
    }
}

/// Measures between `workers` threads of this process and writes the table as it grows.
pub fn run_local(
    workers: usize,
    cores: usize,
    options: &AllReduceBench,
    clock: &dyn Clock,
    table: &mut (dyn Write + Send),
) -> Result<Vec<AllReduceResult>, BenchError> {
    let table = std::sync::Mutex::new(table);
    let ends = spawn_ranks(workers, cores, &ExchangeConfig::LOCAL, |exchange| {
        let first = exchange.rank().is_first();
        let mut locked = first.then(|| table.lock().expect("only rank 0 writes"));
        match &mut locked {
            Some(table) => run_rank(exchange, &ExchangeConfig::LOCAL, options, clock, &mut **table),
            None => run_rank(exchange, &ExchangeConfig::LOCAL, options, clock, &mut io::sink()),
        }
    });
    let mut all = Vec::new();
    for end in ends {
        let results = end?;
        if all.is_empty() {
            all = results;
        }
    }
    Ok(all)
}

/// Why a measurement ended early.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// An exchange failed.
    #[error("the exchange failed")]
    Exchange(#[from] ExchangeError),
    /// The table could not be written.
    #[error("cannot write the table")]
    Write(#[from] io::Error),
}

/// Measures on one rank; all ranks call it with the same options. Every rank returns all results.
pub fn run_rank(
    exchange: &mut Exchange,
    base: &ExchangeConfig,
    options: &AllReduceBench,
    clock: &dyn Clock,
    table: &mut dyn Write,
) -> Result<Vec<AllReduceResult>, BenchError> {
    table.write_all(table_head().as_bytes())?;
    let mut results = Vec::new();
    for &bytes in &options.sizes {
        let mut values = vec![0.0_f32; bytes / options.wire.element_bytes];
        for choice in &options.algorithms {
            let base = base.clone().with_wire(options.wire);
            let config = ExchangeConfig {
                choice: choice.clone(),
                segmentation: options.segmentation.unwrap_or(base.segmentation),
                network: options.network.unwrap_or(base.network),
                ..base
            };
            exchange.configure(config);
            let measured = measure(exchange, &choice.to_string(), options, clock, &mut values)?;
            table.write_all(table_line(&measured).as_bytes())?;
            table.flush()?;
            results.push(measured);
        }
    }
    Ok(results)
}

fn measure(
    exchange: &mut Exchange,
    asked: &str,
    options: &AllReduceBench,
    clock: &dyn Clock,
    values: &mut [f32],
) -> Result<AllReduceResult, BenchError> {
    let rank = exchange.rank();
    let checker = SumChecker::new(options.wire, rank.world());
    let (mut times, mut wrong) = (Vec::new(), 0);
    let mut algorithm: Option<Algorithm> = None;
    for iteration in 0..options.warm_ups + options.iterations.max(1) {
        checker.fill(values, rank.index());
        exchange.barrier()?;
        let start = clock.now();
        algorithm = Some(exchange.all_reduce(values)?);
        let took = clock.now() - start;
        let ours = [took.as_secs_f32() * 1e6, checker.count_wrong(values)];
        let (slowest, errors) = agree(exchange, ours)?;
        wrong += errors;
        if iteration >= options.warm_ups {
            times.push(slowest);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(AllReduceResult {
        asked: asked.to_owned(),
        algorithm: algorithm.map_or_else(String::new, |algorithm| algorithm.to_string()),
        wire: options.wire,
        transport: exchange.transport(),
        workers: rank.world(),
        elements: values.len(),
        time_us: times[times.len() / 2],
        time_min_us: times[0],
        wrong,
    })
}

/// The slowest rank's time and all ranks' errors.
fn agree(exchange: &mut Exchange, ours: [f32; 2]) -> Result<(f64, u64), ExchangeError> {
    let (me, world) = (exchange.rank().index(), exchange.rank().world());
    let mut all = vec![0.0_f32; 2 * world]; // a sum with zeros everywhere else gathers exactly
    all[2 * me..2 * me + 2].copy_from_slice(&ours);
    exchange.sum(&mut all)?;
    let slowest = all.iter().step_by(2).copied().fold(0.0, f32::max);
    let errors: f32 = all.iter().skip(1).step_by(2).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let errors = errors as u64;
    Ok((f64::from(slowest), errors))
}

#[cfg(test)]
mod tests;
