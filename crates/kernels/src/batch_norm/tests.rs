use proptest::prelude::*;

use super::{Normalize, backward, inverse_std, normalize, statistics};
use crate::{
    Unary,
    reference::{normalization as reference, pointwise, widen},
    testing::{assert_close, noise, on_every_cpu},
};

proptest! {
    #[test]
    fn equals_the_reference(rows in 2..150_usize, c in 1..30_usize, mean in -50.0_f32..50.0) {
        let eps = 1e-3;
        let x: Vec<f32> = noise(rows * c, 1).iter().map(|x| x + mean).collect();
        let dy = noise(rows * c, 2);
        let (gamma, beta) = (noise(c, 3), noise(c, 4));
        let (want_mean, want_variance) = reference::statistics(c, &widen(&x));
        let inv_std: Vec<f64> =
            want_variance.iter().map(|v| 1.0 / (v + f64::from(eps)).sqrt()).collect();
        let normal: Vec<f64> = widen(&x)
            .iter()
            .enumerate()
            .map(|(i, x)| (x - want_mean[i % c]) * inv_std[i % c])
            .collect();
        let scaled: Vec<f64> = normal
            .iter()
            .enumerate()
            .map(|(i, y)| y * f64::from(gamma[i % c]) + f64::from(beta[i % c]))
            .map(|v| pointwise::relu(v, 0.0))
            .collect();
        let want_dx = reference::batch_norm_backward(c, &normal, &inv_std, &widen(&dy));
        on_every_cpu(|cpu| {
            let [mut mean, mut variance, mut inv_std] = [(); 3].map(|()| vec![7.0; c]);
            statistics(cpu, rows, c, &x, &mut mean, &mut variance);
            assert_close(&mean, &want_mean, 1e-5);
            assert_close(&variance, &want_variance, 1e-5);
            inverse_std(eps, &variance, &mut inv_std);

            let mut plain =
                Normalize { mean: &mean, inv_std: &inv_std, affine: None, relu: None };
            let mut y = x.clone();
            normalize(cpu, c, &plain, Unary::InPlace(&mut y));
            assert_close(&y, &normal, 1e-3); // f32 inputs around 50 have 4e-6 to lose, times 1 / std
            plain.affine = Some([&gamma, &beta]);
            plain.relu = Some(0.0);
            let mut fused = vec![7.0; x.len()];
            normalize(cpu, c, &plain, Unary::Apart { x: &x, y: &mut fused });
            assert_close(&fused, &scaled, 1e-3);

            let mut dx = vec![7.0; x.len()];
            backward(cpu, c, &y, &inv_std, Unary::Apart { x: &dy, y: &mut dx });
            assert_close(&dx, &want_dx, 2e-3);
            let mut in_place = dy.clone();
            backward(cpu, c, &y, &inv_std, Unary::InPlace(&mut in_place));
            assert_eq!(in_place, dx);
            dx
        });
    }
}
