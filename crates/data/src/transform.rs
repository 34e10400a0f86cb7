//! Caffe's transformer: crop, mirror, subtract a mean, scale. Draw for draw and bit for bit.
//!
//! For each record it draws, from a generator of its own, first whether to mirror and then the two
//! offsets of the crop, each as `next % n` and only if asked for. Mirroring is drawn in both
//! phases, crops are random in TRAIN and centred in TEST. Then each value is
//! `(x - mean) * scale` in f32, where the mean is an image, one value, one value per channel,
//! or absent. With `resize_param` of the SSD fork, records are resized first; `augment` has what
//! else may be drawn.

mod augment;
mod buffers;
mod resize;

use std::sync::Arc;

use base::random::Mt19937;
use caffe_format::{Phase, TransformationParameter};
use kernels::{
    Simd,
    pixels::{ImagePixels, PixelMean, PixelTransform},
};

use crate::{
    error::{DataError, SampleProblem},
    image::{Color, PixelRegion},
    mean,
    paths::{PathField, PathRoot},
    sample::{PixelValues, Sample},
};
use augment::{Augmentation, RecordRandom};
pub use buffers::TransformBuffers;
use resize::ResizeTarget;

/// Channels, height and width of one record.
pub type Chw = [usize; 3];

pub(crate) const MEAN_FILE: PathField =
    PathField { name: "transform_param.mean_file", what: "the mean image" };

/// `transform_param`, checked, and the generator that decides crops and mirrors.
#[derive(Debug)]
pub struct Transformer {
    rules: Arc<TransformRules>,
    rng: Option<Mt19937>,
}

/// What is done to pixels once it is drawn: the part of a transformer that threads share.
#[derive(Debug)]
pub struct TransformRules {
    resize: Option<ResizeTarget>,
    /// In the TRAIN phase only.
    augmentation: Augmentation,
    scale: f32,
    mirror: bool,
    crop: usize,
    mean: TransformMean,
    color: Color,
    phase: Phase,
    simd: Simd,
}

#[derive(Debug)]
enum TransformMean {
    None,
    Values(Vec<f32>),
    Image { size: Chw, values: Vec<f32> },
}

/// What was drawn for one record: the region that is kept, and whether it is mirrored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransformDraw {
    /// Of the record, once that is resized. What is left over is cut off, or with a
    /// `random_resized_crop` the region is resized to the crop.
    region: PixelRegion,
    mirror: bool,
    /// For colours.
    random: Option<RecordRandom>,
}

impl Transformer {
    /// Checks the parameters and reads the mean file, relative to `root`.
    pub fn new(
        param: &TransformationParameter,
        phase: Phase,
        root: &PathRoot,
    ) -> Result<Self, DataError> {
        let mean = match (&param.mean_file, param.mean_value.as_slice()) {
            (Some(_), [_, ..]) => return Err(DataError::TwoMeans),
            (Some(file), []) => {
                let (size, values) = mean::read(&root.readable(file, MEAN_FILE)?)?;
                TransformMean::Image { size, values }
            }
            (None, []) => TransformMean::None,
            (None, values) => TransformMean::Values(values.to_vec()),
        };
        let color = match (param.force_color(), param.force_gray()) {
            (true, true) => return Err(DataError::TwoColors),
            (true, false) => Color::Bgr,
            (false, true) => Color::Gray,
            (false, false) => Color::AsStored,
        };
        let checked = Augmentation::lower(param)?;
        let rules = TransformRules {
            augmentation: if phase == Phase::Train { checked } else { Augmentation::default() },
            resize: param.resize_param.as_ref().map(ResizeTarget::lower).transpose()?,
            scale: param.scale(),
            mirror: param.mirror(),
            crop: param.crop_size() as usize,
            mean,
            color,
            phase,
            simd: Simd::detect(), // the bits do not depend on it
        };
        Ok(Self { rules: Arc::new(rules), rng: None })
    }

    /// What is done to pixels, for threads that do it.
    #[must_use]
    pub fn rules(&self) -> &Arc<TransformRules> {
        &self.rules
    }

