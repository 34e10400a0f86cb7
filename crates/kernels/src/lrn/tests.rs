use proptest::prelude::*;

use super::{Kept, Lrn, backward, forward};
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
        let lrn = Lrn { pixels, c, size: 2 * half + 1, alpha, beta, k };
        let (x, dy) = (noise(pixels * c, 1), noise(pixels * c, 2));
        let (want_scale, want_y) = reference::lrn(&lrn, &widen(&x));
        let want_dx = reference::lrn_backward(&lrn, &widen(&x), &dy);
        on_every_cpu(|cpu| {
            let [mut scale, mut y, mut dx] = [(); 3].map(|()| vec![7.0; x.len()]);
            forward(cpu, &lrn, &x, &mut scale, &mut y);
            assert_close(&scale, &want_scale, 1e-5);
            assert_close(&y, &want_y, 1e-5);
            backward(cpu, &lrn, &Kept { x: &x, scale: &scale, y: &y }, &dy, &mut dx);
            assert_close(&dx, &want_dx, 1e-5);
            dx
        });
    }
}
