//! How long the threads of this process ran, and how long they waited for a core, as the kernel's
//! scheduler counts it.

use std::collections::BTreeMap;
use std::fs;

/// Of each thread, in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SchedulerTimes(BTreeMap<String, [u64; 2]>);

impl SchedulerTimes {
    /// Now; `None` where the kernel does not count.
    pub(super) fn read() -> Option<Self> {
        let mut times = BTreeMap::new();
        for thread in fs::read_dir("/proc/self/task").ok()? {
            let thread = thread.ok()?;
            // A thread that has just ended has no file any more.
            let text = fs::read_to_string(thread.path().join("schedstat")).ok();
            if let Some(counted) = text.as_deref().and_then(parse) {
                times.insert(thread.file_name().to_string_lossy().into_owned(), counted);
            }
        }
        (!times.is_empty()).then_some(Self(times))
    }

    /// Seconds that all threads together have run and have waited since `then`. Threads that have
    /// ended, or begun, meanwhile are left out.
    pub(super) fn since(&self, then: &Self) -> (f64, f64) {
        let mut sums = [0; 2];
        for (thread, now) in &self.0 {
            if let Some(then) = then.0.get(thread) {
                for (sum, (now, then)) in sums.iter_mut().zip(now.iter().zip(then)) {
                    *sum += now.saturating_sub(*then);
                }
            }
        }
        let [ran, waited] = sums.map(|nanoseconds: u64| nanoseconds as f64 / 1e9);
        (ran, waited)
    }
}

/// `ran waited slices`.
fn parse(text: &str) -> Option<[u64; 2]> {
    let mut words = text.split_whitespace().map_while(|word| word.parse().ok());
    Some([words.next()?, words.next()?])
}

#[cfg(test)]
mod tests {
    use super::{BTreeMap, SchedulerTimes, parse};

    #[test]
    fn times_of_threads_add_up() {
        assert_eq!(parse("150971 2041254 2\n"), Some([150_971, 2_041_254]));
        assert_eq!(parse("12"), None);
        let times = |entries: &[(&str, [u64; 2])]| {
            let entries = entries.iter().map(|(name, times)| ((*name).to_owned(), *times));
            SchedulerTimes(entries.collect::<BTreeMap<_, _>>())
        };
        let then = times(&[("1", [0, 0]), ("2", [5, 5]), ("gone", [9, 9])]);
        let now = times(&[("1", [1_000_000_000, 0]), ("2", [5, 500_000_005]), ("new", [7, 7])]);
        assert_eq!(now.since(&then), (1.0, 0.5));
    }
}
