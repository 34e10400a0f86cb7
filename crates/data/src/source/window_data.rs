//! `WindowData`: boxes cropped from images, objects and background in a fixed proportion, as R-CNN
//! trains. Caffe's `window_data_layer.cpp`.
//!
//! For each item a word of a generator of its own picks the box, `next % boxes`, background first;
//! a second one decides about mirroring. Boxes are warped to `crop_size` by bilinear resizing.
//! Every replica draws for itself, and reads the whole file.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use base::{Shape, random::Mt19937};

use super::{
    OpenedSource, Prefetch, RecordSource, SourceKind, SourceRequest, data_and_label, ended,
    image_files::ImageFiles,
    window_file::{ImageWindow, OverlapThresholds, WindowContext, WindowFile, WindowPlacement},
};
use crate::{
    batch::SampleBatch,
    error::{DataError, SampleProblem},
    image::{Color, DecodedImage, resize::ImageResizer},
    mean,
    paths::PathField,
    state::StreamState,
    transform::{Chw, MEAN_FILE, Transformer},
};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind =
    SourceKind { name: "WindowData", prefetch: Prefetch::Thread, open };

const SOURCE: PathField = PathField { name: "window_data_param.source", what: "the window file" };

struct WindowSource {
    path: PathBuf,
    windows: Arc<WindowFile>,
    files: ImageFiles,
    /// What is cut out of an image, and how it is in the output.
    cropped: DecodedImage,
    resizer: ImageResizer,
    warped: DecodedImage,
    context: WindowContext,
    mirror: bool,
    scale: f32,
    mean: WindowMean,
    batch_size: usize,
    /// Objects in a batch, which come last.
    objects: usize,
    rng: Mt19937,
    /// Batches made.
    position: u64,
}

enum WindowMean {
    Values(Vec<f32>),
    /// A larger image, of which the middle is used.
    Image {
        size: Chw,
        values: Vec<f32>,
    },
}

fn open(request: SourceRequest<'_>) -> Result<OpenedSource, DataError> {
    let SourceRequest { layer, phase, options, rng } = request;
    let (param, transform) = (layer.window_data_param(), layer.transform_param());
    let batch_size = param.batch_size() as usize;
    let crop = transform.crop_size() as usize;
    if batch_size == 0 || crop == 0 {
        return Err(DataError::Required {
            field: "window_data_param.batch_size` and `transform_param.crop_size",
        });
    }
    data_and_label(layer)?;
    let pad = param.context_pad() as usize;
    if 2 * pad >= crop {
        return Err(DataError::ContextPad { pad, crop });
    }
    // Only its draws and checks are used; Caffe sets a transformer up here, too.
    let mut transformer = Transformer::new(transform, phase, &options.root)?;
    if let Some(field) = transformer.rules().extension() {
        let got = "written".into();
        return Err(DataError::ForkValue {
            field,
            got,
            want: "`crop_size`, to which windows are warped",
        });
    }
    transformer.seed(rng);
    let own = Mt19937::new(rng.next_u32());
    transformer.seed(rng);
    _ = rng.next_u32(); // the seed of the thread, which draws nothing
    let path = options.root.readable(param.source(), SOURCE)?;
    let thresholds =
        OverlapThresholds { foreground: param.fg_threshold(), background: param.bg_threshold() };
    let files = ImageFiles::new(&options.root.folder, param.root_folder(), Color::Bgr);
    let mut source = WindowSource {
        windows: Arc::new(WindowFile::read(&path, thresholds)?),
        path,
        files: if param.cache_images() { files.cached() } else { files },
        cropped: DecodedImage::default(),
        resizer: ImageResizer::default(),
        warped: DecodedImage::default(),
        context: WindowContext { crop, pad, square: param.crop_mode() == "square" },
        mirror: transform.mirror(),
        scale: param.scale(),
        mean: WindowMean::Values(transform.mean_value.clone()),
        batch_size,
        objects: objects(batch_size, param.fg_fraction()),
        rng: own,
        position: 0,
    };
    source.check()?;
    if let Some(file) = &transform.mean_file {
        let (size, values) = mean::read(&options.root.readable(file, MEAN_FILE)?)?;
        source.mean = WindowMean::Image { size, values };
        source.check_mean(size)?;
    }
    let shapes = [&[batch_size, 3, crop, crop][..], &[batch_size]]
        .map(|dims| Shape::new(dims).map_err(|error| source.bad(0, SampleProblem::Batch(error))));
    let shapes = shapes.into_iter().collect::<Result<_, _>>()?;
    let windows = Arc::clone(&source.windows);
    let names = move |image| windows.images.get(usize::try_from(image).ok()?).cloned();
    let (source, names) = (Box::new(source), Box::new(names));
    Ok(OpenedSource { source, shapes, notices: Vec::new(), names })
}

/// `batch_size * fraction` in f32, rounded down, as Caffe counts.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most batch_size")]
fn objects(batch_size: usize, fraction: f32) -> usize {
    ((batch_size as f32 * fraction.clamp(0.0, 1.0)) as usize).min(batch_size)
}

