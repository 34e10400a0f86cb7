//! A worker's end of the group.

use super::channel::{Arrival, LentMessage};
use super::group::{StampComparison, WorkerGroup};
use crate::{LinkError, Posted, SharedMemory, Stamp, Transport};
use base::Rank;
use std::sync::Arc;

/// Turns of the spin loop when every worker has a core: about ten microseconds.
const SPINS: u32 = 400;

/// One worker's transport. Dropping it during a panic poisons the group.
pub struct LocalLink {
    pub(super) group: Arc<WorkerGroup>,
    pub(super) rank: Rank,
    pub(super) stamp: Stamp,
    /// Our wake-up signals before the last look at the channels.
    seen: u64,
    /// Whether it offers its [`SharedMemory`].
    shares_memory: bool,
}

/// Links for `world` workers, in order of rank. `cores` is how many may run at once: with fewer
/// than workers, waiting parks at once.
#[must_use]
pub fn mesh(world: usize, cores: usize) -> Vec<LocalLink> {
    let spins = if cores >= world { SPINS } else { 0 };
    let group = Arc::new(WorkerGroup::new(world, spins));
    let ranks = (0..world).filter_map(|index| Rank::new(index, world));
    let link = |rank| LocalLink {
        group: Arc::clone(&group),
        rank,
        stamp: Stamp::default(),
        seen: 0,
        shares_memory: true,
    };
    ranks.map(link).collect()
}

impl LocalLink {
    /// The same without [`SharedMemory`]: ranks then exchange messages only, as those of several
    /// hosts do, and choose their algorithms like them.
    #[must_use]
    pub fn messages_only(mut self) -> Self {
        self.shares_memory = false;
        self
    }

    fn me(&self) -> usize {
        self.rank.index()
    }

    /// Why a message is not the one that was expected.
    fn unexpected(
        &self,
        from: usize,
        lane: usize,
        want: usize,
        message: &LentMessage,
    ) -> LinkError {
        let same = message.sequence == self.stamp.sequence
            && message.fingerprint == self.stamp.fingerprint;
        if same {
            return LinkError::Length { rank: from, lane, want, got: message.len };
        }
        self.mismatch(from)
    }

    /// The error when `other` runs another collective than we do. Of the two sides the one with
    /// fewer followers is named first.
    pub(super) fn mismatch(&self, other: usize) -> LinkError {
        let stamps: Vec<Stamp> =
            (0..self.rank.world()).map(|rank| self.group.stamp(rank)).collect();
        let followers = |stamp: &Stamp| stamps.iter().filter(|other| *other == stamp).count();
        let (mut diverged, mut usual) = ((other, &stamps[other]), (self.me(), &self.stamp));
        if followers(usual.1) < followers(diverged.1) {
            (diverged, usual) = (usual, diverged);
        }
        LinkError::Mismatch {
            rank: diverged.0,
            theirs: diverged.1.label.to_string(),
            their_sequence: diverged.1.sequence,
            usual: usual.0,
            ours: usual.1.label.to_string(),
            our_sequence: usual.1.sequence,
        }
    }

    /// Waits until everyone has arrived here as often as we have. All pass or none does: who fails
    /// never arrives again, so an error is returned only when somebody will be missing for good.
    pub(super) fn barrier(&mut self) -> Result<(), LinkError> {
        self.group.check()?;
        let phase = self.group.arrive(self.me());
        loop {
            let missing = self.group.missing(phase);
            if missing.is_empty() {
                return Ok(());
            }
            if let Err(error) = self.wait(&missing) {
                // Whoever failed after passing here leaves nobody missing: then we pass too.
                let passed = self.group.missing(phase).is_empty();
                return if passed { Ok(()) } else { Err(error) };
            }
        }
    }

    /// A barrier that cannot fail, for work that everyone has begun and will end.
    pub(super) fn final_barrier(&mut self) {
        let phase = self.group.arrive(self.me());
        let wake_up = &self.group.members[self.me()].wake_up;
        loop {
            let seen = wake_up.signals();
            if self.group.missing(phase).is_empty() {
                return;
            }
            wake_up.wait(seen, self.group.spins);
        }
    }

    /// Whether `rank` runs the collective that we run.
    pub(super) fn is_in_same_collective(&self, rank: usize) -> bool {
        self.group.compare(rank, &self.stamp) == StampComparison::Same
    }

    /// Checks whether a rank that we wait for has left or runs another collective.
    fn check_on(&self, whom: &[usize]) -> Result<(), LinkError> {
        for &rank in whom {
            if self.group.has_left(rank) {
                return Err(LinkError::Left { rank, waiting: self.me() });
            }
            if self.group.compare(rank, &self.stamp) == StampComparison::SameNumberOnly {
                return Err(self.mismatch(rank));
            }
        }
        Ok(())
    }
}

impl Transport for LocalLink {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn name(&self) -> &'static str {
        "local"
    }

    fn begin(&mut self, stamp: &Stamp) {
        self.stamp = stamp.clone();
        self.group.set_stamp(self.me(), stamp);
    }

    unsafe fn post(
        &mut self,
        to: usize,
        lane: usize,
        bytes: *const u8,
        len: usize,
    ) -> Result<Option<Posted>, LinkError> {
        let Stamp { sequence, fingerprint, .. } = self.stamp;
        let channel = self.group.channel(self.me(), to, lane);
        let Some(index) = channel.post(LentMessage { bytes, len, sequence, fingerprint }) else {
            return Ok(None);
        };
        self.group.members[to].wake_up.signal();
        Ok(Some(Posted { to, lane, index }))
    }

    fn is_taken(&mut self, posted: Posted) -> Result<bool, LinkError> {
        Ok(self.group.channel(self.me(), posted.to, posted.lane).is_taken(posted.index))
    }

    fn take(
        &mut self,
        from: usize,
        lane: usize,
        len: usize,
        reader: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, LinkError> {
        let channel = self.group.channel(from, self.me(), lane);
        let expected = |message: &LentMessage| {
            message.len == len
                && message.sequence == self.stamp.sequence
                && message.fingerprint == self.stamp.fingerprint
        };
        match channel.take(&expected, reader) {
            Arrival::Nothing => Ok(false),
            Arrival::Read => {
                self.group.members[from].wake_up.signal();
                Ok(true)
            }
            Arrival::Other(message) => {
                let error = self.unexpected(from, lane, len, &message);
                self.group.fail(error.clone());
                Err(error)
            }
        }
    }

    fn wait(&mut self, whom: &[usize]) -> Result<(), LinkError> {
        self.group.check()?;
        let wake_up = &self.group.members[self.me()].wake_up;
        if wake_up.signals() == self.seen {
            match self.check_on(whom) {
                // Who leaves has signalled everything it did before. There was no signal since our
                // last look, also not during the check: so it has left nothing for us.
                Err(error) if wake_up.signals() == self.seen => {
                    self.group.fail(error.clone());
                    return Err(error);
                }
                Err(_) => {}
                Ok(()) => wake_up.wait(self.seen, self.group.spins),
            }
        }
        self.seen = wake_up.signals();
        Ok(())
    }

    fn withdraw(&mut self) {
        self.group.channels_of(self.me()).for_each(super::channel::Channel::withdraw);
    }

    fn shared_memory(&mut self) -> Option<&mut dyn SharedMemory> {
        if self.shares_memory { Some(self) } else { None }
    }
}

impl Drop for LocalLink {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.group.fail(LinkError::Panicked { rank: self.me() });
        } else {
            self.group.leave(self.me());
        }
    }
}
