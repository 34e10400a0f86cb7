//! Normal values: boost's `normal_distribution<float>`, a ziggurat of 128 layers.
//!
//! One word gives a sign, a layer and a position in the layer. 97 of 100 positions lie under the
//! curve whatever the height; otherwise a second word decides by height, and beyond the last edge
//! the tail is drawn from two exponential values (Marsaglia & Tsang 2000, with bounds that avoid
//! most calls of `exp`).

use super::{
    Mt19937,
    tables::{NORMAL_X, NORMAL_Y},
};

impl Mt19937 {
    /// One normal value; Caffe's `caffe_rng_gaussian`.
    pub fn gaussian(&mut self, mean: f32, std: f32) -> f32 {
        self.unit_normal() * std + mean
    }

    /// Fills `values` as [`gaussian`](Self::gaussian) does one by one.
    pub fn fill_gaussian(&mut self, mean: f32, std: f32, values: &mut [f32]) {
        for value in values {
            *value = self.gaussian(mean, std);
        }
    }

    fn unit_normal(&mut self) -> f32 {
        loop {
            let (place, bits) = self.layer();
            let sign = if bits & 1 == 1 { 1.0 } else { -1.0 };
            let i = bits >> 1;
            let x = place * single(NORMAL_X[i]);
            if f64::from(x) < NORMAL_X[i + 1] {
                return x * sign;
            }
            if i == 0 {
                return self.normal_tail() * sign;
            }
            if accept_normal(i, x, self.uniform_01()) {
                return x * sign;
            }
        }
    }

    /// A value beyond the last edge: an exponential one, accepted as often as the normal curve
    /// asks.
    fn normal_tail(&mut self) -> f32 {
        let start = single(NORMAL_X[1]);
        loop {
            let x = self.unit_exponential() / start;
            let y = self.unit_exponential();
            if 2.0 * y > x * x {
                return x + start;
            }
        }
    }

    /// A word split in two: 24 bits as a fraction of 1, and the low 8 bits.
    pub(super) fn layer(&mut self) -> (f32, usize) {
        let word = self.next_u32();
        ((word >> 8) as f32 * (1.0 / 16_777_216.0), (word & 0xff) as usize)
    }
}

/// Whether the point at `x` and at fraction `height` of layer `i` lies under the curve.
///
/// Where the curve is convex the chord lies above it and the tangent below; where it is concave
/// the other way round. Only between the two is the curve itself computed.
fn accept_normal(i: usize, x: f32, height: f32) -> bool {
    let (edge, low) = (single(NORMAL_X[i]), single(NORMAL_Y[i]));
    let y = low + height * single(NORMAL_Y[i + 1] - NORMAL_Y[i]);
    let above_chord = single(NORMAL_X[i] - NORMAL_X[i + 1]) * height - (edge - x);
    let above_tangent = y - (low + (edge - x) * low * edge);
    let (above_upper, above_lower) = if NORMAL_X[i] >= 1.0 {
        (above_chord, above_tangent)
    } else {
        (above_tangent, above_chord)
    };
    above_upper < 0.0 && (above_lower < 0.0 || y < (-(x * x / 2.0)).exp())
}

/// The tables are f64, the arithmetic is not.
#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what boost does here")]
pub(super) fn single(value: f64) -> f32 {
    value as f32
}
