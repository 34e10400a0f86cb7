//! `firecaffe time`: Caffe's `caffe time`, a table of milliseconds per layer; and whole iterations
//! (`--update`), the distance to the machine's limits (`--roofline`), more workers (`--scaling`),
//! and profiles for emulated runs (`--save-profile`).

mod machine;
mod profile;
mod roofline;
mod scaling;
mod training;
mod update;
mod work;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use base::general;
use caffe_format::{NetParameter, NetState, Phase};
use net::LayerSummary;
use train::tools::weigh_outputs;
use train::{AddedLayers, NetConfig, Single};

use crate::log::{CaffeLine, Log};
use crate::options::{NetRunArgs, root};
use crate::output;
pub(crate) use machine::MachinePeaks;
use work::LayerWork;

const EXAMPLES: &str = "\
Examples:
  firecaffe time --model bench/models/nin_b32.prototxt --iterations 10 --threads 2
  firecaffe time --model bench/models/nin_b32.prototxt --iterations 10 --update
  firecaffe time --model bench/models/nin_b32.prototxt --iterations 5 --roofline --svg nin.svg
  firecaffe time --solver examples/lenet/solver.prototxt --iterations 20 --scaling
  firecaffe time --model bench/models/nin_b32.prototxt --threads 1 --save-profile nin.json

Backward of a net without a loss, such as a deploy net, starts from a diff of 1 on its outputs.
Layers named like `data as ChannelsLast` are conversions between memory orders that this program
inserts; Caffe does not have them.";

/// Options of `time`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TimeArgs {
    /// The net prototxt
    #[arg(long, value_name = "FILE", required_unless_present = "solver")]
    model: Option<PathBuf>,
    /// The solver prototxt, instead of a net, for `--update`, `--scaling` and `--save-profile`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "roofline"])]
    solver: Option<PathBuf>,
    /// Time whole training iterations: forward, backward and the update (SGD with momentum, or the
    /// solver's)
    #[arg(long, group = "mode")]
    update: bool,
    /// Show how near each layer comes to the machine's FMA peak or memory bandwidth, measured first
    #[arg(long, group = "mode")]
    roofline: bool,
    /// With `--roofline`: also draw the times and limits of the layers to this file, as SVG
    #[arg(long, value_name = "FILE", requires = "roofline")]
    svg: Option<PathBuf>,
    /// Train with 1, 2, 4 … workers and show images/s, speed-up and efficiency
    #[arg(long, group = "mode")]
    scaling: bool,
    /// Write how long each layer and the update take to this file, for `train --emulate`
    #[arg(long, value_name = "FILE", group = "mode")]
    save_profile: Option<PathBuf>,
    /// With `--save-profile`: also write the gradients of the last iteration to this file, for
    /// `train --emulate-gradients`
    #[arg(long, value_name = "FILE", requires = "save_profile")]
    save_gradients: Option<PathBuf>,
    /// Most workers of `--scaling` [default: the cores]
    #[arg(long, value_name = "W", requires = "scaling", value_parser = clap::value_parser!(u64).range(1..=4096))]
    workers_max: Option<u64>,
    /// Forward and backward passes to measure
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Phase to build the net in
    #[arg(long, value_name = "TRAIN|TEST", default_value = "TRAIN")]
    phase: Phase,
    #[command(flatten)]
    running: NetRunArgs,
}

/// Time of every layer's two directions, and of whole passes.
struct LayerTimes {
    forward: Vec<Duration>,
    backward: Vec<Duration>,
    forward_pass: Duration,
    backward_pass: Duration,
}

