//! What low-rank factors can and cannot hold.

use crate::compression::tests::{config, setup, setup_of, step};
use crate::{ExchangeConfig, spawn_ranks, wire};
use base::Rank;

const ROWS: usize = 12;
const COLUMNS: usize = 30;

/// Runs steps with the same gradient `matrix(rank)` and returns the pool after each.
fn steps(
    text: &str,
    world: usize,
    count: usize,
    matrix: impl Fn(usize) -> Vec<f32> + Sync,
) -> Vec<Vec<f32>> {
    let ends = spawn_ranks(world, 2, &ExchangeConfig::LOCAL, |exchange| {
        let setup = setup_of(exchange.rank(), 0.9, &[(ROWS, COLUMNS)]);
        let mut compressor = config(text).build(&setup).unwrap();
        let gradient = matrix(exchange.rank().index());
        (0..count).map(|_| step(&mut compressor, &gradient, exchange).0).collect::<Vec<_>>()
    });
    ends.into_iter().next().unwrap()
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    let square = |values: &mut dyn Iterator<Item = f32>| values.map(|v| v * v).sum::<f32>();
    let off = square(&mut a.iter().zip(b).map(|(a, b)| a - b));
    (off / square(&mut b.iter().copied())).sqrt()
}

/// `a bᵀ`, with `a` and `b` numbered by `kind`.
fn outer(kind: usize) -> Vec<f32> {
    let a = |row: usize| ((row * (2 * kind + 3) + kind) % 7) as f32 - 3.0;
    let b = |column: usize| ((column * (2 * kind + 5) + kind) % 11) as f32 - 5.0;
    (0..ROWS * COLUMNS).map(|at| a(at / COLUMNS) * b(at % COLUMNS)).collect()
}

/// Ranks whose matrices have the same columns: the sum has rank 1 and is found in one step.
#[test]
fn a_matrix_of_low_rank_is_exact() {
    let scaled = |rank: usize| outer(0).iter().map(|v| v * (rank + 1) as f32).collect::<Vec<_>>();
    let want: Vec<f32> = outer(0).iter().map(|v| 6.0 * v).collect();
    let got = &steps("power-sgd:rank=1", 3, 1, scaled)[0];
    assert!(distance(got, &want) < 1e-6, "{}", distance(got, &want));
    let two = |_| outer(0).iter().zip(outer(1)).map(|(a, b)| a + b).collect::<Vec<_>>();
    let want: Vec<f32> = two(0).iter().map(|v| 2.0 * v).collect();
    let got = &steps("power-sgd:rank=2", 2, 1, two)[0];
    assert!(distance(got, &want) < 1e-5, "{}", distance(got, &want));
    let one = &steps("power-sgd:rank=1", 2, 1, two)[0];
    assert!(distance(one, &want) > 0.1, "rank 1 cannot hold it");
}

/// Residuals bring what one step could not: the mean of what was applied comes ever nearer.
#[test]
fn error_feedback_catches_up() {
    let mixed = |rank: usize| {
        let parts: Vec<Vec<f32>> = (0..4).map(|kind| outer(kind + rank)).collect();
        (0..ROWS * COLUMNS).map(|at| parts.iter().map(|part| part[at]).sum()).collect::<Vec<f32>>()
    };
    let want: Vec<f32> = mixed(0).iter().zip(mixed(1)).map(|(a, b)| a + b).collect();
    let pools = steps("power-sgd:rank=1", 2, 40, mixed);
    let mean = |count: usize| {
        let sum = |at: usize| pools[..count].iter().map(|pool| pool[at]).sum::<f32>();
        (0..ROWS * COLUMNS).map(|at| sum(at) / count as f32).collect::<Vec<_>>()
    };
    let (early, late) = (distance(&mean(2), &want), distance(&mean(40), &want));
    assert!(early > 0.2 && late < early / 4.0, "{early}, {late}");
}

#[test]
fn matrices_without_room_for_the_rank_are_told() {
    let notices = |rank: usize| {
        let setup = setup(Rank::ALONE, wire::F32, 0.9);
        config(&format!("power-sgd:rank={rank}")).build(&setup).unwrap().notices()
    };
    assert!(notices(1).is_empty());
    assert_eq!(
        notices(9),
        [
            "power-sgd: 2 matrices are summed densely, because factors of rank 9 would not be smaller"
        ]
    );
    assert_eq!(notices(1000)[0].split(' ').nth(1), Some("4"));
}
