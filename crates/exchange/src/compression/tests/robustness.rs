//! Values that are not finite, hostile ones, and skipped steps.

use super::{CASES, TestRun, bits, difference, gradient, net, on_ranks, pool_len, step, total};
use crate::wire::WIRE_FORMATS;

/// Where a value that is not finite is put: in each param, of every kind.
fn places() -> Vec<usize> {
    net().0.params.iter().map(|param| param.range.start + param.range.len() / 2).collect()
}

/// It reaches all ranks, or all ranks say so; after the step is skipped all is finite again.
#[test]
fn what_is_not_finite_reaches_all_ranks() {
    for text in CASES {
        for (at, bad) in places()
            .into_iter()
            .zip([f32::NAN, f32::INFINITY, f32::NEG_INFINITY].into_iter().cycle())
        {
            // In the fourth step: chunks are unsent and thresholds known by then.
            let ends = on_ranks(TestRun::new(text, 3, 0), |compressor, exchange| {
                let rank = exchange.rank().index();
                for at in 0..3 {
                    let (pool, done) = step(compressor, &gradient(rank, at), exchange);
                    assert!(!done.not_finite && pool.iter().all(|value| value.is_finite()));
                }
                let mut broken = gradient(rank, 3);
                if rank == 1 {
                    broken[at] = bad;
                }
                let (pool, done) = step(compressor, &broken, exchange);
                compressor.step_skipped();
                let (after, again) = step(compressor, &gradient(rank, 4), exchange);
                let mut left = vec![0.0; pool_len()];
                compressor.residual_into(&mut left);
                assert!(left.iter().all(|value| value.is_finite()), "{text}, {bad} at {at}");
                (pool, done, after, again)
            });
            for (pool, done, after, again) in &ends {
                let context = format!("{text}, {bad} at {at}");
                let arrived = pool.iter().any(|value| !value.is_finite());
                assert!(arrived || done.not_finite, "{context}");
                assert_eq!(done.not_finite, ends[0].1.not_finite, "{context}");
                assert_eq!(bits(pool), bits(&ends[0].0), "{context}");
                assert!(!again.not_finite, "{context}");
                assert!(after.iter().all(|value| value.is_finite()), "{context}");
                assert_eq!(bits(after), bits(&ends[0].2), "{context}");
            }
        }
    }
}

/// A chunk that nobody sends, and a value far below the largest: still not silent.
#[test]
fn a_gradient_that_is_nothing_but_nan_is_reported() {
    for text in CASES {
        let ends = on_ranks(TestRun::new(text, 2, 0), |compressor, exchange| {
            let rank = exchange.rank().index();
            step(compressor, &gradient(rank, 0), exchange);
            step(compressor, &vec![f32::NAN; pool_len()], exchange).1
        });
        assert!(ends.iter().all(|done| done.not_finite), "{text}");
    }
}

/// Largest, smallest, zero and denormal values: no panic, same bits on all ranks.
#[test]
fn hostile_values_do_no_harm() {
    let hostile = |rank: usize, at: usize, index: usize| {
        const VALUES: [f32; 9] =
            [f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45, 0.0, -0.0, 1.0, -1e-20, 3e38];
        VALUES[(index * 7 + rank * 3 + at * 5 + index / 100) % VALUES.len()]
    };
    for text in CASES {
        for format in WIRE_FORMATS {
            for world in [1, 3] {
                let test = TestRun { wire: format, ..TestRun::new(text, world, 0) };
                let ends = on_ranks(test, |compressor, exchange| {
                    let rank = exchange.rank().index();
                    let mut pools = Vec::new();
                    for at in 0..4 {
                        let values: Vec<f32> = (0..pool_len())
                            .map(|index| if at == 3 { 0.0 } else { hostile(rank, at, index) })
                            .collect();
                        let (pool, done) = step(compressor, &values, exchange);
                        if done.not_finite || pool.iter().any(|value| !value.is_finite()) {
                            compressor.step_skipped();
                        }
                        pools.push(bits(&pool));
                    }
                    pools
                });
                assert!(ends.iter().all(|pools| *pools == ends[0]), "{text}, {format}, {world}");
            }
        }
    }
}