impl WindowSource {
    fn check(&self) -> Result<(), DataError> {
        if self.windows.channels != 3 {
            let channels = self.windows.channels;
            return Err(DataError::WindowChannels { path: self.path.clone(), channels });
        }
        match &self.mean {
            WindowMean::Values(values) if !matches!(values.len(), 0 | 1 | 3) => {
                let (size, values) = ([3, self.context.crop, self.context.crop], values.len());
                Err(self.bad(0, SampleProblem::MeanValues { size, values }))
            }
            _ => Ok(()),
        }
    }

    /// The middle of the mean is as large as the crop.
    fn check_mean(&self, mean: Chw) -> Result<(), DataError> {
        let crop = self.context.crop;
        let offset = mean[2].saturating_sub(crop) / 2;
        if mean[0] != 3 || mean[2] < crop || mean[1] < offset + crop {
            return Err(self.bad(0, SampleProblem::MeanSize { size: [3, crop, crop], mean }));
        }
        Ok(())
    }

    fn bad(&self, image: usize, problem: SampleProblem) -> DataError {
        bad_record(&self.path, &self.windows.images[image], problem)
    }

    /// Crops, warps and mirrors a box and writes it to `out`, which is zero.
    fn put(
        &mut self,
        window: &ImageWindow,
        mirror: bool,
        out: &mut [f32],
    ) -> Result<(), DataError> {
        let name = &self.windows.images[window.image];
        let bad = |problem| bad_record(&self.path, name, problem);
        let image = self.files.image(window.image, name).map_err(bad)?;
        let place = window.place([image.height, image.width], self.context, mirror);
        let place = place.ok_or_else(|| bad(SampleProblem::Window))?;
        crop_rectangle(image, &place, &mut self.cropped);
        let [height, width] = place.new_size;
        self.resizer.resize(&self.cropped, height, width, &mut self.warped);
        let (warped, crop) = (&self.warped, self.context.crop);
        for (i, pixel) in warped.pixels.chunks_exact(3).enumerate() {
            let (row, column) = (i / warped.width, i % warped.width);
            let column = if mirror { warped.width - 1 - column } else { column };
            let (y, x) = (place.to[0] + row, place.to[1] + column);
            for (c, &value) in pixel.iter().enumerate() {
                let mean = self.mean.at(c, y, x, crop);
                out[(c * crop + y) * crop + x] = (f32::from(value) - mean) * self.scale;
            }
        }
        Ok(())
    }
}

impl WindowMean {
    fn at(&self, c: usize, y: usize, x: usize, crop: usize) -> f32 {
        match self {
            Self::Values(values) => values.get(c).or(values.first()).copied().unwrap_or(0.0),
            Self::Image { size: [_, height, width], values } => {
                let offset = (width - crop) / 2;
                values[(c * height + y + offset) * width + x + offset]
            }
        }
    }
}

/// The error that names an image.
fn bad_record(path: &Path, image: &str, problem: SampleProblem) -> DataError {
    DataError::Sample { path: path.to_owned(), record: image.to_owned(), problem }
}

/// Makes `out` the rectangle of an image that a placement names.
fn crop_rectangle(image: &DecodedImage, place: &WindowPlacement, out: &mut DecodedImage) {
    let ([top, left], [height, width]) = (place.from, place.size);
    (out.channels, out.height, out.width) = (3, height, width);
    out.pixels.clear();
    for row in image.pixels.chunks_exact(image.width * 3).skip(top).take(height) {
        out.pixels.extend_from_slice(&row[left * 3..][..width * 3]);
    }
}

impl RecordSource for WindowSource {
    fn fill(&mut self, batch: &mut SampleBatch, stop: &AtomicBool) -> Result<(), DataError> {
        batch.clear(2);
        let crop = self.context.crop;
        let dims = [self.batch_size, 3, crop, crop];
        let too_large = |error| SampleProblem::Batch(error);
        batch.top_mut(0, &dims).map_err(too_large).map_err(|p| self.bad(0, p))?.fill(0.0);
        for item in 0..self.batch_size {
            ended(stop)?;
            let object = item >= self.batch_size - self.objects;
            let windows = if object { &self.windows.foreground } else { &self.windows.background };
            let window = windows[self.rng.next_u32() as usize % windows.len()];
            let mirror = self.mirror && self.rng.remainder(2) == 1;
            let size = 3 * crop * crop;
            let out = batch.top_mut(0, &dims).map_err(too_large).map_err(|p| self.bad(0, p))?;
            self.put(&window, mirror, &mut out[item * size..][..size])?;
            let labels = batch.top_mut(1, &dims[..1]).map_err(too_large);
            labels.map_err(|p| self.bad(0, p))?[item] = window.label as f32;
            batch.origin.records.push(window.image as u64);
        }
        self.position += 1;
        Ok(())
    }

    fn state(&self) -> StreamState {
        StreamState {
            source: KIND.name,
            position: self.position,
            windows: Some(self.rng.clone()),
            ..StreamState::default()
        }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        let rng = state.windows.clone();
        self.rng = rng.ok_or(DataError::State { what: "it has no generator for windows" })?;
        self.position = state.position;
        Ok(())
    }
}
