//! A rank's transport over MPI.

use super::abort::abort;
use super::calls::{Comm, Request};
use crate::{LinkError, Posted, Progress, Stamp, Transport, Waiting};
use base::Rank;
use mpi::environment::Universe;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Lanes that fit the tag.
const LANES_MAX: usize = 64;
/// Values of the stamp's hash that fit the tag: with the lanes 26 bits, within every library's limit.
const STAMPS: u64 = 1 << 20;
/// Fruitless looks before a waiting rank sleeps instead of yielding.
const YIELDS: u32 = 100;
/// How long it then sleeps: far below what a segment takes on a network.
const NAP: Duration = Duration::from_micros(50);
/// Looks for cancelled sends to end before the job is ended instead.
const CANCEL_LOOKS: u32 = 20_000;

/// Values of one MPI message between hosts. Below the 64 KiB up to which MPI sends at once: longer
/// messages first ask the receiver, and over TCP that answer queues behind the data (two hosts on
/// 1 Gbit/s: 380 ms instead of 255 ms for 30 MB).
pub(super) const FRAGMENT: usize = 15_000;

/// A message as MPI sees it: its fragments, of which the first `done` have completed.
struct Fragments {
    requests: Vec<Request>,
    done: usize,
}

/// A receive under way, into memory of its own.
struct Incoming {
    fragments: Fragments,
    values: Vec<f32>,
}

impl Fragments {
    /// Whether all have completed.
    fn test(&mut self, comm: Comm) -> Result<bool, LinkError> {
        while let Some(request) = self.requests.get_mut(self.done) {
            if !comm.test(request)? {
                return Ok(false);
            }
            self.done += 1;
        }
        Ok(true)
    }

    fn cancel(&mut self) {
        self.requests[self.done..].iter_mut().for_each(Comm::cancel);
    }
}

/// One rank's transport.
pub struct Link {
    comm: Comm,
    rank: Rank,
    stamp: u64,
    /// Values of one MPI message at most.
    fragment: usize,
    /// Sends under way; a hole is a free place.
    sends: Vec<Option<Fragments>>,
    /// Announced receives by (from, lane), oldest first.
    incoming: BTreeMap<(usize, usize), VecDeque<Incoming>>,
    /// Staging buffers to use again.
    spare: Vec<Vec<f32>>,
    /// Looks since something moved.
    idle: u32,
    progress: Arc<Progress>,
    /// Keeps MPI initialised for as long as requests may be under way.
    _universe: Arc<Universe>,
}

impl Link {
    pub(super) fn new(
        universe: Arc<Universe>,
        rank: Rank,
        comm: Comm,
        fragment: usize,
        progress: Arc<Progress>,
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
            _universe: universe,
        }
    }

    fn tag(&self, lane: usize) -> i32 {
        assert!(lane < LANES_MAX, "lane {lane}: tags have {LANES_MAX} lanes");
        let lane = u64::try_from(lane).expect("checked above");
        i32::try_from(self.stamp * LANES_MAX as u64 + lane).expect("26 bits")
    }

    fn moved(&mut self) {
        self.idle = 0;
        self.progress.wait(Waiting::Nobody);
        self.progress.moved();
    }
}

impl Transport for Link {
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
        values: *const f32,
        len: usize,
    ) -> Result<Option<Posted>, LinkError> {
        let mut requests = Vec::with_capacity(1 + len / self.fragment);
        for start in (0..len.max(1)).step_by(self.fragment) {
            let bytes = size_of::<f32>() * self.fragment.min(len - start);
            // SAFETY: `start` is at most `len`.
            let part = unsafe { values.add(start) };
            // SAFETY: the caller keeps the values until all fragments have completed.
            requests.push(unsafe { self.comm.isend(to, self.tag(lane), part.cast(), bytes) }?);
        }
        let index = self.sends.iter().position(Option::is_none).unwrap_or(self.sends.len());
        if index == self.sends.len() {
            self.sends.push(None);
        }
        self.sends[index] = Some(Fragments { requests, done: 0 });
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
        let mut values = self.spare.pop().unwrap_or_default();
        values.resize(len, 0.0); // what it held before is overwritten
        let into = values.as_mut_ptr();
        let mut requests = Vec::with_capacity(1 + len / self.fragment);
        for start in (0..len.max(1)).step_by(self.fragment) {
            let bytes = size_of::<f32>() * self.fragment.min(len - start);
            // SAFETY: `start` is at most `len`.
            let part = unsafe { into.add(start) };
            // SAFETY: the vector's memory stays where it is; `Incoming` holds it until the requests
            // end, and dropping the link forgets it rather than free it before that.
            requests.push(unsafe { self.comm.irecv(from, self.tag(lane), part.cast(), bytes) }?);
        }
        let fragments = Fragments { requests, done: 0 };
        self.incoming.entry((from, lane)).or_default().push_back(Incoming { fragments, values });
        Ok(())
    }

    fn take(
        &mut self,
        from: usize,
        lane: usize,
        len: usize,
        reader: &mut dyn FnMut(&[f32]),
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
        assert_eq!(incoming.values.len(), len, "announced and taken in one order");
        reader(&incoming.values);
        self.spare.push(incoming.values);
        self.moved();
        Ok(true)
    }

    fn wait(&mut self, whom: &[usize]) -> Result<(), LinkError> {
        self.progress.wait(whom.first().map_or(Waiting::Nobody, |&rank| Waiting::For(rank)));
        self.idle = self.idle.saturating_add(1);
        if self.idle < YIELDS {
            std::thread::yield_now();
        } else {
            std::thread::park_timeout(NAP); // MPI makes no progress while we sleep, so not for long
        }
        Ok(())
    }

    fn withdraw(&mut self) {
        self.sends.iter_mut().flatten().for_each(Fragments::cancel);
        for _ in 0..CANCEL_LOOKS {
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
        abort(1); // memory that MPI still reads must not be given back
        std::process::abort();
    }

    fn all_reduce(&mut self, algorithm: &str, values: &mut [f32]) -> Option<Result<(), LinkError>> {
        (algorithm == "mpi").then(|| {
            self.progress.wait(Waiting::Everyone);
            let done = self.comm.all_reduce(values);
            self.moved();
            done
        })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Receives that will never be taken: cancel them, and leave their memory to MPI if it insists.
        for mut incoming in std::mem::take(&mut self.incoming).into_values().flatten() {
            incoming.fragments.cancel();
            if !incoming.fragments.test(self.comm).unwrap_or(false) {
                std::mem::forget(incoming.values);
            }
        }
    }
}
