//! The image as it is stored: components, their blocks, and which of them are wanted.

use std::ops::Range;

use kernels::jpeg::QuantTable;

use super::{JpegProblem, PerComponent, color::ColorModel};
use crate::image::{ImageError, PixelRegion, check_size};

/// Everything a frame header says.
#[derive(Debug)]
pub(super) struct JpegFrame {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) progressive: bool,
    pub(super) components: PerComponent<JpegComponent>,
    /// Largest sampling factors.
    pub(super) h_max: usize,
    pub(super) v_max: usize,
    pub(super) model: ColorModel,
}

/// One plane: luma, chroma, or a CMYK component.
#[derive(Debug)]
pub(super) struct JpegComponent {
    pub(super) id: u8,
    /// Sampling factors, from 1 to 4.
    pub(super) h: usize,
    pub(super) v: usize,
    /// Pixels per sample.
    pub(super) across: usize,
    pub(super) down: usize,
    pub(super) quant_index: usize,
    /// Set by the first scan of this component, as libjpeg does.
    pub(super) quant: Option<QuantTable>,
    /// Samples that belong to the image.
    pub(super) width: usize,
    pub(super) height: usize,
    /// Blocks across and down, padded to whole units of an interleaved scan.
    pub(super) blocks_across: usize,
    pub(super) blocks_down: usize,
    /// Samples that pixels are made of.
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
}

impl JpegFrame {
    /// Reads a frame header; colours are gray until all segments before the scans are known.
    pub(super) fn new(header: &[u8], progressive: bool) -> Result<Self, ImageError> {
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
        if factors.iter().any(|&(h, v)| !h_max.is_multiple_of(h) || !v_max.is_multiple_of(v)) {
            return Err(JpegProblem::Unsupported("fractional sampling").into());
        }
        let components = specs.iter().zip(factors).map(|(&[id, _, quant], (h, v))| JpegComponent {
            id,
            h,
            v,
            across: h_max / h,
            down: v_max / v,
            quant_index: usize::from(quant & 3),
            quant: None,
            width: (width * h).div_ceil(h_max),
            height: (height * v).div_ceil(v_max),
            blocks_across: width.div_ceil(8 * h_max) * h,
            blocks_down: height.div_ceil(8 * v_max) * v,
            columns: 0..0,
            rows: 0..0,
        });
        let (components, model) = (components.collect(), ColorModel::Gray);
        Ok(Self { width, height, progressive, components, h_max, v_max, model })
    }

    /// Notes which samples of the first `used` components a region of pixels is made of.
    pub(super) fn select(&mut self, region: PixelRegion, used: usize) {
        let PixelRegion { top, left, height, width } = region;
        for component in &mut self.components[..used] {
            component.columns = samples(left..left + width, component.across, component.width);
            component.rows = samples(top..top + height, component.down, component.height);
        }
    }
}

/// Samples of `per_sample` pixels each that `pixels` are made of. Upsampling mixes each with its
/// neighbours.
fn samples(pixels: Range<usize>, per_sample: usize, samples: usize) -> Range<usize> {
    let neighbours = usize::from(per_sample > 1);
    let first = (pixels.start / per_sample).saturating_sub(neighbours);
    first..samples.min(pixels.end.div_ceil(per_sample) + neighbours)
}

impl JpegComponent {
    /// Blocks across and down that hold samples of the image.
    pub(super) fn used_blocks(&self) -> (usize, usize) {
        (self.width.div_ceil(8), self.height.div_ceil(8))
    }

    /// Blocks across and down that hold wanted samples.
    pub(super) fn wanted_blocks(&self) -> (Range<usize>, Range<usize>) {
        let blocks = |samples: &Range<usize>| samples.start / 8..samples.end.div_ceil(8);
        (blocks(&self.columns), blocks(&self.rows))
    }
}