    /// Draws the seed of crops and mirrors from the main stream, if there are any.
    ///
    /// Caffe does this twice for a layer that prefetches, and both draws count.
    pub fn seed(&mut self, main: &mut Mt19937) {
        let rules = &self.rules;
        let crops = rules.phase == Phase::Train && rules.crop > 0;
        let needed = rules.mirror || crops || rules.augmentation.draws();
        self.rng = needed.then(|| Mt19937::new(main.next_u32()));
    }

    /// The generator, to be saved.
    #[must_use]
    pub fn rng(&self) -> Option<&Mt19937> {
        self.rng.as_ref()
    }

    /// Goes on with a saved generator, which must exist if and only if this transformer has one.
    pub fn restore(&mut self, rng: Option<&Mt19937>) -> Result<(), DataError> {
        if self.rng.is_some() != rng.is_some() {
            return Err(DataError::State { what: "one crops or mirrors at random, the other not" });
        }
        self.rng = rng.cloned();
        Ok(())
    }

    /// Draws what `records` records would draw: each draw takes one number, whatever the size.
    pub(crate) fn skip(&mut self, records: u64) {
        let rules = &self.rules;
        let per_record = u64::from(rules.mirror)
            + if rules.draws_offsets() { 2 } else { 0 }
            + u64::from(rules.augmentation.draws());
        if let Some(rng) = &mut self.rng {
            (0..records * per_record).for_each(|_| _ = rng.next_u32());
        }
    }

    /// Draws for the next record, of `size` as stored, in Caffe's order: mirror, then the crop's
    /// row, then its column; then one number for augmentation. A region of random size takes the
    /// place of row and column. Nothing is drawn when the record is refused.
    pub fn draw(&mut self, size: Chw) -> Result<TransformDraw, SampleProblem> {
        let rules = &self.rules;
        let size = rules.resized_size(size);
        let [_, h, w] = size;
        let [_, height, width] = rules.output(size)?;
        let mut next = |n: usize| {
            let n = u32::try_from(n).expect("an image's side fits 32 bits");
            self.rng.as_mut().expect("seeded before use").remainder(n) as usize
        };
        let mirror = rules.mirror && next(2) == 1;
        let (top, left) = match rules.crop {
            0 => (0, 0),
            crop if rules.draws_offsets() => {
                let top = next(h - crop + 1);
                (top, next(w - crop + 1))
            }
            crop => (h.saturating_sub(crop) / 2, w.saturating_sub(crop) / 2),
        };
        let Augmentation { region, colors } = &rules.augmentation;
        let mut random = None;
        if rules.augmentation.draws() {
            let seed = self.rng.as_mut().expect("seeded before use").next_u32();
            random = Some(RecordRandom::new(seed));
        }
        let region = match (region, &mut random) {
            (Some(region), Some(random)) => region.draw(random, [h, w]),
            _ => PixelRegion { top, left, height, width },
        };
        Ok(TransformDraw { region, mirror, random: random.filter(|_| colors.is_some()) })
    }
}

impl TransformRules {
    /// In which colours encoded records are decoded.
    #[must_use]
    pub fn color(&self) -> Color {
        self.color
    }

    /// What a record of `size`, resized, becomes, if it can be transformed at all.
    pub fn output(&self, size: Chw) -> Result<Chw, SampleProblem> {
        let [c, h, w] = size;
        if c == 0 || h == 0 || w == 0 {
            return Err(SampleProblem::Empty { size });
        }
        if self.augmentation.colors.is_some() && c != 3 {
            return Err(SampleProblem::Colors { size });
        }
        let resized = self.augmentation.region.is_some();
        if !resized && (h < self.crop || w < self.crop) {
            return Err(SampleProblem::SmallerThanCrop { size, crop: self.crop });
        }
        match &self.mean {
            TransformMean::Image { size: mean, .. } if *mean != size => {
                return Err(SampleProblem::MeanSize { size, mean: *mean });
            }
            TransformMean::Values(values) if values.len() != 1 && values.len() != c => {
                return Err(SampleProblem::MeanValues { size, values: values.len() });
            }
            _ => {}
        }
        Ok(if self.crop == 0 { size } else { [c, self.crop, self.crop] })
    }

