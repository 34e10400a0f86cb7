//! Saving, loading, resuming in another world, and changing the scale of gradients.

use super::{
    CASES, TestRun, bits, config, difference, gradient, on_ranks, pool_len, setup, step, total,
};
use crate::compression::{CompressionError, ResidualState, ResidualValues};
use crate::wire;
use base::Rank;

/// Stop after two steps, and after a skipped third one; go on in a new process.
#[test]
fn a_stop_changes_nothing() {
    for text in CASES {
        for world in [1, 2, 5] {
            let test = TestRun::new(text, world, 0);
            let steps = |from: usize, to: usize, stop: Option<usize>| {
                on_ranks(test, |compressor, exchange| {
                    let rank = exchange.rank();
                    let mut last = Vec::new();
                    for at in from..to {
                        (last, _) = step(compressor, &gradient(rank.index(), at), exchange);
                        if at == 2 {
                            compressor.step_skipped();
                        }
                        if stop == Some(at) {
                            let state = compressor.save().into_owned();
                            *compressor = config(text).build(&setup(rank, wire::F32, 0.9)).unwrap();
                            compressor.load(&state).unwrap();
                        }
                    }
                    let mut left = vec![0.0; pool_len()];
                    compressor.residual_into(&mut left);
                    (bits(&last), bits(&left))
                })
            };
            let whole = steps(0, 6, None);
            for stop in [1, 2] {
                assert_eq!(steps(0, 6, Some(stop)), whole, "{text}, {world} ranks, {stop}");
            }
        }
    }
}

/// Saving does not change what comes after it either.
#[test]
fn saving_is_not_noticed() {
    for text in CASES {
        let run = |saves: bool| {
            on_ranks(TestRun::new(text, 3, 0), |compressor, exchange| {
                let rank = exchange.rank().index();
                let mut pools = Vec::new();
                for at in 0..4 {
                    pools.push(bits(&step(compressor, &gradient(rank, at), exchange).0));
                    if saves {
                        assert!(!compressor.save().vectors.is_empty());
                    }
                }
                pools
            })
        };
        assert_eq!(run(true), run(false), "{text}");
    }
}

/// Residuals of three ranks, added to the first gradients of two: the sum over all ranks is what it
/// was.
#[test]
fn residuals_move_to_another_world() {
    for text in CASES {
        let states: Vec<(ResidualState<'static>, Vec<f32>)> = on_ranks(
            TestRun { momentum: 0.5, ..TestRun::new(text, 3, 0) },
            |compressor, exchange| {
                let rank = exchange.rank().index();
                (0..3).for_each(|at| drop(step(compressor, &gradient(rank, at), exchange)));
                let state = compressor.save().into_owned();
                let mut left = vec![0.0; pool_len()];
                compressor.residual_into(&mut left);
                (state, left)
            },
        );
        let mut folded = vec![vec![0.0; pool_len()]; 2];
        for (old, (state, _)) in states.iter().enumerate() {
            // One compression of the old world per file, whoever reads it.
            let rank = Rank::new(old, 3).unwrap();
            let mut reader = config(text).build(&setup(rank, wire::F32, 0.5)).unwrap();
            reader.load(state).unwrap();
            reader.residual_into(&mut folded[old % 2]);
        }
        let got = total(folded.iter().map(|values| &values[..]));
        let want = total(states.iter().map(|(_, left)| &left[..]));
        assert!(want.iter().any(|value| *value != 0.0), "{text}: there is something to move");
        assert!(difference(&got, &want) < 1e-6, "{text}");
    }
}

/// Gradients and residuals twice as large give sums twice as large, to the bit.
#[test]
fn a_new_scale_of_gradients_is_followed() {
    for text in CASES {
        let run = |doubles: bool| {
            on_ranks(TestRun::new(text, 3, 0), |compressor, exchange| {
                let rank = exchange.rank().index();
                step(compressor, &gradient(rank, 0), exchange);
                step(compressor, &gradient(rank, 1), exchange);
                let factor = if doubles { 2.0 } else { 1.0 };
                compressor.rescale(factor);
                let scaled: Vec<f32> = gradient(rank, 2).iter().map(|g| factor * g).collect();
                let (pool, _) = step(compressor, &scaled, exchange);
                pool.iter().map(|value| value / factor).collect::<Vec<_>>()
            })
        };
        assert_eq!(run(true), run(false), "{text}");
    }
}

fn broken(change: impl Fn(&mut ResidualState<'static>)) -> CompressionError {
    let build = || config("top-k").build(&setup(Rank::ALONE, wire::F32, 0.9)).unwrap();
    let mut state = build().save().into_owned();
    change(&mut state);
    build().load(&state).unwrap_err()
}

#[test]
fn residuals_that_do_not_fit_are_refused() {
    let cases: [(CompressionError, &str); 6] = [
        (
            broken(|state| state.compression = "one-bit".to_owned()),
            "residuals of compression `one-bit` do not fit `top-k:share=0.01,warmup=0`",
        ),
        (
            broken(|state| (state.rank, state.world) = (2, 4)),
            "residuals of rank 2 of 4 do not fit rank 0 of 1",
        ),
        (
            broken(|state| state.vectors.retain(|vector| vector.name != "velocity")),
            "residuals of `top-k:share=0.01,warmup=0` have no f32 vector `velocity`",
        ),
        (
            broken(|state| {
                let values = ResidualValues::U64(vec![1].into());
                state.vectors[0].values = values;
            }),
            "residuals of `top-k:share=0.01,warmup=0` have no f32 vector `velocity`",
        ),
        (
            broken(|state| {
                let values = ResidualValues::F32(vec![1.0; 3].into());
                state.vectors[0].values = values;
            }),
            "residuals of `top-k:share=0.01,warmup=0`: `velocity` has 3 values, not 23549",
        ),
        (
            broken(|state| {
                let borders = state.vectors.iter_mut();
                let mut borders = borders.filter(|v| v.name == "borders of bucket 0");
                let values = ResidualValues::U64(vec![0, 1_000_000].into());
                borders.next().unwrap().values = values;
            }),
            "residuals of `top-k:share=0.01,warmup=0`: `borders of bucket 0` holds 1000000, which \
             is not below 611",
        ),
    ];
    for (error, want) in cases {
        assert_eq!(error.to_string(), want);
    }
}
