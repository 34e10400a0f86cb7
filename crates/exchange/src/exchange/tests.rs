//! Every algorithm on real threads: same bits on all ranks, canonical bits from exact ones.

use crate::prepared::SumMethod;
use crate::wire::{self, WIRE_FORMATS, WireFormat};
use crate::{ByteSegmentation, ExchangeConfig, ExchangeError, spawn_ranks};
use collective::{Algorithm, AlgorithmChoice, Plan, PlanStep};
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

/// Buffers in one message.
const WHOLE: ByteSegmentation = ByteSegmentation { segment_bytes: usize::MAX, lanes: 1 };

fn config(name: &str, segmentation: ByteSegmentation) -> ExchangeConfig {
    let choice = AlgorithmChoice::Named(name.parse().unwrap());
    ExchangeConfig { choice, segmentation, ..ExchangeConfig::LOCAL }
}

/// Values whose sum depends on the order of additions.
fn touchy(rank: usize, index: usize) -> f32 {
    1.0 / (3 + rank * 7 + index % 101) as f32
}

fn gradient(rank: usize, len: usize) -> Vec<f32> {
    (0..len).map(|index| touchy(rank, index)).collect()
}

/// The canonical tree by its definition, every node rounded.
fn canonical(format: &WireFormat, values: &[f32]) -> f32 {
    let mut sum = [match values {
        [only] => *only,
        _ => {
            let (left, right) = values.split_at(1 << (values.len() - 1).ilog2());
            canonical(format, left) + canonical(format, right)
        }
    }];
    format.round(&mut sum);
    sum[0]
}

fn want(format: &WireFormat, world: usize, len: usize) -> Vec<f32> {
    let all = |index| (0..world).map(|rank| touchy(rank, index)).collect::<Vec<_>>();
    (0..len).map(|index| canonical(format, &all(index))).collect()
}

/// Largest error of one rounding, relative.
fn epsilon(format: &WireFormat) -> f32 {
    1.0 / format.integers_max as f32
}

/// By plan, also where threads read each other's memory: `hierarchical:1:x+direct` is `direct`.
#[test]
fn all_ranks_end_with_the_same_bits() {
    let segmentation = ByteSegmentation { segment_bytes: 256, lanes: 3 };
    for format in WIRE_FORMATS {
        for name in NAMES.iter().chain(&["hierarchical:1:ring+direct"]) {
            let config = ExchangeConfig { wire: format, ..config(name, segmentation) };
            for world in [1, 2, 3, 4, 7, 8] {
                for len in [0, 1, world - 1, world + 1, 1009] {
                    let sums = spawn_ranks(world, 2, &config, |exchange| {
                        let mut values = gradient(exchange.rank().index(), len);
                        exchange.all_reduce(&mut values).map(|_| values)
                    });
                    let sums: Vec<_> = sums.into_iter().map(Result::unwrap).collect();
                    let context = format!("{name}, {format}, world {world}, {len} values");
                    assert!(sums.iter().all(|sum| *sum == sums[0]), "{context}: ranks differ");
                    let want = want(format, world, len);
                    if name.parse::<Algorithm>().unwrap().is_exact(world) {
                        assert_eq!(sums[0], want, "{context}");
                    }
                    let tolerance = 10.0 * epsilon(format);
                    let close = |(a, b): (&f32, &f32)| (a - b).abs() <= tolerance * b.abs();
                    assert!(sums[0].iter().zip(&want).all(close), "{context}");
                }
            }
        }
    }
}

#[test]
fn every_algorithm_repeats_itself() {
    for name in NAMES {
        let run = || {
            spawn_ranks(
                5,
                2,
                &config(name, ByteSegmentation { segment_bytes: 200, lanes: 4 }),
                |exchange| {
                    let mut values = gradient(exchange.rank().index(), 997);
                    exchange.all_reduce(&mut values).unwrap();
                    values
                },
            )
        };
        assert_eq!(run(), run(), "{name}");
    }
}

#[test]
fn broadcast_spreads_the_root() {
    let bytes = |rank: usize| -> Vec<u8> {
        (0..280_001_usize).map(|at| u8::try_from((rank * 31 + at * 7) % 251).unwrap()).collect()
    };
    for root in [0, 2, 4] {
        let all = spawn_ranks(5, 2, &ExchangeConfig::LOCAL, |exchange| {
            let mut ours = bytes(exchange.rank().index());
            exchange.broadcast(root, &mut ours).unwrap();
            ours
        });
        assert!(all.iter().all(|ours| *ours == bytes(root)));
    }
}

