//! Failure detection from heartbeats and the times they arrived. No threads, no clock: a state and
//! two calls.

use super::heartbeat::Heartbeat;
use base::Rank;
use std::fmt;
use std::time::Duration;
use transport::{BegunCollective, Waiting};

/// Which rank has failed, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RankFailure {
    /// A rank runs another collective than others.
    Diverged {
        /// Who.
        rank: usize,
        /// What it runs.
        theirs: BegunCollective,
        /// Somebody who runs what most do.
        usual: usize,
        /// And what that is.
        ours: BegunCollective,
    },
    /// A rank sends no heartbeats: it has died, is stopped, or its link is.
    Silent {
        /// Who.
        rank: usize,
        /// For how long.
        silence: Duration,
        /// What it last began.
        last: Option<BegunCollective>,
    },
    /// We hear nobody at all, so the link at fault is ours.
    Alone {
        /// Ourselves.
        rank: usize,
        /// For how long.
        silence: Duration,
    },
    /// A rank lives, waits for nobody, and does not come.
    Late {
        /// Who.
        rank: usize,
        /// What it last began.
        last: Option<BegunCollective>,
        /// Who waits.
        waiting: usize,
        /// For what.
        ours: Option<BegunCollective>,
        /// For how long.
        waited: Duration,
    },
}

/// How a collective is shown, or its absence.
fn shown(entry: Option<&BegunCollective>) -> String {
    entry.map_or_else(
        || "before its first collective".to_owned(),
        |entry| format!("at collective {}, {}", entry.sequence, entry.label),
    )
}

impl fmt::Display for RankFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diverged { rank, theirs, usual, ours } => write!(
                f,
                "rank {rank} diverged: it is {}, but rank {usual} is {}",
                shown(Some(theirs)),
                shown(Some(ours))
            ),
            Self::Silent { rank, silence, last } => write!(
                f,
                "rank {rank} is lost: silent for {:.1} s, last seen {}",
                silence.as_secs_f64(),
                shown(last.as_ref())
            ),
            Self::Alone { rank, silence } => write!(
                f,
                "rank {rank} is lost: it has heard nobody for {:.1} s, so its own link is down",
                silence.as_secs_f64()
            ),
            Self::Late { rank, last, waiting, ours, waited } => write!(
                f,
                "rank {rank} is late: it is {} and waits for no rank, while rank {waiting} has waited {:.1} s {}",
                shown(last.as_ref()),
                waited.as_secs_f64(),
                shown(ours.as_ref())
            ),
        }
    }
}

/// What this rank does.
pub(super) struct OwnState {
    pub(super) waiting: Waiting,
    pub(super) moves: u64,
    pub(super) begun: Vec<BegunCollective>,
}

/// What it knows about another one.
struct OtherState {
    heard: Duration,
    /// When its count of moves last grew.
    moved: Duration,
    heartbeat: Heartbeat,
}

/// One rank's view of the job.
pub(super) struct FailureDetector {
    rank: Rank,
    /// Silence or waiting this long is too long; a little less than asked, to speak in time.
    limit: Duration,
    others: Vec<OtherState>,
    /// Moves of our own, and since when they have stood still.
    still: (u64, Duration),
    /// When we last checked: a gap means that we were stopped, not the others.
    checked: Duration,
}

impl FailureDetector {
    pub(super) fn new(rank: Rank, silence_max: Duration, now: Duration) -> Self {
        let unheard =
            || Heartbeat { leaving: false, waiting: Waiting::Nobody, moves: 0, begun: Vec::new() };
        let others =
            (0..rank.world()).map(|_| OtherState { heard: now, moved: now, heartbeat: unheard() });
        Self {
            rank,
            limit: silence_max.mul_f64(0.9),
            others: others.collect(),
            still: (0, now),
            checked: now,
        }
    }

    /// A heartbeat arrived. Those of ranks that do not exist are ignored.
    pub(super) fn hear(&mut self, now: Duration, from: usize, heartbeat: Heartbeat) {
        if let Some(other) = self.others.get_mut(from) {
            let moved = if heartbeat.moves == other.heartbeat.moves { other.moved } else { now };
            *other = OtherState { heard: now, moved, heartbeat };
        }
    }

    /// Compares everything again.
    pub(super) fn detect(&mut self, now: Duration, own: OwnState) -> Option<RankFailure> {
        let me = self.rank.index();
        if now.saturating_sub(self.checked) > self.limit / 2 {
            // We were away. What we missed is still on its way to us.
            self.others.iter_mut().for_each(|other| (other.heard, other.moved) = (now, now));
            self.still.1 = now;
        }
        self.checked = now;
        if own.waiting == Waiting::Nobody || own.moves != self.still.0 {
            self.still = (own.moves, now);
        }
        let OwnState { waiting, moves, begun } = own;
        let heartbeat = Heartbeat { leaving: false, waiting, moves, begun };
        self.others[me] = OtherState { heard: now, moved: now, heartbeat };
        self.diverged().or_else(|| self.silent(now)).or_else(|| self.late(now))
    }

