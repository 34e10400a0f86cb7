//! The algorithm as the paper prints it, step by step, against the row.

use super::super::tests::{TestRun, bits, gradient, net, on_ranks, pool_len, run, setup, step};
use super::selection::{ChunkTable, select_largest};
use crate::canonical::tree_sum;
use crate::compression::{Applied, PlannedCollective, StepCall};
use crate::wire;
use base::Rank;
use std::ops::Range;

const CHUNK: usize = 4096;

/// Ranges of the chunks that can be selected, and of the params that are always sent.
fn chunks() -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (large, small): (Vec<_>, Vec<_>) =
        net().0.params.into_iter().map(|param| param.range).partition(|range| range.len() >= CHUNK);
    let divide = |param: Range<usize>| {
        let starts = param.clone().step_by(CHUNK);
        starts.map(move |start| start..param.end.min(start + CHUNK))
    };
    (large.into_iter().flat_map(divide).collect(), small)
}

/// Algorithm 1 on all ranks at once: returns the pool and the applied chunks of every step.
fn reference(world: usize, momentum: f32, counts: &[usize]) -> Vec<(Vec<f32>, Vec<bool>)> {
    let (selectable, always) = chunks();
    let mut history = vec![vec![0.0_f32; pool_len()]; world];
    let mut important = vec![true; selectable.len()];
    let mut results = Vec::new();
    for (at, &next_count) in counts.iter().enumerate() {
        let mut gradients: Vec<Vec<f32>> = (0..world).map(|rank| gradient(rank, at)).collect();
        for (g, hg) in gradients.iter_mut().zip(&history) {
            g.iter_mut().zip(hg).for_each(|(g, hg)| *g += hg);
        }
        let mut pool = vec![0.0; pool_len()];
        tree_sum(wire::F32, &gradients, 0, &mut pool);
        let mut norms = Vec::new();
        for (range, &is_important) in selectable.iter().zip(&important) {
            let norm = |values: &[f32]| values.iter().map(|v| f64::from(v.abs())).sum::<f64>();
            if is_important {
                // Every rank holds the sum: a norm of it per rank, each divided by their number.
                norms.push(norm(&pool[range.clone()]));
            } else {
                norms.push(gradients.iter().map(|g| norm(&g[range.clone()])).sum());
                pool[range.clone()].fill(0.0);
            }
            for (hg, g) in history.iter_mut().zip(&gradients) {
                for index in range.clone() {
                    hg[index] = if is_important { 0.0 } else { momentum * g[index] };
                }
            }
        }
        assert!(always.iter().all(|range| history[0][range.clone()].iter().all(|hg| *hg == 0.0)));
        results.push((pool, important.clone()));
        let mut order: Vec<usize> = (0..norms.len()).collect();
        order.sort_by(|&a, &b| norms[b].total_cmp(&norms[a]).then(a.cmp(&b)));
        important.fill(false);
        order[..next_count].iter().for_each(|&index| important[index] = true);
    }
    results
}

/// Share 0.4 of seven chunks is three, over a warm-up of three steps: 1, 0.8, 0.6, 0.4.
#[test]
fn the_algorithm_as_printed() {
    let counts = [6, 5, 3, 3, 3, 3, 3, 3, 3, 3];
    for world in [1, 2, 3, 5] {
        for momentum in [0.0, 0.9] {
            let want = reference(world, momentum, &counts);
            let text = "sparse-chunks:share=0.4,chunk=4096,warmup=3";
            let test = TestRun { momentum, ..TestRun::new(text, world, counts.len()) };
            let (selectable, always) = chunks();
            for (at, (pool, done)) in run(test)[0].iter().enumerate() {
                let context = format!("{world} ranks, momentum {momentum}, step {at}");
                assert_eq!(bits(pool), bits(&want[at].0), "{context}");
                let mut sent: Vec<Range<usize>> = always.clone();
                let chosen = selectable.iter().zip(&want[at].1).filter(|(_, sent)| **sent);
                sent.extend(chosen.map(|(range, _)| range.clone()));
                let applied: usize = match &done.applied {
                    Applied::Everything => pool_len(),
                    Applied::Ranges(ranges) => {
                        let covers = |r: &Range<usize>| {
                            ranges.iter().any(|a| a.start <= r.start && r.end <= a.end)
                        };
                        assert!(sent.iter().all(covers), "{context}");
                        ranges.iter().map(Range::len).sum()
                    }
                };
                assert_eq!(applied, sent.iter().map(Range::len).sum::<usize>(), "{context}");
            }
        }
    }
}

