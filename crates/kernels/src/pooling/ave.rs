//! AVE pooling.

use crate::{cpu::Cpu, elementwise::Mask, pooling::Pool};

/// Mean of each window.
///
/// * `x`: (n, h, w, c)
/// * `y`: (n, out height, out width, c)
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn ave_forward(cpu: &Cpu, pool: &Pool, x: &[f32], y: &mut [f32]) {
    pool.check(x.len(), y.len());
    let [oh, ow] = pool.out();
    if y.is_empty() {
        return;
    }
    let (c, image) = (pool.c, pool.h * pool.w * pool.c);
    cpu.run_chunks(y, ow * c, |r, y| {
        let (oi, x) = (r % oh, &x[r / oh * image..][..image]);
        vectorize!(cpu, {
            for (oj, y) in y.chunks_exact_mut(c).enumerate() {
                y.fill(0.0);
                for i in pool.window(0, oi) {
                    for j in pool.window(1, oj) {
                        let x = &x[(i * pool.w + j) * c..][..c];
                        y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
                    }
                }
                let share = share(pool, oi, oj);
                y.iter_mut().for_each(|y| *y *= share);
            }
        });
    });
}

/// Spreads each gradient evenly over its window, through the ReLU that made the input if there is one.
///
/// * `dy`: (n, out height, out width, c)
/// * `dx`, and the ReLU's output: (n, h, w, c); `dx` is overwritten
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn ave_backward(cpu: &Cpu, pool: &Pool, dy: &[f32], relu: Option<Mask<'_>>, dx: &mut [f32]) {
    pool.check(dx.len(), dy.len());
    assert!(relu.is_none_or(|relu| relu.y.len() == dx.len()), "the ReLU's output of {pool:?}");
    let [oh, ow] = pool.out();
    if dx.is_empty() {
        return;
    }
    let (c, image, row) = (pool.c, oh * ow * pool.c, pool.w * pool.c);
    cpu.run_chunks(dx, row, |r, dx| {
        let relu = relu.map(|relu| relu.part(r * row, row));
        let (i, dy) = (r % pool.h, &dy[r / pool.h * image..][..image]);
        vectorize!(cpu, {
            let rows = pool.windows_over(0, i);
            for (j, (dx, cols)) in dx.chunks_exact_mut(c).zip(pool.windows_along(1)).enumerate() {
                dx.fill(0.0);
                for oi in rows.clone() {
                    for oj in cols.clone() {
                        let dy = &dy[(oi * ow + oj) * c..][..c];
                        let share = share(pool, oi, oj);
                        dx.iter_mut().zip(dy).for_each(|(dx, dy)| *dx += dy * share);
                    }
                }
                if let Some(relu) = relu {
                    relu.part(j * c, c).apply(dx);
                }
            }
        });
    });
}

/// What each pixel of a window counts for; those in the padding count too.
#[inline(always)]
fn share(pool: &Pool, oi: usize, oj: usize) -> f32 {
    1.0 / (pool.extent(0, oi) * pool.extent(1, oj)).max(1) as f32
}
