use super::{Launch, cores_of_slurm_job, launch, ranks_on_machine, started_world};

/// How a process was started, and how many ranks with it.
type Start = (Launch, Option<usize>);

const ALONE: Start = (Launch::Alone, None);

fn rank(world: usize) -> Start {
    (Launch::Rank, Some(world))
}

fn environment(variables: &str) -> impl Fn(&str) -> Option<String> {
    move |name| {
        let mut pairs = variables.split(' ').filter_map(|pair| pair.split_once('='));
        pairs.find(|(variable, _)| *variable == name).map(|(_, value)| value.to_owned())
    }
}

/// `variables` as a launcher sets them; `here` is the number of ranks on this machine.
#[track_caller]
fn check(variables: &str, want: Start, here: usize) {
    let environment = environment(variables);
    let world = started_world(&environment).map(|(_, world)| world);
    assert_eq!((launch(&environment), world), want, "{variables}");
    assert_eq!(ranks_on_machine(&environment), here, "ranks on this machine: {variables}");
}

#[test]
fn without_a_launcher_a_process_is_alone() {
    check("SHELL=/bin/sh", ALONE, 1);
    check("SLURM_NTASKS=8 SLURM_JOB_ID=7", ALONE, 1); // an sbatch script
    check("SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0", ALONE, 1); // srun -n 1
}

#[test]
fn mpirun_and_mpiexec() {
    check("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_RANK=3", rank(4), 2);
    check("PMI_SIZE=3 PMI_RANK=0 MPI_LOCALNRANKS=3", rank(3), 3);
    check("PMIX_RANK=0", (Launch::Rank, None), 1);
}

#[test]
fn srun() {
    let slurm = "SLURM_STEP_NUM_TASKS=2 SLURM_STEP_TASKS_PER_NODE=2 SLURM_NODEID=0";
    check(&format!("PMIX_RANK=1 PMIX_NAMESPACE=slurm.pmix.1.0 {slurm}"), rank(2), 2);
    check(slurm, (Launch::WithoutPmi { tasks: 2 }, None), 2);
    check(&format!("PMIX_RANK=1 SLURM_HET_SIZE=2 {slurm}"), (Launch::Rank, None), 2);
    let last = "SLURM_STEP_NUM_TASKS=7 SLURM_STEP_TASKS_PER_NODE=2(x3),1 SLURM_NODEID=3";
    check(&format!("PMI_SIZE=7 {last}"), rank(7), 1);
}

/// `mpirun` starts its helpers by `srun`, one per host, and the ranks inherit their variables.
#[test]
fn mpirun_inside_a_slurm_job() {
    let helper = "SLURM_STEP_NUM_TASKS=2 SLURM_STEP_TASKS_PER_NODE=1(x2) SLURM_NODEID=1";
    let ranks = "OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_SIZE=4";
    check(&format!("{helper} {ranks}"), rank(8), 4);
}

#[test]
fn a_share_of_slurms_is_known() {
    let cores = |variables: &str| cores_of_slurm_job(&environment(variables));
    assert_eq!(cores("SLURM_JOB_CPUS_PER_NODE=16(x2),8 SLURM_NODEID=1"), Some(16));
    assert_eq!(cores("SLURM_JOB_CPUS_PER_NODE=16(x2),8 SLURM_NODEID=2"), Some(8));
    assert_eq!(cores("SLURM_JOB_CPUS_PER_NODE=16 SLURM_NODEID=1"), None, "nodes of another step");
    assert_eq!(cores("OMPI_COMM_WORLD_SIZE=4"), None);
}
