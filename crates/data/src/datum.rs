//! One record of a database: Caffe's `Datum`, raw or holding an image file.

use caffe_format::{Datum, binary};

use crate::{
    error::SampleProblem,
    image::{self, Color, Image},
    transform::{Chw, Values},
};

/// A record whose lengths hold.
#[derive(Debug)]
pub struct Record {
    datum: Datum,
    /// Set when the datum was encoded.
    image: Option<Image>,
    size: Chw,
}

impl Record {
    /// Reads a `Datum` and decodes the image in it, if there is one.
    pub fn read(bytes: &[u8], color: Color) -> Result<Self, SampleProblem> {
        let datum: Datum = binary::read(bytes).map_err(SampleProblem::Datum)?;
        if datum.encoded() {
            let image = image::decode(datum.data(), color).map_err(SampleProblem::Image)?;
            let size = [image.channels, image.height, image.width];
            return Ok(Self { datum, image: Some(image), size });
        }
        let size = size(&datum)?;
        let got = values(&datum);
        if got != size.iter().product::<usize>() {
            return Err(SampleProblem::Length { size, got });
        }
        Ok(Self { datum, image: None, size })
    }

    /// Channels, height and width.
    #[must_use]
    pub fn size(&self) -> Chw {
        self.size
    }

    /// The class, or what else the record is labelled with.
    #[must_use]
    pub fn label(&self) -> i32 {
        self.datum.label()
    }

    /// As many as the size says.
    #[must_use]
    pub fn values(&self) -> Values<'_> {
        match &self.image {
            Some(image) => Values::Interleaved(&image.pixels),
            None if self.datum.data().is_empty() => Values::Floats(&self.datum.float_data),
            None => Values::Planar(self.datum.data()),
        }
    }
}

/// Bytes count if there are any, else floats.
fn values(datum: &Datum) -> usize {
    if datum.data().is_empty() { datum.float_data.len() } else { datum.data().len() }
}

/// The three sizes as stored, which may be anything.
fn size(datum: &Datum) -> Result<Chw, SampleProblem> {
    let stored = [datum.channels(), datum.height(), datum.width()];
    let bad = || SampleProblem::BadSize { stored };
    let mut size = [0; 3];
    let mut count = 1_usize;
    for (side, stored) in size.iter_mut().zip(stored) {
        *side = usize::try_from(stored).map_err(|_| bad())?;
        count = count.checked_mul(*side).ok_or_else(bad)?;
    }
    if count == 0 { Err(bad()) } else { Ok(size) }
}
