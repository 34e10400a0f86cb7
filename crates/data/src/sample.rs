//! One record decoded: Caffe's `Datum`, raw or holding an image file.
//!
//! A raw record is not copied: its [`Sample`] borrows the record's bytes. Images are decoded into
//! memory that is kept.

use caffe_format::binary::DatumView;

use crate::{
    error::SampleProblem,
    image::{Color, DecodedImage, ImageDecoder},
    transform::Chw,
};

/// An image with its label, before the transformation. The values are as many as the size says.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// Channels, height and width.
    pub size: Chw,
    /// The pixels.
    pub values: PixelValues<'a>,
    /// The class, or what else the record is labelled with.
    pub label: i32,
}

/// The values of one record, by how they lie in memory.
#[derive(Debug, Clone, Copy)]
pub enum PixelValues<'a> {
    /// Bytes, channel after channel: a raw `Datum`.
    Planar(&'a [u8]),
    /// Bytes, the channels of a pixel next to each other: a decoded image.
    Interleaved(&'a [u8]),
    /// Floats, channel after channel: `Datum.float_data`.
    Floats(&'a [f32]),
}

impl<'a> Sample<'a> {
    pub(crate) fn of_image(image: &'a DecodedImage, label: i32) -> Self {
        let size = [image.channels, image.height, image.width];
        Self { size, values: PixelValues::Interleaved(&image.pixels), label }
    }
}

/// Decodes records one after another, in buffers of its own.
#[derive(Debug)]
pub struct SampleDecoder {
    color: Color,
    floats: Vec<f32>,
    images: ImageDecoder,
    image: DecodedImage,
}

impl SampleDecoder {
    /// `color` is for records that hold image files.
    #[must_use]
    pub fn new(color: Color) -> Self {
        let (images, image) = (ImageDecoder::default(), DecodedImage::default());
        Self { color, floats: Vec::new(), images, image }
    }

    /// Reads a `Datum` and decodes the image in it, if there is one.
    pub fn decode<'a>(&'a mut self, record: &'a [u8]) -> Result<Sample<'a>, SampleProblem> {
        let datum = DatumView::read(record, &mut self.floats).map_err(SampleProblem::Datum)?;
        let label = datum.label;
        if datum.encoded {
            let decoded = self.images.decode(datum.data, self.color, &mut self.image);
            decoded.map_err(SampleProblem::Image)?;
            return Ok(Sample::of_image(&self.image, label));
        }
        let size = size(&datum)?;
        // Bytes count if there are any, else floats.
        let (values, got) = if datum.data.is_empty() {
            (PixelValues::Floats(datum.float_data), datum.float_data.len())
        } else {
            (PixelValues::Planar(datum.data), datum.data.len())
        };
        if got != size.iter().product::<usize>() {
            return Err(SampleProblem::Length { size, got });
        }
        Ok(Sample { size, values, label })
    }
}

/// The three sizes as stored, which may be anything.
fn size(datum: &DatumView<'_>) -> Result<Chw, SampleProblem> {
    let stored = [datum.channels, datum.height, datum.width];
    let bad = || SampleProblem::BadSize { stored };
    let mut size = [0; 3];
    let mut count = 1_usize;
    for (side, stored) in size.iter_mut().zip(stored) {
        *side = usize::try_from(stored).map_err(|_| bad())?;
        count = count.checked_mul(*side).ok_or_else(bad)?;
    }
    if count == 0 { Err(bad()) } else { Ok(size) }
}
