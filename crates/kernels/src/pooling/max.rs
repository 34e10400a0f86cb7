//! MAX pooling.

use crate::{cpu::Cpu, pooling::Pool};

/// Largest value of each window, and where it was.
///
/// * `x`: (n, h, w, c)
/// * `y`: (n, out height, out width, c)
/// * `mask`: as `y`; pixel `i · w + j` of the first largest value, Caffe's mask
///
/// A NaN that comes first in a window stays. A window without pixels (stride beyond the kernel) gives
/// the smallest float and the mask `u32::MAX`.
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn max_forward(cpu: &Cpu, pool: &Pool, x: &[f32], y: &mut [f32], mask: &mut [u32]) {
    pool.check(x.len(), y.len());
    assert_eq!(mask.len(), y.len(), "mask of {pool:?}");
    let [oh, ow] = pool.out();
    if y.is_empty() {
        return;
    }
    let row = ow * pool.c;
    cpu.run_chunks2((y, mask), [row; 2], |r, y, mask| {
        let x = &x[r / oh * pool.h * pool.w * pool.c..][..pool.h * pool.w * pool.c];
        cpu.vectorize(|| max_row(pool, r % oh, x, y, mask));
    });
}

/// One row of outputs of one image.
#[inline(always)]
fn max_row(pool: &Pool, oi: usize, x: &[f32], y: &mut [f32], mask: &mut [u32]) {
    let c = pool.c;
    for (oj, (y, mask)) in y.chunks_exact_mut(c).zip(mask.chunks_exact_mut(c)).enumerate() {
        let mut first = true;
        for i in pool.window(0, oi) {
            for j in pool.window(1, oj) {
                let pixel = i * pool.w + j;
                let x = &x[pixel * c..][..c];
                let pixel = index_u32(pixel);
                if first {
                    y.copy_from_slice(x);
                    mask.fill(pixel);
                    first = false;
                    continue;
                }
                for ((y, mask), &x) in y.iter_mut().zip(&mut *mask).zip(x) {
                    let larger = x > *y;
                    *y = if larger { x } else { *y };
                    *mask = if larger { pixel } else { *mask };
                }
            }
        }
        if first {
            y.fill(f32::MIN);
            mask.fill(u32::MAX);
        }
    }
}

/// Sends each gradient to the pixel its value came from.
///
/// * `dy`: (n, out height, out width, c)
/// * `mask`: as `dy`, from [`max_forward`]
/// * `dx`: (n, h, w, c), overwritten
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn max_backward(cpu: &Cpu, pool: &Pool, dy: &[f32], mask: &[u32], dx: &mut [f32]) {
    pool.check(dx.len(), dy.len());
    assert_eq!(mask.len(), dy.len(), "mask of {pool:?}");
    let [oh, ow] = pool.out();
    if dx.is_empty() {
        return;
    }
    let image = oh * ow * pool.c;
    cpu.run_chunks(dx, pool.w * pool.c, |r, dx| {
        let n = r / pool.h;
        let (dy, mask) = (&dy[n * image..][..image], &mask[n * image..][..image]);
        cpu.vectorize(|| max_row_backward(pool, r % pool.h, dy, mask, dx));
    });
}

/// One row of inputs of one image.
#[inline(always)]
fn max_row_backward(pool: &Pool, i: usize, dy: &[f32], mask: &[u32], dx: &mut [f32]) {
    let c = pool.c;
    let [_, ow] = pool.out();
    for (j, dx) in dx.chunks_exact_mut(c).enumerate() {
        let pixel = index_u32(i * pool.w + j);
        dx.fill(0.0);
        for oi in pool.windows_over(0, i) {
            for oj in pool.windows_over(1, j) {
                let at = (oi * ow + oj) * c;
                let (dy, mask) = (&dy[at..][..c], &mask[at..][..c]);
                for ((dx, &dy), &mask) in dx.iter_mut().zip(dy).zip(mask) {
                    *dx += if mask == pixel { dy } else { 0.0 };
                }
            }
        }
    }
}

/// A pixel's number in the mask.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "blobs hold fewer than 2^31 values")]
fn index_u32(pixel: usize) -> u32 {
    pixel as u32
}
