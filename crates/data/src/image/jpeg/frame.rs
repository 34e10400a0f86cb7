//! The image as it is stored: components, their blocks and their coefficients.

use super::{
    COMPONENTS_MAX, JpegProblem, PerComponent,
    idct::{self, QuantTable},
};
use crate::image::{ImageError, check_size};

/// Everything a frame header says, and the coefficients that scans add.
#[derive(Debug)]
pub(super) struct JpegFrame<'a> {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) progressive: bool,
    pub(super) components: PerComponent<JpegComponent<'a>>,
    /// Largest sampling factors.
    pub(super) h_max: usize,
    pub(super) v_max: usize,
    /// From the Adobe segment: how colours are coded.
    pub(super) adobe_transform: Option<u8>,
    /// Whether a JFIF segment was seen.
    pub(super) jfif: bool,
}

/// One plane: luma, chroma, or a CMYK component.
#[derive(Debug)]
pub(super) struct JpegComponent<'a> {
    pub(super) id: u8,
    /// Sampling factors, from 1 to 4.
    pub(super) h: usize,
    pub(super) v: usize,
    pub(super) quant_index: usize,
    /// Set by the first scan of this component, as libjpeg does.
    pub(super) quant: Option<QuantTable>,
    /// Samples that belong to the image.
    pub(super) width: usize,
    pub(super) height: usize,
    /// Blocks across, padded to whole units of an interleaved scan.
    pub(super) blocks_across: usize,
    /// 64 per block, in natural order; rows of blocks are padded too.
    pub(super) coefficients: &'a mut [i16],
}

/// Decoded samples of one component.
pub(super) struct SamplePlane<'a> {
    pub(super) samples: &'a [u8],
    pub(super) stride: usize,
}

impl<'a> JpegFrame<'a> {
    /// Reads a frame header and takes the memory that it asks for, within limits.
    pub(super) fn new(
        header: &[u8],
        progressive: bool,
        coefficients: &'a mut [Vec<i16>; COMPONENTS_MAX],
    ) -> Result<Self, ImageError> {
        let &[precision, h1, h0, w1, w0, count, ref rest @ ..] = header else {
            return Err(JpegProblem::Truncated.into());
        };
        if precision != 8 {
            return Err(JpegProblem::Unsupported("a precision other than 8 bits").into());
        }
        let height = usize::from(u16::from_be_bytes([h1, h0]));
        let width = usize::from(u16::from_be_bytes([w1, w0]));
        check_size(height, width)?;
        if !matches!(count, 1 | 3 | 4) {
            return Err(JpegProblem::Unsupported("this number of components").into());
        }
        let (specs, _) = rest.as_chunks::<3>();
        let specs = specs.get(..usize::from(count)).ok_or(JpegProblem::Truncated)?;
        let factor = |nibble: u8| Some(usize::from(nibble)).filter(|f| (1..=4).contains(f));
        let mut factors = PerComponent::new();
        for &[_, sampling, _] in specs {
            let pair = factor(sampling >> 4).zip(factor(sampling & 15));
            factors.push(pair.ok_or(JpegProblem::Damaged("a sampling factor is not from 1 to 4"))?);
        }
        let h_max = factors.iter().map(|f| f.0).max().unwrap_or(1);
        let v_max = factors.iter().map(|f| f.1).max().unwrap_or(1);
        let components = specs.iter().zip(factors).zip(coefficients);
        let components = components.map(|((&[id, _, quant], (h, v)), coefficients)| {
            let (units_across, units_down) =
                (width.div_ceil(8 * h_max), height.div_ceil(8 * v_max));
            let (blocks_across, blocks_down) = (units_across * h, units_down * v);
            set_zeros(coefficients, blocks_across * blocks_down * 64);
            JpegComponent {
                id,
                h,
                v,
                quant_index: usize::from(quant & 3),
                quant: None,
                width: (width * h).div_ceil(h_max),
                height: (height * v).div_ceil(v_max),
                blocks_across,
                coefficients,
            }
        });
        let components = components.collect();
        Ok(Self {
            width,
            height,
            progressive,
            components,
            h_max,
            v_max,
            adobe_transform: None,
            jfif: false,
        })
    }
}

/// Makes `values` so many zeros. New memory comes zeroed from the system, which takes none for a
/// size that is announced and never used.
fn set_zeros(values: &mut Vec<i16>, len: usize) {
    if values.capacity() < len {
        *values = vec![0; len];
    } else {
        values.clear();
        values.resize(len, 0);
    }
}

impl JpegComponent<'_> {
    /// Blocks across and down that hold samples of the image.
    pub(super) fn used_blocks(&self) -> (usize, usize) {
        (self.width.div_ceil(8), self.height.div_ceil(8))
    }

    pub(super) fn block_mut(&mut self, across: usize, down: usize) -> &mut [i16; 64] {
        let at = (down * self.blocks_across + across) * 64;
        self.coefficients[at..].first_chunk_mut().expect("blocks are within the component")
    }

    /// Coefficients to samples, in `samples`.
    pub(super) fn plane<'s>(
        &self,
        samples: &'s mut Vec<u8>,
    ) -> Result<SamplePlane<'s>, JpegProblem> {
        let quant = self.quant.as_ref().ok_or(JpegProblem::Damaged("a component has no scan"))?;
        let stride = self.blocks_across * 8;
        let (across, down) = self.used_blocks();
        samples.resize(stride * down * 8, 0);
        let (blocks, _) = self.coefficients.as_chunks::<64>();
        for (y, row) in samples.chunks_exact_mut(stride * 8).enumerate() {
            for x in 0..across {
                let block = &blocks[y * self.blocks_across + x];
                idct::block(block, quant, &mut row[x * 8..], stride);
            }
        }
        Ok(SamplePlane { samples, stride })
    }
}
