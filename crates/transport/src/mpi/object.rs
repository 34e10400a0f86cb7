//! A shared object, opened at run time.

use std::ffi::{CStr, CString, OsString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A pointer into a library, or a handle that looks like one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct LibraryAddress(pub(super) *mut c_void);

// SAFETY: an address that only the library reads from or writes to; MPI runs with THREAD_MULTIPLE,
// so any thread may hand it over.
unsafe impl Send for LibraryAddress {}
// SAFETY: as above.
unsafe impl Sync for LibraryAddress {}

/// An open library, never closed: MPI leaves threads and exit handlers in it.
#[derive(Debug)]
pub(super) struct SharedObject {
    handle: LibraryAddress,
    /// What it was opened by: a path, or a name that the loader found.
    pub(super) path: PathBuf,
}

impl SharedObject {
    /// Opens a path, or a name that the loader looks for; else the loader's complaint.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        let handle = open_with(&name, libc::RTLD_NOW | libc::RTLD_LOCAL)?;
        Ok(Self { handle, path: path.to_owned() })
    }

    /// Lets libraries that are loaded later use its symbols, as Open MPI's plug-ins do. Not done on
    /// opening, since another MPI may be opened first and turn out to be the wrong one.
    pub(super) fn make_global(&self) {
        let name = CString::new(self.path.as_os_str().as_bytes());
        let flags = libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_GLOBAL;
        let _ = name.map(|name| open_with(&name, flags)); // it is open, so this cannot fail
    }

    /// The file that was loaded, as the loader found it.
    pub(super) fn file(&self) -> PathBuf {
        let Some(symbol) = self.address(c"MPI_Init_thread") else { return self.path.clone() };
        let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: an address of a loaded library, and room for the answer.
        if unsafe { libc::dladdr(symbol.0, info.as_mut_ptr()) } == 0 {
            return self.path.clone();
        }
        // SAFETY: zeroed, and filled by the call that succeeded.
        let name = unsafe { info.assume_init() }.dli_fname;
        // SAFETY: a C string of the loader, which lives as long as the library: for ever.
        let name = unsafe { CStr::from_ptr(name) };
        PathBuf::from(OsString::from(std::ffi::OsStr::from_bytes(name.to_bytes())))
    }

    pub(super) fn has(&self, symbol: &CStr) -> bool {
        self.address(symbol).is_some()
    }

    pub(super) fn address(&self, symbol: &CStr) -> Option<LibraryAddress> {
        // SAFETY: an open library and a C string.
        let address = unsafe { libc::dlsym(self.handle.0, symbol.as_ptr()) };
        (!address.is_null()).then_some(LibraryAddress(address))
    }

    /// A function of the library.
    ///
    /// # Safety
    ///
    /// `F` is a function pointer of the type that the symbol has.
    pub(super) unsafe fn function<F: Copy>(&self, symbol: &CStr) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<LibraryAddress>()) };
        let address = self.address(symbol)?;
        // SAFETY: as large as a pointer; the caller's promise.
        Some(unsafe { std::mem::transmute_copy(&address) })
    }

    /// Whether the library says that its handles and constants are those of `mpi_abi.h`. MPICH 5
    /// has the function in both of its libraries, and answers -1 in the one with its own ABI.
    pub(super) fn has_standard_abi(&self) -> bool {
        type GetVersion = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
        // SAFETY: the type that the MPI 5.0 standard gives it.
        let get = unsafe { self.function::<GetVersion>(c"MPI_Abi_get_version") };
        let (mut major, mut minor) = (-1, -1);
        // SAFETY: plain out-parameters; it may be called before MPI_Init.
        get.is_some_and(|get| unsafe { get(&raw mut major, &raw mut minor) } == 0 && major >= 1)
    }
}

fn open_with(name: &CStr, flags: c_int) -> Result<LibraryAddress, String> {
    // SAFETY: a C string. Initialisers of the library run: it is one that the user named, or that
    // lies beside the launcher or where the loader is configured to look.
    let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
    if handle.is_null() { Err(complaint()) } else { Ok(LibraryAddress(handle)) }
}

/// What the loader says about its last failure.
fn complaint() -> String {
    // SAFETY: no arguments; the answer is this thread's own.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the loader gives no reason".to_owned();
    }
    // SAFETY: a C string that is valid until the next call of the loader.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
