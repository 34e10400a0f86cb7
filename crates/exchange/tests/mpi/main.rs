//! The real thing: processes under Open MPI's and MPICH's launchers, checked, stopped and killed.
//!
//! Without a launcher the tests say SKIPPED and why. With `FIRECAFFE_NO_SKIP` set (CI), a missing
//! one is a failure. `FIRECAFFE_FAULTS=N` plants N faults instead of a few.

mod faults;
mod mpirun;

use mpirun::{MPICH, Mpirun, OPEN_MPI};

#[test]
fn conforms_and_every_collective_is_right() {
    for (launcher, ranks) in
        [(&OPEN_MPI, 2), (&OPEN_MPI, 3), (&OPEN_MPI, 5), (&OPEN_MPI, 8), (&MPICH, 2)]
    {
        let Some(mut run) = Mpirun::under(launcher, "mpi_checks", ranks, &[]) else { continue };
        let end = run.end();
        assert!(end.success, "{ranks} ranks:\n{}", end.text);
        assert_eq!(end.text.matches("passes").count(), ranks, "{}", end.text);
    }
}
