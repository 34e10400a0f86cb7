//! Which cores this process may use, and the NUMA nodes they belong to.

use std::fs;
use std::path::Path;

use super::core_list::CoreList;
use crate::launch;

/// The machine as this process sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Topology {
    /// Cores that this process may run on, by NUMA node; none is empty.
    pub(crate) nodes: Vec<CoreList>,
    /// Cores that the job was given of the machine: all, or those of its container or its share of
    /// Slurm's.
    pub(crate) given: usize,
}

impl Topology {
    pub(crate) fn read() -> Self {
        Self::read_with(&|path| fs::read_to_string(Path::new(path)).ok(), launch::cores_of_job())
    }

    /// Where `/sys` says nothing of NUMA nodes, all cores are one. `by_launcher` is how many cores
    /// a launcher says that the job was given here.
    pub(super) fn read_with(
        read: &dyn Fn(&str) -> Option<String>,
        by_launcher: Option<usize>,
    ) -> Self {
        let text = |path: &str| read(path).unwrap_or_default();
        let status = text("/proc/self/status");
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let is_core = |line: &&str| line.starts_with("processor");
        let machine = text("/proc/cpuinfo").lines().filter(is_core).count();
        let allowed = allowed.map_or_else(|| (0..machine.max(1)).collect(), CoreList::parse);
        let nodes = CoreList::parse(&text("/sys/devices/system/node/online"));
        let of_node = |node: usize| -> CoreList {
            let list = text(&format!("/sys/devices/system/node/node{node}/cpulist"));
            CoreList::parse(&list).iter().filter(|&core| allowed.contains(core)).collect()
        };
        let mut nodes: Vec<CoreList> =
            nodes.iter().map(of_node).filter(|cores| !cores.is_empty()).collect();
        if nodes.iter().map(CoreList::len).sum::<usize>() != allowed.len() {
            nodes = vec![allowed];
        }
        let given = by_launcher.or_else(|| cores_of_group(read)).unwrap_or(machine).min(machine);
        Self { given: given.max(nodes.iter().map(CoreList::len).sum()), nodes }
    }

    /// Cores that this process may run on, node by node.
    pub(crate) fn cores(&self) -> Vec<usize> {
        self.nodes.iter().flat_map(CoreList::iter).collect()
    }

    /// The same in rising order.
    pub(super) fn list(&self) -> CoreList {
        self.nodes.iter().flat_map(CoreList::iter).collect()
    }

    /// Whether this process may run on some of the job's cores only.
    pub(crate) fn is_bound(&self) -> bool {
        self.cores().len() < self.given
    }

    /// All cores of the nodes that `cores` belong to.
    pub(super) fn nodes_of(&self, cores: &[usize]) -> Vec<&CoreList> {
        let has = |node: &&CoreList| cores.iter().any(|&core| node.contains(core));
        self.nodes.iter().filter(has).collect()
    }
}

/// How many cores the control group of this process leaves it. Where a container does not see its
/// own group, the root of what is mounted is that.
fn cores_of_group(read: &dyn Fn(&str) -> Option<String>) -> Option<usize> {
    read("/proc/self/cgroup")?.lines().find_map(|line| {
        // Number, controllers, path: `5:cpuset:/job`; version 2 has `0::/job`.
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (mount, file) = match controllers {
            "" => ("/sys/fs/cgroup", "cpuset.cpus.effective"),
            _ if controllers.split(',').any(|name| name == "cpuset") => {
                ("/sys/fs/cgroup/cpuset", "cpuset.effective_cpus")
            }
            _ => return None,
        };
        let group = Path::new(mount).join(path.trim_start_matches('/'));
        let above = group.ancestors().take_while(|folder| folder.starts_with(mount));
        let list = above.filter_map(|folder| read(folder.join(file).to_str()?)).next()?;
        Some(CoreList::parse(&list).len()).filter(|&cores| cores > 0)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::Topology;

    /// A machine whose nodes have these cores, and a process that may use `allowed`.
    pub(in crate::cores) fn machine(nodes: &[&str], allowed: &str) -> Topology {
        Topology::read_with(&files(nodes, allowed), None)
    }

    /// The files that say so.
    fn files(nodes: &[&str], allowed: &str) -> impl Fn(&str) -> Option<String> {
        let cores: usize = nodes.iter().map(|list| super::CoreList::parse(list).len()).sum();
        let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
        let allowed = allowed.to_owned();
        move |path| {
            let node = path.strip_prefix("/sys/devices/system/node/node");
            match path {
                "/proc/self/status" => Some(format!("Name:\tx\nCpus_allowed_list:\t{allowed}\n")),
                "/proc/cpuinfo" => Some("processor\t: 0\nmodel name\t: x\n\n".repeat(cores)),
                "/sys/devices/system/node/online" => Some(format!("0-{}\n", nodes.len() - 1)),
                _ => nodes.get(node?.strip_suffix("/cpulist")?.parse::<usize>().ok()?).cloned(),
            }
        }
    }

    #[test]
    fn nodes_have_the_cores_that_are_allowed() {
        let nodes = |topology: &Topology| -> Vec<String> {
            topology.nodes.iter().map(ToString::to_string).collect()
        };
        let two = ["0-3,8-11", "4-7,12-15"];
        let all = machine(&two, "0-15");
        assert_eq!(nodes(&all), ["0-3,8-11", "4-7,12-15"]);
        assert!(!all.is_bound());
        let some = machine(&two, "2-5");
        assert_eq!(nodes(&some), ["2-3", "4-5"]);
        assert!(some.is_bound());
        assert_eq!(nodes(&machine(&two, "4")), ["4"]);
    }

    #[test]
    fn without_nodes_all_cores_are_one() {
        let read = |path: &str| match path {
            "/proc/self/status" => Some("Cpus_allowed_list:\t0-3\n".to_owned()),
            _ => None,
        };
        let topology = Topology::read_with(&read, None);
        assert_eq!((topology.nodes.len(), topology.cores().len()), (1, 4));
        assert_eq!(Topology::read_with(&|_| None, None).cores(), [0]);
    }

    /// Who has all that a container or Slurm gives is not bound.
    #[test]
    fn a_part_of_a_machine_is_all_that_was_given() {
        let files = files(&["0-31", "32-63"], "16-31");
        let given = |group: &'static str, path: &'static str, by_launcher| {
            let read = |asked: &str| match asked {
                "/proc/self/cgroup" => Some(group.to_owned()),
                _ if asked == path => Some("16-31\n".to_owned()),
                _ => files(asked),
            };
            let topology = Topology::read_with(&read, by_launcher);
            (topology.given, topology.is_bound())
        };
        assert_eq!(given("", "", None), (64, true));
        assert_eq!(given("", "", Some(16)), (16, false), "Slurm's share");
        assert_eq!(given("", "", Some(32)), (32, true), "half of it");
        let v2 = "/sys/fs/cgroup/cpuset.cpus.effective";
        assert_eq!(given("0::/\n", v2, None), (16, false), "a container");
        let above = "/sys/fs/cgroup/job/cpuset.cpus.effective";
        assert_eq!(given("0::/job/step/task\n", above, None), (16, false));
        assert_eq!(given("0::/job\n", above, Some(64)), (64, true), "a step of a larger job");
        let v1 = "/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus";
        assert_eq!(given("4:memory:/x\n3:cpuset,cpu:/job\n0::/\n", v1, None), (16, false));
    }
}
