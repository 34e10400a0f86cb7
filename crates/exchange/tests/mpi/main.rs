//! The real thing: processes under `mpirun`, checked, stopped and killed.
//!
//! Needs feature `mpi` and an `mpirun`; else the tests say SKIPPED and why. With the feature and
//! `FIRECAFFE_NO_SKIP` set (CI), a missing `mpirun` is a failure. `FIRECAFFE_FAULTS=N` plants N
//! faults instead of a few.

mod faults;
mod mpirun;

use mpirun::Mpirun;

#[test]
fn conforms_and_every_collective_is_right() {
    for ranks in [2, 3, 5, 8] {
        let Some(mut run) = Mpirun::start("mpi_checks", ranks, &[]) else { return };
        let end = run.end();
        assert!(end.success, "{ranks} ranks:\n{}", end.text);
        assert_eq!(end.text.matches("passes").count(), ranks, "{}", end.text);
    }
}
