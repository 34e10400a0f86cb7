//! Which cores this process may use, and the NUMA nodes they belong to.

use std::fs;
use std::path::Path;

use super::core_list::CoreList;

/// The machine as this process sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Topology {
    /// Cores that this process may run on, by NUMA node; none is empty.
    pub(crate) nodes: Vec<CoreList>,
    /// Cores of the machine.
    pub(crate) machine: usize,
}

impl Topology {
    pub(crate) fn read() -> Self {
        Self::read_with(&|path| fs::read_to_string(Path::new(path)).ok())
    }

    /// Where `/sys` says nothing of NUMA nodes, all cores are one.
    pub(super) fn read_with(read: &dyn Fn(&str) -> Option<String>) -> Self {
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
        Self { machine: machine.max(nodes.iter().map(CoreList::len).sum()), nodes }
    }

    /// Cores that this process may run on, node by node.
    pub(crate) fn cores(&self) -> Vec<usize> {
        self.nodes.iter().flat_map(CoreList::iter).collect()
    }

    /// Whether this process may run on some of the machine's cores only.
    pub(crate) fn is_bound(&self) -> bool {
        self.cores().len() < self.machine
    }

    /// All cores of the nodes that `cores` belong to.
    pub(super) fn nodes_of(&self, cores: &[usize]) -> Vec<&CoreList> {
        let has = |node: &&CoreList| cores.iter().any(|&core| node.contains(core));
        self.nodes.iter().filter(has).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Topology;

    /// A machine whose nodes have these cores, and a process that may use `allowed`.
    pub(in crate::cores) fn machine(nodes: &[&str], allowed: &str) -> Topology {
        let cores: usize = nodes.iter().map(|list| super::CoreList::parse(list).len()).sum();
        Topology::read_with(&|path| {
            let node = path.strip_prefix("/sys/devices/system/node/node");
            match path {
                "/proc/self/status" => Some(format!("Name:\tx\nCpus_allowed_list:\t{allowed}\n")),
                "/proc/cpuinfo" => Some("processor\t: 0\nmodel name\t: x\n\n".repeat(cores)),
                "/sys/devices/system/node/online" => Some(format!("0-{}\n", nodes.len() - 1)),
                _ => Some(
                    nodes.get(node?.strip_suffix("/cpulist")?.parse::<usize>().ok()?)?.to_string(),
                ),
            }
        })
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
        let topology = Topology::read_with(&read);
        assert_eq!((topology.nodes.len(), topology.cores().len()), (1, 4));
        assert_eq!(Topology::read_with(&|_| None).cores(), [0]);
    }
}
