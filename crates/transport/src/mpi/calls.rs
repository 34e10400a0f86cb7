//! The few MPI functions we use, with Rust's types and errors.

use crate::{LibraryDatatype, LinkError};
use mpi::ffi;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

/// Elements of one `MPI_Allreduce`, whose count is an int.
const SUMMED_MAX: usize = 1 << 30;

/// A communicator of our own, duplicated from the world's.
#[derive(Clone, Copy)]
pub(super) struct Comm {
    pub(super) raw: ffi::MPI_Comm,
    pub(super) rank: usize,
}

// SAFETY: a handle; MPI runs with THREAD_MULTIPLE, so any thread may use it.
unsafe impl Send for Comm {}

/// An operation under way. Must be tested to completion before its memory goes.
pub(super) struct MpiRequest(ffi::MPI_Request);

// SAFETY: as for `Comm`.
unsafe impl Send for MpiRequest {}

/// An error code as an error.
fn check(rank: usize, call: &'static str, code: c_int) -> Result<(), LinkError> {
    if code == 0 {
        return Ok(());
    }
    let mut text = [0_u8; ffi::MPI_MAX_ERROR_STRING as usize];
    let mut len: c_int = 0;
    // SAFETY: the buffer has the length the library asks for.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &raw mut len) };
    let len = usize::try_from(len).unwrap_or(0).min(text.len());
    let what = String::from_utf8_lossy(&text[..len]).into_owned();
    Err(LinkError::Mpi { rank, call, what })
}

fn int(value: usize) -> c_int {
    c_int::try_from(value).expect("segments and ranks fit MPI's int")
}

impl Comm {
    /// A copy of the world's communicator, whose errors are returned. All ranks call this together.
    pub(super) fn duplicate(rank: usize) -> Result<Self, LinkError> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: MPI is initialised; the handle is written on success.
        let code = unsafe { ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, raw.as_mut_ptr()) };
        check(rank, "MPI_Comm_dup", code)?;
        // SAFETY: written by the call that succeeded.
        let raw = unsafe { raw.assume_init() };
        // SAFETY: a valid communicator and a predefined handler.
        let code = unsafe { ffi::MPI_Comm_set_errhandler(raw, ffi::RSMPI_ERRORS_RETURN) };
        check(rank, "MPI_Comm_set_errhandler", code)?;
        Ok(Self { raw, rank })
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
        let mut request = MaybeUninit::uninit();
        let (to, len) = (int(to), int(len));
        let bytes = bytes.cast();
        // SAFETY: the caller's promise; the request is written on success.
        let code = unsafe {
            ffi::MPI_Isend(bytes, len, ffi::RSMPI_UINT8_T, to, tag, self.raw, request.as_mut_ptr())
        };
        check(self.rank, "MPI_Isend", code)?;
        // SAFETY: written by the call that succeeded.
        Ok(MpiRequest(unsafe { request.assume_init() }))
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
        let mut request = MaybeUninit::uninit();
        let (from, len) = (int(from), int(len));
        let bytes = bytes.cast();
        // SAFETY: the caller's promise; the request is written on success.
        let code = unsafe {
            ffi::MPI_Irecv(
                bytes,
                len,
                ffi::RSMPI_UINT8_T,
                from,
                tag,
                self.raw,
                request.as_mut_ptr(),
            )
        };
        check(self.rank, "MPI_Irecv", code)?;
        // SAFETY: written by the call that succeeded.
        Ok(MpiRequest(unsafe { request.assume_init() }))
    }

    /// Whether a request has completed; it is gone then.
    pub(super) fn test(self, request: &mut MpiRequest) -> Result<bool, LinkError> {
        let mut done: c_int = 0;
        let flag = &raw mut done;
        // SAFETY: a request of this process, and a plain out-parameter; the status is not wanted.
        let code = unsafe { ffi::MPI_Test(&raw mut request.0, flag, ffi::RSMPI_STATUS_IGNORE) };
        check(self.rank, "MPI_Test", code)?;
        Ok(done != 0)
    }

    /// Asks for a request to be given up; it must still be tested to completion.
    pub(super) fn cancel(request: &mut MpiRequest) {
        // SAFETY: a request of this process. Failure leaves it as it was, which `test` then shows.
        unsafe { ffi::MPI_Cancel(&raw mut request.0) };
    }

    /// A message that has arrived: its sender and length in bytes.
    pub(super) fn probe(self, tag: c_int) -> Option<(usize, usize)> {
        let mut here: c_int = 0;
        let mut status = MaybeUninit::<ffi::MPI_Status>::zeroed();
        let (any, flag) = (ffi::MPI_ANY_SOURCE, &raw mut here);
        // SAFETY: plain out-parameters.
        let code = unsafe { ffi::MPI_Iprobe(any, tag, self.raw, flag, status.as_mut_ptr()) };
        if code != 0 || here == 0 {
            return None;
        }
        let mut bytes: c_int = 0;
        // SAFETY: the probe has filled the status.
        unsafe { ffi::MPI_Get_count(status.as_ptr(), ffi::RSMPI_UINT8_T, &raw mut bytes) };
        // SAFETY: zeroed and then filled; all fields are integers.
        let source = unsafe { status.assume_init() }.MPI_SOURCE;
        Some((usize::try_from(source).ok()?, usize::try_from(bytes).ok()?))
    }

    /// Sums `bytes` over all ranks by the library's own algorithm.
    ///
    /// # Panics
    ///
    /// If they are not whole elements of `datatype`, aligned to their size.
    pub(super) fn sum(self, bytes: &mut [u8], datatype: LibraryDatatype) -> Result<(), LinkError> {
        let element_bytes = datatype.element_bytes();
        assert_eq!(bytes.len() % element_bytes, 0, "the library sums whole elements");
        assert_eq!(bytes.as_ptr().addr() % element_bytes, 0, "the library sums aligned elements");
        let handle = match datatype {
            // SAFETY: a constant of the library, which is loaded.
            LibraryDatatype::Float => unsafe { ffi::RSMPI_FLOAT },
        };
        // One call for what fits MPI's int; every rank has as many elements and as many calls.
        for bytes in bytes.chunks_mut(SUMMED_MAX * element_bytes) {
            let (len, into) = (int(bytes.len() / element_bytes), bytes.as_mut_ptr().cast());
            // SAFETY: in place, over memory that is borrowed mutably for the whole call and holds
            // `len` aligned elements, by the assertions.
            let code = unsafe {
                ffi::MPI_Allreduce(in_place(), into, len, handle, ffi::RSMPI_SUM, self.raw)
            };
            check(self.rank, "MPI_Allreduce", code)?;
        }
        Ok(())
    }
}

/// `MPI_IN_PLACE`: a macro in C, so the bindings lack it. Open MPI's is 1, MPICH's is -1.
fn in_place() -> *const c_void {
    let address = if is_open_mpi() { 1 } else { usize::MAX };
    std::ptr::without_provenance(address)
}

/// Open MPI's handles are pointers, MPICH's are integers.
fn is_open_mpi() -> bool {
    size_of::<ffi::MPI_Comm>() == size_of::<*const c_void>()
}
