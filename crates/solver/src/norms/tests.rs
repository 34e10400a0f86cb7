use super::{BlockSums, block_sums, total};
use crate::slots::BLOCK;

fn values(len: usize, seed: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 31 + seed * 17) % 101) as f32 / 50.0 - 1.0).collect()
}

#[test]
fn sums_are_those_of_f64_whoever_adds_them() {
    let len = 3 * BLOCK + 77;
    let (w, g) = (values(len, 1), values(len, 2));
    let mut sums = vec![BlockSums::default(); 4];
    block_sums(0.25, &w, &g, &mut sums);
    let all = total(&sums, 0..4);
    let reference =
        |x: &[f32], scale: f32| x.iter().map(|&x| f64::from(x * scale).powi(2)).sum::<f64>();
    assert!((all.values / reference(&w, 1.0) - 1.0).abs() < 1e-12);
    assert!((all.gradient / reference(&g, 0.25) - 1.0).abs() < 1e-12);

    for border in [1, 2, 3] {
        let mut shared = vec![BlockSums::default(); 4];
        let (first, second) = shared.split_at_mut(border);
        block_sums(0.25, &w[..border * BLOCK], &g[..border * BLOCK], first);
        block_sums(0.25, &w[border * BLOCK..], &g[border * BLOCK..], second);
        assert_eq!(shared, sums, "cut after block {border}");
    }
}

#[test]
fn sums_are_finite_exactly_when_all_gradients_are() {
    let mut g = values(2 * BLOCK, 3);
    (g[5], g[BLOCK]) = (f32::MAX, f32::MIN);
    let finite = |g: &[f32]| {
        let mut sums = vec![BlockSums::default(); 2];
        block_sums(1.0, &vec![0.0; g.len()], g, &mut sums);
        sums.iter().map(BlockSums::is_finite).collect::<Vec<_>>()
    };
    assert_eq!(finite(&g), [true, true]);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        g[BLOCK + 7] = bad;
        assert_eq!(finite(&g), [true, false], "{bad}");
    }
}
