//! Bytes: counted and predicted, entries, and the bound of `top-k`.

use super::{CASES, TestRun, WORLDS, config, gradient, on_ranks, setup, step};
use crate::compression::{PlannedCollective, SentVolume, StepCall};
use crate::wire::{self, WIRE_FORMATS};
use crate::{ExchangeConfig, spawn_ranks};
use collective::AlgorithmChoice;

/// Rows whose volume is known before a step.
fn is_exact(text: &str) -> bool {
    matches!(config(text).kind().volume, SentVolume::Planned)
}

#[test]
fn counted_bytes_are_those_predicted() {
    for name in ["direct", "ring", "reduction-tree", "halving-doubling", "multi-color:2"] {
        for text in CASES.iter().filter(|text| is_exact(text)) {
            for (world, format) in [(1, wire::F32), (4, wire::F32), (5, "f16".parse().unwrap())] {
                let choice = AlgorithmChoice::Named(name.parse().unwrap());
                let exchange_config =
                    ExchangeConfig { choice, ..ExchangeConfig::LOCAL }.with_wire(format);
                spawn_ranks(world, 2, &exchange_config, |exchange| {
                    let rank = exchange.rank();
                    let mut compressor = config(text).build(&setup(rank, format, 0.9)).unwrap();
                    for at in 0..5 {
                        let predicted = compressor.predicted_bytes(exchange).unwrap();
                        let (_, done) =
                            step(&mut compressor, &gradient(rank.index(), at), exchange);
                        assert_eq!(done.sent_bytes, predicted, "{name}, {text}, {rank:?}, {at}");
                        assert_eq!(done.entries, 0, "{text}");
                        assert_eq!(predicted == 0, world == 1, "{text}");
                    }
                });
            }
        }
    }
}

/// By hand for rank 0 of 4. The net's params are 10×60 (60 columns: 2 words), 60×300 (10 words),
/// 64×75 (3 words) and vectors with the 5×3 matrix, 149 values that go by `direct`.
#[test]
fn one_bit_by_hand() {
    let sent = on_ranks(TestRun::new("one-bit", 4, 1), |compressor, exchange| {
        let gradient = gradient(exchange.rank().index(), 0);
        step(compressor, &gradient, exchange).1.sent_bytes
    });
    // Bucket 1 in whole columns: 15 of 60 per rank, each 8 + 40 bytes: 720 bytes to three owners,
    // and three blocks of 720 bytes on the ring.
    let whole = 3 * 720 + 3 * 720;
    // Bucket 0: 600 values, 150 per rank: columns 0, 1 and 2 up to 148 = 60 + 60 + 28, whose words
    // end at 120; so two columns, then borders at 300 - 12 and 450: see below.
    // Bucket 2: 64 columns of 75, 16 per rank: 16 · (8 + 12) = 320 bytes.
    let filters = 3 * 320 + 3 * 320;
    // Vectors: 149 values by direct, chunk 38 of rank 0: 111 to others, 3 · 38 of its own.
    let vectors = 4 * (149 - 38 + 3 * 38);
    let rest = sent[0] - whole - filters - vectors;
    // 600 values at 1 bit, twice, and 8 bytes per group of at most 14: between the bits alone and
    // all of it with padding.
    assert!((2 * 600 / 8 * 3 / 4..=2 * (14 * 8 + 24 * 4)).contains(&rest), "{rest}");
}

/// Rank 1 on 60×300: 360 values of P and Q, with 60 of the bias; on 10×60, 70 and 10; on 64×75,
/// 139 and 64; on 5×3, 8. By `direct` in a world of two every value is sent once.
#[test]
fn power_sgd_by_hand() {
    let sent = on_ranks(TestRun::new("power-sgd:rank=1", 2, 1), |compressor, exchange| {
        let gradient = gradient(exchange.rank().index(), 0);
        step(compressor, &gradient, exchange).1.sent_bytes
    });
    assert_eq!(sent, [4 * (360 + 60 + 70 + 10 + 139 + 64 + 8); 2]);
}

/// The first step is dense: 23549 values and 7 norms; with warm-up 2 the next has a share of 0.7,
/// five of seven chunks, and then 0.4, three of them.
#[test]
fn sparse_chunks_by_hand() {
    let ends = on_ranks(TestRun::new(CASES[3], 2, 0), |compressor, exchange| {
        let rank = exchange.rank().index();
        let sums = |calls: &[PlannedCollective]| {
            let values = calls.iter().map(|call| match call {
                PlannedCollective::AllReduce { values } => *values,
                _ => 0,
            });
            values.sum::<usize>()
        };
        (0..4)
            .map(|at| {
                let calls = (0..3).map(StepCall::Bucket).chain([StepCall::Finish]);
                let planned: Vec<_> = calls.flat_map(|call| compressor.planned(call)).collect();
                let (_, done) = step(compressor, &gradient(rank, at), exchange);
                (sums(&planned), done.sent_bytes)
            })
            .collect::<Vec<_>>()
    });
    let values: Vec<usize> = ends[0].iter().map(|(values, _)| *values).collect();
    let always = 600 + 10 + 60 + 64 + 15;
    assert_eq!(values[0], 23_549);
    for (values, chunks) in [(values[1], 5), (values[2], 3), (values[3], 3)] {
        // Two of the seven chunks are shorter than 4,096: 1,616 and 704 values.
        let full = always + chunks * 4096;
        assert!((full - (4096 - 1616) - (4096 - 704)..=full).contains(&values), "{values}");
    }
    // In a world of two `direct` sends every value once; the tree sends the norms once, up or down.
    assert!(ends.iter().flatten().all(|(values, sent)| *sent == 4 * (*values as u64 + 7)));
}

