//! Augmentation that Caffe does not have: random resized crops, colour jitter, lighting.
//!
//! Extensions of `transform_param`, in the TRAIN phase only. For each record the transformer draws
//! one number, with which a generator of the record's own starts: so what is drawn for a record
//! depends on neither other records nor threads, and passing over records is cheap. Arithmetic is
//! in f64 with operations that IEEE 754 defines to the bit (no logarithms or cosines); normal
//! numbers are sums of twelve uniform ones less 6. So a run repeats to the bit on any machine.

mod color;
#[cfg(test)]
mod tests;

use caffe_format::{RandomResizedCropParameter, TransformationParameter};

use crate::{error::DataError, image::PixelRegion};
pub(super) use color::ColorRules;

/// Regions that are drawn before the centre is taken.
const ATTEMPTS: usize = 10;

/// What is drawn for each record besides Caffe's crop and mirror.
#[derive(Debug, Default)]
pub(super) struct Augmentation {
    pub(super) region: Option<RandomRegion>,
    pub(super) colors: Option<ColorRules>,
}

/// `random_resized_crop`: a region of random area and aspect ratio, resized to `crop_size`.
#[derive(Debug, Clone, Copy)]
pub(super) struct RandomRegion {
    /// Least and most, as parts of the image.
    area: [f64; 2],
    /// The longer side over the shorter one, at most.
    aspect_max: f64,
}

impl Augmentation {
    /// Checks the fields.
    pub(super) fn lower(param: &TransformationParameter) -> Result<Self, DataError> {
        let region = param.random_resized_crop.as_ref().map(RandomRegion::lower).transpose()?;
        if region.is_some() {
            if param.crop_size() == 0 {
                let field = "transform_param.crop_size` for `random_resized_crop";
                return Err(DataError::Required { field });
            }
            if param.mean_file.is_some() {
                let want = "`mean_value`: regions of a `random_resized_crop` have no place in a \
                            mean image";
                let (field, got) = ("transform_param.mean_file", "written".into());
                return Err(DataError::ForkValue { field, got, want });
            }
        }
        Ok(Self { region, colors: ColorRules::lower(param)? })
    }

    /// Whether a number is drawn for each record.
    pub(super) fn draws(&self) -> bool {
        self.region.is_some() || self.colors.is_some()
    }
}

impl RandomRegion {
    fn lower(param: &RandomResizedCropParameter) -> Result<Self, DataError> {
        let refused = |field, got: f32, want| {
            let got = got.to_string();
            Err(DataError::ForkValue { field, got, want })
        };
        let (least, most) = (param.min_area(), param.max_area());
        if !(least > 0.0 && least <= 1.0) {
            let field = "transform_param.random_resized_crop.min_area";
            return refused(field, least, "above 0 and at most 1");
        }
        if !(most >= least && most <= 1.0) {
            let field = "transform_param.random_resized_crop.max_area";
            return refused(field, most, "from `min_area` to 1");
        }
        let aspect = param.max_aspect_ratio();
        if !(1.0..=100.0).contains(&aspect) {
            let field = "transform_param.random_resized_crop.max_aspect_ratio";
            return refused(field, aspect, "from 1 (squares) to 100");
        }
        Ok(Self { area: [least, most].map(f64::from), aspect_max: f64::from(aspect) })
    }

    /// Draws a region of an image: area uniform, aspect ratio uniform and either side the longer
    /// one. If none of some regions fits, the largest square in the centre.
    pub(super) fn draw(
        &self,
        random: &mut RecordRandom,
        [image_height, image_width]: [usize; 2],
    ) -> PixelRegion {
        for _ in 0..ATTEMPTS {
            let part = random.between(self.area[0], self.area[1]);
            let area = (image_height * image_width) as f64 * part;
            let aspect = random.between(1.0, self.aspect_max);
            let (long, short) = (rounded((area * aspect).sqrt()), rounded((area / aspect).sqrt()));
            let wide = random.below(2) == 1;
            let (height, width) = if wide { (short, long) } else { (long, short) };
            let [top, left] = [random.unit(), random.unit()];
            if (1..=image_height).contains(&height) && (1..=image_width).contains(&width) {
                let top = offset(top, image_height - height);
                return PixelRegion { top, left: offset(left, image_width - width), height, width };
            }
        }
        let side = image_height.min(image_width);
        let (top, left) = ((image_height - side) / 2, (image_width - side) / 2);
        PixelRegion { top, left, height: side, width: side }
    }
}

/// The nearest whole number of a length in pixels.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "images have at most 2^26 pixels, and lengths are not negative"
)]
fn rounded(length: f64) -> usize {
    length.round() as usize
}

/// One of `0..=most`, by a number from 0 to 1.
fn offset(unit: f64, most: usize) -> usize {
    rounded((unit * (most + 1) as f64).floor()).min(most)
}

/// Random numbers of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordRandom(u64);

impl RecordRandom {
    pub(super) fn new(seed: u32) -> Self {
        Self(u64::from(seed))
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut hash = self.0;
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^ (hash >> 31)
    }

    /// From 0 to below 1, in steps of 2^-32.
    fn unit(&mut self) -> f64 {
        (self.next() >> 32) as f64 / 4_294_967_296.0
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + self.unit() * (most - least)
    }

    fn below(&mut self, count: u64) -> u64 {
        (self.next() >> 32) % count
    }

    /// About normal, with mean 0 and deviation 1; from -6 to 6.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}
