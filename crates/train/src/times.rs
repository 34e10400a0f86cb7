//! What a run spends its time on.

use std::time::Duration;

use base::Clock;
use serde::{Deserialize, Serialize};

use crate::seconds;
use crate::timeline::{Activity, SpanRecorder};

/// A clock that stands still, for programs that do not ask how long things take.
#[derive(Debug)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, _: Duration) {}
}

/// Time spent since the run began, by phase of the iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTimes {
    /// Waiting for batches.
    #[serde(with = "seconds")]
    pub data: Duration,
    /// Forward, data layers apart.
    #[serde(with = "seconds")]
    pub forward: Duration,
    /// Backward.
    #[serde(with = "seconds")]
    pub backward: Duration,
    /// Summing gradients after backward has ended, waiting for others before the update included.
    #[serde(with = "seconds")]
    pub exposed_communication: Duration,
    /// Norms, clipping, decay and the update rule.
    #[serde(with = "seconds")]
    pub update: Duration,
}

impl PhaseTimes {
    /// Adds time spent. Local sums lie within backward or exposed communication, and what the
    /// communicator does is hidden behind the rest.
    fn add(&mut self, activity: Activity, took: Duration) {
        match activity {
            Activity::Data(_) => self.data += took,
            Activity::Forward(_) => self.forward += took,
            Activity::Backward(_) => self.backward += took,
            Activity::ExposedCommunication | Activity::Barrier => {
                self.exposed_communication += took;
            }
            Activity::Norms | Activity::Update => self.update += took,
            Activity::LocalSum(_)
            | Activity::Bucket(_)
            | Activity::CompressedBucket(_)
            | Activity::CompressionEnd
            | Activity::Records
            | Activity::Summary
            | Activity::Dropped(_) => {}
        }
    }

    /// What was spent since `then`, an earlier reading of these times.
    #[must_use]
    pub fn since(&self, then: &Self) -> Self {
        Self {
            data: self.data.saturating_sub(then.data),
            forward: self.forward.saturating_sub(then.forward),
            backward: self.backward.saturating_sub(then.backward),
            exposed_communication: self
                .exposed_communication
                .saturating_sub(then.exposed_communication),
            update: self.update.saturating_sub(then.update),
        }
    }

    /// These times and `other`, phase by phase.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            data: self.data + other.data,
            forward: self.forward + other.forward,
            backward: self.backward + other.backward,
            exposed_communication: self.exposed_communication + other.exposed_communication,
            update: self.update + other.update,
        }
    }

    /// Everything together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.data + self.forward + self.backward + self.exposed_communication + self.update
    }
}

/// Records what one worker spends its time on.
#[derive(Debug, Default)]
pub(crate) struct TimeRecorder {
    pub(crate) times: PhaseTimes,
    /// What `times` was at the last report.
    reported: PhaseTimes,
    pub(crate) spans: SpanRecorder,
    /// Iterations so far.
    pub(crate) iterations: u64,
    /// Forward and backward of every layer so far.
    pub(crate) layers: Vec<[Duration; 2]>,
}

impl TimeRecorder {
    /// Keeps at most `spans_max` spans.
    pub(crate) fn new(spans_max: usize) -> Self {
        Self { spans: SpanRecorder::new(spans_max), ..Self::default() }
    }

    pub(crate) fn begin_iteration(&mut self) {
        self.iterations += 1;
        self.spans.begin_iteration();
    }

    fn add_layer(&mut self, layer: usize, direction: usize, took: Duration) {
        if self.layers.len() <= layer {
            self.layers.resize(layer + 1, [Duration::ZERO; 2]);
        }
        self.layers[layer][direction] += took;
    }

    /// What was spent since the last call.
    pub(crate) fn take_report(&mut self) -> PhaseTimes {
        let since = self.times.since(&self.reported);
        self.reported = self.times;
        since
    }

    /// Records an activity; when it ended, which is when the next begins.
    pub(crate) fn add(&mut self, activity: Activity, begin: Duration, end: Duration) -> Duration {
        let took = end.saturating_sub(begin);
        self.times.add(activity, took);
        match activity {
            Activity::Data(layer) | Activity::Forward(layer) => self.add_layer(layer, 0, took),
            Activity::Backward(layer) => self.add_layer(layer, 1, took),
            _ => {}
        }
        self.spans.add(activity, begin, end);
        end
    }
}
