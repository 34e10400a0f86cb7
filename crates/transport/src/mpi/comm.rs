//! A communicator, with Rust's types and errors.

use super::calls::{MpiCalls, MpiCode};
use super::object::LibraryAddress;
use crate::{LibraryDatatype, LinkError};
use std::ffi::c_int;
use zerocopy::FromBytes;

/// Elements of one `MPI_Allreduce`, whose count is an int.
const SUMMED_MAX: usize = 1 << 30;

/// A communicator of our own, duplicated from the world's.
#[derive(Clone, Copy)]
pub(super) struct Comm {
    calls: &'static dyn MpiCalls,
    raw: LibraryAddress,
    rank: usize,
}

/// An operation under way. Must be tested to completion before its memory goes.
pub(super) struct MpiRequest(LibraryAddress);

fn int(value: usize) -> c_int {
    c_int::try_from(value).expect("segments and ranks fit MPI's int")
}

/// A call's error, in the library's words.
pub(super) fn failed(
    calls: &dyn MpiCalls,
    rank: usize,
    call: &'static str,
) -> impl Fn(MpiCode) -> LinkError {
    move |code| LinkError::Mpi { rank, call, what: calls.error_text(code) }
}

impl Comm {
    /// A copy of the world's communicator, whose errors are returned. All ranks call this together.
    pub(super) fn duplicate(calls: &'static dyn MpiCalls, rank: usize) -> Result<Self, LinkError> {
        let raw = calls.duplicate_world().map_err(failed(calls, rank, "MPI_Comm_dup"))?;
        Ok(Self { calls, raw, rank })
    }

    fn failed(self, call: &'static str) -> impl Fn(MpiCode) -> LinkError {
        failed(self.calls, self.rank, call)
    }

    /// Starts to send `len` bytes.
    ///
    /// # Safety
    ///
    /// The bytes stay readable and unchanged until the request has completed.
    pub(super) unsafe fn isend(
        self,
        to: usize,
        tag: c_int,
        bytes: *const u8,
        len: usize,
    ) -> Result<MpiRequest, LinkError> {
        // SAFETY: the caller's promise.
        let request = unsafe { self.calls.isend(self.raw, int(to), tag, bytes, int(len)) };
        request.map(MpiRequest).map_err(self.failed("MPI_Isend"))
    }

    /// Starts to receive exactly `len` bytes.
    ///
    /// # Safety
    ///
    /// The memory stays writable and untouched until the request has completed.
    pub(super) unsafe fn irecv(
        self,
        from: usize,
        tag: c_int,
        bytes: *mut u8,
        len: usize,
    ) -> Result<MpiRequest, LinkError> {
        // SAFETY: the caller's promise.
        let request = unsafe { self.calls.irecv(self.raw, int(from), tag, bytes, int(len)) };
        request.map(MpiRequest).map_err(self.failed("MPI_Irecv"))
    }

    /// Whether a request has completed; it is gone then.
    pub(super) fn test(self, request: &mut MpiRequest) -> Result<bool, LinkError> {
        self.calls.test(&mut request.0).map_err(self.failed("MPI_Test"))
    }

    /// Asks for a request to be given up; it must still be tested to completion.
    pub(super) fn cancel(self, request: &mut MpiRequest) {
        self.calls.cancel(&mut request.0);
    }

    /// A message that has arrived: its sender and length in bytes.
    pub(super) fn probe(self, tag: c_int) -> Option<(usize, usize)> {
        let (source, bytes) = self.calls.probe(self.raw, tag).ok()??;
        Some((usize::try_from(source).ok()?, usize::try_from(bytes).ok()?))
    }

    /// Sums `bytes` over all ranks by the library's own algorithm.
    ///
    /// # Panics
    ///
    /// If they are not whole elements of `datatype`, aligned to their size.
    pub(super) fn sum(self, bytes: &mut [u8], datatype: LibraryDatatype) -> Result<(), LinkError> {
        let values = match datatype {
            LibraryDatatype::Float => <[f32]>::mut_from_bytes(bytes),
        };
        let values = values.expect("the library sums whole and aligned elements");
        // One call for what fits MPI's int; every rank has as many elements and as many calls.
        for values in values.chunks_mut(SUMMED_MAX) {
            self.calls.sum(self.raw, values).map_err(self.failed("MPI_Allreduce"))?;
        }
        Ok(())
    }
}
