//! The closed list of what a run reports. The binary prints Caffe's log from it; tests collect it.

use std::path::PathBuf;
use std::time::Duration;

use net::{Memory, Output};

use crate::Times;

/// One thing that happened, in the order it happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// A line of Caffe's log about set-up; `source` is the file that logs it in Caffe.
    Note {
        /// `net.cpp`, `solver.cpp`, ….
        source: &'static str,
        /// The line, or several.
        text: String,
    },
    /// Something the user should know that is not an error.
    Warning(String),
    /// Who takes part, once all ranks have been found to agree.
    Joined {
        /// Every machine and how many ranks it runs.
        hosts: Vec<(String, usize)>,
        /// How gradients are summed between them.
        allreduce: String,
    },
    /// What the global batch is made of, before the first iteration.
    Dealt {
        /// Items of one replica's batch.
        items: usize,
        /// Replicas.
        replicas: usize,
        /// Workers of all ranks that run them.
        workers: usize,
        /// The learning rate, which is never scaled.
        rate: f32,
        /// Whether the weights will be those of one worker, bit for bit.
        exact: bool,
    },
    /// What the train nets of all workers here need, before the first iteration.
    MemoryPlan(Memory),
    /// An iteration is done; for progress bars.
    Stepped {
        /// Iterations done so far.
        done: u64,
        /// Its loss.
        loss: f32,
    },
    /// An iteration that `display` asks to show. Sent after its backward, before its update.
    Displayed(Display),
    /// A hash of all parameters' bits.
    Hash {
        /// Updates that led to these weights.
        steps: u64,
        /// The hash.
        hash: u64,
    },
    /// `debug_info`: the mean absolute value of something that was just computed.
    Debug(String),
    /// Gradients were scaled down by `clip_gradients`.
    Clipped {
        /// Their norm.
        norm: f32,
        /// The largest norm allowed.
        limit: f32,
        /// What they were multiplied by.
        factor: f32,
    },
    /// A learning-rate step began (`multistep`).
    RateStep {
        /// The iteration.
        iter: u64,
        /// Its number.
        step: u64,
    },
    /// A test phase begins.
    Testing {
        /// Iterations done.
        iter: u64,
        /// Which test net.
        net: usize,
    },
    /// A test phase is done; means over its iterations.
    Tested {
        /// Mean outputs.
        outputs: Vec<Output>,
        /// Mean loss, if `test_compute_loss`.
        loss: Option<f32>,
    },
    /// A test phase was cut short by a request to stop.
    TestInterrupted,
    /// The final forward's loss, as Caffe shows after the last update.
    FinalLoss {
        /// Iterations done.
        iter: u64,
        /// Smoothed loss.
        loss: f32,
    },
    /// A snapshot is on the disk.
    SnapshotWritten {
        /// The model file.
        model: PathBuf,
        /// The state file.
        state: PathBuf,
    },
    /// A snapshot could not be written; the previous one is intact and training goes on.
    SnapshotFailed(String),
    /// Where the time of the whole run went, tests and snapshots apart.
    Spent {
        /// Time from the first iteration to the last.
        elapsed: Duration,
        /// Items that were trained on.
        items: u64,
        /// What worker 0 spent its time on.
        times: Times,
    },
    /// All iterations are done.
    Finished,
    /// Stopped by request, after a snapshot.
    StoppedEarly,
}

/// What one displayed iteration shows.
#[derive(Debug, Clone)]
pub struct Display {
    /// The iteration.
    pub iter: u64,
    /// Smoothed loss.
    pub loss: f32,
    /// The learning rate of its update.
    pub rate: f32,
    /// Time since the last display.
    pub elapsed: Duration,
    /// Iterations since the last display.
    pub iterations: u64,
    /// Items trained on since then, by all replicas.
    pub items: u64,
    /// What worker 0 spent its time on since then.
    pub times: Times,
    /// `display`.
    pub interval: u64,
    /// Outputs of the train net.
    pub outputs: Vec<Output>,
}
