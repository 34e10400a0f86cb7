//! How much memory this process may still take: the least of what Linux says in several places.
//!
//! | limit | read from |
//! |---|---|
//! | what the machine has left | `MemAvailable` of `/proc/meminfo` |
//! | control groups, version 2 | `memory.max`, `memory.current` and `memory.stat` |
//! | control groups, version 1 | `memory.limit_in_bytes`, `memory.usage_in_bytes`, `memory.stat` |
//! | `RLIMIT_AS` | `/proc/self/limits`, less `VmSize` of `/proc/self/status` |
//!
//! A control group is limited by those above it too. Inside a container its own path may not be
//! mounted; then the root of the mount is the container's group. File pages that the kernel can
//! drop count as free. Ranks on one machine divide machine and control groups among themselves;
//! ranks that tell each other what these are ([`memory_pools`]) know which of them they share.
//! Where nothing can be read there is no limit.

use std::fs;
use std::path::{Path, PathBuf};

use train::{LimitOrigin, MemoryLimit, MemoryPool};

use crate::launch;

/// Reads a file: the machine's own, or a test's.
type ReadText<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// The limit of this process at present.
pub(crate) fn memory_limit() -> Option<MemoryLimit> {
    limit(&read_file, launch::ranks_here())
}

/// Bytes that the ranks on this machine may still take together.
pub(crate) fn free_bytes_here() -> Option<u64> {
    limit(&read_file, 1).map(|limit| limit.bytes as u64)
}

/// What this process takes its memory from.
pub(crate) fn memory_pools() -> Vec<MemoryPool> {
    pools(&read_file)
}

fn read_file(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn limit(read: ReadText<'_>, ranks: usize) -> Option<MemoryLimit> {
    let limit = |MemoryPool { origin, bytes, .. }| {
        let ranks = if origin == LimitOrigin::AddressSpace { 1 } else { ranks.max(1) };
        MemoryLimit { bytes: usize::try_from(bytes).unwrap_or(usize::MAX) / ranks, origin }
    };
    pools(read).into_iter().map(limit).min_by_key(|limit| limit.bytes)
}

fn pools(read: ReadText<'_>) -> Vec<MemoryPool> {
    let pool = |origin| {
        move |(group, bytes): (String, usize)| MemoryPool { origin, group, bytes: bytes as u64 }
    };
    let alone = |bytes| (String::new(), bytes);
    let machine = machine(read).map(alone).map(pool(LimitOrigin::Machine));
    let groups = control_groups(read).into_iter().map(pool(LimitOrigin::ControlGroup));
    let space = address_space(read).map(alone).map(pool(LimitOrigin::AddressSpace));
    machine.into_iter().chain(groups).chain(space).collect()
}

fn machine(read: ReadText<'_>) -> Option<usize> {
    kilobytes(&read(Path::new("/proc/meminfo"))?, "MemAvailable:")
}

fn address_space(read: ReadText<'_>) -> Option<usize> {
    let limits = read(Path::new("/proc/self/limits"))?;
    let soft = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let soft: usize = soft.split_whitespace().next()?.parse().ok()?; // or `unlimited`
    let status = read(Path::new("/proc/self/status"))?;
    Some(soft.saturating_sub(kilobytes(&status, "VmSize:")?))
}

/// What a version of control groups calls its files.
struct GroupFiles {
    mount: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// The line of `memory.stat` with the file pages that were not used lately.
    droppable: &'static str,
}

const V1: GroupFiles = GroupFiles {
    mount: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    droppable: "total_inactive_file",
};

const V2: GroupFiles = GroupFiles {
    mount: "/sys/fs/cgroup",
    limit: "memory.max",
    usage: "memory.current",
    droppable: "inactive_file",
};

/// What is left of the control groups that this process is in, by their folders.
fn control_groups(read: ReadText<'_>) -> Vec<(String, usize)> {
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let left = groups.lines().map(|line| {
        // Number, controllers, path: `5:cpu,memory:/job`; version 2 has `0::/job`.
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or(""), fields.next().unwrap_or("/"));
        let files = match controllers {
            "" => Some(&V2),
            _ => controllers.split(',').any(|name| name == "memory").then_some(&V1),
        };
        files.map_or_else(Vec::new, |files| files.left_below_root(path, read))
    });
    left.flatten().collect()
}

impl GroupFiles {
    /// What the group at `path` and those above it have left.
    fn left_below_root(&self, path: &str, read: ReadText<'_>) -> Vec<(String, usize)> {
        let group = PathBuf::from(self.mount).join(path.trim_start_matches('/'));
        let above = group.ancestors().take_while(|folder| folder.starts_with(self.mount));
        let left = |folder: &Path| Some((folder.display().to_string(), self.left(folder, read)?));
        above.filter_map(left).collect()
    }

