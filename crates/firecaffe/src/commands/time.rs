//! `firecaffe time`: Caffe's `caffe time`, a table of milliseconds per layer.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use base::general;
use caffe_format::Phase;
use train::{NetConfig, Single, files};

use crate::gpu;
use crate::log::{Log, number};
use crate::options::{Compute, DEFAULT_SEED, Reading, Selection, phase, root};

const EXAMPLES: &str = "\
Example:
  firecaffe time --model examples/alexnet/train_val.prototxt --iterations 10 --threads 2

Layers named like `data as ChannelsLast` are conversions between memory orders that this program
inserts; Caffe does not have them.";

/// Options of `time`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The net prototxt
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Forward and backward passes to measure
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Phase to build the net in
    #[arg(long, value_name = "TRAIN|TEST", default_value = "TRAIN", value_parser = phase)]
    phase: Phase,
    #[command(flatten)]
    compute: Compute,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    reading: Reading,
}

/// Time of every layer's two directions, and of whole passes.
struct Times {
    forward: Vec<Duration>,
    backward: Vec<Duration>,
    forward_pass: Duration,
    backward_pass: Duration,
}

/// Measures and logs.
pub(crate) fn run(args: &Args) -> Result<()> {
    let log = Log::new();
    log.caffe("Use CPU.");
    let read = files::read_net(&args.model, args.reading.unknown())?;
    read.notices.iter().for_each(|notice| log.warn(notice));
    if let Some(notice) = gpu::notice(args.compute.gpu.as_deref(), None, &[&read.message]) {
        log.warn(notice);
    }
    let config = NetConfig {
        model: args.model.clone(),
        state: args.selection.state(args.phase),
        weights: Vec::new(),
        threads: args.compute.threads(),
        simd: args.compute.simd()?,
        seed: DEFAULT_SEED,
        root: root(),
        unknown: args.reading.unknown(),
        plan: net::MemoryPlan::ShareDiffs,
    };
    let mut single = Single::build(&config, &read.message, &mut |event| log.event(&event))?;
    // A pass that is not counted lets memory be allocated and caches warm up.
    log.caffe("Performing Forward");
    log.caffe(format!("Initial loss: {}", number(single.forward()?)));
    log.caffe("Performing Backward");
    single.backward()?;
    log.caffe("*** Benchmark begins ***");
    log.caffe(format!("Testing for {} iterations.", args.iterations));
    let begin = Instant::now();
    let times = measure(&mut single, args.iterations, &log)?;
    report(&single, &times, begin.elapsed(), args.iterations, &log);
    Ok(())
}

fn measure(single: &mut Single, iterations: u32, log: &Log) -> Result<Times> {
    let layers = single.net().len();
    let mut times = Times {
        forward: vec![Duration::ZERO; layers],
        backward: vec![Duration::ZERO; layers],
        forward_pass: Duration::ZERO,
        backward_pass: Duration::ZERO,
    };
    for iteration in 1..=iterations {
        let begin = Instant::now();
        for layer in 0..layers {
            let begin = Instant::now();
            single.forward_layer(layer)?;
            times.forward[layer] += begin.elapsed();
        }
        let middle = Instant::now();
        single.net_mut().clear_gradients();
        for layer in (0..layers).rev() {
            let begin = Instant::now();
            single.backward_layer(layer)?;
            times.backward[layer] += begin.elapsed();
        }
        times.forward_pass += middle - begin;
        times.backward_pass += middle.elapsed();
        let took = milliseconds(begin.elapsed(), 1);
        log.caffe(format!("Iteration: {iteration} forward-backward time: {took} ms."));
    }
    Ok(times)
}

fn report(single: &Single, times: &Times, total: Duration, iterations: u32, log: &Log) {
    let average = |time: Duration| milliseconds(time, iterations);
    log.caffe("Average time per layer: ");
    for (index, row) in single.net().rows().iter().enumerate() {
        let name = &row.name;
        log.caffe(format!("{name:>10}\tforward: {} ms.", average(times.forward[index])));
        log.caffe(format!("{name:>10}\tbackward: {} ms.", average(times.backward[index])));
    }
    log.caffe(format!("Average Forward pass: {} ms.", average(times.forward_pass)));
    log.caffe(format!("Average Backward pass: {} ms.", average(times.backward_pass)));
    log.caffe(format!("Average Forward-Backward: {} ms.", average(total)));
    log.caffe(format!("Total Time: {} ms.", milliseconds(total, 1)));
    log.caffe("*** Benchmark ends ***");
}

fn milliseconds(time: Duration, iterations: u32) -> String {
    general(time.as_secs_f64() * 1e3 / f64::from(iterations))
}
