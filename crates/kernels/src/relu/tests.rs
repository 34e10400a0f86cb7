use proptest::prelude::*;

use super::{backward, forward};
use crate::{
    Unary,
    reference::pointwise,
    testing::{assert_close, noise, on_every_cpu},
};

proptest! {
    #[test]
    fn equals_the_reference(len in 0..60_usize, slope in -0.5_f32..0.5, seed: u64) {
        let (x, dy) = (noise(len, seed), noise(len, seed ^ 1));
        let wide = f64::from(slope);
        let want: Vec<f64> = x.iter().map(|&x| pointwise::relu(f64::from(x), wide)).collect();
        let want_dx: Vec<f64> = x
            .iter()
            .zip(&dy)
            .map(|(&x, &dy)| f64::from(dy) * if x > 0.0 { 1.0 } else { wide })
            .collect();
        on_every_cpu(|cpu| {
            let mut y = vec![7.0; len];
            forward(cpu, slope, Unary::Apart { x: &x, y: &mut y });
            assert_close(&y, &want, 1e-6);
            let mut dx = dy.clone();
            backward(cpu, slope, &x, Unary::InPlace(&mut dx));
            assert_close(&dx, &want_dx, 1e-6);
            dx
        });
    }
}

#[test]
fn nan_stays() {
    on_every_cpu(|cpu| {
        let mut y = [f32::NAN; 9];
        forward(cpu, 0.0, Unary::InPlace(&mut y));
        assert!(y.iter().all(|y| y.is_nan()));
        Vec::new()
    });
}
