//! Unpooling: values go back to the pixels that MAX pooling took them from; all others are zero.
//! Channels-last.
//!
//! A mask is what pooling writes: per value the index `row · width + column` of its pixel, as a
//! float, or -1 for none. Where two values name one pixel (windows that overlap), the last counts.

use crate::cpu::Cpu;

/// Sizes of an unpooling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnpoolingShape {
    /// Images.
    pub n: usize,
    /// Channels.
    pub c: usize,
    /// Pixels of an input image.
    pub pixels: usize,
    /// Pixels of an output image.
    pub out_pixels: usize,
}

impl UnpoolingShape {
    /// The first value of a mask that names no output pixel.
    #[must_use]
    pub fn first_outside(&self, mask: &[f32]) -> Option<f32> {
        let end = self.out_pixels as f32;
        // Truncated, -1 is all of -2 < mask <= -1, and 0 begins above -1.
        mask.iter().copied().find(|&mask| !(mask > -2.0 && mask < end))
    }

    fn check(&self, x: usize, mask: usize, y: usize) {
        assert_eq!([x, mask], [self.n * self.pixels * self.c; 2], "x of {self:?}");
        assert_eq!(y, self.n * self.out_pixels * self.c, "y of {self:?}");
    }
}

/// Index of the pixel that a mask value names; outside every image for none.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "none if it is cut")]
fn pixel(mask: f32) -> usize {
    if mask > -1.0 { mask as usize } else { usize::MAX }
}

/// Puts each value where the mask says.
///
/// * `x`, `mask`: (n, pixels, c); values outside the image are left out
/// * `y`: (n, out pixels, c), overwritten
///
/// # Panics
///
/// If an operand does not fit.
pub fn forward(cpu: &Cpu, shape: &UnpoolingShape, (x, mask): (&[f32], &[f32]), y: &mut [f32]) {
    shape.check(x.len(), mask.len(), y.len());
    if y.is_empty() {
        return;
    }
    let (c, len) = (shape.c, shape.pixels * shape.c);
    cpu.run_blocks(y, shape.out_pixels * c, |image, y| {
        y.fill(0.0);
        let (x, mask) = (&x[image * len..][..len], &mask[image * len..][..len]);
        for (at, (x, &mask)) in x.iter().zip(mask).enumerate() {
            let to = pixel(mask).saturating_mul(c).saturating_add(at % c);
            if let Some(y) = y.get_mut(to) {
                *y = *x;
            }
        }
    });
}

/// Takes each gradient from where the mask says; 0 where it names no pixel.
///
/// * `mask`, `dx`: (n, pixels, c); `dx` is overwritten
/// * `dy`: (n, out pixels, c)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward(cpu: &Cpu, shape: &UnpoolingShape, (dy, mask): (&[f32], &[f32]), dx: &mut [f32]) {
    shape.check(dx.len(), mask.len(), dy.len());
    if dx.is_empty() {
        return;
    }
    let (c, len) = (shape.c, shape.out_pixels * shape.c);
    cpu.run_blocks(dx, shape.pixels * c, |image, dx| {
        let (dy, mask) = (&dy[image * len..][..len], &mask[image * shape.pixels * c..]);
        for (at, (dx, &mask)) in dx.iter_mut().zip(mask).enumerate() {
            let from = pixel(mask).saturating_mul(c).saturating_add(at % c);
            *dx = dy.get(from).copied().unwrap_or(0.0);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{UnpoolingShape, backward, forward};
    use crate::testing::{noise, on_every_cpu};

    /// Two images of two channels and two pixels, to three pixels each.
    const SHAPE: UnpoolingShape = UnpoolingShape { n: 2, c: 2, pixels: 2, out_pixels: 3 };

    #[test]
    fn values_go_where_the_mask_says() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let mask = [2.0, 0.0, 0.0, 1.0, 1.0, 2.0, 1.0, -1.0];
        on_every_cpu(|cpu| {
            let mut y = vec![9.0; 12];
            forward(cpu, &SHAPE, (&x, &mask), &mut y);
            assert_eq!(y[..6], [3.0, 2.0, 0.0, 4.0, 1.0, 0.0]);
            assert_eq!(y[6..], [0.0, 0.0, 7.0, 0.0, 0.0, 6.0], "the last of two counts");
            let mut dx = vec![9.0; 8];
            backward(cpu, &SHAPE, (&y, &mask), &mut dx);
            assert_eq!(dx, [1.0, 2.0, 3.0, 4.0, 7.0, 6.0, 7.0, 0.0]);
            y
        });
    }

    #[test]
    fn masks_outside_the_image_are_found_and_left_out() {
        assert_eq!(SHAPE.first_outside(&[0.0, 2.9, -1.0, -0.5]), None);
        for outside in [3.0, -2.0, f32::INFINITY, -1e30] {
            assert_eq!(SHAPE.first_outside(&[0.0, outside]), Some(outside));
        }
        assert!(SHAPE.first_outside(&[f32::NAN]).is_some_and(f32::is_nan));
        let x = noise(8, 1);
        let mask = [f32::NAN, f32::INFINITY, -7.0, 3.0, 1e30, -1e30, 4e9, 3.5];
        on_every_cpu(|cpu| {
            let (mut y, mut dx) = (vec![9.0; 12], vec![9.0; 8]);
            forward(cpu, &SHAPE, (&x, &mask), &mut y);
            backward(cpu, &SHAPE, (&[1.0; 12], &mask), &mut dx);
            assert_eq!((&y[..], &dx[..]), (&[0.0; 12][..], &[0.0; 8][..]));
            y
        });
    }
}
