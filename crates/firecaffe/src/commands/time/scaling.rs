//! `time --scaling`: training with 1, 2, 4 … workers, one replica and one batch each (weak
//! scaling).
//!
//! Every number of workers trains the same net for as many iterations from the same start. Speed-up
//! is images/s over those of one worker; efficiency is speed-up over workers.

use anyhow::Result;

use super::TimeArgs;
use super::training::{self, JobSize, TimedStep};
use crate::commands::columns::{self, Side};
use crate::log::Log;
use crate::{cores, output};

const COLUMNS: [(&str, Side); 8] = [
    ("workers", Side::Right),
    ("threads", Side::Right),
    ("global batch", Side::Right),
    ("ms", Side::Right),
    ("images/s", Side::Right),
    ("speed-up", Side::Right),
    ("efficiency", Side::Right),
    ("after backward", Side::Right),
];

/// What a number of workers reached.
struct ScalingRow {
    workers: usize,
    items: usize,
    /// Seconds of an iteration.
    all: f64,
    /// Of those, after backward: communication that was not hidden, and the update.
    rest: f64,
}

/// Measures and prints the table.
pub(super) fn run(args: &TimeArgs, log: &Log) -> Result<()> {
    let cores = cores::available();
    let max = args.workers_max.and_then(|max| usize::try_from(max).ok()).unwrap_or(cores);
    let threads = args.running.compute.threads_asked().unwrap_or(1);
    if max * threads > cores {
        log.warn(format!("{max} workers of {threads} threads share {cores} cores"));
    }
    let mut all = Vec::new();
    for workers in counts(max) {
        let s = if workers == 1 { "" } else { "s" };
        log.note(format!("Training with {workers} worker{s}."));
        all.push(measure(args, workers, threads, log)?);
    }
    let base = all.first().map_or(1.0, ScalingRow::rate);
    let rows = all.iter().map(|reached| cells(reached, threads, base));
    output::print(&columns::render(COLUMNS, rows))?;
    Ok(())
}

fn measure(args: &TimeArgs, workers: usize, threads: usize, log: &Log) -> Result<ScalingRow> {
    let size = JobSize { workers, threads, timeline: false };
    let mut job = training::open(args, size, log)?;
    let mut steps: Vec<TimedStep> = Vec::new();
    training::measure(&mut job, args.iterations, &mut |s| steps.push(s))?;
    Ok(ScalingRow {
        workers,
        items: job.items_per_iteration(),
        all: TimedStep::median(&steps, |step| step.all),
        rest: TimedStep::median(&steps, |step| step.rest),
    })
}

impl ScalingRow {
    fn rate(&self) -> f64 {
        self.items as f64 / self.all.max(1e-9)
    }
}

fn cells(reached: &ScalingRow, threads: usize, base: f64) -> [String; 8] {
    let speed_up = reached.rate() / base;
    [
        reached.workers.to_string(),
        threads.to_string(),
        reached.items.to_string(),
        format!("{:.1}", reached.all * 1e3),
        format!("{:.2}", reached.rate()),
        format!("{speed_up:.2}"),
        format!("{:.0} %", 100.0 * speed_up / reached.workers as f64),
        format!("{:.1} %", 100.0 * reached.rest / reached.all.max(1e-9)),
    ]
}

/// 1, 2, 4 … and `max` itself.
fn counts(max: usize) -> Vec<usize> {
    let doubling = |&count: &usize| count.checked_mul(2);
    let below = std::iter::successors(Some(1), doubling).take_while(|&count| count < max);
    below.chain([max.max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::{ScalingRow, cells, counts};

    #[test]
    fn workers_double_up_to_the_largest() {
        let cases: [(usize, &[usize]); 4] =
            [(1, &[1]), (2, &[1, 2]), (6, &[1, 2, 4, 6]), (8, &[1, 2, 4, 8])];
        cases.iter().for_each(|&(max, want)| assert_eq!(counts(max), want));
    }

    #[test]
    fn efficiency_is_speed_up_over_workers() {
        let reached = ScalingRow { workers: 4, items: 64, all: 2.0, rest: 0.5 };
        let cells = cells(&reached, 1, 10.0);
        assert_eq!(cells, ["4", "1", "64", "2000.0", "32.00", "3.20", "80 %", "25.0 %"]);
    }
}
