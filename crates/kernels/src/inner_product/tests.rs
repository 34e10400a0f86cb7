use proptest::prelude::*;

use super::{InnerProductShape, backward_bias, backward_data, backward_weights, forward};
use crate::{
    MatrixView, Write,
    reference::{matrix, widen},
    testing::{assert_close, noise, on_every_cpu},
};

/// Compares all passes with the reference.
fn check(ip: InnerProductShape) {
    let InnerProductShape { n, d, k } = ip;
    let (x, w, dy) = (noise(n * d, 1), noise(k * d, 2), noise(n * k, 3));
    let bias = noise(k, 4);
    let (wx, ww, wdy) = (MatrixView::new(&x, d), MatrixView::new(&w, d), MatrixView::new(&dy, k));
    let want: Vec<f64> = matrix::gemm(n, k, d, wx, ww.transpose())
        .iter()
        .enumerate()
        .map(|(i, y)| y + f64::from(bias[i % k]))
        .collect();
    let want_dx = matrix::gemm(n, d, k, wdy, ww);
    let want_dw = matrix::gemm(k, d, n, wdy.transpose(), wx);
    let twice: Vec<f64> = want_dw.iter().map(|v| 2.0 * v).collect();
    let want_db = matrix::column_sums(k, &widen(&dy));
    let tolerance = |terms: usize| 1e-5 * (terms as f64).sqrt().max(4.0);
    on_every_cpu(|cpu| {
        let [mut y, mut dx] = [n * k, n * d].map(|len| vec![7.0; len]);
        let [mut dw, mut db] = [k * d, k].map(|len| vec![7.0; len]);
        forward(cpu, ip, &x, &w, Some(&bias), &mut y);
        assert_close(&y, &want, tolerance(d));
        backward_data(cpu, ip, &dy, &w, &mut dx);
        assert_close(&dx, &want_dx, tolerance(k));
        backward_weights(cpu, ip, &x, &dy, Write::Set, &mut dw);
        assert_close(&dw, &want_dw, tolerance(n));
        backward_weights(cpu, ip, &x, &dy, Write::Add, &mut dw);
        assert_close(&dw, &twice, 2.0 * tolerance(n));
        backward_bias(cpu, ip, &dy, Write::Set, &mut db);
        assert_close(&db, &want_db, 1e-5);
        [y, dx, dw, db].concat()
    });
}

proptest! {
    #[test]
    fn equals_the_reference(n in 0..20_usize, d in 1..40_usize, k in 1..40_usize) {
        check(InnerProductShape { n, d, k });
    }
}

/// Every form, with sizes that fill neither vectors nor blocks nor tasks.
#[test]
fn awkward_sizes() {
    for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 17, 33, 64, 65] {
        for (d, k) in [(1, 1), (7, 9), (333, 3), (131, 53)] {
            check(InnerProductShape { n, d, k });
        }
    }
}

/// Rows longer than a block, more rows than a task, more columns than a task.
#[test]
fn long_rows() {
    for (n, d, k) in [(1, 33_003, 3), (6, 5_511, 10), (1, 9, 1_100), (5, 130, 1_030)] {
        check(InnerProductShape { n, d, k });
    }
}

/// No inputs: the bias. No outputs: no gradient.
#[test]
fn empty_sums() {
    for n in [1, 8, 20] {
        on_every_cpu(|cpu| {
            let mut y = vec![7.0; n * 2];
            forward(cpu, InnerProductShape { n, d: 0, k: 2 }, &[], &[], Some(&[1.0, 2.0]), &mut y);
            assert_eq!(y, [1.0, 2.0].repeat(n));
            backward_data(cpu, InnerProductShape { n, d: 0, k: 2 }, &y, &[], &mut []);
            let mut dx = vec![7.0; n * 3];
            backward_data(cpu, InnerProductShape { n, d: 3, k: 0 }, &[], &[], &mut dx);
            assert_eq!(dx, vec![0.0; n * 3]);
            [y, dx].concat()
        });
    }
}

/// An image has the same bits alone and in any batch, whichever form is chosen.
#[test]
fn images_do_not_affect_each_other() {
    let (d, k) = (75, 37);
    let (x, w, dy) = (noise(20 * d, 1), noise(k * d, 2), noise(20 * k, 3));
    on_every_cpu(|cpu| {
        let passes = |n: usize| {
            let (ip, mut y, mut dx) =
                (InnerProductShape { n, d, k }, vec![7.0; n * k], vec![7.0; n * d]);
            forward(cpu, ip, &x[..n * d], &w, None, &mut y);
            backward_data(cpu, ip, &dy[..n * k], &w, &mut dx);
            [y, dx]
        };
        let [y, dx] = passes(20);
        for n in [1, 2, 5, 8, 12, 13] {
            assert_eq!(passes(n), [&y[..n * k], &dx[..n * d]], "{n} images");
        }
        [y, dx].concat()
    });
}
