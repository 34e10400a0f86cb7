//! What both directions of LRN do with the channels of one pixel, a vector at a time.

use crate::{
    lrn::Lrn,
    simd::{LANES, Lanes, each_vector, load, store},
};

/// One value a channel, with zeros before and behind: as many as a window of `SIZE` (or of any size, if
/// that is 0) reaches, and up to a whole vector.
pub(super) struct Row<'a, const SIZE: usize> {
    size: usize,
    padded: &'a mut [f32],
}

/// Floats that a row needs.
pub(super) fn room(lrn: &Lrn) -> usize {
    lrn.c.next_multiple_of(LANES) + lrn.size
}

impl<'a, const SIZE: usize> Row<'a, SIZE> {
    #[inline(always)]
    pub(super) fn new(lrn: &Lrn, padded: &'a mut [f32]) -> Self {
        padded.fill(0.0);
        Self { size: if SIZE == 0 { lrn.size } else { SIZE }, padded }
    }

    /// Sets eight channels from `at` on; those beyond the last must be 0.
    #[inline(always)]
    pub(super) fn put<S: Lanes>(&mut self, s: S, at: usize, values: S::F) {
        store(s, &mut self.padded[at + self.size / 2..], LANES, values);
    }

    /// Sets all channels to the squares of `x`.
    #[inline(always)]
    pub(super) fn put_squares<S: Lanes>(&mut self, s: S, x: &[f32]) {
        each_vector(
            x.len(),
            #[inline(always)]
            |at, count| {
                let x = load(s, &x[at..], count);
                self.put(s, at, s.mul(x, x));
            },
        );
    }

    /// Sums over the windows around eight channels from `at` on, first to last.
    #[inline(always)]
    pub(super) fn sum<S: Lanes>(&self, s: S, at: usize) -> S::F {
        let seen = &self.padded[at..][..LANES + self.size - 1];
        // SAFETY: `seen` is eight values and one more for each shift.
        let mut sum = unsafe { s.load(seen.as_ptr()) };
        for shift in 1..self.size {
            // SAFETY: as above.
            sum = s.add(sum, unsafe { s.load(seen.as_ptr().wrapping_add(shift)) });
        }
        sum
    }
}

/// Powers of the scales of eight channels.
pub(super) struct Powers<F> {
    /// `scale^-beta`.
    pub(super) power: F,
    /// `scale^-1`.
    pub(super) inverse: F,
}

/// Makes [`Powers`] out of sums.
#[derive(Clone, Copy)]
pub(super) struct Scales<F> {
    share: F,
    k: F,
    /// Unless it is 3/4.
    beta: Option<f32>,
}

impl<F: Copy> Scales<F> {
    #[inline(always)]
    pub(super) fn new<S: Lanes<F = F>>(s: S, lrn: &Lrn) -> Self {
        let beta = (!lrn.is_published()).then_some(lrn.beta);
        Self { share: s.splat(lrn.share()), k: s.splat(lrn.k), beta }
    }

    /// Of `k + alpha / size · sum`.
    #[inline(always)]
    pub(super) fn powers<S: Lanes<F = F>>(self, s: S, sum: F) -> Powers<F> {
        let scale = s.fma(self.share, sum, self.k);
        let Some(beta) = self.beta else {
            let r = quarter(s, scale);
            let squared = s.mul(r, r);
            return Powers { power: s.mul(squared, r), inverse: s.mul(squared, squared) };
        };
        let mut scales = [0.0; LANES];
        store(s, &mut scales, LANES, scale);
        let (power, inverse) = (scales.map(|v| v.powf(-beta)), scales.map(|v| 1.0 / v));
        Powers { power: load(s, &power, LANES), inverse: load(s, &inverse, LANES) }
    }
}

/// `v^-1/4` for a positive `v`, to 2e-7. What a guess `r` lacks is `(1 − e)^-1/4` with
/// `e = 1 − v r⁴`, between −0.1235 and 0.1235: a polynomial that is 8e-9 off at most.
#[inline(always)]
fn quarter<S: Lanes>(s: S, v: S::F) -> S::F {
    let r = s.quarter_guess(v);
    let squared = s.mul(r, r);
    let e = s.sub(s.splat(1.0), s.mul(v, s.mul(squared, squared)));
    let mut missing = s.splat(8.277_694e-2);
    for c in [9.685_851e-2, 1.171_719_7e-1, 1.562_405_6e-1, 2.500_000_3e-1, 1.0] {
        missing = s.fma(missing, e, s.splat(c));
    }
    s.mul(r, missing)
}
