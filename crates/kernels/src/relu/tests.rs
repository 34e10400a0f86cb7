use proptest::prelude::*;

use super::{backward, backward_rows, capped_backward, capped_forward, forward};
use crate::{
    StridedRows, StridedRowsMut, Unary, Write,
    channel::{ChannelDims, backward_bias},
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
            forward(cpu, slope, Unary::OutOfPlace { x: &x, y: &mut y });
            assert_close(&y, &want, 1e-6);
            let mut dx = dy.clone();
            backward(cpu, slope, &x, Unary::InPlace(&mut dx));
            assert_close(&dx, &want_dx, 1e-6);
            dx
        });
    }
}

/// Values up to 10: below 0, between, and above 6.
#[test]
fn capped_equals_the_reference() {
    let x: Vec<f32> = noise(1000, 1).iter().map(|x| 10.0 * x).collect();
    let dy = noise(1000, 2);
    let want: Vec<f64> = x.iter().map(|&x| pointwise::relu(f64::from(x), 0.25).min(6.0)).collect();
    let slope = |x: f32| if x <= 0.0 { 0.25 } else { f64::from(u8::from(x < 6.0)) };
    let want_dx: Vec<f64> = x.iter().zip(&dy).map(|(&x, &dy)| f64::from(dy) * slope(x)).collect();
    on_every_cpu(|cpu| {
        let mut y = vec![7.0; x.len()];
        capped_forward(cpu, 0.25, Unary::OutOfPlace { x: &x, y: &mut y });
        assert_close(&y, &want, 1e-6);
        let mut dx = dy.clone();
        capped_backward(cpu, 0.25, &y, Unary::InPlace(&mut dx));
        assert_close(&dx, &want_dx, 1e-6);
        dx
    });
}

/// Rows with gaps between them: the mask and the sums of two passes, and the gaps untouched.
#[test]
fn masking_rows_adds_up_columns_on_the_way() {
    let (rows, c, stride, offset) = (300, 5, 9, 3);
    let (y, dy) = (noise(rows * stride, 1), noise(rows * stride, 2));
    let dense = |v: &[f32]| -> Vec<f32> {
        v.chunks(stride).flat_map(|row| row[offset..][..c].to_vec()).collect()
    };
    on_every_cpu(|cpu| {
        let mut want = dense(&dy);
        backward(cpu, 0.5, &dense(&y), Unary::InPlace(&mut want));
        let mut want_sums = vec![1.0; c];
        let dims = ChannelDims { outer: rows, c, inner: 1 };
        backward_bias(cpu, dims, &want, Write::Add, &mut want_sums);
        let (mut d, mut alone, mut sums) = (dy.clone(), dy.clone(), vec![1.0; c]);
        let at = StridedRows { data: &y, stride, offset };
        let to = StridedRowsMut { data: &mut alone, stride, offset };
        backward_rows(cpu, [rows, c], 0.5, at, to, None);
        let to = StridedRowsMut { data: &mut d, stride, offset };
        backward_rows(cpu, [rows, c], 0.5, at, to, Some((Write::Add, &mut sums)));
        assert_eq!((&dense(&d), &sums), (&want, &want_sums));
        assert_eq!(alone, d);
        let gaps =
            |v: &[f32]| v.chunks(stride).map(|row| row[..offset].to_vec()).collect::<Vec<_>>();
        assert_eq!(gaps(&d), gaps(&dy));
        [d, sums].concat()
    });
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
