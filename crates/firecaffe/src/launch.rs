//! What a launcher says in the environment.
//!
//! | launcher | variables |
//! |---|---|
//! | Open MPI's `mpirun` | `OMPI_COMM_WORLD_SIZE`, `OMPI_COMM_WORLD_LOCAL_SIZE` |
//! | MPICH's `mpiexec` | `PMI_SIZE`, `MPI_LOCALNRANKS` |
//! | `srun --mpi=pmi2` | `PMI_SIZE`, Slurm's own |
//! | `srun --mpi=pmix` | `PMIX_RANK`; the number of ranks only in Slurm's own |
//! | `srun` without PMI | Slurm's own: the tasks cannot find each other |
//!
//! Slurm's own are `SLURM_STEP_NUM_TASKS`, `SLURM_STEP_TASKS_PER_NODE` and `SLURM_NODEID`.
//! A job's cores on each node are in `SLURM_JOB_CPUS_PER_NODE`.
//! Processes that `mpirun` starts inside a Slurm job inherit those of its helpers, so MPI's come
//! first.

mod join;

pub(crate) use join::{JoinedRanks, MpiArgs};

use std::fs;

use anyhow::{Result, bail};

/// Holds the number of tasks of an `srun`.
const TASKS: &str = "SLURM_STEP_NUM_TASKS";
/// Variables that hold the number of ranks.
const WORLD: &[&str] = &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];
/// Variables that hold the number of ranks on this machine.
const LOCAL: &[&str] = &["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];
/// Variables that hold a rank's number among those on this machine.
const LOCAL_RANK: &[&str] = &["OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"];

/// How this process was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Launch {
    /// By itself, or as the only task of an `srun`.
    Alone,
    /// As a rank of an MPI job.
    Rank,
    /// As one of several tasks of an `srun` that gives them no way to find each other.
    WithoutPmi { tasks: usize },
}

/// An environment: the process's own, or a test's.
type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

fn own(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn launch(environment: Environment<'_>) -> Launch {
    let is_set = |name: &&str| environment(name).is_some();
    if WORLD.iter().chain(&["PMIX_RANK"]).any(is_set) {
        return Launch::Rank;
    }
    match number(environment, &[TASKS]) {
        Some(tasks) if tasks > 1 => Launch::WithoutPmi { tasks },
        _ => Launch::Alone,
    }
}

/// How many ranks the launcher says it started, and the variable that says so.
fn started_world(environment: Environment<'_>) -> Option<(&'static str, usize)> {
    let named = |name: &&'static str| Some((*name, number(environment, &[name])?));
    let by_slurm = || {
        // A heterogeneous job has several steps in one world, each with its own number.
        let one_step = environment("SLURM_HET_SIZE").is_none();
        (one_step && environment("PMIX_RANK").is_some()).then(|| named(&TASKS)).flatten()
    };
    WORLD.iter().find_map(named).or_else(by_slurm)
}

/// Whether a launcher started us as a rank, or as a task that ought to be one.
fn is_launched() -> bool {
    launch(&own) != Launch::Alone
}

/// An error, before MPI starts, if the launcher gives the ranks no way to find each other.
fn check_pmi() -> Result<()> {
    match launch(&own) {
        Launch::WithoutPmi { tasks } => bail!(
            "srun started {tasks} tasks but gives them no PMI, so each would run alone; use \
             `srun --mpi=pmix` for Open MPI or `srun --mpi=pmi2` for MPICH (`srun --mpi=list` shows \
             what this Slurm has)"
        ),
        Launch::Alone | Launch::Rank => Ok(()),
    }
}

/// Ranks on this machine, as far as the launcher says it.
pub(crate) fn ranks_here() -> usize {
    ranks_on_machine(&own)
}

/// Which of them this is, as far as the launcher says it.
pub(crate) fn local_rank() -> Option<usize> {
    number(&own, LOCAL_RANK)
}

/// Cores that the job was given on this machine, as far as the launcher says it.
pub(crate) fn cores_of_job() -> Option<usize> {
    cores_of_slurm_job(&own)
}

fn cores_of_slurm_job(environment: Environment<'_>) -> Option<usize> {
    let nodes = environment("SLURM_JOB_CPUS_PER_NODE")?;
    let node = number(environment, &["SLURM_NODEID"])?;
    per_node(&nodes).nth(node).filter(|&cores| cores > 0)
}

fn ranks_on_machine(environment: Environment<'_>) -> usize {
    let slurm = || {
        let node = number(environment, &["SLURM_NODEID"])?;
        per_node(&environment("SLURM_STEP_TASKS_PER_NODE")?).nth(node)
    };
    number(environment, LOCAL).or_else(slurm).unwrap_or(1)
}

/// Slurm's list of one number per node: `2(x3),1` is 2, 2, 2, 1.
fn per_node(list: &str) -> impl Iterator<Item = usize> {
    list.split(',').flat_map(|entry| {
        let (count, nodes) = entry.split_once("(x").unwrap_or((entry, "1)"));
        let nodes = nodes.trim_end_matches(')').parse().unwrap_or(0);
        std::iter::repeat_n(count.trim().parse().unwrap_or(1), nodes)
    })
}

/// The machine's name.
pub(crate) fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "?".to_owned(), |name| name.trim().to_owned())
}

fn number(environment: Environment<'_>, names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| environment(name)?.parse().ok())
}

#[cfg(test)]
mod tests;
