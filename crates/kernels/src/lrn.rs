//! Local response normalisation across channels, channels-last (Krizhevsky et al. 2012).
//!
//! With `scale[i] = k + alpha / size · Σ x[j]²` over the `size` channels around `i`,
//! `y = x · scale^-beta` and
//! `dx = dy · scale^-beta − 2 · alpha · beta / size · x · Σ dy[j] · y[j] / scale[j]`.
//!
//! Cost: forward reads `x` and writes `y`; backward reads `x` and `dy` and writes `dx`. LrnBackward
//! makes `scale` and `y` again, which costs less than reading them, and forward need not write
//! `scale`. Window sums add the window's terms first to last: `size` additions, in vectors along
//! channels. `beta = 0.75` (every published network) takes a few multiplications instead of a
//! power.

mod row;

use crate::{
    cpu::{Cpu, DisjointMut, TASK_FLOATS},
    elementwise::ReluMask,
    simd::{Kernel, SimdLanes},
};
use row::{LrnRow, LrnScale, each_vector, load, mul, room, store};

/// Sizes and constants of a normalisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LrnOptions {
    /// Pixels of all images.
    pub pixels: usize,
    /// Channels.
    pub c: usize,
    /// Channels in a window; odd.
    pub size: usize,
    /// Caffe's `alpha`.
    pub alpha: f32,
    /// Caffe's `beta`.
    pub beta: f32,
    /// Caffe's `k`.
    pub k: f32,
}

/// `y = x · scale^-beta`.
///
/// * `x`, `y`: (pixels, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn forward(cpu: &Cpu, lrn: &LrnOptions, x: &[f32], y: &mut [f32]) {
    lrn.check(&[x.len(), y.len()]);
    let y = DisjointMut::new(y, lrn.block());
    cpu.run_scratch(y.count(), room(lrn), |block, scratch| {
        // SAFETY: each block belongs to one task.
        let y = unsafe { y.get(block) };
        let x = &x[block * lrn.block()..][..y.len()];
        match lrn.size {
            5 => cpu.enter(LrnForward::<5> { lrn, x, y, scratch }),
            _ => cpu.enter(LrnForward::<0> { lrn, x, y, scratch }),
        }
    });
}

/// Some pixels of [`forward`].
struct LrnForward<'a, const SIZE: usize> {
    lrn: &'a LrnOptions,
    x: &'a [f32],
    y: &'a mut [f32],
    scratch: &'a mut [f32],
}

impl<const SIZE: usize> Kernel for LrnForward<'_, SIZE> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let (lrn, scales) = (self.lrn, LrnScale::new(s, self.lrn));
        let mut squares = LrnRow::<SIZE>::new(lrn, self.scratch);
        for (x, y) in self.x.chunks_exact(lrn.c).zip(self.y.chunks_exact_mut(lrn.c)) {
            squares.put_squares(s, x);
            each_vector(
                lrn.c,
                #[inline(always)]
                |at, count| {
                    let by = scales.powers(s, squares.sum(s, at));
                    store(s, &mut y[at..], count, mul(s, load(s, &x[at..], count), by.power));
                },
            );
        }
    }
}

/// Gradient, through the ReLU that made `x` if there is one.
///
/// * `x`, `dy`, `dx`: (pixels, c); `dx` is overwritten
/// * `relu`: its slope
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(
    cpu: &Cpu,
    lrn: &LrnOptions,
    (x, dy): (&[f32], &[f32]),
    relu: Option<f32>,
    dx: &mut [f32],
) {
    lrn.check(&[x.len(), dy.len(), dx.len()]);
    let dx = DisjointMut::new(dx, lrn.block());
    cpu.run_scratch(dx.count(), 2 * room(lrn), |block, scratch| {
        // SAFETY: each block belongs to one task.
        let dx = unsafe { dx.get(block) };
        let [x, dy] = [x, dy].map(|v| &v[block * lrn.block()..][..dx.len()]);
        match lrn.size {
            5 => cpu.enter(LrnBackward::<5> { lrn, x, dy, relu, dx, scratch }),
            _ => cpu.enter(LrnBackward::<0> { lrn, x, dy, relu, dx, scratch }),
        }
    });
}

/// Some pixels of [`backward`].
struct LrnBackward<'a, const SIZE: usize> {
    lrn: &'a LrnOptions,
    x: &'a [f32],
    dy: &'a [f32],
    relu: Option<f32>,
    dx: &'a mut [f32],
    scratch: &'a mut [f32],
}

impl<const SIZE: usize> Kernel for LrnBackward<'_, SIZE> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let (lrn, scales) = (self.lrn, LrnScale::new(s, self.lrn));
        let (squares, products) = self.scratch.split_at_mut(room(lrn));
        let mut squares = LrnRow::<SIZE>::new(lrn, squares);
        let mut products = LrnRow::<SIZE>::new(lrn, products);
        let factor = s.splat(-2.0 * lrn.weight() * lrn.beta);
        let rows = self.x.chunks_exact(lrn.c).zip(self.dy.chunks_exact(lrn.c));
        for ((x, dy), dx) in rows.zip(self.dx.chunks_exact_mut(lrn.c)) {
            squares.put_squares(s, x);
            each_vector(
                lrn.c,
                #[inline(always)]
                |at, count| {
                    let by = scales.powers(s, squares.sum(s, at));
                    let direct = mul(s, load(s, &dy[at..], count), by.power);
                    store(s, &mut dx[at..], count, direct);
                    let x = load(s, &x[at..], count);
                    products.put(s, at, mul(s, mul(s, direct, x), by.inverse));
                },
            );
            each_vector(
                lrn.c,
                #[inline(always)]
                |at, count| {
                    let through = mul(s, load(s, &x[at..], count), products.sum(s, at));
                    let direct = load(s, &dx[at..], count);
                    store(s, &mut dx[at..], count, s.fma(factor, through, direct));
                },
            );
            if let Some(slope) = self.relu {
                ReluMask { y: x, slope }.apply(dx);
            }
        }
    }
}

impl LrnOptions {
    fn check(&self, lens: &[usize]) {
        assert_eq!(self.size % 2, 1, "a window has a middle: {self:?}");
        assert!(self.c > 0, "channels of {self:?}");
        assert!(lens.iter().all(|&len| len == self.pixels * self.c), "{lens:?} of {self:?}");
    }

    /// Values of a task: whole pixels.
    fn block(&self) -> usize {
        TASK_FLOATS.div_ceil(self.c) * self.c
    }

    /// The weight of each square, `alpha / size`.
    fn weight(&self) -> f32 {
        self.alpha / self.size as f32
    }

    /// Whether powers are computed from the fourth root: the published exponent, and a scale that
    /// is never below `k`.
    #[expect(clippy::float_cmp, reason = "exactly the published value has the fast form")]
    fn is_published(&self) -> bool {
        self.beta == 0.75 && self.k >= f32::MIN_POSITIVE && self.alpha >= 0.0
    }
}

#[cfg(test)]
mod tests;