/// Bytes of any length and value, as a function of two ranks; some are empty, some in segments.
fn block(from: usize, to: usize) -> Vec<u8> {
    let len = [0, 1, 7, 300_001][(from * 3 + to) % 4];
    (0..len).map(|at| u8::try_from((from * 89 + to * 31 + at * 7) % 256).unwrap()).collect()
}

#[test]
fn blocks_of_all_ranks_are_gathered_in_order() {
    for world in 1..=5 {
        let want: Vec<Vec<u8>> = (0..world).map(|rank| block(rank, 1)).collect();
        let got = spawn_ranks(world, 2, &ExchangeConfig::LOCAL, |exchange| {
            exchange.all_gather_v(&block(exchange.rank().index(), 1)).unwrap()
        });
        assert!(got.iter().all(|got| *got == want), "{world} ranks");
    }
}

#[test]
fn blocks_for_every_rank_reach_it() {
    for world in 1..=5 {
        let got = spawn_ranks(world, 2, &ExchangeConfig::LOCAL, |exchange| {
            let me = exchange.rank().index();
            exchange.all_to_all_v((0..world).map(|to| block(me, to)).collect()).unwrap()
        });
        for (me, got) in got.iter().enumerate() {
            let want: Vec<Vec<u8>> = (0..world).map(|from| block(from, me)).collect();
            assert!(*got == want, "rank {me} of {world}");
        }
    }
}

#[test]
fn ranks_that_disagree_are_named() {
    for name in ["direct", "ring", "reduction-tree"] {
        let ends = spawn_ranks(4, 2, &config(name, WHOLE), |exchange| {
            exchange.barrier().unwrap();
            let len = if exchange.rank().index() == 3 { 11 } else { 12 };
            exchange.all_reduce(&mut vec![1.0; len])
        });
        for (rank, end) in ends.into_iter().enumerate() {
            let error = end.unwrap_err();
            let len = if rank == 3 { 11 } else { 12 };
            let want = format!("collective 2 (all-reduce of {len} f32 by {name}) failed");
            assert_eq!(error.to_string(), want);
            let ExchangeError::Link { source, .. } = error else { panic!("{error:?}") };
            // The first to notice speaks for all; both sides are in its words.
            let text = source.to_string();
            assert!(text.contains("of 11 f32") && text.contains("of 12 f32"), "{name}: {text}");
            assert!(matches!(source, LinkError::Mismatch { .. }));
        }
    }
}

#[test]
fn the_librarys_algorithm_needs_a_library() {
    let ends = spawn_ranks(2, 2, &config("mpi", WHOLE), |e| e.all_reduce(&mut [1.0]));
    for end in ends {
        let text = end.unwrap_err().to_string();
        assert_eq!(text, "algorithm `mpi` needs transport `mpi`, but this is `local`");
    }
}

#[test]
fn auto_between_threads_is_direct_reads() {
    let chosen =
        spawn_ranks(3, 2, &ExchangeConfig::LOCAL, |e| e.all_reduce(&mut [1.0; 100]).unwrap());
    assert!(chosen.iter().all(Algorithm::is_direct));
}

/// What is not a gradient stays `f32`, whatever gradients travel as.
#[test]
fn other_sums_are_not_rounded() {
    let half = ExchangeConfig { wire: "bf16".parse().unwrap(), ..ExchangeConfig::LOCAL };
    let sums = spawn_ranks(3, 2, &half, |exchange| {
        let mut values = gradient(exchange.rank().index(), 10);
        exchange.sum(&mut values).unwrap();
        values
    });
    assert!(sums.iter().all(|sum| *sum == want(wire::F32, 3, 10)));
}

/// More lanes than there are, and more colours than fit with several segments under way.
#[test]
fn many_lanes_are_bounded() {
    let many = ByteSegmentation { segment_bytes: 1000, lanes: 100 };
    for (name, world, segmentation) in [
        ("ring", 3, many),
        ("multi-color:17", 20, ExchangeConfig::MPI.segmentation),
        ("multi-color:40", 40, ByteSegmentation { segment_bytes: 40, lanes: 2 }),
    ] {
        let sums = spawn_ranks(world, 2, &config(name, segmentation), |exchange| {
            let mut values = vec![1.0; 20_000];
            exchange.all_reduce(&mut values).map(|_| values)
        });
        let right = |sum: &Vec<f32>| sum.iter().all(|value| *value == world as f32);
        assert!(sums.iter().all(|sum| sum.as_ref().is_ok_and(right)), "{name}");
    }
}

