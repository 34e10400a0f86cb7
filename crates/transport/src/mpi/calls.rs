//! The MPI functions that we use, as a loaded library has them.
//!
//! [`MpiCalls`] is what the rest of this module calls. Its one implementation is generic over how
//! the library represents handles, so that every call passes what the library's own `mpi.h` would.

use super::abi::{HandleTable, MpiAbi, PredefinedHandles};
use super::object::{LibraryAddress, SharedObject};
use super::search::LoadError;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, null_mut, without_provenance_mut};

/// `MPI_MAX_LIBRARY_VERSION_STRING`, the largest of all rows.
const VERSION_BYTES: usize = 8192;
/// `MPI_MAX_ERROR_STRING`, the largest of all rows.
const ERROR_BYTES: usize = 1024;

/// An error code of the library; never 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct MpiCode(pub(super) c_int);

/// A library, ready to be called. Communicators and requests are kept as addresses.
///
/// All but `version`, `init` and `error_text` are called between `init` and `finalize` only: else
/// the library ends the process.
pub(super) trait MpiCalls: Send + Sync {
    fn abi(&self) -> &'static MpiAbi;
    /// The library's words about itself.
    fn version(&self) -> String;
    /// `MPI_Init_thread`: the thread level that it grants.
    fn init(&self) -> Result<c_int, MpiCode>;
    fn finalize(&self);
    fn abort(&self, code: c_int);
    /// Rank in the world, and its size.
    fn world(&self) -> Result<(c_int, c_int), MpiCode>;
    /// Ranks of the world that share this host's memory. All ranks call this together.
    fn ranks_on_host(&self) -> Result<c_int, MpiCode>;
    /// A copy of the world's communicator that returns errors. All ranks call this together.
    fn duplicate_world(&self) -> Result<LibraryAddress, MpiCode>;
    /// # Safety
    ///
    /// The bytes stay readable and unchanged until the request has completed.
    unsafe fn isend(
        &self,
        comm: LibraryAddress,
        to: c_int,
        tag: c_int,
        bytes: *const u8,
        len: c_int,
    ) -> Result<LibraryAddress, MpiCode>;
    /// # Safety
    ///
    /// The memory stays writable and untouched until the request has completed.
    unsafe fn irecv(
        &self,
        comm: LibraryAddress,
        from: c_int,
        tag: c_int,
        bytes: *mut u8,
        len: c_int,
    ) -> Result<LibraryAddress, MpiCode>;
    /// Whether a request has completed; it is gone then.
    fn test(&self, request: &mut LibraryAddress) -> Result<bool, MpiCode>;
    fn cancel(&self, request: &mut LibraryAddress);
    /// Source and bytes of a message that has arrived.
    fn probe(&self, comm: LibraryAddress, tag: c_int) -> Result<Option<(c_int, c_int)>, MpiCode>;
    /// Sums floats over all ranks, in place. All ranks call this together.
    fn sum(&self, comm: LibraryAddress, values: &mut [f32]) -> Result<(), MpiCode>;
    fn error_text(&self, code: MpiCode) -> String;
}

/// A handle as a library represents it.
pub(super) trait RawHandle: Copy + Send + Sync + 'static {
    /// What an out-parameter holds before the call.
    const UNSET: Self;
    fn to_address(self) -> LibraryAddress;
    fn from_address(address: LibraryAddress) -> Self;
}

impl RawHandle for LibraryAddress {
    const UNSET: Self = Self(null_mut());

    fn to_address(self) -> LibraryAddress {
        self
    }

    fn from_address(address: LibraryAddress) -> Self {
        address
    }
}

impl RawHandle for c_int {
    const UNSET: Self = 0;

    fn to_address(self) -> LibraryAddress {
        let bits = usize::try_from(self.cast_unsigned()).expect("addresses have 32 bits or more");
        LibraryAddress(without_provenance_mut(bits))
    }

    fn from_address(address: LibraryAddress) -> Self {
        let bits = u32::try_from(address.0.addr()).expect("made from 32 bits");
        bits.cast_signed()
    }
}

/// A status: as large and as aligned as the largest of all rows.
#[repr(C, align(8))]
struct MpiStatus([c_int; 8]);

