//! What Linux says about this machine: load of the cores, its processor and identity.

use std::fs;

/// CPU time of all cores since the machine started, in the kernel's ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CoreTimes {
    busy: u64,
    all: u64,
}

impl CoreTimes {
    /// Now; `None` where there is no `/proc/stat`.
    pub(crate) fn read() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// The first line: user, nice, system, idle, iowait, irq, softirq, steal. What a hypervisor
    /// takes away counts as busy, since nobody here could use it; work of low priority does not,
    /// since it gives way to ours.
    fn parse(stat: &str) -> Option<Self> {
        let mut words = stat.lines().next()?.split_whitespace();
        (words.next()? == "cpu").then_some(())?;
        let ticks: Vec<u64> = words.take(8).map_while(|word| word.parse().ok()).collect();
        let [_, nice, _, idle, waiting, ..] = ticks[..] else { return None };
        let all = ticks.iter().sum();
        Some(Self { busy: all - nice - idle - waiting, all })
    }

    /// How much of the cores' time was used since `then`, from 0 to 1.
    pub(crate) fn load_since(self, then: Self) -> f64 {
        let [busy, all] = [self.busy.saturating_sub(then.busy), self.all.saturating_sub(then.all)];
        busy as f64 / all.max(1) as f64
    }
}

/// The same for all that runs on this kernel, network namespaces included, and for nothing else.
pub(crate) fn identity() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id");
    id.map_or_else(|_| String::new(), |id| id.trim().to_owned())
}

/// The processor's name.
pub(crate) fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name"));
    line.map_or("unknown processor", |line| line.trim_start_matches([' ', '\t', ':'])).to_owned()
}

#[cfg(test)]
mod tests {
    use super::CoreTimes;

    #[test]
    fn load_is_what_is_neither_idle_nor_of_low_priority() {
        let at = |text: &str| CoreTimes::parse(text).unwrap();
        let begin = at("cpu  10 0 10 100 20 0 0 0 5 5\ncpu0 1 2 3\n");
        assert_eq!((begin.busy, begin.all), (20, 140));
        let end = at("cpu  20 5 15 160 30 5 5 10 9 9\n");
        assert!((end.load_since(begin) - 35.0 / 110.0).abs() < 1e-12);
        assert!(begin.load_since(begin).abs() < 1e-12);
        for text in ["", "intr 1 2 3", "cpu 1 2 x"] {
            assert_eq!(CoreTimes::parse(text), None, "{text}");
        }
    }
}
