use proptest::prelude::*;

use super::{PoolingShape, Rounding, ave_backward, ave_forward, max_backward, max_forward};
use crate::{
    elementwise::ReluMask,
    reference::pooling as reference,
    testing::{assert_close, noise, on_every_cpu},
};

/// What is left of `dx` through a ReLU of slope 0.5 with output `y`.
fn masked(dx: &[f32], y: &[f32]) -> Vec<f32> {
    dx.iter().zip(y).map(|(&dx, &y)| if y > 0.0 { dx } else { 0.5 * dx }).collect()
}

fn pools() -> impl Strategy<Value = PoolingShape> {
    let sides = (1..=11_usize, 1..=11_usize);
    let pair = |max: usize| prop::array::uniform2(1..=max);
    let rounding = prop_oneof![Just(Rounding::Ceil), Just(Rounding::Floor)];
    (
        1..=2_usize,
        prop_oneof![1..=19_usize, 30..=75_usize],
        sides,
        prop_oneof![9 => pair(5), 1 => pair(7)],
        pair(3),
        prop::array::uniform2(prop::array::uniform2(0..=2_usize)),
        rounding,
    )
        .prop_map(|(n, c, (h, w), kernel, stride, pads, rounding)| {
            let stride = [0, 1].map(|axis| stride[axis].min(kernel[axis])); // or windows are empty
            let [pad, pad_end] = pads.map(|pad| [0, 1].map(|axis| pad[axis].min(kernel[axis] - 1)));
            PoolingShape { n, c, h, w, kernel, stride, pad, pad_end, rounding }
        })
        .prop_filter("the window fits", |pool| pool.y_len() > 0)
}

proptest! {
    #[test]
    fn max_equals_the_reference(pool in pools()) {
        let x = noise(pool.x_len(), 1);
        let dy = noise(pool.y_len(), 2);
        let (want, from) = reference::max(&pool, &x);
        let mut want_dx = vec![0.0; x.len()];
        from.iter().zip(&dy).for_each(|(&i, &dy)| want_dx[i] += f64::from(dy));
        on_every_cpu(|cpu| {
            let (mut y, mut mask) = (vec![7.0; pool.y_len()], vec![7; pool.y_len()]);
            max_forward(cpu, &pool, &x, &mut y, &mut mask);
            assert_close(&y, &want, 0.0);
            let mut dx = vec![7.0; pool.x_len()];
            max_backward(cpu, &pool, (&dy, &mask), None, &mut dx);
            assert_close(&dx, &want_dx, 1e-6);
            let relu = ReluMask { y: &x, slope: 0.5 };
            let mut through = vec![7.0; pool.x_len()];
            max_backward(cpu, &pool, (&dy, &mask), Some(relu), &mut through);
            assert_eq!(through, masked(&dx, &x));
            dx
        });
    }

    #[test]
    fn ave_equals_the_reference(pool in pools()) {
        let x = noise(pool.x_len(), 1);
        let dy = noise(pool.y_len(), 2);
        let (want, want_dx) = (reference::ave(&pool, &x), reference::ave_backward(&pool, &dy));
        on_every_cpu(|cpu| {
            let mut y = vec![7.0; pool.y_len()];
            ave_forward(cpu, &pool, &x, &mut y);
            assert_close(&y, &want, 1e-6);
            let mut dx = vec![7.0; pool.x_len()];
            ave_backward(cpu, &pool, &dy, None, &mut dx);
            assert_close(&dx, &want_dx, 1e-6);
            let mut through = vec![7.0; pool.x_len()];
            ave_backward(cpu, &pool, &dy, Some(ReluMask { y: &x, slope: 0.5 }), &mut through);
            assert_eq!(through, masked(&dx, &x));
            dx
        });
    }
}

/// Of equal values the first counts, and a NaN only if it is the window's first pixel; in every
/// lane.
#[test]
fn the_first_largest_value_counts() {
    const CASES: [([f32; 4], u32); 5] = [
        ([1.0, 2.0, 2.0, 1.0], 1),
        ([f32::NAN, 2.0, 3.0, 1.0], 0),
        ([1.0, f32::NAN, 3.0, 3.0], 2),
        ([f32::NEG_INFINITY; 4], 0),
        ([0.0, -0.0, -1.0, 0.0], 0),
    ];
    for c in [1, 5, 8, 20, 50] {
        let pool = PoolingShape {
            n: 1,
            c,
            h: 2,
            w: 2,
            kernel: [2; 2],
            stride: [2; 2],
            pad: [0; 2],
            pad_end: [0; 2],
            rounding: Rounding::Ceil,
        };
        let at = |pixel: usize, channel: usize| CASES[channel % CASES.len()].0[pixel];
        let x: Vec<f32> = (0..4 * c).map(|i| at(i / c, i % c)).collect();
        on_every_cpu(|cpu| {
            let (mut y, mut mask) = (vec![7.0; c], vec![7; c]);
            max_forward(cpu, &pool, &x, &mut y, &mut mask);
            for (channel, (y, &pixel)) in y.iter().zip(&mask).enumerate() {
                assert_eq!(pixel, CASES[channel % CASES.len()].1, "channel {channel} of {c}");
                let want = at(pixel as usize, channel);
                assert_eq!(y.to_bits(), want.to_bits(), "channel {channel} of {c}");
            }
            y
        });
    }
}

/// Caffe's sizes: 32 → 16 for CIFAR-10 quick (3, 2), 112 → 56 for GoogLeNet, 7 → 7 with padding 1.
#[test]
fn output_sizes_are_caffes() {
    let uneven = |size, kernel, stride, [pad, pad_end]: [usize; 2]| {
        let (h, w, kernel, stride) = (size, size, [kernel; 2], [stride; 2]);
        let (pad, pad_end, rounding) = ([pad; 2], [pad_end; 2], Rounding::Ceil);
        PoolingShape { n: 1, c: 1, h, w, kernel, stride, pad, pad_end, rounding }.out()[0]
    };
    let side = |size, kernel, stride, pad| uneven(size, kernel, stride, [pad; 2]);
    assert_eq!([side(32, 3, 2, 0), side(112, 3, 2, 0), side(7, 3, 1, 1)], [16, 56, 7]);
    assert_eq!(side(4, 2, 2, 1), 3); // a fourth window would start in the padding
    assert_eq!([uneven(112, 3, 2, [0, 1]), uneven(112, 3, 2, [1, 0])], [56, 56]);
    // Two windows reach the last pixel; a third would start after it.
    assert_eq!([uneven(4, 2, 2, [0, 1]), uneven(4, 2, 2, [1, 0])], [2, 3]);
}

/// Counting gives what dividing gives, for every geometry.
#[test]
fn windows_over_pixels_are_counted_right() {
    for kernel in 1..=4 {
        for stride in 1..=5 {
            for pads in (0..kernel).flat_map(|pad| (0..kernel).map(move |end| [pad, end])) {
                for (w, rounding) in
                    [(1, Rounding::Ceil), (7, Rounding::Ceil), (8, Rounding::Floor)]
                {
                    let (kernel, stride) = ([1, kernel], [1, stride]);
                    let [pad, pad_end] = pads.map(|pad| [0, pad]);
                    let pool = PoolingShape {
                        n: 1,
                        c: 1,
                        h: 1,
                        w,
                        kernel,
                        stride,
                        pad,
                        pad_end,
                        rounding,
                    };
                    let counted: Vec<_> = pool.windows_along(1).collect();
                    let divided: Vec<_> = (0..w).map(|j| pool.windows_over(1, j)).collect();
                    assert_eq!(counted, divided, "{pool:?}");
                }
            }
        }
    }
}
