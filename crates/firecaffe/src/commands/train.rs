//! `firecaffe train`: Caffe's `caffe train`.

mod emulate;
mod listener;
mod parallel;
mod ranks;

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use caffe_format::SolverParameter;
use train::{
    AddedLayers, Control, DataMode, Event, Job, JobConfig, OnBadSample, Ranks, RecordSharing,
    Request, ResumeData, TIMELINE_BYTES, TrainError, files, nets,
};

use crate::clock::{RealClock, sharpen_timers};
use crate::cores::{CorePlacement, Neighbours, SharedCores};
use crate::launch::MpiArgs;
use crate::log::json::JsonLog;
use crate::log::timeline::{EMPTY_TRACE, chrome_trace, dropped_spans};
use crate::log::{CaffeLine, Log, prototxt};
use crate::memory_limit::{memory_limit, memory_pools};
use crate::observe::{ObserveArgs, RunObserver, RunOrigin};
use crate::options::{DEFAULT_SEED, NetRunArgs, bytes_of_megabytes, megabytes, one_of, root};
use crate::signals::{RunControl, Signals};
use crate::{cores, gpu, progress::ProgressDisplay};
use emulate::EmulateArgs;
use listener::Listener;
use parallel::ParallelArgs;

/// What `--snapshot` takes for "the last complete one".
const AUTO: &str = "auto";

const EXAMPLES: &str = "\
Examples:
  firecaffe train --solver examples/lenet/solver.prototxt
  firecaffe train --solver solver.prototxt --snapshot auto            continue after the last snapshot
  firecaffe train --solver solver.prototxt --weights bvlc.caffemodel  fine-tune
  firecaffe train --solver solver.prototxt --workers 2 --threads 1    data-parallel, batch_size each
  firecaffe train --solver solver.prototxt --shuffle --data memory    another order in every epoch
  mpirun -n 8 firecaffe train --solver solver.prototxt                on the ranks of an MPI job
  mpirun -n 8 firecaffe train --solver solver.prototxt --emulate bench/profiles/alexnet_p100.json
                                                                      waiting instead of computing

Paths in prototxts are relative to the working directory, as in Caffe. Ctrl-C, SIGTERM and SIGUSR1
write a snapshot and stop; a second Ctrl-C stops at once. SIGHUP writes a snapshot and continues.
mpirun itself ends all ranks at once on Ctrl-C and SIGTERM; it forwards SIGUSR1 to them.";

