//! Convolution, one product at a time.

use crate::conv::ConvShape;

/// Calls `visit(x index, weight index, y index)` for every product of the convolution.
fn products(conv: &ConvShape, mut visit: impl FnMut(usize, usize, usize)) {
    let [oh, ow] = conv.out();
    let [kh, kw] = conv.kernel;
    let (cg, kg) = (conv.c / conv.group, conv.k / conv.group);
    let place = |out: usize, tap: usize, axis: usize, size: usize| {
        (out * conv.stride[axis] + tap * conv.dilation[axis])
            .checked_sub(conv.pad[axis])
            .filter(|&place| place < size)
    };
    for row in 0..conv.n * oh * ow {
        let (n, i, j) = (row / (oh * ow), row / ow % oh, row % ow);
        for tap in 0..kh * kw {
            let (ti, tj) = (tap / kw, tap % kw);
            let (Some(i), Some(j)) = (place(i, ti, 0, conv.h), place(j, tj, 1, conv.w)) else {
                continue;
            };
            for k in 0..conv.k {
                for c in 0..cg {
                    let x = ((n * conv.h + i) * conv.w + j) * conv.c + k / kg * cg + c;
                    visit(x, (k * cg + c) * kh * kw + tap, row * conv.k + k);
                }
            }
        }
    }
}

/// `y = conv(x, weights) + bias`: (n, out height, out width, k).
#[must_use]
pub fn forward(conv: &ConvShape, x: &[f32], weights: &[f32], bias: Option<&[f32]>) -> Vec<f64> {
    let start = |i: usize| bias.map_or(0.0, |bias| f64::from(bias[i % conv.k]));
    let mut y: Vec<f64> = (0..conv.out_pixels() * conv.k).map(start).collect();
    products(conv, |xi, wi, yi| y[yi] += f64::from(x[xi]) * f64::from(weights[wi]));
    y
}

/// `dx = convᵀ(dy, weights)`: (n, h, w, c).
#[must_use]
pub fn backward_data(conv: &ConvShape, dy: &[f32], weights: &[f32]) -> Vec<f64> {
    let mut dx = vec![0.0; conv.x_len()];
    products(conv, |xi, wi, yi| dx[xi] += f64::from(dy[yi]) * f64::from(weights[wi]));
    dx
}

/// `dw = Σ dy · x`: (k, c / group, kernel height, kernel width).
#[must_use]
pub fn backward_weights(conv: &ConvShape, x: &[f32], dy: &[f32]) -> Vec<f64> {
    let mut dw = vec![0.0; conv.weights_len()];
    products(conv, |xi, wi, yi| dw[wi] += f64::from(dy[yi]) * f64::from(x[xi]));
    dw
}
