//! What a launcher (`mpirun`, `srun`) says in the environment, and the cores that are ours.

use std::fs;
use std::thread;

/// Variables that hold the number of ranks: Open MPI's, and those of MPICH and Slurm's PMI.
const WORLD: &[&str] = &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];
/// Variables that hold the number of ranks on this machine.
const HERE: &[&str] = &["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];

/// Says what to build.
#[cfg(not(feature = "mpi"))]
pub(crate) const NO_MPI: &str = "this binary was built without MPI; build it with `cargo build \
     --release -p firecaffe --features mpi`";

/// Whether a launcher started us as one of several ranks.
pub(crate) fn is_launched() -> bool {
    WORLD.iter().any(|name| std::env::var_os(name).is_some())
}

/// Cores that this process may run on.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// This rank's share of the machine: the cores it is bound to, or if it is bound to none an equal part
/// of all.
pub(crate) fn share_of_cores() -> usize {
    let here = if is_bound() { 1 } else { number(HERE).unwrap_or(1) };
    (cores() / here.max(1)).max(1)
}

/// Whether this process may run on some of the machine's cores only.
fn is_bound() -> bool {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let status = read("/proc/self/status");
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let all = read("/proc/cpuinfo").lines().filter(|line| line.starts_with("processor")).count();
    allowed.is_some_and(|list| count(list) < all)
}

/// The number of cores in a list like `0-3,8`.
fn count(list: &str) -> usize {
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let [first, last] = [first, last].map(|text| text.trim().parse::<usize>().ok());
        first.zip(last).map_or(0, |(first, last)| (last + 1).saturating_sub(first))
    };
    list.split(',').map(count).sum()
}

/// The machine's name.
#[cfg(feature = "mpi")]
pub(crate) fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "?".to_owned(), |name| name.trim().to_owned())
}

fn number(names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn lists_of_cores_are_counted() {
        for (list, want) in [("\t0-1", 2), ("3", 1), ("0-3,8,10-11\n", 7), ("", 0), ("x-2", 0)] {
            assert_eq!(count(list), want, "{list}");
        }
    }
}