/// Options of `train`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TrainArgs {
    /// The solver prototxt
    #[arg(long, value_name = "FILE")]
    pub(crate) solver: PathBuf,
    /// Model files to start from, separated by commas; layers are matched by name
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    weights: Vec<PathBuf>,
    /// The `.solverstate` to resume from, or `auto` for the last complete one, if any
    #[arg(long, value_name = "FILE|auto")]
    snapshot: Option<PathBuf>,
    /// Where a resumed run reads data: after the last record it read, or from the first record as
    /// Caffe does
    #[arg(long, value_name = "WHERE", default_value = "continue",
          value_parser = one_of::<ResumeData>(ResumeData::NAMES))]
    resume_data: ResumeData,
    /// What to do with a record that cannot be decoded
    #[arg(long, value_name = "WHAT", default_value = "fail",
          value_parser = one_of::<OnBadSample>(OnBadSample::NAMES))]
    on_bad_sample: OnBadSample,
    /// Where the records of Data layers lie: in their database, or in the memory of the ranks,
    /// which load them once and exchange them between epochs
    #[arg(long, value_name = "WHERE", default_value = "stream",
          value_parser = one_of::<DataMode>(DataMode::NAMES))]
    data: DataMode,
    /// Read every epoch's records in a random order of its own, which depends on `random_seed` and
    /// the number of replicas only (LMDB and LevelDB; tests read in key order)
    #[arg(long)]
    shuffle: bool,
    /// With `--shuffle`: replicas form so many groups that each read every record, in an order of
    /// their own; with `--data memory` each holds a copy, and records move within groups only
    #[arg(long, value_name = "G", default_value_t = NonZeroU32::MIN)]
    data_groups: NonZeroU32,
    /// With `--shuffle`: a replica keeps its records for so many epochs before they are exchanged
    #[arg(long, value_name = "K", default_value_t = NonZeroU32::MIN)]
    exchange_every: NonZeroU32,
    /// At most so many threads decode and transform records for each replica, as few as keep the
    /// wait for data below 1 %; the result is the same [default: the cores of a worker]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    data_threads: Option<u64>,
    /// Also write what is displayed, tested and saved to this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    log_json: Option<PathBuf>,
    /// Also write a timeline of every worker to this file, as a Chrome trace (opens in Perfetto)
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
    /// Size of the timeline's file at most, in megabytes (10^6 bytes): the first iterations and the
    /// latest are kept
    #[arg(long, value_name = "MB", default_value_t = TIMELINE_BYTES as f64 / 1e6, value_parser = megabytes, requires = "timeline")]
    timeline_mb: f64,
    #[command(flatten)]
    observing: ObserveArgs,
    /// What Ctrl-C does
    #[arg(long, value_name = "EFFECT", default_value = "stop",
          value_parser = one_of::<Request>(Request::NAMES))]
    sigint_effect: Request,
    /// What SIGHUP does
    #[arg(long, value_name = "EFFECT", default_value = "snapshot",
          value_parser = one_of::<Request>(Request::NAMES))]
    sighup_effect: Request,
    #[command(flatten)]
    parallel: ParallelArgs,
    #[command(flatten)]
    emulation: EmulateArgs,
    #[command(flatten)]
    mpi: MpiArgs,
    #[command(flatten)]
    pub(crate) running: NetRunArgs,
}

/// What surrounds a run: the process, or another program.
pub(crate) struct TrainHost<'a> {
    /// Layer types that it brings.
    pub(crate) added: AddedLayers,
    /// Who asks for a stop or a snapshot; `None` for signals alone.
    pub(crate) control: Option<&'a dyn Control>,
    /// Hears every event after log and files.
    pub(crate) events: &'a mut dyn FnMut(&Event),
    /// Whether nothing is logged and no progress bar shown.
    pub(crate) quiet: bool,
}

/// Trains to the end, or until asked to stop; under `mpirun` as one of its ranks.
pub(crate) fn run(args: &TrainArgs, added: AddedLayers) -> Result<()> {
    let events = &mut |_: &Event| ();
    run_in(args, TrainHost { added, control: None, events, quiet: false })
}

/// The same inside another program.
pub(crate) fn run_in(args: &TrainArgs, host: TrainHost<'_>) -> Result<()> {
    if args.emulation.is_given() {
        sharpen_timers(); // before threads are started, which inherit it
    }
    if !args.mpi.is_launched() {
        return train(args, Ranks::alone(), Neighbours::of_launcher(), host);
    }
    ranks::run(args, host)
}

