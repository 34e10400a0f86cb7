//! A process that a launcher started must not train alone unnoticed: the build without MPI.

use super::support::{Folder, Ran};

#[test]
fn a_build_without_mpi_refuses_to_train_alone() {
    let folder = Folder::new("max_iter: 1");
    for (variable, value) in
        [("PMIX_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2"), ("SLURM_STEP_NUM_TASKS", "2")]
    {
        let mut command = folder.command(&["train", "--solver", "solver.prototxt"]);
        let ran = Ran::from(command.env(variable, value).output().unwrap());
        assert_eq!(ran.code, Some(1), "{variable}: {}", ran.err);
        assert!(ran.err.contains("built without MPI and would train alone"), "{}", ran.err);
    }
    assert!(!folder.files().iter().any(|name| name.contains("_iter_")), "nothing was written");
}
