//! The bench measures what it says, and its check finds wrong sums.

use super::{Options, count_wrong, fill, run_local, value};
use base::Clock;
use collective::{Choice, Cut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Every look at the clock is a microsecond later.
#[derive(Default)]
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn sleep(&self, _: Duration) {}
}

#[test]
fn every_algorithm_and_size_gets_a_line() {
    let names = ["auto", "direct", "multi-color:2", "ring"];
    let options = Options {
        sizes: vec![4, 4_000],
        algorithms: names.iter().map(|name| Choice::parse(name).unwrap()).collect(),
        iterations: 3,
        warm_ups: 1,
        cut: Some(Cut { segment: 100, lanes: 2 }),
        network: None,
    };
    let mut table = Vec::new();
    let results = run_local(3, 2, &options, &Ticks::default(), &mut table).unwrap();
    assert_eq!(String::from_utf8(table).unwrap().lines().count(), 2 + 8);
    assert_eq!(results.len(), 8);
    assert!(results.iter().all(|m| m.wrong == 0 && m.workers == 3 && m.transport == "local"));
    assert_eq!(results[0].asked, "auto");
    assert_ne!(results[0].algorithm, "auto");
}

#[test]
fn wrong_values_are_counted() {
    let mut values = vec![0.0; 1000];
    fill(&mut values, 3);
    assert_eq!(values[777], value(3, 777));
    for (index, value_here) in values.iter_mut().enumerate() {
        *value_here = value(0, index) + value(1, index);
    }
    assert_eq!(count_wrong(&values, 2), 0.0);
    values[0] += 1.0;
    values[999] = f32::NAN;
    assert_eq!(count_wrong(&values, 2), 2.0);
    assert!(count_wrong(&values, 3) > 900.0);
}
