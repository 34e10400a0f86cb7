//! What a record consists of. Times are in seconds, sizes in bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::number;

/// One line of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum RunEntry {
    /// A process begins or resumes the run.
    Begin(Box<RunBegin>),
    /// Iterations: one, or a bin of many.
    Steps(IterationBin),
    /// An iteration that was displayed.
    Display(DisplayEntry),
    /// What every rank spent its time on since the last entry of this kind.
    Times(TimesEntry),
    /// What each layer of worker 0 has spent so far.
    Layers(LayersEntry),
    /// One iteration of rank 0, in detail.
    Spans(SpansEntry),
    /// Memory of the process.
    Memory(MemoryEntry),
    /// A test phase.
    Test(TestEntry),
    /// A snapshot is on the disk.
    Snapshot {
        /// Iterations done.
        iteration: u64,
        /// The model file.
        model: String,
    },
    /// Something to look at.
    Warning {
        /// Iterations done.
        iteration: u64,
        /// In words.
        text: String,
    },
    /// A link carries much less than others.
    SlowLink(SlowLink),
    /// A setting that is only known after the beginning.
    Setting {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
    /// A hash of the weights.
    Hash {
        /// Iterations that led to them.
        iteration: u64,
        /// In hexadecimal digits.
        hash: String,
    },
    /// The process ended in order.
    End {
        /// Iterations done.
        iteration: u64,
        /// How: `finished`, `stopped`.
        how: String,
    },
}

impl RunEntry {
    /// Whether old segments keep it as it is, and whether it is written out at once.
    pub(super) fn is_kept(&self) -> bool {
        !matches!(
            self,
            Self::Steps(_)
                | Self::Display(_)
                | Self::Times(_)
                | Self::Layers(_)
                | Self::Spans(_)
                | Self::Memory(_)
                | Self::Hash { .. }
        )
    }
}

/// What a process was started with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunBegin {
    /// Iterations that lie behind it: 0, or those of the snapshot.
    pub iteration: u64,
    /// When, in seconds since 1970.
    pub unix_seconds: u64,
    /// The program's version.
    pub version: String,
    /// The machine.
    pub host: String,
    /// Where it was started.
    pub directory: String,
    /// The command that repeats it, for a shell.
    pub command: String,
    /// The net's name.
    pub net: String,
    /// Images of one iteration, of all replicas.
    pub images: u64,
    /// Every setting by name.
    pub settings: Vec<(String, String)>,
    /// The solver, as a prototxt.
    pub solver: String,
    /// Planned memory by kind, in bytes.
    pub memory: Vec<(String, u64)>,
}

/// Iterations `first..=last`, of which `count` are here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IterationBin {
    /// The first.
    #[serde(rename = "i")]
    pub first: u64,
    /// The last.
    #[serde(rename = "to")]
    pub last: u64,
    /// How many.
    #[serde(rename = "n")]
    pub count: u64,
    /// When the last one was done, since the process began.
    #[serde(rename = "t")]
    pub seconds: f64,
    /// Least, mean and greatest loss.
    #[serde(with = "number::three")]
    pub loss: [f64; 3],
    /// Bytes sent by this rank, of each iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<f64>,
}

impl IterationBin {
    /// A single iteration.
    #[must_use]
    pub fn single(iteration: u64, seconds: f64, loss: f64, sent: Option<u64>) -> Self {
        let sent = sent.map(|bytes| bytes as f64);
        Self { first: iteration, last: iteration, count: 1, seconds, loss: [loss; 3], sent }
    }

    /// This bin and the one after it.
    #[must_use]
    pub fn joined(&self, next: &Self) -> Self {
        let count = self.count + next.count;
        let weight = next.count as f64 / count.max(1) as f64;
        let mean = |a: f64, b: f64| a + (b - a) * weight;
        let [low, middle, high] = self.loss;
        let loss = [low.min(next.loss[0]), mean(middle, next.loss[1]), high.max(next.loss[2])];
        let sent = match (self.sent, next.sent) {
            (Some(a), Some(b)) => Some(mean(a, b)),
            (a, b) => a.or(b),
        };
        Self { first: self.first, last: next.last, count, seconds: next.seconds, loss, sent }
    }
}

