//! One record decoded: Caffe's `Datum`, raw or holding an image file.
//!
//! A raw record is not copied: its [`Sample`] borrows the record's bytes. Images are decoded into
//! memory that is kept. A [`StoredSample`] knows its size before anything is decoded, so that a
//! crop can be drawn first and pixels beyond it are not computed.

use caffe_format::binary::DatumView;

use crate::{
    error::SampleProblem,
    image::{self, Color, DecodedImage, ImageDecoder, PixelRegion},
    transform::Chw,
};

/// An image with its label, before the transformation.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// Channels, height and width of the whole image.
    pub size: Chw,
    /// The pixels that there are.
    pub region: PixelRegion,
    /// All channels of the region's pixels.
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
        Self::whole(size, PixelValues::Interleaved(&image.pixels), label)
    }

    pub(crate) fn whole(size: Chw, values: PixelValues<'a>, label: i32) -> Self {
        let region = PixelRegion { top: 0, left: 0, height: size[1], width: size[2] };
        Self { size, region, values, label }
    }
}

/// A record whose `Datum` was read; the image in it, if there is one, is not decoded yet.
#[derive(Debug)]
pub struct StoredSample<'a> {
    /// Channels, height and width.
    pub size: Chw,
    /// The class, or what else the record is labelled with.
    pub label: i32,
    pixels: StoredPixels<'a>,
}

#[derive(Debug)]
enum StoredPixels<'a> {
    Raw(PixelValues<'a>),
    Encoded {
        file: &'a [u8],
        color: Color,
        decoder: &'a mut ImageDecoder,
        image: &'a mut DecodedImage,
    },
}

impl<'a> StoredSample<'a> {
    /// The pixels, at least those of `region`; all without one.
    pub fn decode(self, region: Option<PixelRegion>) -> Result<Sample<'a>, SampleProblem> {
        let Self { size, label, pixels } = self;
        let (file, color, decoder, image) = match pixels {
            StoredPixels::Raw(values) => return Ok(Sample::whole(size, values, label)),
            StoredPixels::Encoded { file, color, decoder, image } => (file, color, decoder, image),
        };
        let Some(region) = region else {
            decoder.decode(file, color, image).map_err(SampleProblem::Image)?;
            return Ok(Sample::of_image(image, label));
        };
        decoder.decode_region(file, color, region, image).map_err(SampleProblem::Image)?;
        Ok(Sample { size, region, ..Sample::of_image(image, label) })
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

    /// Reads a `Datum`.
    pub fn open<'a>(&'a mut self, record: &'a [u8]) -> Result<StoredSample<'a>, SampleProblem> {
        let Self { color, floats, images, image } = self;
        let datum = DatumView::read(record, floats).map_err(SampleProblem::Datum)?;
        let (label, color) = (datum.label, *color);
        if datum.encoded {
            let file = datum.data;
            let size = image::size(file, color).map_err(SampleProblem::Image)?;
            let pixels = StoredPixels::Encoded { file, color, decoder: images, image };
            return Ok(StoredSample { size, label, pixels });
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
        Ok(StoredSample { size, label, pixels: StoredPixels::Raw(values) })
    }

    /// Reads a `Datum` and decodes the whole image in it, if there is one.
    pub fn decode<'a>(&'a mut self, record: &'a [u8]) -> Result<Sample<'a>, SampleProblem> {
        self.open(record)?.decode(None)
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
