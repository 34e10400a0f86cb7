//! Every algorithm on real threads: same bits on all ranks, canonical bits from exact ones.

use crate::{Config, ExchangeError, spawn_ranks};
use collective::{Choice, Cut, find};
use transport::LinkError;

const NAMES: &[&str] = &[
    "direct",
    "halving-doubling",
    "hierarchical:2:direct+halving-doubling",
    "hierarchical:3:ring+parameter-server",
    "multi-color",
    "parameter-server",
    "parameter-server:2",
    "reduction-tree",
    "ring",
];

fn config(name: &str, cut: Cut) -> Config {
    Config { choice: Choice::Named(find(name).unwrap()), cut, ..Config::LOCAL }
}

/// Values whose sum depends on the order of additions.
fn touchy(rank: usize, index: usize) -> f32 {
    1.0 / (3 + rank * 7 + index % 101) as f32
}

fn gradient(rank: usize, len: usize) -> Vec<f32> {
    (0..len).map(|index| touchy(rank, index)).collect()
}

fn canonical(values: &[f32]) -> f32 {
    match values {
        [only] => *only,
        _ => {
            let (left, right) = values.split_at(1 << (values.len() - 1).ilog2());
            canonical(left) + canonical(right)
        }
    }
}

fn want(world: usize, len: usize) -> Vec<f32> {
    let at = |index| canonical(&(0..world).map(|rank| touchy(rank, index)).collect::<Vec<_>>());
    (0..len).map(at).collect()
}

/// By plan, also where the transport has its own way: `hierarchical:1:x+direct` is `direct`.
#[test]
fn all_ranks_end_with_the_same_bits() {
    let cut = Cut { segment: 64, lanes: 3 };
    for name in NAMES.iter().chain(&["hierarchical:1:ring+direct"]) {
        for world in [1, 2, 3, 4, 7, 8] {
            for len in [0, 1, world - 1, world + 1, 1009] {
                let sums = spawn_ranks(world, 2, &config(name, cut), |exchange| {
                    let mut values = gradient(exchange.rank().index(), len);
                    exchange.all_reduce(&mut values).map(|_| values)
                });
                let sums: Vec<_> = sums.into_iter().map(Result::unwrap).collect();
                let context = format!("{name}, world {world}, {len} values");
                assert!(sums.iter().all(|sum| *sum == sums[0]), "{context}: ranks differ");
                let want = want(world, len);
                if find(name).unwrap().is_exact(world) {
                    assert_eq!(sums[0], want, "{context}");
                }
                let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs();
                assert!(sums[0].iter().zip(&want).all(close), "{context}");
            }
        }
    }
}

#[test]
fn every_algorithm_repeats_itself() {
    for name in NAMES {
        let run = || {
            spawn_ranks(5, 2, &config(name, Cut { segment: 50, lanes: 4 }), |exchange| {
                let mut values = gradient(exchange.rank().index(), 997);
                exchange.all_reduce(&mut values).unwrap();
                values
            })
        };
        assert_eq!(run(), run(), "{name}");
    }
}

#[test]
fn halves_make_a_whole() {
    for name in NAMES {
        let sums = spawn_ranks(6, 2, &config(name, Cut { segment: 16, lanes: 2 }), |exchange| {
            let mut values = gradient(exchange.rank().index(), 200);
            let share = exchange.reduce_scatter(&mut values).unwrap();
            let mut gathered = vec![f32::NAN; 200];
            for range in share {
                gathered[range.clone()].copy_from_slice(&values[range]);
            }
            exchange.all_gather(&mut gathered).unwrap();
            gathered
        });
        let want = want(6, 200);
        let close = |sum: &Vec<f32>| sum.iter().zip(&want).all(|(a, b)| (a - b).abs() <= 1e-5 * b);
        assert!(sums.iter().all(|sum| *sum == sums[0] && close(sum)), "{name}");
    }
}

#[test]
fn broadcast_spreads_the_root() {
    for root in [0, 2, 4] {
        let all = spawn_ranks(5, 2, &Config::LOCAL, |exchange| {
            let mut values = gradient(exchange.rank().index(), 70_000);
            exchange.broadcast(root, &mut values).unwrap();
            values
        });
        assert!(all.iter().all(|values| *values == gradient(root, 70_000)));
    }
}

#[test]
fn ranks_that_disagree_are_named() {
    for name in ["direct", "ring", "reduction-tree"] {
        let ends = spawn_ranks(4, 2, &config(name, Cut::WHOLE), |exchange| {
            exchange.barrier().unwrap();
            let len = if exchange.rank().index() == 3 { 11 } else { 12 };
            exchange.all_reduce(&mut vec![1.0; len])
        });
        for end in ends {
            let Err(ExchangeError::Link { sequence: 2, source, .. }) = end else {
                panic!("{end:?}")
            };
            // The first to notice speaks for all; both sides are in its words.
            let text = source.to_string();
            assert!(text.contains("of 11 f32") && text.contains("of 12 f32"), "{name}: {text}");
            assert!(matches!(source, LinkError::Mismatch { .. }));
        }
    }
}

#[test]
fn a_plan_that_only_mpi_runs_is_refused() {
    let ends = spawn_ranks(2, 2, &config("mpi", Cut::WHOLE), |e| e.all_reduce(&mut [1.0]));
    assert!(ends.iter().any(|end| {
        matches!(end, Err(ExchangeError::Link { source: LinkError::NotHere { .. }, .. }))
    }));
}

#[test]
fn auto_between_threads_is_direct_reads() {
    let names = spawn_ranks(3, 2, &Config::LOCAL, |e| e.all_reduce(&mut [1.0; 100]).unwrap());
    assert!(names.iter().all(|name| name == "direct"));
}

/// Every rank's bytes reach all, whatever their lengths and values.
#[test]
fn words_are_gathered_in_order_of_rank() {
    for world in 1..=5 {
        let words = |rank: usize| -> Vec<u8> {
            (0..3 * rank).map(|i| u8::try_from(255 - 7 * i).unwrap_or(1)).collect()
        };
        let want: Vec<Vec<u8>> = (0..world).map(words).collect();
        let got = spawn_ranks(world, 2, &Config::LOCAL, |exchange| {
            exchange.gather(&words(exchange.rank().index())).unwrap()
        });
        assert!(got.iter().all(|got| *got == want), "{world} ranks");
    }
}
