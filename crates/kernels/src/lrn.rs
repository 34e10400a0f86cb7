//! Local response normalisation across channels, channels-last (Krizhevsky et al. 2012).
//!
//! `scale[i] = k + alpha / size · Σ x[j]²` over the `size` channels around `i`, and
//! `y = x · scale^-beta`. Forward keeps `scale`, as Caffe does, for backward:
//! `dx = dy · scale^-beta − 2 · alpha · beta / size · x · Σ dy[j] · y[j] / scale[j]`.
//!
//! Window sums add the window's terms first to last: `size` additions, in vectors along channels.
//! `beta = 0.75` (every published network) takes a few multiplications instead of a power: see
//! `quarter`.

use crate::cpu::{CHUNK, Cpu, Pieces};

/// Sizes and constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lrn {
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

/// Normalises.
///
/// * `x`, `scale`, `y`: (pixels, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn forward(cpu: &Cpu, lrn: &Lrn, x: &[f32], scale: &mut [f32], y: &mut [f32]) {
    lrn.check(&[x.len(), scale.len(), y.len()]);
    let (scale, y) = (Pieces::new(scale, lrn.piece()), Pieces::new(y, lrn.piece()));
    let alpha = lrn.alpha / lrn.size as f32;
    cpu.run_scratch(y.count(), lrn.c + lrn.size, |piece, terms| {
        // SAFETY: each piece is one task's.
        let (scale, y) = (unsafe { scale.get(piece) }, unsafe { y.get(piece) });
        let x = &x[piece * lrn.piece()..][..y.len()];
        vectorize!(cpu, {
            let rows = x.chunks_exact(lrn.c).zip(scale.chunks_exact_mut(lrn.c));
            for ((x, scale), y) in rows.zip(y.chunks_exact_mut(lrn.c)) {
                lrn.window_sums(terms, x.iter().map(|x| x * x), scale);
                scale.iter_mut().for_each(|scale| *scale = lrn.k + alpha * *scale);
                let values = y.iter_mut().zip(x).zip(&*scale);
                if lrn.is_published() {
                    values.for_each(|((y, x), &s)| *y = x * by_quarters(s).power);
                } else {
                    values.for_each(|((y, x), &s)| *y = x * s.powf(-lrn.beta));
                }
            }
        });
    });
}

/// Gradient.
///
/// * `x`, `scale`, `y`: from [`forward`]
/// * `dy`, `dx`: (pixels, c); `dx` is overwritten
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(cpu: &Cpu, lrn: &Lrn, kept: &Kept<'_>, dy: &[f32], dx: &mut [f32]) {
    let Kept { x, scale, y } = *kept;
    lrn.check(&[x.len(), scale.len(), y.len(), dy.len(), dx.len()]);
    let factor = 2.0 * lrn.alpha * lrn.beta / lrn.size as f32;
    let dx = Pieces::new(dx, lrn.piece());
    cpu.run_scratch(dx.count(), 3 * lrn.c + lrn.size, |piece, scratch| {
        // SAFETY: each piece is one task's.
        let dx = unsafe { dx.get(piece) };
        let (sums, rest) = scratch.split_at_mut(lrn.c);
        let (inverses, terms) = rest.split_at_mut(lrn.c);
        vectorize!(cpu, {
            for (row, dx) in dx.chunks_exact_mut(lrn.c).enumerate() {
                let at = piece * lrn.piece() + row * lrn.c;
                let [x, scale, y, dy] = [x, scale, y, dy].map(|v| &v[at..][..lrn.c]);
                let values = dx.iter_mut().zip(&mut *inverses).zip(dy).zip(scale);
                if lrn.is_published() {
                    for (((dx, inverse), dy), &s) in values {
                        let by = by_quarters(s);
                        (*dx, *inverse) = (dy * by.power, by.inverse);
                    }
                } else {
                    for (((dx, inverse), dy), &s) in values {
                        (*dx, *inverse) = (dy * s.powf(-lrn.beta), 1.0 / s);
                    }
                }
                let products =
                    dy.iter().zip(y).zip(&*inverses).map(|((dy, y), inverse)| dy * y * inverse);
                lrn.window_sums(terms, products, sums);
                for ((dx, &x), &sum) in dx.iter_mut().zip(x).zip(&*sums) {
                    *dx -= factor * x * sum;
                }
            }
        });
    });
}