/// Every chunk, sent or not, keeps `momentum · g`; params that are always sent keep nothing.
#[test]
fn after_a_skipped_step_all_chunks_count_as_unsent() {
    let text = "sparse-chunks:share=0.4,chunk=4096,warmup=0";
    let test = TestRun { momentum: 0.5, ..TestRun::new(text, 2, 0) };
    let ends = on_ranks(test, |compressor, exchange| {
        let rank = exchange.rank().index();
        let mut before = vec![0.0; pool_len()];
        step(compressor, &gradient(rank, 0), exchange);
        step(compressor, &gradient(rank, 1), exchange); // leaves a residual in four chunks
        compressor.residual_into(&mut before);
        step(compressor, &gradient(rank, 2), exchange);
        compressor.step_skipped();
        let mut left = vec![0.0; pool_len()];
        compressor.residual_into(&mut left);
        (before, left)
    });
    for (rank, (before, left)) in ends.iter().enumerate() {
        assert!(before.iter().any(|hg| *hg != 0.0));
        let g = gradient(rank, 2);
        let (selectable, always) = chunks();
        for index in selectable.into_iter().flatten() {
            assert_eq!(left[index], 0.5 * (g[index] + before[index]), "rank {rank}, {index}");
        }
        assert!(always.into_iter().flatten().all(|index| left[index] == 0.0));
    }
}

/// Selectable values only: warm-up 4 and share 0.2 of seven chunks.
#[test]
fn the_share_falls_linearly() {
    let text = "sparse-chunks:share=0.2,chunk=4096,warmup=4";
    let applied = on_ranks(TestRun::new(text, 1, 0), |compressor, exchange| {
        let (selectable, _) = chunks();
        let count = |at| {
            let (pool, _) = step(compressor, &gradient(0, at), exchange);
            selectable
                .iter()
                .filter(|range| pool[(*range).clone()].iter().any(|v| *v != 0.0))
                .count()
        };
        (0..7).map(count).collect::<Vec<_>>()
    });
    assert_eq!(applied[0], [7, 6, 5, 3, 2, 2, 2]); // 7, 5.6, 4.2, 2.8, 1.4, rounded up
}

#[test]
fn of_equal_norms_the_first_are_important() {
    let mut selected = [false; 6];
    for (count, want) in [
        (0, [false; 6]),
        (1, [false, false, true, false, false, false]),
        (3, [true, true, true, false, false, false]),
        (4, [true, true, true, true, false, false]),
        (6, [true; 6]),
    ] {
        select_largest(&[1.0, 1.0, 2.0, 1.0, 0.0, 1.0], count, &mut Vec::new(), &mut selected);
        assert_eq!(selected, want, "{count}");
    }
}

/// 18,000 values are four chunks and a short one, 4,800 one and a short one.
#[test]
fn chunks_begin_with_their_param() {
    let table = ChunkTable::new(&setup(Rank::ALONE, wire::F32, 0.9), CHUNK);
    assert_eq!((table.selectable, table.selectable_values, table.always_sent), (7, 22_800, 749));
    let lens = table.chunks.iter().filter(|chunk| chunk.selectable.is_some());
    let lens: Vec<usize> = lens.map(|chunk| chunk.range.len()).collect();
    assert_eq!(lens, [4096, 4096, 4096, 4096, 1616, 4096, 704]);
    assert_eq!(table.chunks[2].range.start, 610);
    assert_eq!(table.of_bucket, [0..2, 2..8, 8..12]);
}

/// With a norm that is not finite nobody knows what is important: the set stays.
#[test]
fn the_set_stays_when_a_norm_is_not_finite() {
    let text = "sparse-chunks:share=0.4,chunk=4096,warmup=0";
    let same = on_ranks(TestRun::new(text, 2, 0), |compressor, exchange| {
        let rank = exchange.rank().index();
        step(compressor, &gradient(rank, 0), exchange);
        let sums = |compressor: &crate::compression::Compressor| -> Vec<PlannedCollective> {
            let calls = (0..3).map(StepCall::Bucket).chain([StepCall::Finish]);
            calls.flat_map(|call| compressor.planned(call)).collect()
        };
        let before = sums(compressor);
        let mut broken = gradient(rank, 1);
        broken[1000] = f32::INFINITY;
        assert!(step(compressor, &broken, exchange).1.not_finite);
        compressor.step_skipped();
        before == sums(compressor)
    });
    assert_eq!(same, [true, true]);
}

#[test]
fn a_net_of_small_params_is_told() {
    let notices = |text: &str| {
        let config = super::super::tests::config(text);
        config.build(&setup(Rank::ALONE, wire::F32, 0.9)).unwrap().notices()
    };
    assert!(notices("sparse-chunks:chunk=4096").is_empty());
    assert_eq!(
        notices("sparse-chunks"),
        ["sparse-chunks: params smaller than a chunk hold 23549 of 23549 values and are always \
          sent; a smaller `chunk` sends less"]
    );
}
