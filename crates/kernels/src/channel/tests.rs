use proptest::prelude::*;

use super::{ChannelDims, backward_bias, backward_scale, bias, scale};
use crate::{
    Unary, Write,
    testing::{assert_close, noise, on_every_cpu},
};

proptest! {
    #[test]
    fn equals_the_formula(outer in 0..40_usize, c in 1..20_usize, inner in 1..20_usize) {
        let dims = ChannelDims { outer, c, inner };
        let (x, dy) = (noise(dims.count(), 1), noise(dims.count(), 2));
        let (gamma, beta) = (noise(c, 3), noise(c, 4));
        let channel = |i: usize| i / inner % c;
        let wide = |f: &dyn Fn(usize) -> f64| (0..dims.count()).map(f).collect::<Vec<_>>();
        let want = wide(&|i| {
            f64::from(x[i]) * f64::from(gamma[channel(i)]) + f64::from(beta[channel(i)])
        });
        let want_bias = wide(&|i| f64::from(x[i]) + f64::from(beta[channel(i)]));
        let (mut want_dgamma, mut want_dbeta) = (vec![0.0; c], vec![1.0; c]);
        for i in 0..dims.count() {
            want_dgamma[channel(i)] += f64::from(x[i]) * f64::from(dy[i]);
            want_dbeta[channel(i)] += f64::from(dy[i]);
        }
        on_every_cpu(|cpu| {
            let mut y = vec![7.0; x.len()];
            scale(cpu, dims, &gamma, Some(&beta), Unary::OutOfPlace { x: &x, y: &mut y });
            assert_close(&y, &want, 1e-6);
            y.copy_from_slice(&x);
            bias(cpu, dims, &beta, Unary::InPlace(&mut y));
            assert_close(&y, &want_bias, 1e-6);
            let (mut dgamma, mut dbeta) = (vec![7.0; c], vec![1.0; c]);
            backward_scale(cpu, dims, &x, &dy, Write::Set, &mut dgamma);
            assert_close(&dgamma, &want_dgamma, 1e-5);
            backward_bias(cpu, dims, &dy, Write::Add, &mut dbeta);
            assert_close(&dbeta, &want_dbeta, 1e-5);
            [dgamma, dbeta].concat()
        });
    }
}