    /// Whether a rank that is alive has not said that it leaves.
    pub(super) fn awaits_goodbye(&self, now: Duration) -> bool {
        let is_alive = |other: &OtherState| {
            !other.heartbeat.leaving && now.saturating_sub(other.heard) < self.limit
        };
        let others = self.others.iter().enumerate();
        others.filter(|(rank, _)| *rank != self.rank.index()).any(|(_, other)| is_alive(other))
    }

    /// How many ranks should report this failure before us.
    pub(super) fn turn(&self, failure: &RankFailure) -> u32 {
        let (RankFailure::Diverged { rank: blamed, .. }
        | RankFailure::Silent { rank: blamed, .. }
        | RankFailure::Alone { rank: blamed, .. }
        | RankFailure::Late { rank: blamed, .. }) = failure;
        let before = (0..self.rank.index()).filter(|rank| rank != blamed).count();
        u32::try_from(before.min(8)).unwrap_or(8)
    }

    /// Two ranks at the same number with different collectives: the one with fewer followers.
    fn diverged(&self) -> Option<RankFailure> {
        let me = self.rank.index();
        let begun = |rank: usize, sequence: u64| {
            self.others[rank].heartbeat.begun.iter().find(|entry| entry.sequence == sequence)
        };
        for ours in &self.others[me].heartbeat.begun {
            let ranks = 0..self.others.len();
            let differs = |rank: &usize| {
                begun(*rank, ours.sequence).is_some_and(|it| it.fingerprint != ours.fingerprint)
            };
            let Some(other) = ranks.clone().find(differs) else {
                continue;
            };
            let theirs = begun(other, ours.sequence)?;
            let followers = |entry: &BegunCollective| {
                ranks.clone().filter(|&rank| begun(rank, ours.sequence) == Some(entry)).count()
            };
            let (ours, theirs) = (ours.clone(), theirs.clone());
            // Of two equal camps the one without the lowest rank has diverged.
            let usual = followers(&ours).cmp(&followers(&theirs)).then(other.cmp(&me)).is_ge();
            return Some(if usual {
                RankFailure::Diverged { rank: other, theirs, usual: me, ours }
            } else {
                RankFailure::Diverged { rank: me, theirs: ours, usual: other, ours: theirs }
            });
        }
        None
    }

    fn silent(&self, now: Duration) -> Option<RankFailure> {
        let me = self.rank.index();
        let silence = |other: &OtherState| now.saturating_sub(other.heard);
        let is_silent =
            |other: &OtherState| !other.heartbeat.leaving && silence(other) >= self.limit;
        let (rank, other) = self.others.iter().enumerate().find(|(_, other)| is_silent(other))?;
        // Heartbeats come one by one, so when all stop some have stopped a little later. Not much:
        // another that is only slow must not make us believe that we are alone.
        let quiet = self.limit / 4 * 3;
        let is_quiet = |other: &&OtherState| !other.heartbeat.leaving && silence(other) >= quiet;
        let quiet = self.others.iter().filter(is_quiet).count();
        let silence = silence(other);
        if quiet > 1 && quiet + 1 == self.others.len() {
            return Some(RankFailure::Alone { rank: me, silence });
        }
        Some(RankFailure::Silent { rank, silence, last: other.heartbeat.begun.last().cloned() })
    }

    fn late(&self, now: Duration) -> Option<RankFailure> {
        let me = self.rank.index();
        let waited = now.saturating_sub(self.still.1);
        // Somebody quiet may be about to be found silent: that is the better explanation.
        let quiet = |other: &OtherState| now.saturating_sub(other.heard) > self.limit / 4;
        if waited < self.limit || self.others.iter().any(|o| !o.heartbeat.leaving && quiet(o)) {
            return None;
        }
        let sequence = |rank: &usize| {
            self.others[*rank].heartbeat.begun.last().map_or(0, |entry| entry.sequence)
        };
        let idle = |rank: &usize| self.others[*rank].heartbeat.waiting == Waiting::Nobody;
        let others = || (0..self.others.len()).filter(|&rank| rank != me);
        // Who waits for nobody and moves is working: long iterations are no fault.
        let works = |rank: &usize| now.saturating_sub(self.others[*rank].moved) < self.limit;
        if others().filter(idle).any(|rank| works(&rank)) {
            return None;
        }
        // Ranks inside the MPI library's own collective cannot say how far they are. While all
        // are, it may take as long as it takes, and only silence counts.
        let is_inside = |rank: &usize| self.others[*rank].heartbeat.waiting == Waiting::Everyone;
        let behind = || others().filter(|rank| !is_inside(rank)).min_by_key(sequence);
        let rank = others().filter(idle).min_by_key(sequence).or_else(behind)?;
        let last = |rank: usize| self.others[rank].heartbeat.begun.last().cloned();
        Some(RankFailure::Late { rank, last: last(rank), waiting: me, ours: last(me), waited })
    }
}

#[cfg(test)]
mod tests;
