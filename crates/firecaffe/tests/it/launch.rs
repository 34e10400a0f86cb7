//! A process that a launcher started must not train alone unnoticed. No launcher is needed here:
//! the environment of one is enough. `tests/ranks` has the real ones.

use super::support::{Folder, Ran};

fn train(folder: &Folder, variables: &[(&str, &str)], more: &[&str]) -> Ran {
    let args = [&["train", "--solver", "solver.prototxt"], more].concat();
    let mut command = folder.command(&args);
    Ran::from(command.envs(variables.iter().copied()).output().unwrap())
}

#[test]
fn a_rank_without_its_world_is_refused_before_anything_is_written() {
    let folder = Folder::new("max_iter: 1");
    let tasks = ("SLURM_STEP_NUM_TASKS", "2");
    for (variables, more, want) in [
        (&[tasks][..], &[][..], "srun started 2 tasks but gives them no PMI"),
        (&[tasks, ("PMIX_RANK", "0")], &["--mpi", "/no/libmpi.so"], "--mpi /no/libmpi.so: "),
        (&[("PMI_SIZE", "2")], &["--mpi", "libm.so.6"], "libm.so.6 has none of the symbols"),
        (&[], &["--mpi", "solver.prototxt"], "--mpi solver.prototxt: "),
    ] {
        let ran = train(&folder, variables, more);
        assert_eq!(ran.code, Some(1), "{variables:?} {more:?}: {}", ran.err);
        assert!(ran.err.contains(want), "{variables:?} {more:?}: {}", ran.err);
    }
    assert!(!folder.files().iter().any(|name| name.contains("_iter_")), "nothing was written");
}

#[test]
fn mpi_off_trains_alone_under_a_launcher() {
    let folder = Folder::new("max_iter: 1");
    let ran = train(&folder, &[("OMPI_COMM_WORLD_SIZE", "2")], &["--mpi", "off"]).succeeds();
    assert!(ran.err.contains("weights after 1 step"), "{}", ran.err);
}
