//! The contiguous input floats that an output pixel reads: one range per tap, or one per kernel
//! row.

use crate::{
    conv::{ConvShape, StackVec},
    cpu::Cpu,
};

/// Below this many channels a kernel row is read as one tap.
const FEW_CHANNELS: usize = 16;

/// The input of every output pixel (i, j): for each tap, `len` floats from pixel
/// `(i, j) · stride + tap`.
pub(super) struct InputTaps {
    /// Offsets of the taps, relative to the output pixel times the stride.
    pub(super) taps: StackVec<[isize; 2]>,
    /// Contiguous floats of a tap, of one group.
    pub(super) len: usize,
    /// Zeros that must be added before and after the image, so that taps never leave it.
    border: [[usize; 2]; 2],
}

impl InputTaps {
    /// The taps of a convolution; follows from the shape alone.
    pub(super) fn of(conv: &ConvShape) -> Self {
        let [kh, kw] = conv.kernel;
        let [dh, dw] = conv.dilation;
        let few = conv.group == 1 && conv.c < FEW_CHANNELS && kw > 1 && dw == 1;
        if few {
            let taps = (0..kh).map(|i| [(i * dh).cast_signed(), 0]).collect();
            return Self { taps, len: kw * conv.c, border: [conv.pad, conv.pad_end] };
        }
        let [ph, pw] = conv.pad.map(usize::cast_signed);
        let taps = (0..kh)
            .flat_map(|i| (0..kw).map(move |j| (i, j)))
            .map(|(i, j)| [(i * dh).cast_signed() - ph, (j * dw).cast_signed() - pw])
            .collect();
        Self { taps, len: conv.group_c(), border: [[0, 0]; 2] }
    }

    /// Whether taps can leave the image.
    pub(super) fn leave_image(&self, conv: &ConvShape) -> bool {
        conv.has_padding() && !self.has_border()
    }

    fn has_border(&self) -> bool {
        self.border != [[0, 0]; 2]
    }

    /// Size of the image with its border.
    pub(super) fn padded(&self, conv: &ConvShape) -> [usize; 2] {
        let [before, after] = self.border;
        [before[0] + conv.h + after[0], before[1] + conv.w + after[1]]
    }

    /// Floats of scratch for the padded copy, if one is needed.
    pub(super) fn copy_len(&self, conv: &ConvShape) -> usize {
        let [h, w] = self.padded(conv);
        if self.has_border() { conv.n * h * w * conv.c } else { 0 }
    }

    /// The image with its border: `x` itself, or a copy in `scratch`.
    pub(super) fn image<'a>(
        &self,
        cpu: &Cpu,
        conv: &ConvShape,
        x: &'a [f32],
        scratch: &'a mut [f32],
    ) -> &'a [f32] {
        if !self.has_border() || conv.x_len() == 0 {
            return x;
        }
        let [rows, w] = self.padded(conv);
        let [[top, left], _] = self.border;
        let (row, live) = (w * conv.c, conv.w * conv.c);
        cpu.run_blocks(scratch, row * rows, |image, padded| {
            let x = &x[image * conv.h * live..][..conv.h * live];
            for (i, padded) in padded.chunks_exact_mut(row).enumerate() {
                padded.fill(0.0);
                if (top..top + conv.h).contains(&i) {
                    padded[left * conv.c..][..live].copy_from_slice(&x[(i - top) * live..][..live]);
                }
            }
        });
        scratch
    }
}
