//! One object of the JSON log.

use std::path::Path;

use net::Output;
use serde::{Serialize, Serializer};
use train::{Event, GradientEvent, PhaseTimes, SumTraffic};

use crate::log::speed::Speed;

/// One line of the file.
#[derive(Serialize)]
pub(super) struct JsonRecord<'a> {
    pub(super) event: &'static str,
    /// Iterations done.
    pub(super) iteration: u64,
    /// Since the program began.
    pub(super) seconds: f64,
    /// Whether the run is emulated: what its figures tell is not this machine.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) emulated: bool,
    #[serde(flatten)]
    pub(super) fields: RecordFields<'a>,
}

/// What each kind of record has besides. Programs read these names.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum RecordFields<'a> {
    Display {
        loss: f32,
        lr: f32,
        #[serde(flatten)]
        speed: Option<SpeedFields>,
        #[serde(flatten)]
        traffic: Option<SumTraffic>,
        outputs: OutputMap<'a>,
    },
    Test {
        net: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        loss: Option<f32>,
        outputs: OutputMap<'a>,
    },
    Snapshot {
        model: &'a Path,
        state: &'a Path,
    },
    SnapshotFailed {
        reason: String,
    },
    Weights {
        hash: String,
    },
    FinalLoss {
        loss: f32,
    },
    Speed {
        #[serde(flatten)]
        speed: Option<SpeedFields>,
    },
    Bucket {
        bucket: usize,
        bytes: usize,
        /// In seconds.
        local_sum: f64,
        /// In seconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        all_reduce: Option<f64>,
    },
    /// An iteration of an emulated run.
    EmulatedStep {
        #[serde(flatten)]
        traffic: SumTraffic,
    },
    Wire {
        wire: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        scale: Option<f32>,
    },
    Compression {
        compression: &'a str,
        /// Whether each bucket is.
        compressed: &'a [bool],
    },
    ResidualsFolded {
        compression: &'a str,
        world: usize,
    },
    StepSkipped {
        scale: f32,
    },
    ScaleDoubled {
        scale: f32,
    },
    StepsSkipped {
        skipped: u64,
        scale: f32,
    },
    WorkerTimes {
        rank: usize,
        worker: usize,
        times: &'a PhaseTimes,
    },
    RankTimes {
        rank: usize,
        host: &'a str,
        times: &'a PhaseTimes,
    },
    Straggler {
        rank: usize,
        host: &'a str,
        percent: f64,
        cause: String,
    },
    SlowLink {
        hosts: &'a [String; 2],
        mbits: f64,
        usual_mbits: f64,
    },
}

impl<'a> RecordFields<'a> {
    /// What the file says about an event; nothing for most. `testing` is the test net that runs.
    pub(super) fn of(event: &'a Event, testing: usize) -> Option<Self> {
        Some(match event {
            Event::Displayed(display) => Self::Display {
                loss: display.loss,
                lr: display.rate,
                speed: SpeedFields::of(&Speed {
                    items: display.items,
                    elapsed: display.elapsed,
                    times: display.times,
                    emulated: false,
                }),
                traffic: display.traffic,
                outputs: OutputMap(&display.outputs),
            },
            Event::Tested { outputs, loss } => {
                Self::Test { net: testing, loss: *loss, outputs: OutputMap(outputs) }
            }
            Event::SnapshotWritten { model, state } => Self::Snapshot { model, state },
            Event::SnapshotFailed { causes } => Self::SnapshotFailed { reason: causes.join(": ") },
            Event::Hash { hash, .. } => Self::Weights { hash: format!("{hash:016x}") },
            Event::FinalLoss { loss, .. } => Self::FinalLoss { loss: *loss },
            &Event::Spent { items, elapsed, times, emulated } => {
                Self::Speed { speed: SpeedFields::of(&Speed { items, elapsed, times, emulated }) }
            }
            Event::BucketReduced { bucket, bytes, local_sum, all_reduce, .. } => Self::Bucket {
                bucket: *bucket,
                bytes: *bytes,
                local_sum: local_sum.as_secs_f64(),
                all_reduce: all_reduce.map(|time| time.as_secs_f64()),
            },
            Event::Gradients(event) => return Self::of_gradients(event),
            Event::WorkerTimes { rank, worker, times } => {
                Self::WorkerTimes { rank: *rank, worker: *worker, times }
            }
            Event::RankTimes { rank, host, times } => Self::RankTimes { rank: *rank, host, times },
            Event::Straggler { rank, host, percent, cause, .. } => {
                Self::Straggler { rank: *rank, host, percent: *percent, cause: cause.to_string() }
            }
            Event::SlowLink { hosts, mbits, usual_mbits } => {
                Self::SlowLink { hosts, mbits: *mbits, usual_mbits: *usual_mbits }
            }
            _ => return None,
        })
    }

