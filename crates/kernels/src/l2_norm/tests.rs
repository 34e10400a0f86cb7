use proptest::prelude::*;

use super::{L2NormDims, backward, backward_scale, inverse_norms, normalize};
use crate::{
    Write,
    reference::{normalization as reference, widen},
    testing::{assert_close, noise, on_every_cpu},
};

fn blobs() -> impl Strategy<Value = L2NormDims> {
    (1..=5_usize, 1..=6_usize, 1..=40_usize).prop_map(|(groups, pixels, c)| L2NormDims {
        groups,
        pixels,
        c,
    })
}

fn check(dims: &L2NormDims, seed: u64) {
    let (eps, c) = (0.01, dims.c);
    let (x, dy, gamma) = (noise(dims.count(), seed), noise(dims.count(), seed ^ 1), noise(c, 3));
    let want = reference::l2_norm(dims, f64::from(eps), &x, &gamma);
    let (want_dx, want_dgamma) = reference::l2_norm_backward(dims, f64::from(eps), &x, &gamma, &dy);
    on_every_cpu(|cpu| {
        let mut inv = vec![7.0; dims.groups];
        inverse_norms(cpu, dims, eps, &x, &mut inv);
        let mut y = vec![7.0; x.len()];
        normalize(cpu, dims, &inv, &gamma, &x, &mut y);
        assert_close(&y, &want, 1e-5);
        let (mut scratch, mut dx) = (vec![7.0; dims.groups], vec![7.0; x.len()]);
        backward(cpu, dims, (&inv, &gamma), (&x, &dy), &mut scratch, &mut dx);
        assert_close(&dx, &want_dx, 1e-4);
        let mut dgamma = vec![7.0; c];
        backward_scale(cpu, dims, &inv, (&x, &dy), Write::Set, &mut dgamma);
        assert_close(&dgamma, &want_dgamma, 1e-5);
        backward_scale(cpu, dims, &inv, (&x, &dy), Write::Add, &mut dgamma);
        assert_close(&dgamma, &want_dgamma.iter().map(|d| 2.0 * d).collect::<Vec<_>>(), 1e-5);
        [y, dx, dgamma].concat()
    });
}

proptest! {
    #[test]
    fn equals_the_reference(dims in blobs(), seed: u64) {
        check(&dims, seed);
    }
}

/// Groups longer than a task, and more groups than one.
#[test]
fn large_blobs() {
    check(&L2NormDims { groups: 2, pixels: 400, c: 70 }, 1);
    check(&L2NormDims { groups: 700, pixels: 1, c: 50 }, 1);
}

/// Two million equal values: sums in f32 alone would stop growing.
#[test]
fn sums_of_many_values_are_precise() {
    let dims = L2NormDims { groups: 1, pixels: 1 << 11, c: 1 << 10 };
    let x = vec![0.1; dims.count()];
    let want = 1.0 / (widen(&x[..1])[0].powi(2) * dims.count() as f64).sqrt();
    on_every_cpu(|cpu| {
        let mut inv = [7.0];
        inverse_norms(cpu, &dims, 0.0, &x, &mut inv);
        assert!((f64::from(inv[0]) / want - 1.0).abs() < 1e-6, "{} and {want}", inv[0]);
        inv.to_vec()
    });
}
