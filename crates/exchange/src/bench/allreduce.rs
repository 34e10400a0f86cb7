//! `firecaffe bench allreduce`: times every algorithm at every size and checks every result.
//!
//! Each iteration: fill the buffer, meet at a barrier, time the all-reduce on every rank, check it. An
//! iteration's time is the slowest rank's; the median over iterations is reported.

use super::report::{Measured, table_head, table_line};
use crate::{Config, Exchange, ExchangeError, spawn_ranks};
use base::Clock;
use collective::{Choice, Cut, Network, all_with_plans, find};
use std::io::{self, Write};

/// What to measure. Plain data, as the command line gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Sizes in bytes (`--sizes 1K,100M`), each rounded down to whole values.
    pub sizes: Vec<usize>,
    /// Names or choices (`--algorithms ring,auto`).
    pub algorithms: Vec<Choice>,
    /// Timed runs of each (`--iterations`).
    pub iterations: usize,
    /// Runs before those, checked but not timed.
    pub warm_ups: usize,
    /// Cut of buffers; `None` for the transport's own.
    pub cut: Option<Cut>,
    /// What `auto` reckons with; `None` for the transport's default.
    pub network: Option<Network>,
}

impl Options {
    /// The sizes of nccl-tests' usual sweep, thinned.
    pub const SIZES: &[usize] = &[1_000, 32_000, 1_000_000, 10_000_000, 100_000_000];

    /// What is measured unless `--algorithms` says otherwise: every algorithm with a plan, by its
    /// shortest name, and on transport `mpi` the library's own.
    #[must_use]
    pub fn all_algorithms(transport: &str) -> Vec<Choice> {
        let library = if transport == "mpi" { find("mpi").ok() } else { None };
        all_with_plans().into_iter().chain(library).map(Choice::Named).collect()
    }
}

/// Measures between `workers` threads of this process and writes the table as it grows.
pub fn run_local(
    workers: usize,
    cores: usize,
    options: &Options,
    clock: &dyn Clock,
    table: &mut (dyn Write + Send),
) -> Result<Vec<Measured>, BenchError> {
    let table = std::sync::Mutex::new(table);
    let ends = spawn_ranks(workers, cores, &Config::LOCAL, |exchange| {
        let first = exchange.rank().coordinator().is_some();
        let mut locked = first.then(|| table.lock().expect("only rank 0 writes"));
        match &mut locked {
            Some(table) => run_rank(exchange, &Config::LOCAL, options, clock, &mut **table),
            None => run_rank(exchange, &Config::LOCAL, options, clock, &mut io::sink()),
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
    base: &Config,
    options: &Options,
    clock: &dyn Clock,
    table: &mut dyn Write,
) -> Result<Vec<Measured>, BenchError> {
    table.write_all(table_head().as_bytes())?;
    let mut results = Vec::new();
    for &bytes in &options.sizes {
        let mut values = vec![0.0_f32; bytes / size_of::<f32>()];
        for choice in &options.algorithms {
            let config = Config {
                choice: choice.clone(),
                cut: options.cut.unwrap_or(base.cut),
                network: options.network.unwrap_or(base.network),
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
    options: &Options,
    clock: &dyn Clock,
    values: &mut [f32],
) -> Result<Measured, BenchError> {
    let rank = exchange.rank();
    let (mut times, mut wrong) = (Vec::new(), 0);
    let mut algorithm = String::new();
    for iteration in 0..options.warm_ups + options.iterations.max(1) {
        fill(values, rank.index());
        exchange.barrier()?;
        let start = clock.now();
        algorithm = exchange.all_reduce(values)?;
        let took = clock.now() - start;
        let ours = [took.as_secs_f32() * 1e6, count_wrong(values, rank.world())];
        let (slowest, errors) = agree(exchange, ours)?;
        wrong += errors;
        if iteration >= options.warm_ups {
            times.push(slowest);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(Measured {
        asked: asked.to_owned(),
        algorithm,
        transport: exchange.transport(),
        workers: rank.world(),
        bytes: size_of_val(values),
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
    exchange.all_reduce_by("direct", &mut all)?;
    let slowest = all.iter().step_by(2).copied().fold(0.0, f32::max);
    let errors: f32 = all.iter().skip(1).step_by(2).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let errors = errors as u64;
    Ok((f64::from(slowest), errors))
}

/// Period of the values: a prime, so that no chunk starts where another did.
const PERIOD: usize = 251;

/// Small whole numbers: their sum is exact in every order, so every algorithm must give these bits.
fn value(rank: usize, index: usize) -> f32 {
    u16::try_from((index + 31 * rank) % PERIOD).map_or(0.0, f32::from)
}

fn fill(values: &mut [f32], rank: usize) {
    let pattern: Vec<f32> = (0..PERIOD).map(|index| value(rank, index)).collect();
    for block in values.chunks_mut(PERIOD) {
        block.copy_from_slice(&pattern[..block.len()]);
    }
}

/// Values that are not the sum over `world` ranks, at most 2^20 (exact as f32).
fn count_wrong(values: &[f32], world: usize) -> f32 {
    let sum = |index| (0..world).map(|rank| value(rank, index)).sum();
    let pattern: Vec<f32> = (0..PERIOD).map(sum).collect();
    let wrong = values.chunks(PERIOD).map(|block| {
        if block == &pattern[..block.len()] {
            return 0;
        }
        block.iter().zip(&pattern).filter(|(got, want)| got != want).count()
    });
    let wrong: usize = wrong.sum();
    wrong.min(1 << 20) as f32
}

#[cfg(test)]
mod tests;
