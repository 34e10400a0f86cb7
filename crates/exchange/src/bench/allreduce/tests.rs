//! The bench measures what it says.

use super::{AllReduceBench, IterationOutcome, run_local};
use crate::wire::WIRE_FORMATS;
use crate::{ByteSegmentation, ExchangeConfig, spawn_ranks};
use base::Clock;
use collective::{Algorithm, AlgorithmChoice};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Every reading of the clock is a microsecond later.
#[derive(Debug, Default)]
struct OneMicrosecond(AtomicU64);

impl Clock for OneMicrosecond {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn sleep(&self, _: Duration) {}
}

#[test]
fn every_algorithm_and_size_gets_a_line_in_every_format() {
    let names = ["auto", "direct", "multi-color:2", "ring"];
    for wire in WIRE_FORMATS {
        let options = AllReduceBench {
            sizes: vec![4, 4_000],
            algorithms: names.iter().map(|name| name.parse().unwrap()).collect(),
            iterations: 3,
            warm_ups: 1,
            wire,
            segmentation: Some(ByteSegmentation { segment_bytes: 400, lanes: 2 }),
            network: None,
        };
        let mut table = Vec::new();
        let results = run_local(3, 2, &options, &OneMicrosecond::default(), &mut table).unwrap();
        assert_eq!(String::from_utf8(table).unwrap().lines().count(), 2 + 8);
        assert_eq!(results.len(), 8);
        assert!(results.iter().all(|m| m.wrong == 0 && m.workers == 3 && m.transport == "local"));
        assert_eq!((&results[0].asked, results[7].bytes()), (&AlgorithmChoice::Auto, 4_000));
        assert!(results[0].algorithm.is_direct(), "what `auto` is between threads");
    }
}

/// Unless told otherwise, all are measured; the library's own only where there is one.
#[test]
fn all_algorithms_are_those_that_can_run() {
    let options = AllReduceBench {
        sizes: vec![400],
        algorithms: Vec::new(),
        iterations: 1,
        warm_ups: 0,
        wire: crate::wire::F32,
        segmentation: None,
        network: None,
    };
    let clock = OneMicrosecond::default();
    let results = run_local(2, 2, &options, &clock, &mut Vec::new()).unwrap();
    let ran: Vec<_> = results.into_iter().map(|result| result.algorithm).collect();
    assert_eq!(ran, collective::all_with_plans());
    let with_library = AllReduceBench::all_algorithms(true);
    assert_eq!(with_library.len(), ran.len() + 1);
    assert!(with_library.contains(&AlgorithmChoice::Named(Algorithm::library())));
}

/// Times are not added, counts are, and neither is rounded to `f32`.
#[test]
fn an_iteration_takes_as_long_as_its_slowest_rank() {
    let merged = spawn_ranks(3, 2, &ExchangeConfig::LOCAL, |exchange| {
        let rank = exchange.rank().index();
        let ours = [(1.25, 1 << 25), (1e9 + 0.5, 1), (0.0, 0)][rank];
        let ours = IterationOutcome { time_us: ours.0, wrong: ours.1 };
        ours.of_all_ranks(exchange).unwrap()
    });
    let want = IterationOutcome { time_us: 1e9 + 0.5, wrong: (1 << 25) + 1 };
    assert_eq!(merged, [want; 3]);
}