/// A displayed iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DisplayEntry {
    /// The iteration.
    pub iteration: u64,
    /// Smoothed loss.
    #[serde(with = "number")]
    pub loss: f64,
    /// Learning rate.
    #[serde(with = "number")]
    pub rate: f64,
    /// Speed since the last display; `None` for logs that do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images_per_s: Option<f64>,
    /// Outputs of the train net: names and first values.
    #[serde(default, deserialize_with = "number::named")]
    pub outputs: Vec<(String, f64)>,
}

/// What ranks spent their time on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimesEntry {
    /// Iterations done.
    pub iteration: u64,
    /// Iterations since the last entry.
    pub iterations: u64,
    /// In order of ranks.
    pub ranks: Vec<RankShare>,
}

/// One rank's time since the last entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankShare {
    /// Its machine.
    pub host: String,
    /// Data, forward, backward, exposed communication, update: see [`RankShare::PHASES`].
    pub seconds: [f64; 5],
}

impl RankShare {
    /// What [`RankShare::seconds`] are spent on.
    pub const PHASES: [&str; 5] =
        ["data", "forward", "backward", "exposed communication", "update"];

    /// All of it.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.seconds.iter().sum()
    }
}

impl TimesEntry {
    /// Adds a later entry of the same ranks.
    pub fn add(&mut self, later: &Self) {
        self.iteration = later.iteration;
        self.iterations += later.iterations;
        if self.ranks.len() != later.ranks.len() {
            self.ranks.clone_from(&later.ranks); // another world after a resume
            return;
        }
        for (sum, rank) in self.ranks.iter_mut().zip(&later.ranks) {
            sum.seconds.iter_mut().zip(rank.seconds).for_each(|(sum, time)| *sum += time);
        }
    }
}

/// Times of layers, and what the machine allows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayersEntry {
    /// Iterations done.
    pub iteration: u64,
    /// Iterations that the times are of.
    pub iterations: u64,
    /// Operations a second that the machine does at most; `None` if not measured.
    pub flops_per_s: Option<f64>,
    /// Bytes a second that its memory moves at most.
    pub bytes_per_s: Option<f64>,
    /// In order of the net.
    pub layers: Vec<LayerTime>,
}

/// One layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerTime {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// Forward and backward of all iterations, in seconds.
    pub seconds: [f64; 2],
    /// Operations of one forward and one backward.
    pub flops: [f64; 2],
    /// Bytes of memory traffic of one forward and one backward.
    pub bytes: [f64; 2],
}

/// One iteration in detail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpansEntry {
    /// The iteration.
    pub iteration: u64,
    /// By track: `worker 0`, `communication`.
    pub tracks: BTreeMap<String, Vec<SpanEntry>>,
}

/// What a span of time was spent on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpanEntry {
    /// Of what: a layer, a bucket.
    pub name: String,
    /// Kind of work: `forward`, `all-reduce`.
    pub kind: String,
    /// Seconds since the iteration began.
    pub begin: f64,
    /// Seconds since the iteration began.
    pub end: f64,
}

/// Memory of the process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryEntry {
    /// Iterations done.
    pub iteration: u64,
    /// Resident now, in bytes.
    pub resident: u64,
    /// Resident at most so far.
    pub peak: u64,
}

/// A link that carries much less than others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlowLink {
    /// Its two machines.
    pub hosts: [String; 2],
    /// 10^6 bits a second.
    pub mbits: f64,
    /// What most links carry.
    pub usual_mbits: f64,
}

/// A test phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestEntry {
    /// Iterations done.
    pub iteration: u64,
    /// Which test net.
    pub net: usize,
    /// Mean outputs: names and first values.
    #[serde(deserialize_with = "number::named")]
    pub outputs: Vec<(String, f64)>,
}
