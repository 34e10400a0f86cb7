//! Three steps by hand, reused thresholds, and the renewal of borders.

use crate::compression::Applied;
use crate::compression::tests::{TestRun, config, gradient, on_ranks, setup_of, step};
use crate::{ExchangeConfig, spawn_ranks};
use std::sync::Arc;

/// Four values, one of which is sent; momentum 0.5.
///
/// ```text
/// step 1   rank 0: v = 5 0 0 1, sends 5 at 0;  rank 1: v = 0 4 0 2, sends 4 at 1
///          the larger is 5: rank 1 keeps v = 0 4 0 2 and u = 0 4 0 2
/// step 2   rank 0: u = 0 0 0 0.5, v = 0 0 0 1.5;  rank 1: u = 0 2 0 1, v = 0 6 0 3
///          6 at 1 is applied; rank 1 has u = 0 0 0 1, v = 0 0 0 3
/// step 3   rank 0: u = 0.25, v = 1.75 at 3;  rank 1: u = 0.5, v = 3.5 at 3; applied 5.25
/// ```
#[test]
fn momentum_is_corrected() {
    let pools = spawn_ranks(2, 2, &ExchangeConfig::LOCAL, |exchange| {
        let setup = setup_of(exchange.rank(), 0.5, &[(2, 2)]);
        let mut compressor = config("top-k:share=0.25").build(&setup).unwrap();
        let first: [f32; 4] = match exchange.rank().index() {
            0 => [5.0, 0.0, 0.0, 1.0],
            _ => [0.0, 4.0, 0.0, 2.0],
        };
        [first, [0.0; 4], [0.0; 4], [0.0; 4]]
            .map(|gradient| step(&mut compressor, &gradient, exchange))
    });
    for pools in &pools {
        assert_eq!(pools[0].0, [5.0, 0.0, 0.0, 0.0]);
        assert_eq!(pools[1].0, [0.0, 6.0, 0.0, 0.0]);
        assert_eq!(pools[2].0, [0.0, 0.0, 0.0, 5.25]);
        assert_eq!(pools[3].0, [0.0; 4]); // velocity was cleared where it was applied
        let ranges = |range: std::ops::Range<usize>| Applied::Ranges(Arc::new(vec![range]));
        assert_eq!(pools[0].1.applied, ranges(0..1));
        assert_eq!(pools[1].1.applied, ranges(1..2));
        assert_eq!(pools[2].1.applied, ranges(3..4));
    }
    // Entries at 0 and 1 put the border at 1. Rank 0 sends what it keeps at 0, and what it has at 3
    // to rank 1; rank 1 sends what it keeps at 1 and 3.
    let entries: Vec<_> =
        pools.iter().map(|steps| steps.each_ref().map(|(_, done)| done.entries)).collect();
    assert_eq!(entries, [[1, 1, 1, 0], [0, 1, 1, 0]]);
}

/// Gradients of the same size: once velocities have accumulated few steps renew thresholds, which
/// shows in what is sent besides entries.
#[test]
fn thresholds_are_used_again() {
    let control = on_ranks(TestRun::new("top-k:share=0.05", 2, 0), |compressor, exchange| {
        let rank = exchange.rank().index();
        let control = |at| {
            let (_, done) = step(compressor, &gradient(rank, at), exchange);
            done.sent_bytes - 8 * done.entries
        };
        (0..60).map(control).collect::<Vec<_>>()
    });
    // Counts only: 3 buckets, 12 bytes each.
    let reused = control[0][40..].iter().filter(|&&bytes| bytes == 36).count();
    assert!(reused >= 15, "{reused} of 20 steps: {:?}", control[0]);
    assert!(control[0][0] > 10_000, "the first step finds them: {}", control[0][0]);
}

/// The values of rank 0 are all at the start: without new borders it would receive everything.
#[test]
fn borders_follow_the_entries() {
    let entries = spawn_ranks(4, 2, &ExchangeConfig::LOCAL, |exchange| {
        let setup = setup_of(exchange.rank(), 0.0, &[(200, 200)]);
        let mut compressor = config("top-k:share=0.025").build(&setup).unwrap();
        let values: Vec<f32> =
            (0..40_000).map(|at| if at < 1000 { 1.0 + at as f32 * 1e-3 } else { 1e-3 }).collect();
        let (_, done) = step(&mut compressor, &values, exchange);
        done.entries
    });
    // Each rank keeps a quarter of its thousand entries, and passes on three quarters of the sums.
    assert!(entries.iter().all(|&entries| entries.abs_diff(1500) < 50), "{entries:?}");
}

#[test]
fn the_share_falls_exponentially() {
    let counts =
        on_ranks(TestRun::new("top-k:share=0.01,warmup=2", 1, 0), |compressor, exchange| {
            let count = |at| {
                let (pool, _) = step(compressor, &gradient(0, at), exchange);
                pool.iter().filter(|value| **value != 0.0).count()
            };
            (0..4).map(count).collect::<Vec<_>>()
        });
    // 0.25, 0.05 and 0.01 of 23,549, about.
    let want = [5888, 1178, 236, 236];
    for (count, want) in counts[0].iter().zip(want) {
        assert!(count.abs_diff(want) <= want / 3 + 3, "{:?}", counts[0]);
    }
}