fn train(
    args: &TrainArgs,
    ranks: Ranks,
    neighbours: Neighbours,
    host: TrainHost<'_>,
) -> Result<()> {
    let rank = ranks.rank();
    let log = if host.quiet { Log::silent() } else { Log::of_rank(rank) };
    let busy = ranks.busy(); // files may be slow
    let (mut config, placement) = configure(args, &log, rank.world(), neighbours)?;
    config.added_layers = host.added;
    let shared_cores = SharedCores::watch(&mut config, cores::available());
    config.cores = placement.apply();
    let origin = match rank.is_first() && args.observing.is_given() {
        true => Some(RunOrigin::of(&config, rank.world())),
        false => None,
    };
    drop(busy);
    let json = args.log_json.as_ref().filter(|_| rank.is_first()).map(|path| {
        JsonLog::create(path).with_context(|| format!("cannot create {}", path.display()))
    });
    if let Some(path) = args.timeline.as_ref().filter(|_| rank.is_first()) {
        // A path that cannot be written must fail before a long run, not after it.
        snapshot::atomic::write(path, EMPTY_TRACE.as_bytes())?;
    }
    let clock = Arc::clone(&config.clock);
    let signals = match host.control {
        Some(_) => Signals::default(), // they are the program's
        None => Signals::install(args.sigint_effect, args.sighup_effect, args.mpi.is_launched())
            .context("cannot handle signals")?,
    };
    let observer = origin
        .map(|origin| RunObserver::open(&args.observing, origin, || signals.requests(), &log));
    let max_iter = u64::from(config.solver.max_iter().unsigned_abs());
    let emulates = config.emulation.is_some();
    let observer = observer.transpose()?;
    let mut listener = Listener::new(log, json.transpose()?, observer, &*clock, shared_cores);
    if emulates && rank.is_first() {
        listener.measure_load();
    }
    let control = RunControl { signals, program: host.control };
    let mut hear = |listener: &mut Listener<'_>, event: &Event| {
        listener.hear(event);
        (host.events)(event);
    };
    let mut job = Job::join(config, ranks, &mut |event| hear(&mut listener, &event))
        .map_err(|error| with_file(error, &args.solver))?;
    let progress = match rank.is_first() && !emulates && !host.quiet {
        true => ProgressDisplay::new(job.iter(), max_iter, job.items_per_iteration()),
        false => None,
    };
    listener.show(progress);
    listener.begin(&job)?;
    listener.log().caffe(CaffeLine::StartingOptimization);
    job.run(&control, &mut |event| hear(&mut listener, &event))?;
    listener.show(None);
    listener.check_load()?;
    if let (Some(path), Some(tracks)) = (&args.timeline, job.timeline()?) {
        let trace = chrome_trace(&tracks, &|layer| job.net().layer_name(layer));
        snapshot::atomic::write(path, trace.as_bytes())?;
        let emulated = if emulates { "emulated " } else { "" };
        let dropped: usize = tracks.iter().map(dropped_spans).sum();
        let dropped = match dropped {
            0 => String::new(),
            count => format!("; {count} spans between the first and the latest were dropped"),
        };
        let path = path.display();
        listener.log().note(format!("{emulated}timeline of every worker: {path}{dropped}"));
    }
    listener.log().caffe(CaffeLine::OptimizationDone);
    Ok(())
}

/// Names the solver's file in errors about its options; the library knows only their values.
fn with_file(error: TrainError, solver: &Path) -> anyhow::Error {
    let of_solver = error.is_about_solver();
    let error = anyhow::Error::from(error);
    if of_solver { error.context(solver.display().to_string()) } else { error }
}

/// Most threads that prepare data for a replica: as asked for, else as many as a worker has cores,
/// also where its net is to use fewer.
fn data_threads(args: &TrainArgs, placement: &CorePlacement, neighbours: Neighbours) -> usize {
    let asked = args.data_threads.and_then(|threads| usize::try_from(threads).ok());
    let per_worker = cores::per_rank(neighbours) / placement.workers.max(1);
    asked.unwrap_or(placement.threads.max(per_worker))
}

