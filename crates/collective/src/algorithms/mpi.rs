//! The MPI library's own `MPI_Allreduce`: what our plans are measured against.
//!
//! No plan: `exchange` calls the library where transport `mpi` offers it, for `f32` only. The
//! library chooses algorithm and order of additions by size and world, so the sum is not exact, and
//! its cost is not known to us.

use super::{AlgorithmRow, no_settings};

/// This algorithm's row in the [table](super::ALGORITHMS).
pub(super) const ROW: AlgorithmRow = AlgorithmRow {
    name: "mpi",
    syntax: "mpi",
    summary: "the MPI library's own all-reduce; transport `mpi` and `f32` only",
    rounds: "the library's",
    busiest_link: "the library's",
    parse: no_settings,
    exact: |_, _| false,
    pattern: None,
};
