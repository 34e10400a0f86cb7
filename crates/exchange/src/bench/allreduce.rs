//! `firecaffe bench allreduce`: times every algorithm at every size and checks every result.
//!
//! Each iteration: fill the buffer, meet at a barrier, time the all-reduce on every rank, meet
//! again, check it. An iteration's time is the slowest rank's; the median over iterations is
//! reported.

use super::check::SumChecker;
use super::report::{AllReduceResult, table_head, table_line};
use crate::wire::WireFormat;
use crate::{ByteSegmentation, Exchange, ExchangeConfig, ExchangeError, spawn_ranks};
use base::Clock;
use collective::{Algorithm, AlgorithmChoice, Network, all_with_plans};
use std::io::{self, Write};

/// What to measure. Plain data, as the command line gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct AllReduceBench {
    /// Sizes in bytes on the wire (`--sizes 1K,100M`), each rounded down to whole elements.
    pub sizes: Vec<usize>,
    /// Names or choices (`--algorithms ring,auto`); all that the transport can run if empty.
    pub algorithms: Vec<AlgorithmChoice>,
    /// Timed iterations per size (`--iterations`).
    pub iterations: usize,
    /// Iterations before those, checked but not timed.
    pub warm_ups: usize,
    /// Wire format (`--type`).
    pub wire: &'static WireFormat,
    /// How buffers are divided; `None` for the transport's default.
    pub segmentation: Option<ByteSegmentation>,
    /// What `auto` computes with; `None` for the transport's default.
    pub network: Option<Network>,
}

impl AllReduceBench {
    /// What `--sizes` is unless given: nccl-tests' usual sweep, thinned.
    pub const SIZES: &str = "1K,32K,1M,10M,100M";

    /// Every algorithm with a plan, by its shortest name, and the library's own if there is a
    /// `library` that can sum.
    fn all_algorithms(library: bool) -> Vec<AlgorithmChoice> {
        let library = library.then(Algorithm::library);
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
    let algorithms = match options.algorithms.is_empty() {
        true => AllReduceBench::all_algorithms(exchange.has_library_sum()),
        false => options.algorithms.clone(),
    };
    let mut results = Vec::new();
    for &bytes in &options.sizes {
        let mut values = vec![0.0_f32; bytes / options.wire.element_bytes];
        for choice in &algorithms {
            let config = ExchangeConfig {
                choice: choice.clone(),
                network: options.network.unwrap_or(base.network),
                segmentation: options.segmentation.unwrap_or(base.segmentation),
                wire: options.wire,
            };
            exchange.configure(config);
            let measured = measure(exchange, choice, options, clock, &mut values)?;
            table.write_all(table_line(&measured).as_bytes())?;
            table.flush()?;
            results.push(measured);
        }
    }
    Ok(results)
}

fn measure(
    exchange: &mut Exchange,
    asked: &AlgorithmChoice,
    options: &AllReduceBench,
    clock: &dyn Clock,
    values: &mut [f32],
) -> Result<AllReduceResult, BenchError> {
    let rank = exchange.rank();
    let checker = SumChecker::new(options.wire, rank.world());
    let (mut times, mut wrong) = (Vec::new(), 0);
    for iteration in 0..options.warm_ups + options.iterations.max(1) {
        checker.fill(values, rank.index());
        exchange.barrier()?;
        let start = clock.now();
        exchange.all_reduce(values)?;
        let time_us = (clock.now() - start).as_secs_f64() * 1e6;
        exchange.barrier()?; // checking would take the cores from ranks that have not ended
        let ours = IterationOutcome { time_us, wrong: checker.count_wrong(values) };
        let all = ours.of_all_ranks(exchange)?;
        wrong += all.wrong;
        if iteration >= options.warm_ups {
            times.push(all.time_us);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(AllReduceResult {
        asked: asked.clone(),
        algorithm: exchange.algorithm(values.len()),
        wire: options.wire,
        transport: exchange.transport(),
        workers: rank.world(),
        elements: values.len(),
        time_us: times[times.len() / 2],
        time_min_us: times[0],
        wrong,
    })
}

/// What one iteration was on one rank.
#[derive(Debug, Clone, Copy, PartialEq)]
struct IterationOutcome {
    time_us: f64,
    /// Values that are not the sum.
    wrong: u64,
}

impl IterationOutcome {
    /// The slowest rank's time and all ranks' wrong values.
    ///
    /// Gathered by a sum in which every rank has places of its own, not by messages: these wake
    /// workers one after another, which on fewer cores than workers leaves them unevenly on the
    /// cores, and the next iteration is then up to a sixth slower.
    fn of_all_ranks(self, exchange: &mut Exchange) -> Result<Self, ExchangeError> {
        let (me, world) = (exchange.rank().index(), exchange.rank().world());
        let mut all = vec![[[0.0; 4]; 2]; world];
        all[me] = [self.time_us.to_bits(), self.wrong].map(quarters);
        exchange.sum_directly(all.as_flattened_mut().as_flattened_mut())?;
        Ok(all.iter().map(|numbers| numbers.map(whole)).fold(
            Self { time_us: 0.0, wrong: 0 },
            |all, [time_us, wrong]| Self {
                time_us: all.time_us.max(f64::from_bits(time_us)),
                wrong: all.wrong + wrong,
            },
        ))
    }
}

/// 64 bits as values that no sum with zeros changes: 16 bits each.
fn quarters(bits: u64) -> [f32; 4] {
    [0, 16, 32, 48].map(|shift| f32::from(u16::try_from(bits >> shift & 0xFFFF).unwrap_or(0)))
}

/// What [`quarters`] was given.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "16 bits each")]
fn whole(quarters: [f32; 4]) -> u64 {
    quarters.iter().rev().fold(0, |bits, &quarter| bits << 16 | quarter as u64)
}

#[cfg(test)]
mod tests;