/// Reads the solver and combines it with the flags.
fn configure(
    args: &TrainArgs,
    log: &Log,
    world: usize,
    neighbours: Neighbours,
) -> Result<(JobConfig, CorePlacement)> {
    let unknown = args.running.reading.unknown();
    let read = files::read_solver(&args.solver, unknown)?;
    read.notices.iter().for_each(|notice| log.warn(prototxt::notice(notice)));
    let mut solver = read.message;
    args.running.selection.add_to(&mut solver.train_state);
    log.caffe(CaffeLine::UseCpu);
    tell_about_gpus(args, &solver, log);
    if solver.random_seed() < 0 {
        log.warn(format!(
            "`random_seed` is not set: {DEFAULT_SEED} is used, where Caffe would take another every time"
        ));
    }
    let resume = resume(args, &solver, log)?;
    if let Some(state) = &resume {
        log.caffe(CaffeLine::ResumingFrom(state));
    }
    let placement = args.parallel.place(args.running.compute.threads_asked(), world, neighbours);
    let config = JobConfig {
        weights: args.weights.clone(),
        resume,
        resume_data: args.resume_data,
        workers: placement.workers,
        threads: placement.threads,
        timeline: args.timeline.is_some(),
        timeline_bytes: bytes_of_megabytes(args.timeline_mb),
        clock: Arc::new(RealClock::start()),
        simd: args.running.compute.simd()?,
        seed: DEFAULT_SEED,
        solver_file: Some(args.solver.clone()),
        root: root(),
        unknown,
        on_bad_sample: args.on_bad_sample,
        data: args.data,
        memory_limit: memory_limit(),
        memory_pools: memory_pools(),
        shuffle: args.shuffle,
        sharing: RecordSharing { groups: args.data_groups, exchange_every: args.exchange_every },
        keep_diffs: false,
        data_threads: Some(data_threads(args, &placement, neighbours)),
        ..JobConfig::new(solver).with_precision(args.running.rounding.precision)
    };
    let config = args.parallel.apply(config)?;
    let config = args.observing.apply(args.emulation.apply(config)?);
    if let Some(notice) = args.parallel.without_effect(args.mpi.is_launched()) {
        log.warn(notice);
    }
    if let Some(format) = config.precision.half() {
        let (precision, wire) = (config.precision, config.wire);
        log.note(format!(
            "precision {precision}: blobs and params in {format}, gradients on the wire in {wire}"
        ));
    }
    if config.emulation.is_none() {
        log.note(placement.in_words());
    }
    let (threads, cores) = (config.threads * config.workers, cores::available());
    if threads > cores && config.emulation.is_none() {
        log.warn(format!(
            "{threads} threads on {cores} core{}: give fewer `--workers` or `--threads`, or bind this \
             process to more cores (`mpirun --bind-to none`)",
            if cores == 1 { "" } else { "s" }
        ));
    }
    Ok((config, placement))
}

/// The state to resume from: the one named, or the last complete one of the solver's prefix.
fn resume(args: &TrainArgs, solver: &SolverParameter, log: &Log) -> Result<Option<PathBuf>> {
    match &args.snapshot {
        None => Ok(None),
        Some(path) if path.as_os_str() != AUTO => {
            if !args.weights.is_empty() {
                bail!("give `--snapshot` to resume or `--weights` to fine-tune, not both");
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.contains(".caffemodel") {
                let path = path.display();
                bail!("{path} is a model: resume from its `.solverstate`, or give `--weights`");
            }
            Ok(Some(path.clone()))
        }
        Some(_) => {
            let prefix = solver.snapshot_prefix();
            let Some(latest) = snapshot::find_latest(prefix)? else {
                log.warn(format!("no complete snapshot at {prefix}_iter_*: starting anew"));
                return Ok(None);
            };
            for skipped in &latest.skipped {
                let reason = train::chain(&skipped.reason);
                log.warn(format!("{} is passed over: {reason}", skipped.state.display()));
            }
            Ok(Some(latest.state))
        }
    }
}

/// Warns once about everything that asks for a GPU. Errors in the nets are reported when they are
/// opened.
fn tell_about_gpus(args: &TrainArgs, solver: &SolverParameter, log: &Log) {
    let found = nets::read(solver, root(), args.running.reading.unknown(), &mut |_| {}).ok();
    let nets: Vec<_> = found.iter().map(|found| &found.train.net).collect();
    if let Some(notice) = gpu::notice(args.running.compute.gpu.as_deref(), Some(solver), &nets) {
        log.warn(notice);
    }
}
