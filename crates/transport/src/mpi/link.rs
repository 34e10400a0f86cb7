//! A rank's transport over MPI.

use super::abort::abort;
use super::comm::Comm;
use super::fragments::{Envelope, Fragments, Incoming};
use super::job::RunningMpi;
use crate::{
    AlignedBytes, LANES_MAX, LibraryDatatype, LibrarySum, LinkError, Posted, RankProgress, Stamp,
    Transport, Waiting,
};
use base::Rank;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Values of the stamp's hash that fit the tag: with the lanes 26 bits, within every library's
/// limit.
const STAMPS: u64 = 1 << 20;
/// Tests without success before a waiting rank sleeps instead of yielding.
const YIELDS: u32 = 100;
/// How long it then sleeps at first: far below what a segment takes on a network.
const NAP: Duration = Duration::from_micros(50);
/// After so many sleeps the next are a [`NAP`] longer: long waits leave the cores to others.
const NAPS_ALIKE: u32 = 16;
/// Longest sleep, in [`NAP`]s.
const NAPS_MAX: u32 = 8;
/// Tests whether cancelled sends have ended before the job is ended instead.
const CANCEL_TESTS: u32 = 20_000;

/// One rank's transport.
pub struct MpiLink {
    comm: Comm,
    rank: Rank,
    stamp: u64,
    /// Bytes of one MPI message at most.
    fragment: usize,
    /// Sends under way; `None` is free.
    sends: Vec<Option<Fragments>>,
    /// Announced receives by (from, lane), oldest first.
    incoming: BTreeMap<(usize, usize), VecDeque<Incoming>>,
    /// Staging buffers to use again.
    spare: Vec<AlignedBytes>,
    /// Tests since something moved.
    idle: u32,
    progress: Arc<RankProgress>,
    /// Keeps MPI initialised for as long as requests may be under way.
    running: Arc<RunningMpi>,
}

impl MpiLink {
    pub(super) fn new(
        running: Arc<RunningMpi>,
        rank: Rank,
        comm: Comm,
        fragment: usize,
        progress: Arc<RankProgress>,
    ) -> Self {
        Self {
            comm,
            rank,
            stamp: 0,
            fragment,
            sends: Vec::new(),
            incoming: BTreeMap::new(),
            spare: Vec::new(),
            idle: 0,
            progress,
            running,
        }
    }

    fn tag(&self, lane: usize) -> i32 {
        assert!(lane < LANES_MAX, "lane {lane}: tags have {LANES_MAX} lanes");
        let lane = u64::try_from(lane).expect("checked above");
        i32::try_from(self.stamp * LANES_MAX as u64 + lane).expect("26 bits")
    }

    fn envelope(&self, other: usize, lane: usize) -> Envelope {
        Envelope { comm: self.comm, other, tag: self.tag(lane), fragment: self.fragment }
    }

    fn moved(&mut self) {
        self.idle = 0;
        self.progress.wait(Waiting::Nobody);
        self.progress.moved();
    }
}

impl Transport for MpiLink {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn name(&self) -> &'static str {
        "mpi"
    }

    fn begin(&mut self, stamp: &Stamp) {
        let mixed = stamp.fingerprint ^ stamp.sequence.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.stamp = (mixed ^ (mixed >> 32)) % STAMPS;
        self.progress.begin(stamp);
    }

    fn end(&mut self) {
        self.progress.wait(Waiting::Nobody);
    }

    unsafe fn post(
        &mut self,
        to: usize,
        lane: usize,
        bytes: *const u8,
        len: usize,
    ) -> Result<Option<Posted>, LinkError> {
        // SAFETY: the caller keeps the bytes until all fragments have completed.
        let fragments = unsafe { self.envelope(to, lane).send(bytes, len) }?;
        let index = self.sends.iter().position(Option::is_none).unwrap_or(self.sends.len());
        if index == self.sends.len() {
            self.sends.push(None);
        }
        self.sends[index] = Some(fragments);
        let index = u64::try_from(index).expect("few sends are under way");
        Ok(Some(Posted { to, lane, index }))
    }

    fn is_taken(&mut self, posted: Posted) -> Result<bool, LinkError> {
        let index = usize::try_from(posted.index).expect("made from a usize");
        let fragments = self.sends[index].as_mut().expect("asked once after its end");
        if !fragments.test(self.comm)? {
            return Ok(false);
        }
        self.sends[index] = None;
        self.moved();
        Ok(true)
    }

    fn expect(&mut self, from: usize, lane: usize, len: usize) -> Result<(), LinkError> {
        let staging = self.spare.pop().unwrap_or_default();
        let incoming = self.envelope(from, lane).receive(staging, len)?;
        self.incoming.entry((from, lane)).or_default().push_back(incoming);
        Ok(())
    }

    fn take(
        &mut self,
        from: usize,
        lane: usize,
        len: usize,
        reader: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, LinkError> {
        if self.incoming.get(&(from, lane)).is_none_or(VecDeque::is_empty) {
            self.expect(from, lane, len)?;
        }
        let queue = self.incoming.get_mut(&(from, lane)).expect("announced above");
        let first = queue.front_mut().expect("announced above");
        if !first.fragments.test(self.comm)? {
            return Ok(false);
        }
        let incoming = queue.pop_front().expect("looked at above");
        assert_eq!(incoming.bytes.len(), len, "announced and taken in one order");
        reader(&incoming.bytes);
        self.spare.push(incoming.bytes);
        self.moved();
        Ok(true)
    }

    fn wait(&mut self, whom: &[usize]) -> Result<(), LinkError> {
        self.progress.wait(whom.first().map_or(Waiting::Nobody, |&rank| Waiting::For(rank)));
        self.idle = self.idle.saturating_add(1);
        if self.idle < YIELDS {
            std::thread::yield_now();
        } else {
            // MPI makes no progress while we sleep, so not for long.
            let naps = 1 + (self.idle - YIELDS) / NAPS_ALIKE;
            std::thread::park_timeout(NAP * naps.min(NAPS_MAX));
        }
        Ok(())
    }

    fn withdraw(&mut self) {
        let comm = self.comm;
        self.sends.iter_mut().flatten().for_each(|send| send.cancel(comm));
        for _ in 0..CANCEL_TESTS {
            for send in &mut self.sends {
                if send.as_mut().is_some_and(|send| send.test(self.comm).unwrap_or(false)) {
                    *send = None;
                }
            }
            if self.sends.iter().all(Option::is_none) {
                return;
            }
            std::thread::park_timeout(NAP);
        }
        abort(self.running.calls, 1); // memory that MPI still reads must not be given back
        std::process::abort();
    }

    fn library_sum(&mut self) -> Option<&mut dyn LibrarySum> {
        Some(self)
    }
}

impl LibrarySum for MpiLink {
    fn sum(&mut self, bytes: &mut [u8], datatype: LibraryDatatype) -> Result<(), LinkError> {
        self.progress.wait(Waiting::Everyone);
        let done = self.comm.sum(bytes, datatype);
        self.moved();
        done
    }
}

impl Drop for MpiLink {
    fn drop(&mut self) {
        // Receives that will never be taken: cancel them, and leave their memory to MPI if it
        // insists.
        for mut incoming in std::mem::take(&mut self.incoming).into_values().flatten() {
            incoming.fragments.cancel(self.comm);
            if !incoming.fragments.test(self.comm).unwrap_or(false) {
                std::mem::forget(incoming.bytes);
            }
        }
    }
}
