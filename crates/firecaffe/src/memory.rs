//! How much memory the processes of this machine may still use.
//!
//! The machine's own figure, and the limits of the control groups that this process is in (the
//! memory of a container, a Slurm job or a systemd unit), whichever is least. Cached files do not
//! count as used: the kernel drops them when memory is needed.

use std::fs;

/// Reads a file of the kernel; `None` when there is none.
type ReadFile<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Names of the files of one version of control groups.
struct GroupFiles {
    limit: &'static str,
    used: &'static str,
    /// The entry of `memory.stat` for cached files that can be dropped.
    cached: &'static str,
}

const VERSION_1: GroupFiles = GroupFiles {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    cached: "total_inactive_file",
};
const VERSION_2: GroupFiles =
    GroupFiles { limit: "memory.max", used: "memory.current", cached: "inactive_file" };

/// Bytes that may still be used; `None` when the kernel does not say.
pub(crate) fn available() -> Option<u64> {
    available_by(&|path| fs::read_to_string(path).ok())
}

fn available_by(read: ReadFile<'_>) -> Option<u64> {
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let in_groups = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or(""), fields.next().unwrap_or(""));
        match controllers {
            "" => limits(read, "/sys/fs/cgroup", path, &VERSION_2),
            list if list.split(',').any(|name| name == "memory") => {
                limits(read, "/sys/fs/cgroup/memory", path, &VERSION_1)
            }
            _ => Vec::new(),
        }
    });
    in_groups.chain(of_machine(read)).min()
}

/// `MemAvailable` of the machine.
fn of_machine(read: ReadFile<'_>) -> Option<u64> {
    let info = read("/proc/meminfo")?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// What each group from `path` up to the root leaves, where it has a limit. In a container the path
/// may not be visible, but its root is.
fn limits(read: ReadFile<'_>, root: &str, path: &str, files: &GroupFiles) -> Vec<u64> {
    let path = path.trim_end_matches('/');
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    let left = |end: usize| {
        let group = format!("{root}{}", &path[..end]);
        let number = |file: &str| read(&format!("{group}/{file}"))?.trim().parse::<u64>().ok();
        let (limit, used) = (number(files.limit)?, number(files.used)?);
        let stat = read(&format!("{group}/memory.stat")).unwrap_or_default();
        let cached = stat.lines().find_map(|line| {
            line.strip_prefix(files.cached)?.strip_prefix(' ')?.parse::<u64>().ok()
        });
        Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
    };
    ends.filter_map(left).collect()
}

#[cfg(test)]
mod tests {
    use super::available_by;

    fn available(files: &[(&str, &str)]) -> Option<u64> {
        available_by(&|path| {
            let found = files.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned())
        })
    }

    const MEMINFO: (&str, &str) =
        ("/proc/meminfo", "MemTotal:  9000 kB\nMemFree: 1 kB\nMemAvailable:    5000 kB\n");

    #[test]
    fn the_least_limit_counts() {
        assert_eq!(available(&[]), None);
        assert_eq!(available(&[MEMINFO]), Some(5000 * 1024));
        let version_2 = [
            MEMINFO,
            ("/proc/self/cgroup", "0::/job/step\n"),
            ("/sys/fs/cgroup/job/memory.max", "3000000\n"),
            ("/sys/fs/cgroup/job/memory.current", "2000000\n"),
            ("/sys/fs/cgroup/job/memory.stat", "anon 5\ninactive_file 500000\n"),
            ("/sys/fs/cgroup/job/step/memory.max", "max\n"),
            ("/sys/fs/cgroup/job/step/memory.current", "1\n"),
        ];
        assert_eq!(available(&version_2), Some(1_500_000));
        let version_1 = [
            MEMINFO,
            ("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/1\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4000000"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "9000000"),
            ("/sys/fs/cgroup/memory/memory.stat", "total_inactive_file 6000000"),
        ];
        assert_eq!(available(&version_1), Some(1_000_000), "the root that a container sees");
        let unlimited = [
            MEMINFO,
            ("/proc/self/cgroup", "4:memory:/"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "9000000"),
        ];
        assert_eq!(available(&unlimited), Some(5000 * 1024));
    }
}
