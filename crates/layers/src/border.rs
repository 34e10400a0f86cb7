//! Borders inside layers that run as one: in mixed precision values are rounded there, as they are
//! where a layer of its own ends.
//!
//! In f32 a layer applies an absorbed ReLU, or the mask of one, within its own pass. In mixed
//! precision the same is a second pass over images that are in the cache already.

use kernels::elementwise::ReluMask;
use kernels::{Cpu, HalfFormat, Unary, half, relu};

use crate::BottomDiff;

/// Masks the diff of a layer's own top by the ReLU that it absorbed: `dy` becomes what the ReLU
/// would have left in its bottom's diff.
pub(crate) fn mask_top(
    cpu: &Cpu,
    rounding: Option<HalfFormat>,
    slope: f32,
    y: &[f32],
    dy: &mut [f32],
) {
    relu::backward(cpu, slope, y, Unary::InPlace(&mut *dy));
    if let Some(format) = rounding.filter(|_| slope != 0.0) {
        half::round(cpu, format, Unary::InPlace(dy));
    }
}

/// The mask that a layer applies to its bottom's diff for the ReLU that made the bottom.
#[derive(Clone, Copy)]
pub(crate) struct BottomMask<'a> {
    mask: Option<ReluMask<'a>>,
    rounding: Option<HalfFormat>,
}

impl<'a> BottomMask<'a> {
    pub(crate) fn new(bottom: &BottomDiff<'a>, rounding: Option<HalfFormat>) -> Self {
        let mask = bottom.relu.map(|slope| ReluMask { y: bottom.data, slope });
        Self { mask, rounding }
    }

    /// What the layer applies in its own pass.
    pub(crate) fn in_pass(self) -> Option<ReluMask<'a>> {
        self.mask.filter(|_| self.rounding.is_none())
    }

    /// After the layer's own pass: rounds at the border between the two and applies the mask.
    pub(crate) fn finish(self, cpu: &Cpu, dx: &mut [f32]) {
        if let (Some(ReluMask { y, slope }), Some(format)) = (self.mask, self.rounding) {
            relu::backward_rounded(cpu, format, slope, y, dx);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mask_top;
    use kernels::{Cpu, HalfFormat, Simd};

    #[test]
    fn a_slope_makes_values_that_must_be_rounded() {
        let (cpu, y) = (Cpu::new(1, Simd::detect()), [1.0, -1.0]);
        for (rounding, want) in [(None, 0.3 * 1.5), (Some(HalfFormat::Bf16), 0.449_218_75)] {
            let mut dy = [1.5, 1.5];
            mask_top(&cpu, rounding, 0.3, &y, &mut dy);
            assert_eq!(dy, [1.5, want], "{rounding:?}");
        }
    }
}
