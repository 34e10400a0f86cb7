//! Caffe's transformer: crop, mirror, subtract a mean, scale. Draw for draw and bit for bit.
//!
//! For each record it draws, from a generator of its own, first whether to mirror and then the two
//! offsets of the crop, each as `next % n` and only if asked for. Mirroring is drawn in both
//! phases, crops are random in TRAIN and centred in TEST. Then each value is
//! `(x - mean) * scale` in f32, where the mean is an image, one value, one value per channel,
//! or absent. With `resize_param` of the SSD fork, records are resized first.

mod resize;

use base::random::Mt19937;
use caffe_format::{Phase, TransformationParameter};

use crate::{
    error::{DataError, SampleProblem},
    image::Color,
    mean,
    paths::{PathField, PathRoot},
    sample::{PixelValues, Sample},
};
use resize::ResizeTarget;

/// Channels, height and width of one record.
pub type Chw = [usize; 3];

pub(crate) const MEAN_FILE: PathField =
    PathField { name: "transform_param.mean_file", what: "the mean image" };

/// `transform_param`, checked, and the generator that decides crops and mirrors.
#[derive(Debug)]
pub struct Transformer {
    resize: Option<ResizeTarget>,
    scale: f32,
    mirror: bool,
    crop: usize,
    mean: TransformMean,
    color: Color,
    phase: Phase,
    rng: Option<Mt19937>,
}

#[derive(Debug)]
enum TransformMean {
    None,
    Values(Vec<f32>),
    Image { size: Chw, values: Vec<f32> },
}

/// What was drawn for one record: where it is cropped and whether it is mirrored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CropMirror {
    top: usize,
    left: usize,
    mirror: bool,
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
        Ok(Self {
            resize: param.resize_param.as_ref().map(ResizeTarget::lower).transpose()?,
            scale: param.scale(),
            mirror: param.mirror(),
            crop: param.crop_size() as usize,
            mean,
            color,
            phase,
            rng: None,
        })
    }

    /// Draws the seed of crops and mirrors from the main stream, if there are any.
    ///
    /// Caffe does this twice for a layer that prefetches, and both draws count.
    pub fn seed(&mut self, main: &mut Mt19937) {
        let needed = self.mirror || self.phase == Phase::Train && self.crop > 0;
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
        let crop = if self.crop > 0 && self.phase == Phase::Train { 2 } else { 0 };
        if let Some(rng) = &mut self.rng {
            (0..records * (u64::from(self.mirror) + crop)).for_each(|_| _ = rng.next_u32());
        }
    }

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
        if h < self.crop || w < self.crop {
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

    /// Transforms a sample into `out`, which has the length of [`output`](Self::output). Draws
    /// nothing: what [`draw`](Self::draw) gave for this sample decides, so that samples may be
    /// transformed in any order, on any thread.
    ///
    /// # Panics
    ///
    /// If `out` has another length, or the sample cannot be transformed.
    pub fn apply(&self, sample: &Sample<'_>, drawn: CropMirror, out: &mut [f32]) {
        let Sample { size, values, .. } = *sample;
        let to = self.output(size).expect("a sample that was drawn for can be transformed");
        assert_eq!(out.len(), to.iter().product(), "out is as long as the output's size says");
        let [channels, height, width] = size;
        // Values of row `y` of channel `c`, from the crop's left edge on.
        let planar = |c: usize, y: usize| (c * height + y) * width + drawn.left;
        let interleaved = |c: usize, y: usize| (y * width + drawn.left) * channels + c;
        match values {
            PixelValues::Planar(bytes) => self.transfer(size, to, drawn, out, |c, y| {
                bytes[planar(c, y)..].iter().map(|&byte| f32::from(byte))
            }),
            PixelValues::Floats(floats) => {
                self.transfer(size, to, drawn, out, |c, y| floats[planar(c, y)..].iter().copied());
            }
            PixelValues::Interleaved(bytes) => self.transfer(size, to, drawn, out, |c, y| {
                bytes[interleaved(c, y)..].iter().step_by(channels).map(|&byte| f32::from(byte))
            }),
        }
    }

    fn transfer<I: Iterator<Item = f32>>(
        &self,
        size: Chw,
        to: Chw,
        drawn: CropMirror,
        out: &mut [f32],
        row: impl Fn(usize, usize) -> I,
    ) {
        let [_, height, width] = to;
        for (i, out) in out.chunks_exact_mut(width).enumerate() {
            let (c, y) = (i / height, drawn.top + i % height);
            let values = row(c, y);
            match &self.mean {
                TransformMean::None => self.put(values, std::iter::repeat(0.0), drawn.mirror, out),
                TransformMean::Values(means) => {
                    let mean = means[c.min(means.len() - 1)];
                    self.put(values, std::iter::repeat(mean), drawn.mirror, out);
                }
                TransformMean::Image { values: means, .. } => {
                    let means = &means[(c * size[1] + y) * size[2] + drawn.left..];
                    self.put(values, means.iter().copied(), drawn.mirror, out);
                }
            }
        }
    }

    /// One row of the output.
    fn put(
        &self,
        values: impl Iterator<Item = f32>,
        means: impl Iterator<Item = f32>,
        mirror: bool,
        out: &mut [f32],
    ) {
        let results = values.zip(means).map(|(value, mean)| (value - mean) * self.scale);
        if mirror {
            out.iter_mut().rev().zip(results).for_each(|(out, result)| *out = result);
        } else {
            out.iter_mut().zip(results).for_each(|(out, result)| *out = result);
        }
    }

    /// Draws for the next record, of `size`, in Caffe's order: mirror, then the crop's row, then
    /// its column. Nothing is drawn when the record is refused.
    pub fn draw(&mut self, size: Chw) -> Result<CropMirror, SampleProblem> {
        self.output(size)?;
        let mut next = |n: usize| {
            let n = u32::try_from(n).expect("an image's side fits 32 bits");
            self.rng.as_mut().expect("seeded before use").remainder(n) as usize
        };
        let mirror = self.mirror && next(2) == 1;
        let [_, h, w] = size;
        let (top, left) = match (self.crop, self.phase) {
            (0, _) => (0, 0),
            (crop, Phase::Train) => {
                let top = next(h - crop + 1);
                (top, next(w - crop + 1))
            }
            (crop, Phase::Test) => ((h - crop) / 2, (w - crop) / 2),
        };
        Ok(CropMirror { top, left, mirror })
    }
}