    /// As [`of`](Self::of), for the sums of gradients.
    fn of_gradients(event: &'a GradientEvent) -> Option<Self> {
        Some(match *event {
            GradientEvent::Wire { ref wire, scale } => Self::Wire { wire, scale },
            GradientEvent::Exchanged { traffic, .. } => Self::EmulatedStep { traffic },
            GradientEvent::Compression { ref compression, ref compressed, .. } => {
                Self::Compression { compression, compressed }
            }
            GradientEvent::ResidualsFolded { ref compression, world } => {
                Self::ResidualsFolded { compression, world }
            }
            GradientEvent::StepSkipped { scale, .. } => Self::StepSkipped { scale },
            GradientEvent::ScaleDoubled { scale, .. } => Self::ScaleDoubled { scale },
            GradientEvent::StepsSkipped { skipped, scale, .. } => {
                Self::StepsSkipped { skipped, scale }
            }
            _ => return None,
        })
    }

    /// The value of `event`.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Display { .. } => "display",
            Self::Test { .. } => "test",
            Self::Snapshot { .. } => "snapshot",
            Self::SnapshotFailed { .. } => "snapshot_failed",
            Self::Weights { .. } => "weights",
            Self::FinalLoss { .. } => "final_loss",
            Self::Speed { .. } => "speed",
            Self::Bucket { .. } => "bucket",
            Self::EmulatedStep { .. } => "emulated_step",
            Self::Wire { .. } => "wire",
            Self::Compression { .. } => "compression",
            Self::ResidualsFolded { .. } => "residuals_folded",
            Self::StepSkipped { .. } => "step_skipped",
            Self::ScaleDoubled { .. } => "scale_doubled",
            Self::StepsSkipped { .. } => "steps_skipped",
            Self::WorkerTimes { .. } => "worker_times",
            Self::RankTimes { .. } => "rank_times",
            Self::Straggler { .. } => "straggler",
            Self::SlowLink { .. } => "slow_link",
        }
    }
}

/// Images per second and what the time went to, in percent.
#[derive(Serialize)]
pub(super) struct SpeedFields {
    images_per_s: f64,
    #[serde(serialize_with = "as_map")]
    time_percent: [(&'static str, f64); 5],
}

impl SpeedFields {
    /// `None` before any time has passed.
    fn of(speed: &Speed) -> Option<Self> {
        let images_per_s = rounded(speed.per_second()?, 3);
        let time_percent =
            speed.percentages().map(|(what, percentage)| (what, rounded(percentage, 2)));
        Some(Self { images_per_s, time_percent })
    }
}

/// Names in the log have spaces, those of fields do not.
fn as_map<S: Serializer>(entries: &[(&str, f64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(entries.iter().map(|(name, value)| (name.replace(' ', "_"), value)))
}

/// Outputs by name.
pub(super) struct OutputMap<'a>(&'a [Output]);

impl Serialize for OutputMap<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|output| (&output.name, OutputValues::of(output))))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum OutputValues<'a> {
    One(f32),
    Several(&'a [f32]),
}

impl<'a> OutputValues<'a> {
    fn of(output: &'a Output) -> Self {
        match output.values[..] {
            [value] => Self::One(value),
            _ => Self::Several(&output.values),
        }
    }
}

/// `value` with so many decimals.
pub(super) fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale).round() / scale
}
