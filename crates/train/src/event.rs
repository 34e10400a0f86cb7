//! The closed list of what a run reports: values and names, no text of a log.
//!
//! The binary makes Caffe's log, the JSON log and the progress bar from it; tests collect it. All
//! events can be serialised and read back: enums by variant name, durations as seconds, floats that
//! are not finite as text.

mod choice_text;
mod display;
mod gradients;
mod setup;

use std::path::PathBuf;
use std::time::Duration;

use collective::AlgorithmChoice;
use data::{FillStage, OptionNotice};
use net::{DebugValue, MemoryUse, NetReport, Output, UnmetRule};
use serde::{Deserialize, Serialize};
use solver::Clipped;

use crate::files::PrototxtNotice;
use crate::histogram::ParamHistograms;
use crate::seconds;
use crate::stragglers::StragglerCause;
use crate::{PhaseTimes, TimelineTrack};
pub use display::Display;
pub use gradients::{DecisionOrigin, GradientEvent};
pub use setup::{NetOrigin, RecordMemory, ResumeGap};

/// One thing that happened, in the order it happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Event {
    /// The solver's options have been checked.
    SolverInitialised {
        /// The solver as a prototxt, with what flags have changed.
        prototxt: String,
    },
    /// A prototxt was read that is not in Caffe 1.0's format.
    Prototxt(PrototxtNotice),
    /// A database is being indexed or loaded; for progress bars.
    PreparingRecords {
        /// The data layer that reads it.
        layer: String,
        /// Records so far.
        done: u64,
        /// Of how many; 0 when that is not known.
        all: u64,
    },
    /// In which order a data layer of the train net reads its records, and from where; known before
    /// they are loaded.
    RecordsReady {
        /// The data layer.
        layer: String,
        /// Records of every epoch.
        records: u64,
        /// Seed of the shuffle; `None` for key order.
        shuffle: Option<u32>,
        /// What this rank needs to hold them; `None` if they are read from the database.
        memory: Option<RecordMemory>,
    },
    /// All records in memory are where they are used first.
    RecordsPlaced {
        /// Bytes that this rank received from others.
        bytes: u64,
        /// Time of the exchange.
        #[serde(with = "seconds")]
        time: Duration,
    },
    /// The train net is built next.
    TrainNet {
        /// Where the solver states it.
        origin: NetOrigin,
    },
    /// A test net is built next.
    TestNet {
        /// Counted from 0.
        index: usize,
        /// Where the solver states it.
        origin: NetOrigin,
    },
    /// A rule of a layer does not hold for the net that is being built.
    UnmetRule(UnmetRule),
    /// A net has been compiled.
    NetCompiled {
        /// The net as a prototxt, with the layers that its state leaves in it.
        prototxt: String,
        /// What it consists of.
        report: NetReport,
    },
    /// An option of a data layer does not do what its name suggests.
    SourceOption {
        /// The data layer.
        layer: String,
        /// Which option.
        notice: OptionNotice,
    },
    /// All nets are built.
    SolverReady,
    /// The weights of a model file are loaded next.
    FineTuning {
        /// The file.
        model: PathBuf,
    },
    /// A model file has weights for a layer that the net does not have.
    LayerIgnored {
        /// The layer's name in the file.
        layer: String,
    },
    /// A snapshot is loaded next.
    Restoring {
        /// The state file.
        state: PathBuf,
    },
    /// The snapshot does not say everything that a bit-identical continuation needs.
    ResumeGap(ResumeGap),
    /// The run goes on from a snapshot, but these layers keep what no snapshot has, and begin anew.
    LayersBeginAnew {
        /// Their names.
        layers: Vec<String>,
    },
    /// Who takes part, once all ranks have been found to agree.
    Joined {
        /// Every machine and how many ranks it runs.
        hosts: Vec<(String, usize)>,
        /// How gradients are summed between them; serialised as `--allreduce` takes it.
        #[serde(with = "choice_text")]
        allreduce: AlgorithmChoice,
    },
    /// What the global batch is made of, before the first iteration.
    ReplicasPlaced {
        /// Items of one replica's batch.
        items: usize,
        /// Replicas.
        replicas: usize,
        /// Workers of all ranks that run them.
        workers: usize,
        /// The learning rate, which is never scaled.
        #[serde(with = "net::float_text")]
        rate: f32,
        /// Whether the weights will be those of one worker, bit for bit.
        exact: bool,
    },
    /// The run is emulated: workers wait instead of computing.
    Emulating {
        /// Whose times they wait for.
        machine: String,
        /// Where those are from.
        source: String,
        /// How many times slower than real time the clock runs.
        dilation: u32,
        /// Computation of one iteration, one replica per worker.
        #[serde(with = "seconds")]
        compute: Duration,
        /// Gradients in memory, per rank.
        pool_bytes: usize,
    },
    /// What the train nets of all workers here need, before the first iteration.
    MemoryUse(MemoryUse),
    /// The loop begins.
    Solving {
        /// The train net's name.
        net: String,
        /// `lr_policy`.
        policy: String,
    },
    /// A data layer has read all its records and continues with the first.
    DataRestarted {
        /// The layer.
        layer: String,
    },
    /// A data layer left out a record that it cannot decode.
    RecordSkipped {
        /// The layer.
        layer: String,
        /// Its key or file name.
        record: String,
        /// The error that it would have been, and its causes, outermost first.
        causes: Vec<String>,
    },
    /// An iteration is done; for progress bars.
    Stepped {
        /// Iterations done so far.
        done: u64,
        /// Its loss.
        #[serde(with = "net::float_text")]
        loss: f32,
    },
    /// An iteration that `display` asks to show, after its update. Loss and outputs are those of
    /// the forward before the update.
    Displayed(Display),
    /// Worker 0 has waited for data for more than a twentieth of its time since the last display.
    DataWait {
        /// Of its time, in percent.
        percent: f64,
        /// What preparing data spends most time on, where it is measured (`Data` layers).
        slowest: Option<FillStage>,
        /// Threads that prepare data for each replica.
        threads: usize,
    },
    /// A hash of all parameters' bits.
    Hash {
        /// Iterations that led to these weights.
        steps: u64,
        /// The hash.
        hash: u64,
    },
    /// `debug_info`: a mean or norm of something that was just computed.
    Debug(DebugValue),
    /// How gradients are summed, and what came of it.
    Gradients(GradientEvent),
    /// Gradients were scaled down by `clip_gradients`.
    Clipped(Clipped),
    /// A learning-rate step began (`multistep`).
    RateStep {
        /// The iteration.
        iter: u64,
        /// Its number.
        step: u64,
    },
    /// A bucket of gradients was reduced.
    BucketReduced {
        /// The iteration.
        iter: u64,
        /// Counted from 0, in the order in which backward fills them.
        bucket: usize,
        /// Size of its gradients in memory, not on the wire.
        bytes: usize,
        /// Between the workers of this rank: from the first that began to the last that ended.
        #[serde(with = "seconds")]
        local_sum: Duration,
        /// Between ranks, waiting for others included; `None` if there is one rank.
        #[serde(with = "seconds::optional", default, skip_serializing_if = "Option::is_none")]
        all_reduce: Option<Duration>,
    },
    /// What one worker of any rank spent its time on since the last event of this kind: at every
    /// display and at the end.
    WorkerTimes {
        /// Its process.
        rank: usize,
        /// Which of the process's workers.
        worker: usize,
        /// By kind of work.
        times: PhaseTimes,
    },
    /// What one rank's workers together spent their time on since the last event of this kind: at
    /// every display and at the end.
    RankTimes {
        /// The process.
        rank: usize,
        /// Its machine.
        host: String,
        /// Sums over its workers.
        times: PhaseTimes,
    },
    /// A rank takes longer for its own work than the others, who wait for it.
    Straggler {
        /// The process.
        rank: usize,
        /// Its machine.
        host: String,
        /// How much longer than the median of the others.
        percent: f64,
        /// For how many iterations.
        iterations: u64,
        /// What takes longer.
        cause: StragglerCause,
    },
    /// A link carries less than half of what others do.
    SlowLink {
        /// The two machines.
        hosts: [String; 2],
        /// 10^6 bits per second.
        mbits: f64,
        /// What most links carry.
        usual_mbits: f64,
    },
    /// What worker 0 of this rank has spent on every layer so far: at every display and at the end,
    /// if [`JobConfig::details`](crate::JobConfig::details).
    LayerTimes {
        /// Iterations so far.
        iterations: u64,
        /// Seconds of forward and backward, in order of the net's layers.
        seconds: Vec<[f64; 2]>,
    },
    /// What this rank did in one iteration, at the same times.
    IterationSpans {
        /// The iteration.
        iter: u64,
        /// Worker 0 and the communicator; times are since the iteration began.
        tracks: Vec<TimelineTrack>,
    },
    /// How params and their gradients are distributed, if
    /// [`JobConfig::histogram_interval`](crate::JobConfig::histogram_interval); on rank 0.
    Histograms {
        /// The iteration, after its update.
        iter: u64,
        /// In net order.
        params: Vec<ParamHistograms>,
    },
    /// A test phase begins.
    Testing {
        /// Iterations done.
        iter: u64,
        /// Which test net.
        net: usize,
    },
    /// A test phase is done.
    Tested {
        /// Means over its iterations.
        outputs: Vec<Output>,
        /// Mean loss, if `test_compute_loss`.
        #[serde(with = "net::float_text")]
        loss: Option<f32>,
    },
    /// A test phase was ended early by a request to stop.
    TestInterrupted,
    /// The final forward's loss, as Caffe shows after the last update.
    FinalLoss {
        /// Iterations done.
        iter: u64,
        /// Smoothed loss.
        #[serde(with = "net::float_text")]
        loss: f32,
    },
    /// A snapshot is written next. What must not lag behind it is written out first: a run that is
    /// killed resumes from the snapshot, and does not repeat the iterations before it.
    SnapshotBegins,
    /// A snapshot of another run is overwritten next.
    SnapshotReplaced {
        /// Its model file.
        model: PathBuf,
    },
    /// A snapshot is on the disk.
    SnapshotWritten {
        /// The model file.
        model: PathBuf,
        /// The state file.
        state: PathBuf,
    },
    /// A snapshot could not be written; the previous one is intact and training continues.
    SnapshotFailed {
        /// The error and its causes, outermost first.
        causes: Vec<String>,
    },
    /// Where the time of the run went.
    Spent {
        /// From the first iteration to the last, tests and snapshots included.
        #[serde(with = "seconds")]
        elapsed: Duration,
        /// Items that were trained on.
        items: u64,
        /// What worker 0 spent its time on, tests and snapshots apart.
        times: PhaseTimes,
        /// Whether computation was waited for: then these are times of the profile's device.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        emulated: bool,
    },
    /// All iterations are done.
    Finished,
    /// Stopped by request, after a snapshot.
    StoppedEarly,
}

#[cfg(test)]
mod tests;