/// Measures and logs.
pub(crate) fn run(args: &TimeArgs, added: AddedLayers) -> Result<()> {
    let log = Log::new();
    log.caffe(CaffeLine::UseCpu);
    if args.update {
        return update::run(args, &log);
    }
    if args.scaling {
        return scaling::run(args, &log);
    }
    if let Some(file) = &args.save_profile {
        return profile::run(args, file, &log);
    }
    let needs = "`--solver` goes with `--update`, `--scaling` or `--save-profile`";
    let model = args.model.as_ref().context(needs)?;
    let mut net = args.running.read_net(model, &log)?;
    let config = NetConfig {
        memory_plan: net::MemoryPlan::ShareDiffs,
        added_layers: added,
        ..args.running.config(model, args.phase)?
    };
    let has_loss = start_backward(&mut net, &config.state, &log);
    let mut single = Single::build(&config, &net, &mut |event| log.event(&event))?;
    // A pass that is not counted lets memory be allocated and caches warm up.
    log.caffe(CaffeLine::PerformingForward);
    let loss = single.forward()?;
    log.caffe(CaffeLine::InitialLoss(if has_loss { loss } else { 0.0 }));
    log.caffe(CaffeLine::PerformingBackward);
    single.backward()?;
    log.caffe(CaffeLine::BenchmarkBegins);
    log.caffe(CaffeLine::TestingFor { iterations: args.iterations });
    let begin = Instant::now();
    let times = measure(&mut single, args.iterations, &log)?;
    let total = begin.elapsed();
    report(&single, &times, total, args.iterations, &log);
    if args.roofline {
        let machine = MachinePeaks::measure(single.cpu());
        let rows = &single.net().description().rows;
        output::print(&roofline::render(rows, &times, args.iterations, &machine))?;
        if let Some(path) = &args.svg {
            let chart = roofline::chart(rows, &times, args.iterations, &machine);
            snapshot::atomic::write(&root().join(path), chart.svg().as_bytes())?;
        }
    }
    Ok(())
}

/// Gives backward a diff of 1 to start from if the net has no loss; whether it has one.
fn start_backward(net: &mut NetParameter, state: &NetState, log: &Log) -> bool {
    let outputs = weigh_outputs(net, state);
    if outputs.is_empty() {
        return true;
    }
    let outputs = outputs.join(", ");
    log.note(format!("The net has no loss: backward starts from a diff of 1 on {outputs}."));
    false
}

fn measure(single: &mut Single, iterations: u32, log: &Log) -> Result<LayerTimes> {
    let layers = single.net().len();
    let mut times = LayerTimes {
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
        let time = milliseconds(begin.elapsed(), 1);
        log.caffe(CaffeLine::IterationTime { iteration, time });
    }
    Ok(times)
}

fn report(single: &Single, times: &LayerTimes, total: Duration, iterations: u32, log: &Log) {
    let average = |time: Duration| milliseconds(time, iterations);
    log.caffe(CaffeLine::AverageTimePerLayer);
    for (index, row) in single.net().description().rows.iter().enumerate() {
        let (layer, forward, backward) = (&row.name, times.forward[index], times.backward[index]);
        log.caffe(CaffeLine::LayerForward { layer, average: average(forward) });
        log.caffe(CaffeLine::LayerBackward { layer, average: average(backward) });
    }
    conversions(single, times, iterations, log);
    log.caffe(CaffeLine::AverageForward(average(times.forward_pass)));
    log.caffe(CaffeLine::AverageBackward(average(times.backward_pass)));
    log.caffe(CaffeLine::AverageForwardBackward(average(total)));
    log.caffe(CaffeLine::TotalTime(milliseconds(total, 1)));
    log.caffe(CaffeLine::BenchmarkEnds);
}

/// Names the conversions between memory orders that are left, and what they cost.
fn conversions(single: &Single, times: &LayerTimes, iterations: u32, log: &Log) {
    let rows = &single.net().description().rows;
    let hidden = rows.iter().zip(times.forward.iter().zip(&times.backward));
    let hidden: Vec<_> = hidden.filter(|(row, _)| row.hidden).collect();
    let both: Duration = hidden.iter().map(|(_, (forward, backward))| **forward + **backward).sum();
    let names: Vec<_> = hidden.iter().map(|(row, _)| row.name.as_str()).collect();
    let percentage =
        100.0 * both.as_secs_f64() / (times.forward_pass + times.backward_pass).as_secs_f64();
    log.note(match names[..] {
        [] => "Layout conversions: none.".into(),
        _ => format!(
            "Layout conversions: {} ms, {percentage:.1} % of a pass: {}.",
            general(milliseconds(both, iterations)),
            names.join(", ")
        ),
    });
}

/// What a layer's two directions have to do at least.
pub(crate) fn layer_work(row: &LayerSummary) -> [LayerWork; 2] {
    [work::forward(row), work::backward(row)]
}

/// Of each iteration.
fn milliseconds(time: Duration, iterations: u32) -> f64 {
    time.as_secs_f64() * 1e3 / f64::from(iterations)
}
