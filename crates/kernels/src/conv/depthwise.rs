//! Depthwise convolution: one channel per group.
//!
//! There is no product to tile: each value is multiplied by `taps` weights. So vectors run along
//! channels, with the weights transposed to (tap, c). Sums of 32 channels stay in registers for all
//! taps of a pixel, and the cost is that of reading `x` and the weights once per tap from cache.

use crate::{
    column_sums,
    conv::{ConvShape, StackVec},
    cpu::{Cpu, DisjointMut},
    relu::relu,
    view::{StridedRows, StridedRowsMut, Write},
};

/// Whether `conv` has one input and one output channel per group.
pub(super) fn applies(conv: &ConvShape) -> bool {
    conv.group > 1 && conv.group == conv.c && conv.group == conv.k
}

/// As [`forward`](super::forward), with the slope of a ReLU.
pub(super) fn forward(
    cpu: &Cpu,
    conv: &ConvShape,
    x: &[f32],
    weights: &[f32],
    bias: Option<&[f32]>,
    slope: Option<f32>,
    y: StridedRowsMut<'_>,
) {
    let (c, [oh, ow]) = (conv.c, conv.out());
    let (stride, offset) = (y.stride, y.offset);
    let y = DisjointMut::new(y.data, 1);
    with_transposed(cpu, conv, weights, |transposed| {
        cpu.run(conv.n * oh, |row| {
            for j in 0..ow {
                // SAFETY: a row of outputs belongs to one task, and pixels do not overlap.
                let y = unsafe { y.range((row * ow + j) * stride + offset, c) };
                match bias {
                    Some(bias) => y.copy_from_slice(bias),
                    None => y.fill(0.0),
                }
                let pairs: StackVec<_> =
                    inputs(conv, row, j).map(|(tap, at)| (at * c, tap * c)).collect();
                vectorize!(cpu, {
                    add_products(&pairs, x, transposed, y);
                    if let Some(slope) = slope {
                        y.iter_mut().for_each(|y| *y = relu(*y, slope));
                    }
                });
            }
        });
    });
}

/// As [`backward_data`](super::backward_data).
pub(super) fn backward_data(
    cpu: &Cpu,
    conv: &ConvShape,
    dy: StridedRows<'_>,
    weights: &[f32],
    dx: &mut [f32],
) {
    let (c, [oh, ow]) = (conv.c, conv.out());
    // The output that reads an input at a tap, along one axis.
    let output = |axis: usize, input: usize, tap: usize, size: usize| {
        let distance = (input + conv.pad[axis]).checked_sub(tap * conv.dilation[axis])?;
        let exact = distance.is_multiple_of(conv.stride[axis]);
        Some(distance / conv.stride[axis]).filter(|&output| exact && output < size)
    };
    with_transposed(cpu, conv, weights, |transposed| {
        cpu.run_blocks(dx, conv.w * c, |row, dx| {
            let (image, i) = (row / conv.h, row % conv.h);
            for (j, dx) in dx.chunks_exact_mut(c).enumerate() {
                let pairs: StackVec<_> = (0..conv.taps())
                    .filter_map(|tap| {
                        let (ti, tj) = (tap / conv.kernel[1], tap % conv.kernel[1]);
                        let (oi, oj) = output(0, i, ti, oh).zip(output(1, j, tj, ow))?;
                        let pixel = (image * oh + oi) * ow + oj;
                        Some((pixel * dy.stride + dy.offset, tap * c))
                    })
                    .collect();
                dx.fill(0.0);
                vectorize!(cpu, add_products(&pairs, dy.data, transposed, dx));
            }
        });
    });
}

/// As [`backward_weights`](super::backward_weights).
pub(super) fn backward_weights(
    cpu: &Cpu,
    conv: &ConvShape,
    x: &[f32],
    dy: StridedRows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    let (c, taps, [oh, ow]) = (conv.c, conv.taps(), conv.out());
    column_sums::fold(
        cpu,
        conv.n * oh,
        taps * c,
        #[inline(always)]
        |row, sums| {
            for j in 0..ow {
                let dy = dy.row(row * ow + j, c);
                for (tap, at) in inputs(conv, row, j) {
                    add_product(&x[at * c..][..c], dy, &mut sums[tap * c..][..c]);
                }
            }
        },
        |sums| {
            for (i, dw) in dw.iter_mut().enumerate() {
                column_sums::put(write, sums[i % taps * c + i / taps], dw);
            }
        },
    );
}

/// Channels whose sums are in registers at the same time.
const WIDE: usize = 32;

/// `y += Σ a[i..] · b[j..]` over the pairs (i, j), in their order.
#[inline(always)]
fn add_products(pairs: &[(usize, usize)], a: &[f32], b: &[f32], y: &mut [f32]) {
    let (wide, rest) = y.as_chunks_mut::<WIDE>();
    for (block, y) in wide.iter_mut().enumerate() {
        let mut sums = *y;
        for &(i, j) in pairs {
            let (a, _) = a[i + block * WIDE..][..WIDE].as_chunks::<WIDE>();
            let (b, _) = b[j + block * WIDE..][..WIDE].as_chunks::<WIDE>();
            add_product(&a[0], &b[0], &mut sums);
        }
        *y = sums;
    }
    let done = wide.len() * WIDE;
    for &(i, j) in pairs {
        add_product(&a[i + done..][..rest.len()], &b[j + done..][..rest.len()], rest);
    }
}

/// `y += a · b`.
#[inline(always)]
fn add_product(a: &[f32], b: &[f32], y: &mut [f32]) {
    for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
        *y += a * b;
    }
}

/// The taps of output `j` in row `row` (counted over all images) that are not padding, each with
/// its input pixel.
#[inline(always)]
fn inputs(conv: &ConvShape, row: usize, j: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let [oh, _] = conv.out();
    let (image, i) = (row / oh, row % oh);
    let input = |axis: usize, output: usize, tap: usize, size: usize| {
        (output * conv.stride[axis] + tap * conv.dilation[axis])
            .checked_sub(conv.pad[axis])
            .filter(|&input| input < size)
    };
    (0..conv.taps()).filter_map(move |tap| {
        let (ti, tj) = (tap / conv.kernel[1], tap % conv.kernel[1]);
        let (i, j) = (input(0, i, ti, conv.h)?, input(1, j, tj, conv.w)?);
        Some((tap, (image * conv.h + i) * conv.w + j))
    })
}

/// Lends the weights as (tap, c).
fn with_transposed(cpu: &Cpu, conv: &ConvShape, weights: &[f32], body: impl FnOnce(&[f32])) {
    let (c, taps) = (conv.c, conv.taps());
    cpu.with_shared(weights.len(), |transposed| {
        for (i, transposed) in transposed.iter_mut().enumerate() {
            *transposed = weights[i % c * taps + i / c];
        }
        body(transposed);
    });
}