/// What forward leaves for backward; each (pixels, c).
#[derive(Debug, Clone, Copy)]
pub struct Kept<'a> {
    /// Input.
    pub x: &'a [f32],
    /// `k + alpha / size · Σ x²`.
    pub scale: &'a [f32],
    /// Output.
    pub y: &'a [f32],
}

impl Lrn {
    fn check(&self, lens: &[usize]) {
        assert_eq!(self.size % 2, 1, "a window has a middle: {self:?}");
        assert!(self.c > 0, "channels of {self:?}");
        assert!(lens.iter().all(|&len| len == self.pixels * self.c), "{lens:?} of {self:?}");
    }

    /// Values of whole pixels that make a piece.
    fn piece(&self) -> usize {
        CHUNK.div_ceil(self.c) * self.c
    }

    /// Sums of `values` over the window around each; `terms` is (c + size - 1) or longer.
    #[inline(always)]
    fn window_sums(&self, terms: &mut [f32], values: impl Iterator<Item = f32>, sums: &mut [f32]) {
        let half = self.size / 2;
        terms[..half].fill(0.0);
        terms[half..][..self.c].iter_mut().zip(values).for_each(|(term, value)| *term = value);
        terms[half + self.c..][..half].fill(0.0);
        match self.size {
            3 => add_shifted::<3>(terms, sums),
            5 => add_shifted::<5>(terms, sums),
            _ => {
                sums.copy_from_slice(&terms[..self.c]);
                for shift in 1..self.size {
                    for (sum, term) in sums.iter_mut().zip(&terms[shift..]) {
                        *sum += term;
                    }
                }
            }
        }
    }

    /// Whether powers can be had [by quarters](by_quarters): the published exponent, and a scale that
    /// is never below `k`.
    #[expect(clippy::float_cmp, reason = "exactly the published value takes the short way")]
    fn is_published(&self) -> bool {
        self.beta == 0.75 && self.k >= f32::MIN_POSITIVE && self.alpha >= 0.0
    }
}

/// Sums of `N` neighbouring terms, first to last: one pass for the windows that networks have.
#[inline(always)]
fn add_shifted<const N: usize>(terms: &[f32], sums: &mut [f32]) {
    let shifted: [&[f32]; N] = std::array::from_fn(|shift| &terms[shift..][..sums.len()]);
    for (i, sum) in sums.iter_mut().enumerate() {
        let mut total = shifted[0][i];
        for terms in &shifted[1..] {
            total += terms[i];
        }
        *sum = total;
    }
}

/// Powers of one scale.
struct Powers {
    /// `s^-3/4`.
    power: f32,
    /// `s^-1`.
    inverse: f32,
}

/// Both powers out of `s^-1/4`, for a positive `s`.
#[inline(always)]
fn by_quarters(s: f32) -> Powers {
    let r = quarter(s);
    let squared = r * r;
    Powers { power: squared * r, inverse: squared * squared }
}

/// `s^-1/4` for a positive `s`, to 2e-7. A float's bits are nearly its logarithm, so a quarter of them
/// subtracted from the right constant is a first value that is 3 % off; each of Newton's steps for
/// `r^-4 = s` squares the error.
#[inline(always)]
fn quarter(s: f32) -> f32 {
    let mut r = f32::from_bits(0x4F58_6000 - (s.to_bits() >> 2));
    for _ in 0..3 {
        let squared = r * r;
        r *= 1.25 - 0.25 * s * (squared * squared);
    }
    r
}

#[cfg(test)]
mod tests;
