//! Images between the steps of a transformation, in memory that is kept.

use kernels::{
    Simd,
    pixels::{ImagePixels, channel_sums},
};

use super::augment::{ColorRules, RecordRandom};
use crate::{
    error::SampleProblem,
    image::{DecodedImage, PixelRegion, resize::ImageResizer},
    sample::{PixelValues, Sample},
};

/// Memory of a transformation; used where records are resized or recoloured.
#[derive(Debug, Default)]
pub struct TransformBuffers {
    /// For `resize_param`.
    pub(super) resized: ResizeBuffer,
    /// For `random_resized_crop`.
    pub(super) cropped: ResizeBuffer,
    /// For colours.
    pub(super) colored: ColorBuffer,
}

/// A region of a record, and that at another size.
#[derive(Debug, Default)]
pub(super) struct ResizeBuffer {
    source: DecodedImage,
    resizer: ImageResizer,
    image: DecodedImage,
}

/// A region of a record, and that in other colours.
#[derive(Debug, Default)]
pub(super) struct ColorBuffer {
    source: DecodedImage,
    values: Vec<f32>,
}

impl ResizeBuffer {
    /// `region` of a sample at another size (height, width).
    pub(super) fn resize<'a>(
        &'a mut self,
        sample: &Sample<'_>,
        region: PixelRegion,
        [height, width]: [usize; 2],
    ) -> Result<Sample<'a>, SampleProblem> {
        interleave(sample, region, &mut self.source)?;
        self.resizer.resize(&self.source, height, width, &mut self.image);
        Ok(Sample::of_image(&self.image, sample.label))
    }
}

impl ColorBuffer {
    /// `region` of a sample in the colours that `random` draws, and where it is in the result.
    pub(super) fn change<'a>(
        &'a mut self,
        simd: Simd,
        sample: &Sample<'_>,
        region: PixelRegion,
        (colors, mut random): (&ColorRules, RecordRandom),
    ) -> Result<(Sample<'a>, PixelRegion), SampleProblem> {
        interleave(sample, region, &mut self.source)?;
        let PixelRegion { height, width, .. } = region;
        let source = ImagePixels::interleaved(&self.source.pixels, [3, height, width]);
        let sums = channel_sums(source, [height, width]);
        let matrix = colors.matrix(&mut random, sums, height * width);
        self.values.resize(3 * height * width, 0.0);
        matrix.run(simd, source, [height, width], &mut self.values);
        let values = PixelValues::Floats(&self.values);
        // It stays at its place in the record, for a mean image.
        Ok((Sample { size: sample.size, region, values, label: sample.label }, region))
    }
}

/// Copies `region` of a sample, its channels next to each other.
fn interleave(
    sample: &Sample<'_>,
    region: PixelRegion,
    to: &mut DecodedImage,
) -> Result<(), SampleProblem> {
    let channels = sample.size[0];
    let PixelRegion { height, width, .. } = region;
    let (top, left) = (region.top - sample.region.top, region.left - sample.region.left);
    let held = sample.region;
    (to.channels, to.height, to.width) = (channels, height, width);
    to.pixels.clear();
    match sample.values {
        PixelValues::Interleaved(bytes) => {
            for row in bytes.chunks_exact(held.width * channels).skip(top).take(height) {
                to.pixels.extend_from_slice(&row[left * channels..][..width * channels]);
            }
        }
        PixelValues::Planar(bytes) => {
            to.pixels.resize(channels * height * width, 0);
            for (c, plane) in bytes.chunks_exact(held.height * held.width).enumerate() {
                let rows = plane.chunks_exact(held.width).skip(top).take(height);
                let out = to.pixels.iter_mut().skip(c).step_by(channels);
                let values = rows.flat_map(|row| &row[left..][..width]);
                out.zip(values).for_each(|(out, &value)| *out = value);
            }
        }
        PixelValues::Floats(_) => return Err(SampleProblem::ResizeFloats),
    }
    Ok(())
}
