//! Pooling, one window at a time, as in Caffe: `hstart`, `hend`, `pool_size`.

use crate::pooling::PoolingShape;

/// A window: its pixels in the image, and Caffe's `pool_size`.
fn window(pool: &PoolingShape, oi: usize, oj: usize) -> (Vec<usize>, f64) {
    let side = |out: usize, axis: usize, size: usize| {
        let start = (out * pool.stride[axis]).cast_signed() - pool.pad[axis].cast_signed();
        let end = (start + pool.kernel[axis].cast_signed())
            .min((size + pool.pad_end[axis]).cast_signed());
        let inside: Vec<usize> =
            (start..end).filter_map(|i| usize::try_from(i).ok()).filter(|&i| i < size).collect();
        (inside, (end - start) as f64)
    };
    let ((rows, tall), (cols, wide)) = (side(oi, 0, pool.h), side(oj, 1, pool.w));
    let pixels = rows.iter().flat_map(|i| cols.iter().map(move |j| i * pool.w + j)).collect();
    (pixels, tall * wide)
}

/// Calls `visit(y index, x indices of the window, pool size)` for every output.
fn windows(pool: &PoolingShape, mut visit: impl FnMut(usize, Vec<usize>, f64)) {
    let [oh, ow] = pool.out();
    for at in 0..pool.y_len() {
        let (row, c) = (at / pool.c, at % pool.c);
        let (n, oi, oj) = (row / (oh * ow), row / ow % oh, row % ow);
        let (pixels, size) = window(pool, oi, oj);
        let x = pixels.iter().map(|pixel| (n * pool.h * pool.w + pixel) * pool.c + c).collect();
        visit(at, x, size);
    }
}

/// Largest values and where they are, as indices of `x`.
#[must_use]
pub fn max(pool: &PoolingShape, x: &[f32]) -> (Vec<f64>, Vec<usize>) {
    let (mut y, mut from) = (vec![0.0; pool.y_len()], vec![0; pool.y_len()]);
    windows(pool, |at, window, _| {
        let mut best = window[0];
        for &i in &window {
            if x[i] > x[best] {
                best = i;
            }
        }
        (y[at], from[at]) = (f64::from(x[best]), best);
    });
    (y, from)
}

/// Means.
#[must_use]
pub fn ave(pool: &PoolingShape, x: &[f32]) -> Vec<f64> {
    let mut y = vec![0.0; pool.y_len()];
    windows(pool, |at, window, size| {
        y[at] = window.iter().map(|&i| f64::from(x[i])).sum::<f64>() / size;
    });
    y
}

/// Gradient of [`ave`].
#[must_use]
pub fn ave_backward(pool: &PoolingShape, dy: &[f32]) -> Vec<f64> {
    let mut dx = vec![0.0; pool.x_len()];
    windows(pool, |at, window, size| {
        window.iter().for_each(|&i| dx[i] += f64::from(dy[at]) / size);
    });
    dx
}