/// Declares the functions once: field, symbol and arguments. All return an error code.
macro_rules! mpi_functions {
    ($($field:ident = $symbol:literal($($argument:ty),*);)*) => {
        struct MpiFunctions<H> {
            $($field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl<H: RawHandle> MpiFunctions<H> {
            /// Looks them up; the first that is missing, if any.
            fn load(object: &SharedObject) -> Result<Self, &'static CStr> {
                Ok(Self {
                    // SAFETY: the type that the MPI standard gives it, with this library's handles.
                    $($field: unsafe { object.function($symbol) }.ok_or($symbol)?,)*
                })
            }
        }
    };
}

mpi_functions! {
    abort = c"MPI_Abort"(H, c_int);
    allreduce = c"MPI_Allreduce"(*const c_void, *mut c_void, c_int, H, H, H);
    cancel = c"MPI_Cancel"(*mut H);
    comm_dup = c"MPI_Comm_dup"(H, *mut H);
    comm_free = c"MPI_Comm_free"(*mut H);
    comm_rank = c"MPI_Comm_rank"(H, *mut c_int);
    comm_set_errhandler = c"MPI_Comm_set_errhandler"(H, H);
    comm_size = c"MPI_Comm_size"(H, *mut c_int);
    comm_split_type = c"MPI_Comm_split_type"(H, c_int, c_int, H, *mut H);
    error_string = c"MPI_Error_string"(c_int, *mut c_char, *mut c_int);
    finalize = c"MPI_Finalize"();
    get_count = c"MPI_Get_count"(*const MpiStatus, H, *mut c_int);
    get_library_version = c"MPI_Get_library_version"(*mut c_char, *mut c_int);
    init_thread = c"MPI_Init_thread"(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    iprobe = c"MPI_Iprobe"(c_int, c_int, H, *mut c_int, *mut MpiStatus);
    irecv = c"MPI_Irecv"(*mut c_void, c_int, H, c_int, c_int, H, *mut H);
    isend = c"MPI_Isend"(*const c_void, c_int, H, c_int, c_int, H, *mut H);
    test = c"MPI_Test"(*mut H, *mut c_int, *mut MpiStatus);
}

/// A library's functions, handles and constants.
struct BoundLibrary<H> {
    abi: &'static MpiAbi,
    handles: PredefinedHandles<H>,
    functions: MpiFunctions<H>,
}

/// Binds a library; it is loaded for as long as the process lives.
pub(super) fn bind(
    object: &SharedObject,
    abi: &'static MpiAbi,
) -> Result<&'static dyn MpiCalls, LoadError> {
    let bound: Result<&'static dyn MpiCalls, &CStr> = (|| {
        Ok(match &abi.handles {
            HandleTable::Globals(names) => {
                let handles = names.convert(|name| object.address(name).ok_or(name))?;
                leak(abi, handles, MpiFunctions::load(object)?)
            }
            HandleTable::Integers(numbers) => {
                let handles = numbers.convert(Ok)?;
                leak(abi, handles, MpiFunctions::load(object)?)
            }
            HandleTable::Addresses(numbers) => {
                let address = |number| Ok(LibraryAddress(without_provenance_mut(number)));
                leak(abi, numbers.convert(address)?, MpiFunctions::load(object)?)
            }
        })
    })();
    bound.map_err(|symbol| LoadError::Symbol {
        path: object.file(),
        abi: abi.name,
        symbol: symbol.to_string_lossy().into_owned(),
    })
}

fn leak<H: RawHandle>(
    abi: &'static MpiAbi,
    handles: PredefinedHandles<H>,
    functions: MpiFunctions<H>,
) -> &'static dyn MpiCalls {
    Box::leak(Box::new(BoundLibrary { abi, handles, functions }))
}

/// A code as a result.
fn check(code: c_int) -> Result<(), MpiCode> {
    if code == 0 { Ok(()) } else { Err(MpiCode(code)) }
}

/// What a call wrote into a buffer of `N` bytes and said the length of.
fn text<const N: usize>(write: impl FnOnce(*mut c_char, *mut c_int)) -> String {
    let mut bytes = vec![0_u8; N];
    let mut len: c_int = 0;
    write(bytes.as_mut_ptr().cast(), &raw mut len);
    bytes.truncate(usize::try_from(len).unwrap_or(0));
    String::from_utf8_lossy(&bytes).trim_end_matches(['\0', '\n']).to_owned()
}

impl<H: RawHandle> BoundLibrary<H> {
    fn status_ignore(&self) -> *mut MpiStatus {
        without_provenance_mut(self.abi.status_ignore)
    }
}

