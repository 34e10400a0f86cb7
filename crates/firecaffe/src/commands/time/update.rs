//! `time --update`: whole training iterations, forward to updated weights, as `train` runs them.

use anyhow::Result;
use base::general;

use super::training::{self, JobSize, TimedStep};
use super::{TimeArgs, work};
use crate::log::{CaffeLine, Log};

/// Measures and logs medians.
pub(super) fn run(args: &TimeArgs, log: &Log) -> Result<()> {
    let threads = args.running.compute.threads();
    let size = JobSize { workers: 1, threads, timeline: false };
    let mut job = training::open(args, size, log)?;
    log.caffe(CaffeLine::BenchmarkBegins);
    log.caffe(CaffeLine::TestingFor { iterations: args.iterations });
    let (mut steps, mut iteration) = (Vec::new(), 0);
    training::measure(&mut job, args.iterations, &mut |step| {
        steps.push(step);
        iteration += 1;
        log.caffe(CaffeLine::IterationTime { iteration, time: step.pass * 1e3 });
        log.note(format!("Step {iteration} update time: {} ms.", general(step.rest * 1e3)));
    })?;
    let [pass, rest, all]: [fn(&TimedStep) -> f64; 3] = [|s| s.pass, |s| s.rest, |s| s.all];
    let [pass, rest, all] = [pass, rest, all].map(|part| TimedStep::median(&steps, part));
    let images = job.items_per_iteration() as f64;
    let passes = f64::from(job.solver_param().iter_size());
    let flops = passes * job.net().description().rows.iter().map(work::flops).sum::<f64>();
    log.note(format!("Median Forward-Backward: {} ms.", general(pass * 1e3)));
    log.note(format!("Median Update: {} ms.", general(rest * 1e3)));
    log.note(format!("Floating-point operations: {} G per iteration.", general(flops / 1e9)));
    log.note(format!("Images per second, forward-backward: {}", general(images / pass)));
    log.note(format!("Images per second, with update: {}", general(images / all)));
    log.caffe(CaffeLine::BenchmarkEnds);
    Ok(())
}