    /// A field that is written and that Caffe does not have, for sources that only crop and mirror.
    pub(crate) fn extension(&self) -> Option<&'static str> {
        let Augmentation { region, colors } = &self.augmentation;
        let written = [
            (self.resize.is_some(), "transform_param.resize_param"),
            (region.is_some(), "transform_param.random_resized_crop"),
            (colors.is_some(), "transform_param.color_jitter` or `transform_param.lighting"),
        ];
        written.into_iter().find_map(|(is_written, field)| is_written.then_some(field))
    }

    /// Whether the crop's row and column are drawn.
    fn draws_offsets(&self) -> bool {
        let region = self.augmentation.region.is_some();
        self.crop > 0 && self.phase == Phase::Train && !region
    }

    /// The pixels of a stored record that are needed once `drawn` is known; all of them if it is
    /// resized first.
    #[must_use]
    pub fn decoded_region(&self, drawn: TransformDraw) -> Option<PixelRegion> {
        self.resize.is_none().then_some(drawn.region)
    }

    /// Transforms a sample into `out`, which has the length of [`output`](Self::output). Draws
    /// nothing: what [`draw`](Transformer::draw) gave for this sample decides, so that samples may
    /// be transformed in any order, on any thread. `buffers` is scratch.
    ///
    /// # Panics
    ///
    /// If `out` has another length, or the sample lacks pixels of the drawn region.
    pub fn apply(
        &self,
        sample: &Sample<'_>,
        drawn: TransformDraw,
        buffers: &mut TransformBuffers,
        out: &mut [f32],
    ) -> Result<(), SampleProblem> {
        let TransformBuffers { resized, cropped, colored, .. } = &mut *buffers;
        let sample = self.resize(sample, resized)?;
        let (sample, wanted) = match self.augmentation.region {
            None => (sample, drawn.region),
            Some(_) => {
                let whole = PixelRegion { top: 0, left: 0, height: self.crop, width: self.crop };
                (cropped.resize(&sample, drawn.region, [self.crop; 2])?, whole)
            }
        };
        let (sample, wanted) = match (&self.augmentation.colors, drawn.random) {
            (Some(colors), Some(random)) => {
                colored.change(self.simd, &sample, wanted, (colors, random))?
            }
            _ => (sample, wanted),
        };
        self.put(&sample, wanted, drawn.mirror, out);
        Ok(())
    }

    /// The pixels of `wanted`, less the mean and scaled.
    fn put(&self, sample: &Sample<'_>, wanted: PixelRegion, mirror: bool, out: &mut [f32]) {
        let Sample { size, region, values, .. } = *sample;
        let mean = match &self.mean {
            TransformMean::None => PixelMean::Channels(&[]),
            TransformMean::Values(values) => PixelMean::Channels(values),
            TransformMean::Image { size, values } => {
                PixelMean::Image(ImagePixels::planar(values, *size).below(wanted.top, wanted.left))
            }
        };
        let transform = PixelTransform { mean, scale: self.scale, mirror };
        let (held, to) =
            ([size[0], region.height, region.width], [size[0], wanted.height, wanted.width]);
        let (top, left) = (wanted.top - region.top, wanted.left - region.left);
        match values {
            PixelValues::Planar(bytes) => {
                let source = ImagePixels::planar(bytes, held).below(top, left);
                transform.run(self.simd, source, to, out);
            }
            PixelValues::Interleaved(bytes) => {
                let source = ImagePixels::interleaved(bytes, held).below(top, left);
                transform.run(self.simd, source, to, out);
            }
            PixelValues::Floats(floats) => {
                let source = ImagePixels::planar(floats, held).below(top, left);
                transform.run(self.simd, source, to, out);
            }
        }
    }
}