/// Elements of the longest message of a plan.
fn longest(plan: &Plan) -> usize {
    let sent = |step: &PlanStep| match step {
        PlanStep::Send { at, .. } => at.range.len(),
        _ => 0,
    };
    plan.lanes.iter().flatten().map(sent).max().unwrap_or(0)
}

/// What fills a link is a number of bytes: of gradients, of other sums and of blocks alike.
#[test]
fn messages_have_the_configured_bytes_in_every_format() {
    let segmentation = ByteSegmentation { segment_bytes: 1000, lanes: 2 };
    for format in WIRE_FORMATS {
        let config = ExchangeConfig { segmentation, ..ExchangeConfig::LOCAL }.with_wire(format);
        for link in transport::local::mesh(2, 2) {
            let mut exchange = super::Exchange::new(Box::new(link), config.clone());
            let super::Exchange { link, sums, tree, .. } = &mut exchange;
            for travels_as in [format, wire::F32] {
                let len = 100_000 / travels_as.element_bytes;
                let sum = sums.get(&mut **link, &config, tree, travels_as, len).unwrap();
                let SumMethod::Plan(plan) = &sum.method else { panic!("a tree has a plan") };
                assert_eq!(longest(plan) * travels_as.element_bytes, 1000, "{format}");
            }
            let blocks = exchange.gather_plan(&[100_000; 2]);
            assert_eq!(longest(&blocks), 1000, "{format}");
        }
    }
}

/// What is counted while a plan runs is what the plan says, in every format.
#[test]
fn sent_bytes_are_those_of_the_plan() {
    let segmentation = ByteSegmentation { segment_bytes: 256, lanes: 3 };
    for format in WIRE_FORMATS {
        for name in NAMES {
            let config = ExchangeConfig { wire: format, ..config(name, segmentation) };
            for world in [1, 2, 3, 8] {
                spawn_ranks(world, 2, &config, |exchange| {
                    for len in [0, 1, 1009] {
                        let planned = exchange.all_reduce_bytes(len).unwrap();
                        let before = exchange.sent_bytes();
                        exchange.all_reduce(&mut vec![1.0; len]).unwrap();
                        let sent = exchange.sent_bytes() - before;
                        assert_eq!(sent, planned, "{name}, {format}, {world} ranks, {len}");
                    }
                });
            }
        }
    }
}

/// By hand: on a ring of four every rank sends 2 · 3/4 of 1,000 values of four bytes, and so it
/// does by `direct`, where threads need no messages. By the tree rank 1 sends up and not down; rank
/// 0 sends down twice. An all-gather-v passes on three of four blocks, an all-to-all-v sends three.
#[test]
fn sent_bytes_by_hand() {
    let sent = |name: &str| {
        spawn_ranks(4, 2, &config(name, WHOLE), |exchange| {
            exchange.all_reduce(&mut [1.0; 1000]).unwrap();
            exchange.sent_bytes()
        })
    };
    assert_eq!(sent("ring"), [6000; 4]);
    assert_eq!(sent("direct"), [6000; 4]);
    assert_eq!(sent("reduction-tree"), [8000, 4000, 8000, 4000]);
    let blocks = spawn_ranks(4, 2, &ExchangeConfig::LOCAL, |exchange| {
        let me = exchange.rank().index();
        exchange.all_gather_v(&vec![0; 10 * (me + 1)]).unwrap();
        let gathered = exchange.sent_bytes();
        exchange.all_to_all_v((0..4).map(|to| vec![0; 100 * (to + 1)]).collect()).unwrap();
        [gathered, exchange.sent_bytes() - gathered]
    });
    // Lengths first, of eight bytes each; rank 0 does not pass on the 20 bytes of rank 1.
    assert_eq!(blocks[0], [3 * 8 + 10 + 30 + 40, 3 * 8 + 200 + 300 + 400]);
    assert_eq!(blocks[3], [3 * 8 + 20 + 30 + 40, 3 * 8 + 100 + 200 + 300]);
}

/// Lengths that never come again: memory stays bounded, and old ones work again.
#[test]
fn many_lengths_are_not_kept() {
    let config = config("ring", WHOLE);
    let sums = spawn_ranks(2, 2, &config, |exchange| {
        for len in (1..700).chain([1]) {
            let mut values = vec![1.0; len];
            exchange.all_reduce(&mut values).unwrap();
            assert!(values.iter().all(|value| *value == 2.0), "{len}");
        }
        exchange.prepared_count()
    });
    assert_eq!(sums, [256, 256]);
}
