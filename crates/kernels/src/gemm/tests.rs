use proptest::prelude::*;

use super::gemm;
use crate::{
    MatrixView, StridedRowsMut, Write,
    reference::matrix,
    testing::{assert_close, noise, on_every_cpu},
};

/// All four transpositions against the reference, set and added.
fn check(m: usize, n: usize, k: usize) {
    let (a, b) = (noise(m * k, 1), noise(k * n, 2));
    let tolerance = 1e-5 * (k as f64).sqrt().max(1.0);
    for a in [MatrixView::new(&a, k), MatrixView::transposed(&a, m)] {
        for b in [MatrixView::new(&b, n), MatrixView::transposed(&b, k)] {
            let want = matrix::gemm(m, n, k, a, b);
            let twice: Vec<f64> = want.iter().map(|v| 2.0 * v).collect();
            on_every_cpu(|cpu| {
                let mut c = vec![7.0; m * n];
                gemm(cpu, m, n, k, a, b, Write::Set, StridedRowsMut::dense(&mut c, n));
                assert_close(&c, &want, tolerance);
                gemm(cpu, m, n, k, a, b, Write::Add, StridedRowsMut::dense(&mut c, n));
                assert_close(&c, &twice, 2.0 * tolerance);
                c
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn equals_the_reference(m in 0..40_usize, n in 0..40_usize, k in 0..40_usize) {
        check(m, n, k);
    }
}

#[test]
fn shapes_beyond_one_block() {
    let few = [(1, 300, 700), (300, 1, 700), (8, 1000, 40), (5, 17, 1030)];
    let many = [(200, 90, 520), (200, 80, 1100)]; // the last has several slices of the reduction
    for (m, n, k) in few.into_iter().chain(many) {
        check(m, n, k);
    }
}
