use proptest::prelude::*;

use super::{InnerProduct, backward_bias, backward_data, backward_weights, forward};
use crate::{
    Mat, Write,
    reference::{matrix, widen},
    testing::{assert_close, noise, on_every_cpu},
};

proptest! {
    #[test]
    fn equals_the_reference(n in 0..20_usize, d in 1..40_usize, k in 1..40_usize) {
        let ip = InnerProduct { n, d, k };
        let (x, w, dy) = (noise(n * d, 1), noise(k * d, 2), noise(n * k, 3));
        let bias = noise(k, 4);
        let (wx, ww, wdy) = (Mat::new(&x, d), Mat::new(&w, d), Mat::new(&dy, k));
        let want: Vec<f64> = matrix::gemm(n, k, d, wx, ww.flip())
            .iter()
            .enumerate()
            .map(|(i, y)| y + f64::from(bias[i % k]))
            .collect();
        let want_dx = matrix::gemm(n, d, k, wdy, ww);
        let want_dw = matrix::gemm(k, d, n, wdy.flip(), wx);
        let want_db = matrix::column_sums(k, &widen(&dy));
        on_every_cpu(|cpu| {
            let [mut y, mut dx] = [n * k, n * d].map(|len| vec![7.0; len]);
            let [mut dw, mut db] = [k * d, k].map(|len| vec![7.0; len]);
            forward(cpu, ip, &x, &w, Some(&bias), &mut y);
            assert_close(&y, &want, 1e-4);
            backward_data(cpu, ip, &dy, &w, &mut dx);
            assert_close(&dx, &want_dx, 1e-4);
            backward_weights(cpu, ip, &x, &dy, Write::Set, &mut dw);
            assert_close(&dw, &want_dw, 1e-4);
            backward_bias(cpu, ip, &dy, Write::Set, &mut db);
            assert_close(&db, &want_db, 1e-5);
            [y, dx, dw, db].concat()
        });
    }
}
