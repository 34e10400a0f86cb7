//! The MPI library's own `MPI_Allreduce`: what our plans are measured against.
//!
//! No plan: transport `mpi` calls it. The library chooses algorithm and order of additions by size
//! and world, so the sum is not exact, and its cost is not known to us.

use super::{Row, no_settings};

/// This algorithm's row in the [table](super::ALGORITHMS).
pub(super) const ROW: Row = Row {
    name: "mpi",
    syntax: "mpi",
    summary: "the MPI library's own all-reduce; transport `mpi` only",
    rounds: "the library's",
    port: "the library's",
    parse: no_settings,
    exact: |_, _| false,
    pattern: None,
};
