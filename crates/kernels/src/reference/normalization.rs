//! LRN, batch normalisation, division by the norm and softmax.

use crate::{
    l2_norm::L2NormDims, lrn::LrnOptions, reference::matrix::column_sums, reference::widen,
};

/// LRN's `scale` and `y` of (pixels, c).
#[must_use]
pub fn lrn(lrn: &LrnOptions, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let alpha = f64::from(lrn.alpha) / lrn.size as f64;
    let scale: Vec<f64> = (0..x.len())
        .map(|i| f64::from(lrn.k) + alpha * lrn_window(lrn, i).map(|j| x[j] * x[j]).sum::<f64>())
        .collect();
    let y = x.iter().zip(&scale).map(|(x, s)| x * s.powf(-f64::from(lrn.beta))).collect();
    (scale, y)
}

/// LRN's `dx` of (pixels, c).
#[must_use]
pub fn lrn_backward(lrn: &LrnOptions, x: &[f64], dy: &[f32]) -> Vec<f64> {
    let (scale, y) = self::lrn(lrn, x);
    let dy = widen(dy);
    let factor = 2.0 * f64::from(lrn.alpha) * f64::from(lrn.beta) / lrn.size as f64;
    let dx = |i: usize| {
        let sum: f64 = lrn_window(lrn, i).map(|j| dy[j] * y[j] / scale[j]).sum();
        dy[i] * scale[i].powf(-f64::from(lrn.beta)) - factor * x[i] * sum
    };
    (0..x.len()).map(dx).collect()
}

/// Values of the window around value `i`.
fn lrn_window(lrn: &LrnOptions, i: usize) -> impl Iterator<Item = usize> {
    let (row, channel) = (i - i % lrn.c, i % lrn.c);
    let half = lrn.size / 2;
    (channel.saturating_sub(half)..(channel + half + 1).min(lrn.c)).map(move |c| row + c)
}

/// Mean and variance of each column of (rows, c).
#[must_use]
pub fn statistics(c: usize, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let rows = (x.len() / c) as f64;
    let mean: Vec<f64> = column_sums(c, x).iter().map(|sum| sum / rows).collect();
    let squares: Vec<f64> =
        x.iter().enumerate().map(|(i, x)| (x - mean[i % c]) * (x - mean[i % c])).collect();
    let variance = column_sums(c, &squares).iter().map(|sum| sum / rows).collect();
    (mean, variance)
}

/// `(dy − mean(dy) − mean(dy · y) · y) · inv_std` of (rows, c).
#[must_use]
pub fn batch_norm_backward(c: usize, y: &[f64], inv_std: &[f64], dy: &[f64]) -> Vec<f64> {
    let rows = (y.len() / c) as f64;
    let weighted: Vec<f64> = dy.iter().zip(y).map(|(dy, y)| dy * y).collect();
    let (plain, weighted) = (column_sums(c, dy), column_sums(c, &weighted));
    let dx = |i: usize| {
        let channel = i % c;
        (dy[i] - plain[channel] / rows - weighted[channel] / rows * y[i]) * inv_std[channel]
    };
    (0..y.len()).map(dx).collect()
}

/// Softmax over the classes of (outer, classes, inner).
#[must_use]
pub fn softmax(classes: usize, inner: usize, x: &[f64]) -> Vec<f64> {
    let class_sum =
        |i: usize| -> f64 { same_row(classes, inner, i).map(|j| (x[j] - x[i]).exp()).sum() };
    (0..x.len()).map(|i| 1.0 / class_sum(i)).collect()
}

/// `y · (dy − Σ dy · y)` of (outer, classes, inner).
#[must_use]
pub fn softmax_backward(classes: usize, inner: usize, y: &[f64], dy: &[f64]) -> Vec<f64> {
    let dot = |i: usize| -> f64 { same_row(classes, inner, i).map(|j| y[j] * dy[j]).sum() };
    (0..y.len()).map(|i| y[i] * (dy[i] - dot(i))).collect()
}

/// Values that share a softmax with value `i`.
fn same_row(classes: usize, inner: usize, i: usize) -> impl Iterator<Item = usize> {
    let first = i / (classes * inner) * classes * inner + i % inner;
    (0..classes).map(move |class| first + class * inner)
}

/// `gamma · x / |x|` of (groups, pixels, c), with one norm per group.
#[must_use]
pub fn l2_norm(dims: &L2NormDims, eps: f64, x: &[f32], gamma: &[f32]) -> Vec<f64> {
    let (x, gamma) = (widen(x), widen(gamma));
    let norms = l2_norms(dims, eps, &x);
    (0..x.len()).map(|i| gamma[i % dims.c] * x[i] / norms[i / (dims.pixels * dims.c)]).collect()
}

/// `dx` and `dgamma` of [`l2_norm`].
#[must_use]
pub fn l2_norm_backward(
    dims: &L2NormDims,
    eps: f64,
    x: &[f32],
    gamma: &[f32],
    dy: &[f32],
) -> (Vec<f64>, Vec<f64>) {
    let (x, gamma, dy, len) = (widen(x), widen(gamma), widen(dy), dims.pixels * dims.c);
    let norms = l2_norms(dims, eps, &x);
    let d: Vec<f64> = dy.iter().enumerate().map(|(i, dy)| dy * gamma[i % dims.c]).collect();
    let dots: Vec<f64> = (0..dims.groups)
        .map(|group| (group * len..(group + 1) * len).map(|i| x[i] * d[i]).sum())
        .collect();
    let dx = |i: usize| {
        let (dot, norm) = (dots[i / len], norms[i / len]);
        d[i] / norm - x[i] * dot / norm.powi(3)
    };
    let terms: Vec<f64> = (0..x.len()).map(|i| dy[i] * x[i] / norms[i / len]).collect();
    ((0..x.len()).map(dx).collect(), column_sums(dims.c, &terms))
}

fn l2_norms(dims: &L2NormDims, eps: f64, x: &[f64]) -> Vec<f64> {
    let groups = x.chunks(dims.pixels * dims.c);
    groups.map(|x| (x.iter().map(|x| x * x).sum::<f64>() + eps).sqrt()).collect()
}
