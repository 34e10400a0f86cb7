//! Same bits on all ranks, repeatable, and nothing lost.

use super::{CASES, TestRun, WORLDS, bits, difference, gradient, on_ranks, pool_len, run, total};
use crate::compression::{Applied, MomentumUse};
use crate::wire::{self, WIRE_FORMATS};

#[test]
fn all_ranks_have_the_same_bits_and_repeat_them() {
    for text in CASES {
        for world in WORLDS {
            for format in WIRE_FORMATS {
                let test = TestRun { wire: format, ..TestRun::new(text, world, 4) };
                let (first, second) = (run(test), run(test));
                for rank in 0..world {
                    for at in 0..test.steps {
                        let context = format!("{text}, {format}, rank {rank} of {world}, {at}");
                        let (pool, done) = &first[rank][at];
                        assert_eq!(bits(pool), bits(&first[0][at].0), "{context}: ranks differ");
                        assert_eq!(done.applied, first[0][at].1.applied, "{context}");
                        assert_eq!(bits(pool), bits(&second[rank][at].0), "{context}: repeated");
                        assert!(!done.not_finite, "{context}");
                    }
                }
            }
        }
    }
}

/// Zeros where nothing is applied, and something in most places where it is.
#[test]
fn ranges_say_where_the_update_applies() {
    for text in CASES {
        for (pool, done) in &run(TestRun::new(text, 3, 5))[1] {
            let Applied::Ranges(ranges) = &done.applied else { continue };
            assert!(ranges.is_sorted_by(|a, b| a.end < b.start), "{text}: apart and in order");
            let mut rest = pool.clone();
            for range in ranges.iter() {
                rest[range.clone()].fill(0.0);
            }
            assert!(rest.iter().all(|value| *value == 0.0), "{text}");
            let applied: usize = ranges.iter().map(|range| range.len()).sum();
            let zeros = pool.iter().filter(|value| **value == 0.0).count();
            assert!(applied + zeros <= pool_len() + pool_len() / 100, "{text}");
        }
    }
}

/// What was applied in all steps, and what is left on all ranks, is all that was computed: with
/// momentum 0 for `top-k`, which otherwise adds velocity. `sparse-chunks` decays its residual and
/// has its own test.
#[test]
fn nothing_is_lost() {
    for text in CASES.iter().filter(|text| !text.starts_with("sparse")) {
        for world in WORLDS {
            for (format, tolerance) in [(wire::F32, 2e-6), ("bf16".parse().unwrap(), 0.03)] {
                let test = TestRun { wire: format, momentum: 0.0, ..TestRun::new(text, world, 6) };
                let ends = on_ranks(test, |compressor, exchange| {
                    let rank = exchange.rank().index();
                    let step = |at| super::step(compressor, &gradient(rank, at), exchange).0;
                    let pools: Vec<_> = (0..test.steps).map(step).collect();
                    let mut left = vec![0.0; pool_len()];
                    compressor.residual_into(&mut left);
                    (pools, left)
                });
                let applied = ends[0].0.iter().map(|pool| &pool[..]);
                let got = total(applied.chain(ends.iter().map(|(_, left)| &left[..])));
                let gradients: Vec<_> =
                    (0..world * test.steps).map(|at| gradient(at % world, at / world)).collect();
                let want = total(gradients.iter().map(|gradient| &gradient[..]));
                let off = difference(&got, &want);
                assert!(off < tolerance, "{text}, {format}, {world} ranks: {off}");
            }
        }
    }
}

/// With f32 on the wire nothing in these rows rounds what is sent more than the sums themselves.
#[test]
fn top_k_keeps_what_rounding_loses() {
    let test = TestRun {
        wire: "f16".parse().unwrap(),
        momentum: 0.0,
        ..TestRun::new("top-k:share=0.1", 3, 6)
    };
    let ends = on_ranks(test, |compressor, exchange| {
        let rank = exchange.rank().index();
        let step = |at| super::step(compressor, &gradient(rank, at), exchange).0;
        let pools: Vec<_> = (0..test.steps).map(step).collect();
        let mut left = vec![0.0; pool_len()];
        compressor.residual_into(&mut left);
        (pools, left)
    });
    let applied = ends[0].0.iter().map(|pool| &pool[..]);
    let got = total(applied.chain(ends.iter().map(|(_, left)| &left[..])));
    let gradients: Vec<_> = (0..18).map(|at| gradient(at % 3, at / 3)).collect();
    let want = total(gradients.iter().map(|gradient| &gradient[..]));
    assert!(difference(&got, &want) < 1e-6); // an element of f16 is rounded by up to 5e-4
}

/// After many steps the sums of what was applied and of the gradients agree in direction: each row
/// sends what matters.
#[test]
fn what_is_applied_follows_the_gradients() {
    for text in CASES {
        let momentum = if text.starts_with("top-k") { 0.0 } else { 0.9 };
        let test = TestRun { momentum, ..TestRun::new(text, 4, 40) };
        let ends = run(test);
        let applied = total(ends[0].iter().map(|(pool, _)| &pool[..]));
        let gradients: Vec<_> = (0..160).map(|at| gradient(at % 4, at / 4)).collect();
        let want = total(gradients.iter().map(|gradient| &gradient[..]));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let cosine = dot(&applied, &want) / (dot(&applied, &applied) * dot(&want, &want)).sqrt();
        let least = if text.starts_with("sparse") { 0.6 } else { 0.75 };
        assert!(cosine > least, "{text}: {cosine}");
    }
}

#[test]
fn rows_say_what_becomes_of_momentum() {
    let uses = super::COMPRESSIONS.iter().map(|kind| (kind.name, kind.momentum));
    let want = [
        ("one-bit", MomentumUse::Rule),
        ("power-sgd", MomentumUse::Rule),
        ("sparse-chunks", MomentumUse::FrozenWhereUnsent),
        ("threshold", MomentumUse::Rule),
        ("top-k", MomentumUse::Corrected),
    ];
    assert!(uses.eq(want));
}
