//! What differs between MPI libraries: a table of three rows.
//!
//! The functions have the same names and arguments everywhere. What `mpi.h` fixes at compile time
//! differs: how handles are represented, where a status holds its source, and a few constants. The
//! numbers are those of the libraries' headers: Open MPI 4.1 and 5.0, MPICH 4.0 and 5.0 (Intel MPI
//! has the same ABI, and is untested), and `mpi_abi.h` of the MPI 5.0 standard.

use super::object::SharedObject;
use std::ffi::{CStr, c_int};

/// One MPI ABI.
#[derive(Debug)]
pub struct MpiAbi {
    /// What messages call it.
    pub name: &'static str,
    /// File names of its libraries, the most specific first.
    pub(super) files: &'static [&'static str],
    /// How its processes are started, for messages.
    pub started_by: &'static str,
    pub(super) handles: HandleTable,
    pub(super) any_source: c_int,
    /// `MPI_STATUS_IGNORE`, an address.
    pub(super) status_ignore: usize,
    /// `MPI_IN_PLACE`, an address.
    pub(super) in_place: usize,
    /// Position of `MPI_SOURCE` among the ints of a status.
    pub(super) status_source: usize,
    pub(super) comm_type_shared: c_int,
    pub(super) thread_multiple: c_int,
}

/// The predefined objects that we use.
#[derive(Debug)]
pub(super) struct PredefinedHandles<H> {
    pub(super) world: H,
    pub(super) byte: H,
    pub(super) float: H,
    pub(super) sum: H,
    pub(super) errors_return: H,
    pub(super) info_null: H,
}

/// How a library represents handles.
#[derive(Debug)]
pub(super) enum HandleTable {
    /// Pointers, to globals of these names.
    Globals(PredefinedHandles<&'static CStr>),
    /// Ints.
    Integers(PredefinedHandles<c_int>),
    /// Pointers; the predefined ones have these addresses, where nothing lies.
    Addresses(PredefinedHandles<usize>),
}

pub(super) static OPEN_MPI: MpiAbi = MpiAbi {
    name: "Open MPI",
    files: &["libmpi.so.40", "libmpi.so"],
    started_by: "its mpirun or `srun --mpi=pmix`",
    handles: HandleTable::Globals(PredefinedHandles {
        world: c"ompi_mpi_comm_world",
        byte: c"ompi_mpi_byte",
        float: c"ompi_mpi_float",
        sum: c"ompi_mpi_op_sum",
        errors_return: c"ompi_mpi_errors_return",
        info_null: c"ompi_mpi_info_null",
    }),
    any_source: -1,
    status_ignore: 0,
    in_place: 1,
    status_source: 0,
    comm_type_shared: 0,
    thread_multiple: 3,
};

pub(super) static MPICH: MpiAbi = MpiAbi {
    name: "MPICH",
    files: &["libmpi.so.12", "libmpich.so.12", "libmpi.so"], // the second is Debian's
    started_by: "its mpiexec or `srun --mpi=pmi2`",
    handles: HandleTable::Integers(PredefinedHandles {
        world: 0x4400_0000,
        byte: 0x4c00_010d,
        float: 0x4c00_040a,
        sum: 0x5800_0003,
        errors_return: 0x5400_0001,
        info_null: 0x1c00_0000,
    }),
    any_source: -2,
    status_ignore: 1,
    in_place: usize::MAX,
    status_source: 2,
    comm_type_shared: 1,
    thread_multiple: 3,
};

pub(super) static STANDARD: MpiAbi = MpiAbi {
    name: "the standard ABI of MPI 5",
    files: &["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"],
    started_by: "the launcher of the MPI that it belongs to",
    handles: HandleTable::Addresses(PredefinedHandles {
        world: 0x101,
        byte: 0x247,
        float: 0x210,
        sum: 0x021,
        errors_return: 0x143,
        info_null: 0x130,
    }),
    any_source: -1,
    status_ignore: 0,
    in_place: 1,
    status_source: 0,
    comm_type_shared: 221,
    thread_multiple: 4096, // 3 would be granted as MPI_THREAD_SINGLE, without an error
};

impl MpiAbi {
    /// The row of a library, told by its symbols: file names differ between distributions.
    pub(super) fn of(object: &SharedObject) -> Option<&'static Self> {
        if object.has(c"ompi_mpi_comm_world") {
            Some(&OPEN_MPI)
        } else if object.has_standard_abi() {
            Some(&STANDARD)
        } else if object.has(c"MPIR_Dup_fn") {
            Some(&MPICH) // what `mpi.h` calls MPI_COMM_DUP_FN there
        } else {
            None
        }
    }
}

impl<H: Copy> PredefinedHandles<H> {
    /// Every handle in another representation; the first error, if any.
    pub(super) fn convert<T, E>(
        &self,
        convert: impl Fn(H) -> Result<T, E>,
    ) -> Result<PredefinedHandles<T>, E> {
        Ok(PredefinedHandles {
            world: convert(self.world)?,
            byte: convert(self.byte)?,
            float: convert(self.float)?,
            sum: convert(self.sum)?,
            errors_return: convert(self.errors_return)?,
            info_null: convert(self.info_null)?,
        })
    }
}
