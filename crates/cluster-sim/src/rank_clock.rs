//! One rank's iteration: it computes layer after layer while collectives run beside it.
//!
//! ```text
//!   compute        forward 0 1 2 │ backward 2 ──── 1 ──── 0 ─────────┐
//!   communication                     bucket 0 ──▶ bucket 1 ─▶ bucket 2 ─▶ update
//!                                     both slower where they overlap    └ exposed
//! ```
//!
//! Both proceed at constant rates between two events: the end of a layer, the begin or end of a
//! collective. While both are under way, computing takes `1 + compute_slowdown` times as long and
//! communicating `1 + communication_slowdown` times.

use crate::cluster::SoftwareCosts;
use crate::model::ComputeTimes;

/// What a rank does in a [`SimulatedSpan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulatedActivity {
    /// Forward of a layer.
    Forward(usize),
    /// Backward of a layer.
    Backward(usize),
    /// The collectives of a bucket.
    Bucket(usize),
    /// The exchange of losses and requests.
    Summary,
    /// Nothing but waiting for collectives.
    Wait,
    /// The update.
    Update,
}

/// One line of a timeline, in seconds from the begin of the iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulatedSpan {
    /// What happens.
    pub activity: SimulatedActivity,
    /// When it begins.
    pub begin: f64,
    /// When it ends.
    pub end: f64,
}

/// A rank in the middle of an iteration.
pub(crate) struct RankClock {
    /// Seconds of forward layers, then of backward layers from the last.
    items: Vec<(SimulatedActivity, f64)>,
    layers: usize,
    costs: SoftwareCosts,
    now: f64,
    /// The item under way, when it began and how much of it is left.
    at: usize,
    item_begin: f64,
    item_left: f64,
    /// The collective under way.
    bucket: Option<RunningBucket>,
    computed: f64,
    communicated: f64,
    spans: Vec<SimulatedSpan>,
}

struct RunningBucket {
    index: usize,
    begin: f64,
    left: f64,
}

/// How a rank spent an iteration, in seconds.
pub(crate) struct RankTimes {
    /// When computing and communicating had ended.
    pub(crate) end: f64,
    pub(crate) computed: f64,
    pub(crate) communicated: f64,
    pub(crate) spans: Vec<SimulatedSpan>,
}

impl RankClock {
    /// At the begin of an iteration, on a device that takes `factor` times as long.
    pub(crate) fn new(times: &ComputeTimes, costs: SoftwareCosts, factor: f64) -> Self {
        let forward = times.forward.iter().enumerate();
        let forward = forward.map(|(at, s)| (SimulatedActivity::Forward(at), s * factor));
        let backward = times.backward.iter().enumerate().rev();
        let backward = backward.map(|(at, s)| (SimulatedActivity::Backward(at), s * factor));
        let items: Vec<_> = forward.chain(backward).collect();
        Self {
            layers: times.forward.len(),
            item_left: items.first().map_or(0.0, |item| item.1),
            items,
            costs,
            now: 0.0,
            at: 0,
            item_begin: 0.0,
            bucket: None,
            computed: 0.0,
            communicated: 0.0,
            spans: Vec::new(),
        }
    }

    /// Goes on until `backward` layers have run backward and no collective runs; when that is.
    pub(crate) fn advance(&mut self, backward: usize) -> f64 {
        let wanted = (self.layers + backward).min(self.items.len());
        while self.at < wanted || self.bucket.is_some() {
            self.go_to_next_event();
        }
        self.now
    }

    /// Begins a collective that takes this long beside an idle device.
    pub(crate) fn communicate(&mut self, index: usize, seconds: f64) {
        debug_assert!(self.bucket.is_none(), "collectives follow each other");
        self.bucket = Some(RunningBucket { index, begin: self.now, left: seconds });
    }

    /// Runs to the end.
    pub(crate) fn finish(mut self) -> RankTimes {
        self.advance(self.layers);
        let Self { now, computed, communicated, spans, .. } = self;
        RankTimes { end: now, computed, communicated, spans }
    }

    fn go_to_next_event(&mut self) {
        let computes = self.at < self.items.len();
        let both = computes && self.bucket.is_some();
        let slowed = |by: f64| if both { 1.0 + by } else { 1.0 };
        let compute_factor = slowed(self.costs.compute_slowdown);
        let bucket_factor = slowed(self.costs.communication_slowdown);
        let compute_left = if computes { self.item_left * compute_factor } else { f64::INFINITY };
        let bucket_left = self.bucket.as_ref().map_or(f64::INFINITY, |b| b.left * bucket_factor);
        let passed = compute_left.min(bucket_left);
        self.now += passed;
        if computes {
            self.computed += passed;
            self.item_left -= passed / compute_factor;
        }
        if let Some(bucket) = &mut self.bucket {
            self.communicated += passed;
            bucket.left -= passed / bucket_factor;
        }
        if bucket_left <= compute_left {
            let ended = self.bucket.take().expect("it was the next to end");
            let activity = SimulatedActivity::Bucket(ended.index);
            self.spans.push(SimulatedSpan { activity, begin: ended.begin, end: self.now });
        }
        if compute_left <= bucket_left {
            let activity = self.items[self.at].0;
            self.spans.push(SimulatedSpan { activity, begin: self.item_begin, end: self.now });
            self.at += 1;
            self.item_begin = self.now;
            self.item_left = self.items.get(self.at).map_or(0.0, |item| item.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RankClock;
    use crate::cluster::SoftwareCosts;
    use crate::model::ComputeTimes;

    /// Two layers: forward 1 + 1, backward 2 + 2.
    fn clock(compute_slowdown: f64, communication_slowdown: f64) -> RankClock {
        let times = ComputeTimes { forward: vec![1.0; 2], backward: vec![2.0; 2], update: 0.0 };
        let costs =
            SoftwareCosts { compute_slowdown, communication_slowdown, ..SoftwareCosts::NONE };
        RankClock::new(&times, costs, 1.0)
    }

    #[test]
    fn communication_hides_behind_backward() {
        let mut clock = clock(0.0, 0.0);
        assert_eq!(clock.advance(1), 4.0);
        clock.communicate(0, 1.5);
        assert_eq!(clock.advance(2), 6.0);
        clock.communicate(1, 1.0);
        let times = clock.finish();
        assert_eq!([times.end, times.computed, times.communicated], [7.0, 6.0, 2.5]);
    }

    #[test]
    fn a_bucket_waits_for_the_one_before() {
        let mut clock = clock(0.0, 0.0);
        clock.advance(1);
        clock.communicate(0, 5.0);
        assert_eq!(clock.advance(2), 9.0);
    }

    #[test]
    fn both_are_slower_where_they_overlap() {
        let mut slow = clock(0.5, 1.0);
        slow.advance(1);
        slow.communicate(0, 1.0); // takes 2 beside backward, which then has done 2 / 1.5 of its 2
        assert!((slow.advance(0) - 6.0).abs() < 1e-12);
        assert!((slow.finish().end - (6.0 + 2.0 - 2.0 / 1.5)).abs() < 1e-12);
    }
}