/// Entries × their size, with the counts and thresholds that travel before them.
#[test]
fn threshold_sends_its_entries() {
    for world in WORLDS {
        let ends = on_ranks(TestRun::new("threshold:tau=2.5", world, 0), |compressor, exchange| {
            let rank = exchange.rank().index();
            let step = |at| step(compressor, &gradient(rank, at), exchange).1;
            (0..4).map(step).collect::<Vec<_>>()
        });
        for done in ends.iter().flatten() {
            // Per other rank: 8 bytes per bucket, and 4 bytes for each of 7 params.
            let other = (world as u64 - 1) * (3 * 8 + 7 * 4);
            assert_eq!(done.sent_bytes, 4 * done.entries + other, "{world} ranks");
            assert_eq!(done.entries == 0, world == 1);
        }
    }
}

/// The bound of the header: `2 (k + k/3)` entries per bucket, whatever the world; the rest is
/// counts, and sums of histograms when thresholds are renewed.
#[test]
fn top_k_keeps_its_bound() {
    for format in WIRE_FORMATS {
        for world in WORLDS {
            let test = TestRun { wire: format, ..TestRun::new("top-k:share=0.02", world, 0) };
            let ends = on_ranks(test, |compressor, exchange| {
                let rank = exchange.rank().index();
                // Steps of very different size, so that thresholds fail.
                let step = |at: usize| {
                    let size = [1.0, 1.0, 30.0, 0.01, 1.0][at % 5];
                    let values: Vec<f32> =
                        gradient(rank, at).iter().map(|value| size * value).collect();
                    step(compressor, &values, exchange).1
                };
                (0..12).map(step).collect::<Vec<_>>()
            });
            let k = [13, 362, 98]; // 0.02 of 610, 18060 and 4879, rounded up
            let bound: u64 = k.iter().map(|k| 2 * (k + k / 3)).sum();
            let entry_bytes = 4 + format.element_bytes as u64;
            let volume = config("top-k:share=0.02").kind().volume;
            let SentVolume::Entries { entry_bytes: bytes, entries_max: Some(max) } = volume else {
                panic!("top-k has a bound")
            };
            let stated = [610, 18060, 4879].map(|values| max(&config("top-k:share=0.02"), values));
            assert_eq!(
                (stated.iter().sum::<usize>() as u64, bytes(format) as u64),
                (bound, entry_bytes)
            );
            for (rank, done) in
                ends.iter().enumerate().flat_map(|(r, s)| s.iter().map(move |d| (r, d)))
            {
                let context = format!("{format}, rank {rank} of {world}");
                assert!(done.entries <= bound, "{context}: {} > {bound}", done.entries);
                assert!(world == 1 || done.entries > bound / 8, "{context}: {}", done.entries);
                let control = done.sent_bytes - entry_bytes * done.entries;
                // Per bucket: 4 bytes and twice 8 per other rank; 1,024 bins of indices and two
                // halves of 896 bins by the tree, on which rank 0 sends to three others.
                let others = world as u64 - 1;
                let most = 3 * (20 * others + 4 * (1024 + 2 * 896) * others.min(3));
                assert!(control <= most, "{context}: {control} > {most}");
                assert!(control >= 3 * 12 * others, "{context}");
            }
        }
    }
}

/// The volume of a rank does not grow with the world.
#[test]
fn top_k_sends_no_more_in_larger_worlds() {
    let most = |world: usize| {
        let ends = on_ranks(TestRun::new("top-k:share=0.02", world, 0), |compressor, exchange| {
            let rank = exchange.rank().index();
            let step = |at| step(compressor, &gradient(rank, at), exchange).1.entries;
            (0..6).map(step).max()
        });
        ends.into_iter().flatten().max().unwrap()
    };
    let (two, eight) = (most(2), most(8));
    assert!(eight < 2 * two, "{two} entries among two, {eight} among eight");
}

/// What is planned for entries is an estimate: within a factor of the entries that are sent.
#[test]
fn planned_entries_are_near() {
    for (text, entry_bytes) in [("top-k:share=0.02", 8), ("threshold:tau=2.5", 4)] {
        let ends = on_ranks(TestRun::new(text, 4, 0), |compressor, exchange| {
            let predicted = compressor.predicted_bytes(exchange).unwrap();
            let rank = exchange.rank().index();
            step(compressor, &gradient(rank, 0), exchange);
            let done = step(compressor, &gradient(rank, 1), exchange).1;
            assert!(compressor.planned(StepCall::Finish).is_empty());
            (predicted, entry_bytes * done.entries)
        });
        let (predicted, sent) = ends[0];
        assert!(predicted / 3 < sent && sent < 3 * predicted, "{text}: {predicted}, {sent}");
    }
}
