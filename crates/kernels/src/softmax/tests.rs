use proptest::prelude::*;

use super::{backward, forward};
use crate::{
    Unary,
    channel::ChannelDims,
    reference::{normalization as reference, widen},
    testing::{assert_close, noise, on_every_cpu},
};

proptest! {
    #[test]
    fn equals_the_reference(
        outer in 0..3_usize,
        c in 1..20_usize,
        inner in prop_oneof![1..5_usize, 60..140_usize],
        spread in 0.0_f32..80.0,
    ) {
        let dims = ChannelDims { outer, c, inner };
        let x: Vec<f32> = noise(dims.count(), 1).iter().map(|x| x * spread).collect();
        let dy = noise(dims.count(), 2);
        let want = reference::softmax(c, inner, &widen(&x));
        let want_dx = reference::softmax_backward(c, inner, &want, &widen(&dy));
        on_every_cpu(|cpu| {
            let mut y = vec![7.0; x.len()];
            forward(cpu, dims, Unary::OutOfPlace { x: &x, y: &mut y });
            assert_close(&y, &want, 1e-6);
            let mut dx = dy.clone();
            backward(cpu, dims, &y, Unary::InPlace(&mut dx));
            assert_close(&dx, &want_dx, 1e-6);
            dx
        });
    }
}

#[test]
fn a_diverged_row_looks_diverged() {
    let dims = ChannelDims { outer: 1, c: 3, inner: 1 };
    on_every_cpu(|cpu| {
        let mut y = [1.0, f32::NAN, 2.0];
        forward(cpu, dims, Unary::InPlace(&mut y));
        assert!(y.iter().all(|y| y.is_nan()));
        Vec::new()
    });
}
