//! Convolution in which every channel has a group of its own.
//!
//! There is no product to tile: each value meets `taps` weights. So vectors run along channels, with
//! the weights turned to (tap, c), and the cost is that of reading `x` once per tap from cache.

use crate::{
    columns,
    conv::Conv,
    cpu::{Cpu, Pieces},
    relu::relu,
    view::{Rows, RowsMut, Write},
};

/// Whether this is the way to compute `conv`.
pub(super) fn applies(conv: &Conv) -> bool {
    conv.group > 1 && conv.group == conv.c && conv.group == conv.k
}

/// As [`forward`](super::forward), with the slope of a ReLU.
pub(super) fn forward(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    weights: &[f32],
    bias: Option<&[f32]>,
    slope: Option<f32>,
    y: RowsMut<'_>,
) {
    let (c, [oh, ow]) = (conv.c, conv.out());
    let (stride, offset) = (y.stride, y.offset);
    let y = Pieces::new(y.data, 1);
    with_turned(cpu, conv, weights, |turned| {
        cpu.run(conv.n * oh, |row| {
            for j in 0..ow {
                // SAFETY: rows of outputs are one task's, and pixels do not overlap.
                let y = unsafe { y.range((row * ow + j) * stride + offset, c) };
                match bias {
                    Some(bias) => y.copy_from_slice(bias),
                    None => y.fill(0.0),
                }
                cpu.vectorize(|| {
                    for (tap, at) in inputs(conv, row, j) {
                        add_product(&x[at * c..][..c], &turned[tap * c..][..c], y);
                    }
                    if let Some(slope) = slope {
                        y.iter_mut().for_each(|y| *y = relu(*y, slope));
                    }
                });
            }
        });
    });
}

/// As [`backward_data`](super::backward_data).
pub(super) fn backward_data(cpu: &Cpu, conv: &Conv, dy: Rows<'_>, weights: &[f32], dx: &mut [f32]) {
    let (c, [oh, ow]) = (conv.c, conv.out());
    // The output that meets an input at a tap, along one axis.
    let output = |axis: usize, input: usize, tap: usize, size: usize| {
        let distance = (input + conv.pad[axis]).checked_sub(tap * conv.dilation[axis])?;
        let exact = distance.is_multiple_of(conv.stride[axis]);
        Some(distance / conv.stride[axis]).filter(|&output| exact && output < size)
    };
    with_turned(cpu, conv, weights, |turned| {
        cpu.run_chunks(dx, conv.w * c, |row, dx| {
            let (image, i) = (row / conv.h, row % conv.h);
            cpu.vectorize(|| {
                dx.fill(0.0);
                for (j, dx) in dx.chunks_exact_mut(c).enumerate() {
                    for tap in 0..conv.taps() {
                        let (ti, tj) = (tap / conv.kernel[1], tap % conv.kernel[1]);
                        let place = output(0, i, ti, oh).zip(output(1, j, tj, ow));
                        if let Some((oi, oj)) = place {
                            let dy = dy.row((image * oh + oi) * ow + oj, c);
                            add_product(dy, &turned[tap * c..][..c], dx);
                        }
                    }
                }
            });
        });
    });
}

/// As [`backward_weights`](super::backward_weights).
pub(super) fn backward_weights(
    cpu: &Cpu,
    conv: &Conv,
    x: &[f32],
    dy: Rows<'_>,
    write: Write,
    dw: &mut [f32],
) {
    let (c, taps, [oh, ow]) = (conv.c, conv.taps(), conv.out());
    let add = |row: usize, sums: &mut [f32]| {
        for j in 0..ow {
            let dy = dy.row(row * ow + j, c);
            for (tap, at) in inputs(conv, row, j) {
                add_product(&x[at * c..][..c], dy, &mut sums[tap * c..][..c]);
            }
        }
    };
    columns::fold(cpu, conv.n * oh, [taps * c, 1], add, |sums| {
        for (i, dw) in dw.iter_mut().enumerate() {
            columns::put(write, sums[i % taps * c + i / taps], dw);
        }
    });
}

/// `y += a · b`.
#[inline(always)]
fn add_product(a: &[f32], b: &[f32], y: &mut [f32]) {
    for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
        *y += a * b;
    }
}

/// Taps of output `j` in row `row` of all images that are not padding, each with its input pixel.
#[inline(always)]
fn inputs(conv: &Conv, row: usize, j: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let [oh, _] = conv.out();
    let (image, i) = (row / oh, row % oh);
    let place = |axis: usize, output: usize, tap: usize, size: usize| {
        (output * conv.stride[axis] + tap * conv.dilation[axis])
            .checked_sub(conv.pad[axis])
            .filter(|&place| place < size)
    };
    (0..conv.taps()).filter_map(move |tap| {
        let (ti, tj) = (tap / conv.kernel[1], tap % conv.kernel[1]);
        let (i, j) = (place(0, i, ti, conv.h)?, place(1, j, tj, conv.w)?);
        Some((tap, (image * conv.h + i) * conv.w + j))
    })
}

/// Lends the weights as (tap, c).
fn with_turned(cpu: &Cpu, conv: &Conv, weights: &[f32], body: impl FnOnce(&[f32])) {
    let (c, taps) = (conv.c, conv.taps());
    cpu.with_shared(weights.len(), |turned| {
        for (i, turned) in turned.iter_mut().enumerate() {
            *turned = weights[i % c * taps + i / c];
        }
        body(turned);
    });
}
