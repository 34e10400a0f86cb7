//! Exponential values with mean 1: boost's ziggurat of 256 layers, used for the normal tail.
//!
//! The tail of an exponential is the whole curve again, shifted; so a draw beyond the last edge
//! starts over with the edge added.

use super::{
    Mt19937,
    gaussian::single,
    tables::{EXPONENTIAL_X, EXPONENTIAL_Y},
};

impl Mt19937 {
    pub(super) fn unit_exponential(&mut self) -> f32 {
        let mut shift = 0.0;
        loop {
            let (place, i) = self.layer();
            let x = place * single(EXPONENTIAL_X[i]);
            if x < single(EXPONENTIAL_X[i + 1]) {
                return shift + x;
            }
            if i == 0 {
                shift += single(EXPONENTIAL_X[1]);
            } else if accept(i, x, self.uniform_01()) {
                return x + shift;
            }
        }
    }
}

/// Whether the point at `x` and at fraction `height` of layer `i` lies under `exp(-x)`: the chord
/// is above the curve, the tangent at the upper edge below it.
fn accept(i: usize, x: f32, height: f32) -> bool {
    let high = single(EXPONENTIAL_Y[i + 1]);
    let y = single(EXPONENTIAL_Y[i]) + height * single(EXPONENTIAL_Y[i + 1] - EXPONENTIAL_Y[i]);
    let above_chord =
        single(EXPONENTIAL_X[i] - EXPONENTIAL_X[i + 1]) * height - (single(EXPONENTIAL_X[i]) - x);
    let above_tangent = y - (high + (single(EXPONENTIAL_X[i + 1]) - x) * high);
    above_chord < 0.0 && (above_tangent < 0.0 || y < (-x).exp())
}
