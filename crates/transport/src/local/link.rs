//! A worker's end of the group.

use super::channel::{Arrival, Message};
use super::direct;
use super::group::Group;
use crate::{LinkError, Posted, Stamp, Transport};
use base::Rank;
use std::sync::Arc;

/// Turns of the spin loop when every worker has a core: about ten microseconds.
const SPINS: u32 = 400;

/// One worker's transport. Dropping it during a panic poisons the group.
pub struct Link {
    pub(super) group: Arc<Group>,
    pub(super) rank: Rank,
    pub(super) stamp: Stamp,
    /// Rings of our bell before the last look at the channels.
    heard: u64,
}

/// Links for `world` workers, in order of rank. `cores` is how many may run at once: with fewer than
/// workers, waiting parks at once.
#[must_use]
pub fn mesh(world: usize, cores: usize) -> Vec<Link> {
    let spins = if cores >= world { SPINS } else { 0 };
    let group = Arc::new(Group::new(world, spins));
    let ranks = (0..world).filter_map(|index| Rank::new(index, world));
    ranks
        .map(|rank| Link { group: Arc::clone(&group), rank, stamp: Stamp::NONE, heard: 0 })
        .collect()
}

impl Link {
    fn me(&self) -> usize {
        self.rank.index()
    }

    /// A message that does not belong here: which of the two it is.
    fn stranger(&self, from: usize, lane: usize, want: usize, message: &Message) -> LinkError {
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
        let (mut stray, mut usual) = ((other, &stamps[other]), (self.me(), &self.stamp));
        if followers(usual.1) < followers(stray.1) {
            (stray, usual) = (usual, stray);
        }
        LinkError::Mismatch {
            rank: stray.0,
            theirs: stray.1.label.clone(),
            their_sequence: stray.1.sequence,
            me: usual.0,
            ours: usual.1.label.clone(),
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
    pub(super) fn barrier_at_last(&mut self) {
        let phase = self.group.arrive(self.me());
        let bell = &self.group.members[self.me()].bell;
        loop {
            let heard = bell.rings();
            if self.group.missing(phase).is_empty() {
                return;
            }
            bell.wait(heard, self.group.spins);
        }
    }

    /// Looks whether somebody we wait for has left or runs another collective.
    fn glance(&self, whom: &[usize]) -> Result<(), LinkError> {
        for &rank in whom {
            if self.group.has_left(rank) {
                return Err(LinkError::Left { rank, waiting: self.me() });
            }
            let stamp = self.group.stamp(rank);
            let same = stamp.fingerprint == self.stamp.fingerprint;
            if stamp.sequence == self.stamp.sequence && !same {
                return Err(self.mismatch(rank));
            }
        }
        Ok(())
    }
}

impl Transport for Link {
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
        values: *const f32,
        len: usize,
    ) -> Result<Option<Posted>, LinkError> {
        let Stamp { sequence, fingerprint, .. } = self.stamp;
        let channel = self.group.channel(self.me(), to, lane);
        let Some(index) = channel.post(Message { values, len, sequence, fingerprint }) else {
            return Ok(None);
        };
        self.group.members[to].bell.ring();
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
        reader: &mut dyn FnMut(&[f32]),
    ) -> Result<bool, LinkError> {
        let channel = self.group.channel(from, self.me(), lane);
        let expected = |message: &Message| {
            message.len == len
                && message.sequence == self.stamp.sequence
                && message.fingerprint == self.stamp.fingerprint
        };
        match channel.take(&expected, reader) {
            Arrival::Nothing => Ok(false),
            Arrival::Read => {
                self.group.members[from].bell.ring();
                Ok(true)
            }
            Arrival::Other(message) => {
                let error = self.stranger(from, lane, len, &message);
                self.group.fail(error.clone());
                Err(error)
            }
        }
    }

    fn wait(&mut self, whom: &[usize]) -> Result<(), LinkError> {
        self.group.check()?;
        let bell = &self.group.members[self.me()].bell;
        if bell.rings() == self.heard {
            match self.glance(whom) {
                // Who leaves has rung for everything it did before. Nothing rang since our last look,
                // also not while we glanced: so it has left nothing for us.
                Err(error) if bell.rings() == self.heard => {
                    self.group.fail(error.clone());
                    return Err(error);
                }
                Err(_) => {}
                Ok(()) => bell.wait(self.heard, self.group.spins),
            }
        }
        self.heard = bell.rings();
        Ok(())
    }

    fn withdraw(&mut self) {
        self.group.channels_of(self.me()).for_each(super::channel::Channel::withdraw);
    }

    fn own_exact(&self) -> Option<&'static str> {
        Some("direct")
    }

    fn all_reduce(&mut self, algorithm: &str, values: &mut [f32]) -> Option<Result<(), LinkError>> {
        (algorithm == "direct").then(|| direct::all_reduce(self, values))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.group.fail(LinkError::Panicked { rank: self.me() });
        } else {
            self.group.leave(self.me());
        }
    }
}
