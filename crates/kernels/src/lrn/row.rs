//! Operations on the channels of one pixel that both directions of LRN use, a vector at a time.

use crate::{
    lrn::LrnOptions,
    simd::{LANES, SimdLanes},
};

/// One value per channel, padded with zeros on both sides: as many as a window of `SIZE` (or of any
/// size, if that is 0) reaches, and up to a whole vector.
pub(super) struct LrnRow<'a, const SIZE: usize> {
    size: usize,
    padded: &'a mut [f32],
}

/// Floats of a row with its padding.
pub(super) fn room(lrn: &LrnOptions) -> usize {
    lrn.c.next_multiple_of(LANES) + lrn.size
}

impl<'a, const SIZE: usize> LrnRow<'a, SIZE> {
    #[inline(always)]
    pub(super) fn new(lrn: &LrnOptions, padded: &'a mut [f32]) -> Self {
        padded.fill(0.0);
        Self { size: if SIZE == 0 { lrn.size } else { SIZE }, padded }
    }

    /// Sets eight channels from `at` on; lanes past the last channel must be 0.
    #[inline(always)]
    pub(super) fn put<S: SimdLanes>(&mut self, s: S, at: usize, values: S::F) {
        store(s, &mut self.padded[at + self.size / 2..], LANES, values);
    }

    /// Sets all channels to the squares of `x`.
    #[inline(always)]
    pub(super) fn put_squares<S: SimdLanes>(&mut self, s: S, x: &[f32]) {
        each_vector(
            x.len(),
            #[inline(always)]
            |at, count| {
                let x = load(s, &x[at..], count);
                self.put(s, at, mul(s, x, x));
            },
        );
    }

    /// Sums over the windows around eight channels from `at` on, first to last.
    #[inline(always)]
    pub(super) fn sum<S: SimdLanes>(&self, s: S, at: usize) -> S::F {
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
pub(super) struct ScalePowers<F> {
    /// `scale^-beta`.
    pub(super) power: F,
    /// `scale^-1`.
    pub(super) inverse: F,
}

/// Computes [`ScalePowers`] from sums of squares.
#[derive(Clone, Copy)]
pub(super) struct LrnScale<F> {
    weight: F,
    k: F,
    /// `None` if it is 3/4.
    beta: Option<f32>,
}

impl<F: Copy> LrnScale<F> {
    #[inline(always)]
    pub(super) fn new<S: SimdLanes<F = F>>(s: S, lrn: &LrnOptions) -> Self {
        let beta = (!lrn.is_published()).then_some(lrn.beta);
        Self { weight: s.splat(lrn.weight()), k: s.splat(lrn.k), beta }
    }

    /// The powers of `k + alpha / size · sum`.
    #[inline(always)]
    pub(super) fn powers<S: SimdLanes<F = F>>(self, s: S, sum: F) -> ScalePowers<F> {
        let scale = s.fma(self.weight, sum, self.k);
        let Some(beta) = self.beta else {
            let r = quarter(s, scale);
            let squared = mul(s, r, r);
            return ScalePowers { power: mul(s, squared, r), inverse: mul(s, squared, squared) };
        };
        let mut scales = [0.0; LANES];
        store(s, &mut scales, LANES, scale);
        let (power, inverse) = (scales.map(|v| v.powf(-beta)), scales.map(|v| 1.0 / v));
        ScalePowers { power: load(s, &power, LANES), inverse: load(s, &inverse, LANES) }
    }
}

/// `v^-1/4` for a positive `v`, to 2e-7. The correction of a guess `r` is `(1 − e)^-1/4` with
/// `e = 1 − v r⁴`, between −0.1235 and 0.1235: a polynomial with an error of at most 8e-9.
#[inline(always)]
fn quarter<S: SimdLanes>(s: S, v: S::F) -> S::F {
    let r = s.quarter_guess(v);
    let squared = mul(s, r, r);
    let e = s.sub(s.splat(1.0), mul(s, v, mul(s, squared, squared)));
    let mut correction = s.splat(8.277_694e-2);
    for c in [9.685_851e-2, 1.171_719_7e-1, 1.562_405_6e-1, 2.500_000_3e-1, 1.0] {
        correction = s.fma(correction, e, s.splat(c));
    }
    mul(s, r, correction)
}

/// `a · b`.
#[inline(always)]
pub(super) fn mul<S: SimdLanes>(s: S, a: S::F, b: S::F) -> S::F {
    s.fma(a, b, s.splat(0.0))
}

/// The first `count` values, at most eight; the other lanes are 0.
#[inline(always)]
pub(super) fn load<S: SimdLanes>(s: S, from: &[f32], count: usize) -> S::F {
    let from = &from[..count];
    if count == LANES {
        // SAFETY: there are eight values.
        unsafe { s.load(from.as_ptr()) }
    } else {
        // SAFETY: there are `count` values.
        unsafe { s.load_first(from.as_ptr(), count) }
    }
}

/// Writes the first `count` values, at most eight.
#[inline(always)]
pub(super) fn store<S: SimdLanes>(s: S, to: &mut [f32], count: usize, values: S::F) {
    let to = &mut to[..count];
    if count == LANES {
        // SAFETY: there is room for eight values.
        unsafe { s.store(to.as_mut_ptr(), values) }
    } else {
        // SAFETY: there is room for `count` values.
        unsafe { s.store_first(to.as_mut_ptr(), values, count) }
    }
}

/// Calls `body(at, count)` for the vectors of a row of `c`: whole ones, then a partial one.
#[inline(always)]
pub(super) fn each_vector(c: usize, mut body: impl FnMut(usize, usize)) {
    let whole = c / LANES * LANES;
    for at in (0..whole).step_by(LANES) {
        body(at, LANES);
    }
    if whole < c {
        body(whole, c - whole);
    }
}