    fn left(&self, folder: &Path, read: ReadText<'_>) -> Option<usize> {
        let number = |file: &str| read(&folder.join(file))?.trim().parse::<usize>().ok();
        let limit = number(self.limit)?; // or `max`
        let stat = read(&folder.join("memory.stat")).unwrap_or_default();
        let mut words = stat.lines().map(|line| line.split_whitespace());
        let droppable = words.find_map(|mut line| {
            if line.next() == Some(self.droppable) { line.next()?.parse().ok() } else { None }
        });
        let used = number(self.usage).unwrap_or(0).saturating_sub(droppable.unwrap_or(0));
        Some(limit.saturating_sub(used))
    }
}

/// The number of kilobytes after `name`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<usize> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.split_whitespace().next()?.parse::<usize>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use train::LimitOrigin::{AddressSpace, ControlGroup, Machine};
    use train::MemoryLimit;

    use super::{limit, pools};

    /// The limit of a process that sees these files.
    fn of(files: &[(&str, &str)], ranks: usize) -> Option<MemoryLimit> {
        let read = |path: &std::path::Path| {
            let found = files.iter().find(|(name, _)| path == std::path::Path::new(name));
            found.map(|(_, text)| (*text).to_owned())
        };
        limit(&read, ranks)
    }

    /// A task of a job: ranks that name the same folder share its limit.
    #[test]
    fn every_limited_control_group_is_a_pool_of_its_own() {
        let files = [
            MEMINFO,
            V2_GROUP,
            ("/sys/fs/cgroup/a/b/memory.max", "700"),
            ("/sys/fs/cgroup/a/memory.max", "5000"),
        ];
        let read = |path: &std::path::Path| {
            let found = files.iter().find(|(name, _)| path == std::path::Path::new(name));
            found.map(|(_, text)| (*text).to_owned())
        };
        let named: Vec<_> =
            pools(&read).into_iter().map(|pool| (pool.origin, pool.group, pool.bytes)).collect();
        let want = [
            (Machine, "", 8_192_000),
            (ControlGroup, "/sys/fs/cgroup/a/b", 700),
            (ControlGroup, "/sys/fs/cgroup/a", 5000),
        ];
        assert_eq!(named, want.map(|(origin, group, bytes)| (origin, group.to_owned(), bytes)));
    }

    const MEMINFO: (&str, &str) = ("/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    8000 kB\n");
    const V1_GROUP: (&str, &str) = ("/proc/self/cgroup", "3:cpu:/a\n2:cpuset,memory:/a/b\n1:x:/");
    const V2_GROUP: (&str, &str) = ("/proc/self/cgroup", "0::/a/b\n");

    #[test]
    fn the_least_limit_counts() {
        let v1_limit = "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes";
        let v1_usage = ("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "1000\n");
        let v1_stat = ("/sys/fs/cgroup/memory/a/b/memory.stat", "cache 5\ntotal_inactive_file 400");
        let limits = |soft| ("/proc/self/limits", soft);
        let soft = "Max stack size  8 8 bytes\nMax address space  2048000  unlimited  bytes\n";
        let size = ("/proc/self/status", "VmPeak: 7 kB\nVmSize:\t 1000 kB\n");
        let endless = "Max address space  unlimited  unlimited  bytes\n";
        for (what, files, ranks, want) in [
            ("nothing can be read", vec![], 1, None),
            ("the machine", vec![MEMINFO], 1, Some((8_192_000, Machine))),
            ("four ranks", vec![MEMINFO], 4, Some((2_048_000, Machine))),
            ("nonsense", vec![("/proc/meminfo", "MemAvailable: many kB")], 1, None),
            (
                "version 2",
                vec![
                    MEMINFO,
                    V2_GROUP,
                    ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
                    ("/sys/fs/cgroup/a/memory.max", "5000"),
                    ("/sys/fs/cgroup/a/memory.current", "3000"),
                    ("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 500\n"),
                ],
                1,
                Some((2500, ControlGroup)),
            ),
            (
                "the container's own",
                vec![V2_GROUP, ("/sys/fs/cgroup/memory.max", "6000")],
                2,
                Some((3000, ControlGroup)),
            ),
            (
                "version 1",
                vec![V1_GROUP, (v1_limit, "9000"), v1_usage, v1_stat],
                1,
                Some((8400, ControlGroup)),
            ),
            (
                "version 1 without a limit",
                vec![MEMINFO, V1_GROUP, (v1_limit, "9223372036854771712"), v1_usage],
                1,
                Some((8_192_000, Machine)),
            ),
            ("used up", vec![V1_GROUP, (v1_limit, "10"), v1_usage], 1, Some((0, ControlGroup))),
            (
                "address space",
                vec![MEMINFO, limits(soft), size],
                3,
                Some((1_024_000, AddressSpace)),
            ),
            (
                "no address space",
                vec![MEMINFO, limits(endless), size],
                1,
                Some((8_192_000, Machine)),
            ),
        ] {
            let want = want.map(|(bytes, origin)| MemoryLimit { bytes, origin });
            assert_eq!(of(&files, ranks), want, "{what}");
        }
    }
}