#[test]
fn gradients_of_zero_stay_zero() {
    for text in CASES {
        let ends = on_ranks(TestRun::new(text, 3, 0), |compressor, exchange| {
            let zeros = vec![0.0; pool_len()];
            (0..3).map(|_| step(compressor, &zeros, exchange)).collect::<Vec<_>>()
        });
        for (pool, done) in ends.iter().flatten() {
            assert!(!done.not_finite && pool.iter().all(|value| *value == 0.0), "{text}");
        }
    }
}

/// A skipped step's gradient is unsent, not lost: with error feedback all of it comes later.
#[test]
fn a_skipped_step_counts_as_unsent() {
    for text in CASES.iter().filter(|text| !text.starts_with("sparse")) {
        let test = TestRun { momentum: 0.0, ..TestRun::new(text, 3, 0) };
        let ends = on_ranks(test, |compressor, exchange| {
            let rank = exchange.rank().index();
            let mut pools = Vec::new();
            for at in 0..6 {
                let (pool, _) = step(compressor, &gradient(rank, at), exchange);
                if at % 3 == 1 {
                    compressor.step_skipped();
                } else {
                    pools.push(pool);
                }
            }
            let mut left = vec![0.0; pool_len()];
            compressor.residual_into(&mut left);
            (pools, left)
        });
        let dense: Vec<bool> = dense_values(text);
        let applied = ends[0].0.iter().map(|pool| &pool[..]);
        let mut got = total(applied.chain(ends.iter().map(|(_, left)| &left[..])));
        let gradients: Vec<_> = (0..18).map(|at| gradient(at % 3, at / 3)).collect();
        let mut want = total(gradients.iter().map(|gradient| &gradient[..]));
        // What is summed densely has no residual: of a skipped step nothing is left of it.
        for (at, _) in dense.iter().enumerate().filter(|(_, dense)| **dense) {
            (got[at], want[at]) = (0.0, 0.0);
        }
        let off = difference(&got, &want);
        assert!(off < 2e-6, "{text}: {off}");
    }
}

/// Which values a row sums densely.
fn dense_values(text: &str) -> Vec<bool> {
    let mut dense = vec![false; pool_len()];
    for param in net().0.params {
        let factors = |rank: usize| rank * (param.rows + param.columns) >= param.range.len();
        let is_dense = match text {
            "one-bit" => param.is_vector() || param.columns < 4,
            "power-sgd:rank=1" => param.is_vector() || factors(1),
            "power-sgd:rank=3" => param.is_vector() || factors(3),
            _ => false,
        };
        dense[param.range].fill(is_dense);
    }
    dense
}

/// f16 overflows on the wire though every rank's values are finite: it is seen, and undone.
#[test]
fn overflow_on_the_wire_is_seen() {
    for text in CASES.iter().filter(|text| text.contains(':') && !text.starts_with("threshold")) {
        let test = TestRun { wire: "f16".parse().unwrap(), ..TestRun::new(text, 2, 0) };
        let ends = on_ranks(test, |compressor, exchange| {
            let rank = exchange.rank().index();
            let large: Vec<f32> = gradient(rank, 0).iter().map(|value| 1e6 * value).collect();
            let (pool, _) = step(compressor, &large, exchange);
            compressor.step_skipped();
            let mut left = vec![0.0; pool_len()];
            compressor.residual_into(&mut left);
            (pool, left)
        });
        for (pool, left) in &ends {
            assert!(pool.iter().any(|value| !value.is_finite()), "{text}");
            assert!(left.iter().all(|value| value.is_finite()), "{text}");
            assert!(left.iter().any(|value| *value != 0.0), "{text}: what was finite is kept");
        }
    }
}