impl<H: RawHandle> MpiCalls for BoundLibrary<H> {
    fn abi(&self) -> &'static MpiAbi {
        self.abi
    }

    fn version(&self) -> String {
        text::<VERSION_BYTES>(|bytes, len| {
            // SAFETY: the buffer has the length that the library may fill.
            unsafe { (self.functions.get_library_version)(bytes, len) };
        })
    }

    fn init(&self) -> Result<c_int, MpiCode> {
        let (wanted, mut granted) = (self.abi.thread_multiple, 0);
        let init = self.functions.init_thread;
        // SAFETY: no arguments are passed on, which the standard allows; a plain out-parameter.
        check(unsafe { init(null_mut(), null_mut(), wanted, &raw mut granted) })?;
        Ok(granted)
    }

    fn finalize(&self) {
        // SAFETY: no arguments.
        unsafe { (self.functions.finalize)() };
    }

    fn abort(&self, code: c_int) {
        // SAFETY: the world's communicator always exists.
        unsafe { (self.functions.abort)(self.handles.world, code) };
    }

    fn world(&self) -> Result<(c_int, c_int), MpiCode> {
        let (mut rank, mut size) = (-1, -1);
        // SAFETY: the world's communicator, and a plain out-parameter.
        check(unsafe { (self.functions.comm_rank)(self.handles.world, &raw mut rank) })?;
        // SAFETY: as above.
        check(unsafe { (self.functions.comm_size)(self.handles.world, &raw mut size) })?;
        Ok((rank, size))
    }

    fn ranks_on_host(&self) -> Result<c_int, MpiCode> {
        let (mut host, mut size) = (H::UNSET, -1);
        let PredefinedHandles { world, info_null, .. } = self.handles;
        let (shared, split) = (self.abi.comm_type_shared, self.functions.comm_split_type);
        // SAFETY: predefined handles, and a plain out-parameter.
        check(unsafe { split(world, shared, 0, info_null, &raw mut host) })?;
        // SAFETY: the communicator that was just made.
        check(unsafe { (self.functions.comm_size)(host, &raw mut size) })?;
        // SAFETY: as above; nobody uses it afterwards.
        check(unsafe { (self.functions.comm_free)(&raw mut host) })?;
        Ok(size)
    }

    fn duplicate_world(&self) -> Result<LibraryAddress, MpiCode> {
        let mut comm = H::UNSET;
        // SAFETY: the world's communicator, and a plain out-parameter.
        check(unsafe { (self.functions.comm_dup)(self.handles.world, &raw mut comm) })?;
        let handler = self.handles.errors_return;
        // SAFETY: the communicator that was just made, and a predefined handler.
        check(unsafe { (self.functions.comm_set_errhandler)(comm, handler) })?;
        Ok(comm.to_address())
    }

    unsafe fn isend(
        &self,
        comm: LibraryAddress,
        to: c_int,
        tag: c_int,
        bytes: *const u8,
        len: c_int,
    ) -> Result<LibraryAddress, MpiCode> {
        let (comm, byte, mut request) = (H::from_address(comm), self.handles.byte, H::UNSET);
        let (isend, bytes) = (self.functions.isend, bytes.cast());
        // SAFETY: the caller's promise about the bytes; a plain out-parameter.
        check(unsafe { isend(bytes, len, byte, to, tag, comm, &raw mut request) })?;
        Ok(request.to_address())
    }

    unsafe fn irecv(
        &self,
        comm: LibraryAddress,
        from: c_int,
        tag: c_int,
        bytes: *mut u8,
        len: c_int,
    ) -> Result<LibraryAddress, MpiCode> {
        let (comm, byte, mut request) = (H::from_address(comm), self.handles.byte, H::UNSET);
        let (irecv, bytes) = (self.functions.irecv, bytes.cast());
        // SAFETY: the caller's promise about the memory; a plain out-parameter.
        check(unsafe { irecv(bytes, len, byte, from, tag, comm, &raw mut request) })?;
        Ok(request.to_address())
    }

    fn test(&self, request: &mut LibraryAddress) -> Result<bool, MpiCode> {
        let (mut raw, mut done) = (H::from_address(*request), 0);
        let (test, ignore) = (self.functions.test, self.status_ignore());
        // SAFETY: a request of this process, and plain out-parameters; no status is asked for.
        let code = unsafe { test(&raw mut raw, &raw mut done, ignore) };
        *request = raw.to_address();
        check(code)?;
        Ok(done != 0)
    }

    fn cancel(&self, request: &mut LibraryAddress) {
        let mut raw = H::from_address(*request);
        // SAFETY: a request of this process. Failure leaves it as it was, which `test` then shows.
        unsafe { (self.functions.cancel)(&raw mut raw) };
        *request = raw.to_address();
    }

    fn probe(&self, comm: LibraryAddress, tag: c_int) -> Result<Option<(c_int, c_int)>, MpiCode> {
        let (comm, mut here, mut bytes) = (H::from_address(comm), 0, -1);
        let mut status = MpiStatus([0; 8]);
        let (iprobe, any) = (self.functions.iprobe, self.abi.any_source);
        // SAFETY: a communicator of ours, and out-parameters that are large enough in every row.
        check(unsafe { iprobe(any, tag, comm, &raw mut here, &raw mut status) })?;
        if here == 0 {
            return Ok(None);
        }
        let (count, byte) = (self.functions.get_count, self.handles.byte);
        // SAFETY: the probe has filled the status.
        check(unsafe { count(&raw const status, byte, &raw mut bytes) })?;
        Ok(Some((status.0[self.abi.status_source], bytes)))
    }

    fn sum(&self, comm: LibraryAddress, values: &mut [f32]) -> Result<(), MpiCode> {
        let len = c_int::try_from(values.len()).expect("callers divide what is longer");
        let PredefinedHandles { float, sum, .. } = self.handles;
        let in_place = ptr::without_provenance(self.abi.in_place);
        let (into, comm) = (values.as_mut_ptr().cast(), H::from_address(comm));
        // SAFETY: in place, over `len` floats that are borrowed mutably for the whole call.
        check(unsafe { (self.functions.allreduce)(in_place, into, len, float, sum, comm) })
    }

    fn error_text(&self, code: MpiCode) -> String {
        text::<ERROR_BYTES>(|bytes, len| {
            // SAFETY: the buffer has the length that the library may fill.
            unsafe { (self.functions.error_string)(code.0, bytes, len) };
        })
    }
}
