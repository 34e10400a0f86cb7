use proptest::prelude::*;

use super::{LrnOptions, backward, forward};
use crate::{
    reference::{normalization as reference, widen},
    testing::{assert_close, noise, on_every_cpu},
};

proptest! {
    #[test]
    fn equals_the_reference(
        pixels in 1..40_usize,
        c in 1..40_usize,
        half in 0..4_usize,
        alpha in 0.0_f32..2.0,
        beta in prop_oneof![Just(0.75_f32), 0.1_f32..1.5],
        k in 0.5_f32..2.0,
    ) {
        let lrn = LrnOptions { pixels, c, size: 2 * half + 1, alpha, beta, k };
        let (x, dy) = (noise(pixels * c, 1), noise(pixels * c, 2));
        let (_, want_y) = reference::lrn(&lrn, &widen(&x));
        let want_dx = reference::lrn_backward(&lrn, &widen(&x), &dy);
        on_every_cpu(|cpu| {
            let [mut y, mut dx, mut through] = [(); 3].map(|()| vec![7.0; x.len()]);
            forward(cpu, &lrn, &x, &mut y);
            assert_close(&y, &want_y, 1e-5);
            backward(cpu, &lrn, (&x, &dy), None, &mut dx);
            assert_close(&dx, &want_dx, 1e-5);
            backward(cpu, &lrn, (&x, &dy), Some(0.5), &mut through);
            let masked = x.iter().zip(&dx).map(|(&x, &dx)| if x > 0.0 { dx } else { 0.5 * dx });
            assert!(through.iter().copied().eq(masked));
            dx
        });
    }
}

/// Powers of all magnitudes are as precise as of those near 1.
#[test]
fn three_quarters_are_precise() {
    on_every_cpu(|cpu| {
        let scales = (-120..120_i16).map(|exponent| 1.37 * f32::from(exponent).exp2());
        let power = |k| {
            let lrn = LrnOptions { pixels: 1, c: 3, size: 1, alpha: 0.0, beta: 0.75, k };
            let mut y = [7.0; 3];
            forward(cpu, &lrn, &[1.0; 3], &mut y);
            let want = f64::from(k).powf(-0.75);
            assert!(y.iter().all(|&y| (f64::from(y) / want - 1.0).abs() < 1e-6), "{y:?} of {k}");
            y[0]
        };
        scales.map(power).collect()
    });
}
