//! Long messages as several MPI messages, in order.
//!
//! Between hosts a fragment stays below the 64 KiB up to which MPI sends at once: longer messages
//! first ask the receiver, and over TCP that answer queues behind the data (two hosts on 1 Gbit/s:
//! 380 ms instead of 255 ms for 30 MB). On one host there is no such queue; a fragment only has to
//! fit MPI's `int`.

use super::comm::{Comm, MpiRequest};
use crate::{AlignedBytes, LinkError};

/// Bytes of one MPI message between hosts: whole elements of any format.
pub(super) const FRAGMENT: usize = 60_000;
/// Bytes of one MPI message on one host.
pub(super) const FRAGMENT_MAX: usize = 1 << 30;
const _: () = assert!(FRAGMENT_MAX <= i32::MAX as usize);

/// A message as MPI sees it: its fragments, of which the first `done` have completed.
pub(super) struct Fragments {
    requests: Vec<MpiRequest>,
    done: usize,
}

/// A receive under way, into memory of its own.
pub(super) struct Incoming {
    pub(super) fragments: Fragments,
    pub(super) bytes: AlignedBytes,
}

/// A channel as MPI sees it.
#[derive(Clone, Copy)]
pub(super) struct Envelope {
    pub(super) comm: Comm,
    /// The other rank.
    pub(super) other: usize,
    pub(super) tag: i32,
    /// Bytes of one MPI message at most.
    pub(super) fragment: usize,
}

impl Envelope {
    /// Starts to send `len` bytes.
    ///
    /// # Safety
    ///
    /// They stay readable and unchanged until all fragments have completed.
    pub(super) unsafe fn send(self, bytes: *const u8, len: usize) -> Result<Fragments, LinkError> {
        let mut fragments = Fragments::with_room(len, self.fragment);
        for start in (0..len.max(1)).step_by(self.fragment) {
            let count = self.fragment.min(len - start);
            // SAFETY: `start` is at most `len`.
            let bytes = unsafe { bytes.add(start) };
            // SAFETY: the caller's promise.
            let request = unsafe { self.comm.isend(self.other, self.tag, bytes, count) }?;
            fragments.requests.push(request);
        }
        Ok(fragments)
    }

    /// Starts to receive `len` bytes into `bytes`.
    pub(super) fn receive(
        self,
        mut bytes: AlignedBytes,
        len: usize,
    ) -> Result<Incoming, LinkError> {
        bytes.resize(len); // what it held before is overwritten
        let into = bytes.as_mut_ptr();
        let mut fragments = Fragments::with_room(len, self.fragment);
        for start in (0..len.max(1)).step_by(self.fragment) {
            let count = self.fragment.min(len - start);
            // SAFETY: `start` is at most `len`.
            let into = unsafe { into.add(start) };
            // SAFETY: the buffer's memory stays where it is; `Incoming` holds it until the requests
            // end, and dropping the link forgets it rather than free it before that.
            let request = unsafe { self.comm.irecv(self.other, self.tag, into, count) }?;
            fragments.requests.push(request);
        }
        Ok(Incoming { fragments, bytes })
    }
}

impl Fragments {
    fn with_room(len: usize, fragment: usize) -> Self {
        Self { requests: Vec::with_capacity(1 + len / fragment), done: 0 }
    }

    /// Whether all have completed.
    pub(super) fn test(&mut self, comm: Comm) -> Result<bool, LinkError> {
        while let Some(request) = self.requests.get_mut(self.done) {
            if !comm.test(request)? {
                return Ok(false);
            }
            self.done += 1;
        }
        Ok(true)
    }

    pub(super) fn cancel(&mut self, comm: Comm) {
        self.requests[self.done..].iter_mut().for_each(|request| comm.cancel(request));
    }
}
