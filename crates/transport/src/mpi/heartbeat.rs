//! Heartbeats over a communicator of their own.

use super::abort::abort;
use super::comm::{Comm, MpiRequest};
use super::job::RunningMpi;
use crate::HeartbeatChannel;
use base::Rank;
use std::sync::Arc;

const TAG: i32 = 1;
/// Heartbeats under way before further ones are dropped: a stopped rank takes none.
const UNDER_WAY_MAX: usize = 1024;
/// No heartbeat is longer.
const HEARTBEAT_BYTES_MAX: usize = 4096;

/// The side channel over MPI.
pub struct MpiHeartbeats {
    comm: Comm,
    rank: Rank,
    /// Heartbeats under way and their bytes.
    sends: Vec<(MpiRequest, Box<[u8]>)>,
    /// Keeps MPI initialised.
    running: Arc<RunningMpi>,
}

impl MpiHeartbeats {
    pub(super) fn new(running: Arc<RunningMpi>, rank: Rank, comm: Comm) -> Self {
        Self { comm, rank, sends: Vec::new(), running }
    }
}

impl HeartbeatChannel for MpiHeartbeats {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn send(&mut self, to: usize, heartbeat: &[u8]) {
        let comm = self.comm;
        self.sends.retain_mut(|(request, _)| !comm.test(request).unwrap_or(true));
        if self.sends.len() >= UNDER_WAY_MAX {
            return;
        }
        let bytes: Box<[u8]> = heartbeat.into();
        // SAFETY: the box is kept beside the request until it has completed, and forgotten on drop.
        let request = unsafe { self.comm.isend(to, TAG, bytes.as_ptr(), bytes.len()) };
        if let Ok(request) = request {
            self.sends.push((request, bytes));
        }
    }

    fn poll(&mut self) -> Option<(usize, Vec<u8>)> {
        let (from, len) = self.comm.probe(TAG)?;
        if len > HEARTBEAT_BYTES_MAX {
            return None;
        }
        let mut bytes = vec![0; len];
        // SAFETY: the vector is kept until the request has completed, below.
        let request = unsafe { self.comm.irecv(from, TAG, bytes.as_mut_ptr(), len) };
        let mut request = request.ok()?;
        // It has arrived, and nobody else receives here: this ends at once.
        while !self.comm.test(&mut request).unwrap_or(true) {
            std::thread::yield_now();
        }
        Some((from, bytes))
    }

    fn abort(&mut self, code: i32) {
        abort(self.running.calls, code);
        std::process::abort(); // where the library did not end us
    }
}

impl Drop for MpiHeartbeats {
    fn drop(&mut self) {
        for (mut request, bytes) in self.sends.drain(..) {
            if !self.comm.test(&mut request).unwrap_or(false) {
                std::mem::forget(bytes); // MPI may still read it
            }
        }
    }
}
