use proptest::prelude::*;

use super::{AxpyDims, backward, backward_factors, forward};
use crate::testing::{assert_close, noise, on_every_cpu};

fn check(dims: AxpyDims, seed: u64) {
    let AxpyDims { n, pixels, c } = dims;
    let count = n * pixels * c;
    let [x, z, dy] = [0, 1, 2].map(|i| noise(count, seed ^ i));
    let a = noise(n * c, seed ^ 3);
    let wide = |v: &[f32], i: usize| f64::from(v[i]);
    let factor = |i: usize| i / (pixels * c) * c + i % c;
    let want: Vec<f64> =
        (0..count).map(|i| wide(&a, factor(i)) * wide(&x, i) + wide(&z, i)).collect();
    let want_dx: Vec<f64> = (0..count).map(|i| wide(&a, factor(i)) * wide(&dy, i)).collect();
    let mut want_da = vec![0.0; n * c];
    (0..count).for_each(|i| want_da[factor(i)] += wide(&x, i) * wide(&dy, i));
    on_every_cpu(|cpu| {
        let [mut y, mut dx] = [vec![7.0; count], vec![7.0; count]];
        let mut da = vec![7.0; n * c];
        forward(cpu, &dims, &a, (&x, &z), &mut y);
        backward(cpu, &dims, &a, &dy, &mut dx);
        backward_factors(cpu, &dims, &x, &dy, &mut da);
        assert_close(&y, &want, 1e-6);
        assert_close(&dx, &want_dx, 1e-6);
        assert_close(&da, &want_da, 1e-5);
        [y, dx, da].concat()
    });
}

proptest! {
    #[test]
    fn equals_the_definition(n in 0..4_usize, pixels in 1..20_usize, c in 1..40_usize, seed: u64) {
        check(AxpyDims { n, pixels, c }, seed);
    }
}

/// Several tasks per image, and several images per task.
#[test]
fn tasks_do_not_end_with_images() {
    check(AxpyDims { n: 2, pixels: 300, c: 100 }, 1);
    check(AxpyDims { n: 100, pixels: 3, c: 100 }, 1);
}
