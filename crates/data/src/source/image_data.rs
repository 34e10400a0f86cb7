//! `ImageData`: image files named in a list, epoch after epoch. Caffe's `image_data_layer.cpp`.
//!
//! A line of the list is a file name, a space and a label; the name may itself hold spaces. With
//! `shuffle` the order is drawn anew, from the present one, whenever the list ends. As in Caffe
//! every replica reads the whole list, so with several replicas the list should be shuffled.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use base::random::Mt19937;
use caffe_format::{ImageDataParameter, Phase};

use super::{
    OpenedSource, OptionNotice, Prefetch, RecordSource, SourceKind, SourceRequest,
    batch_builder::{BadSamples, BatchBuilder},
    data_and_label, ended,
    image_files::ImageFiles,
    list::{self, ListEntry},
    required, skip_by_filling,
};
use crate::{
    batch::SampleBatch,
    error::{DataError, SampleProblem},
    image::{self, Color},
    paths::PathField,
    sample::Sample,
    state::StreamState,
    transform::Transformer,
};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind =
    SourceKind { name: "ImageData", prefetch: Prefetch::Thread, open };

const SOURCE: PathField =
    PathField { name: "image_data_param.source", what: "the list of images and labels" };

struct ImageListSource {
    list: PathBuf,
    files: ImageFiles,
    lines: Arc<[ListEntry]>,
    /// Indices of `lines` in the present order.
    order: Vec<u32>,
    shuffle: Option<ListShuffle>,
    builder: BatchBuilder,
    position: usize,
    epochs: u64,
}

/// The generator that shuffles the list for each epoch, and its seed.
struct ListShuffle {
    seed: u32,
    rng: Mt19937,
}

fn open(request: SourceRequest<'_>) -> Result<OpenedSource, DataError> {
    let SourceRequest { layer, phase, options, rng } = request;
    let param = layer.image_data_param();
    let batch_size = required(param.batch_size(), "image_data_param.batch_size")?;
    data_and_label(layer)?;
    let list = options.root.readable(param.source(), SOURCE)?;
    let lines: Arc<[ListEntry]> = list::read(&list)?.into();
    let count =
        u32::try_from(lines.len()).map_err(|_| DataError::LongList { path: list.clone() })?;
    let mut transformer = Transformer::new(layer.transform_param(), phase, &options.root)?;
    transformer.seed(rng);
    let bad = BadSamples::new(options.on_bad_sample, 1);
    let color = if param.is_color() { Color::Bgr } else { Color::Gray };
    let mut source = ImageListSource {
        builder: BatchBuilder::new(transformer, batch_size, true, bad),
        list,
        files: ImageFiles::new(&options.root.folder, param.root_folder(), color)
            .resized(new_size(param)?),
        lines,
        order: (0..count).collect(),
        shuffle: None,
        position: 0,
        epochs: 0,
    };
    let mut notices = Vec::new();
    if param.shuffle() {
        source.start_shuffle(rng.next_u32());
    } else if phase == Phase::Train && options.slice.replica > 0 && param.rand_skip() == 0 {
        notices.push(OptionNotice::SameImages);
    }
    if param.rand_skip() > 0 {
        source.position = rng.remainder(param.rand_skip()) as usize;
        if source.position >= source.lines.len() {
            return Err(DataError::Skip { path: source.list, records: source.position });
        }
    }
    let shapes = source.first_shapes()?;
    source.builder.transformer.seed(rng);
    _ = rng.next_u32(); // the seed of the thread, which draws nothing
    let lines = Arc::clone(&source.lines);
    let names = move |line| Some(lines.get(usize::try_from(line).ok()?)?.name.clone());
    Ok(OpenedSource { source: Box::new(source), shapes, notices, names: Box::new(names) })
}

fn new_size(param: &ImageDataParameter) -> Result<Option<(usize, usize)>, DataError> {
    match (param.new_height() as usize, param.new_width() as usize) {
        (0, 0) => Ok(None),
        (0, _) | (_, 0) => Err(DataError::Required {
            field: "image_data_param.new_height` and `image_data_param.new_width",
        }),
        (height, width) => image::check_size(height, width)
            .map(|()| Some((height, width)))
            .map_err(DataError::NewSize),
    }
}

impl ImageListSource {
    fn line(&self) -> &ListEntry {
        &self.lines[self.order[self.position] as usize]
    }

    /// Shapes of the tops, from the first image that can be used; the position stays.
    fn first_shapes(&mut self) -> Result<Vec<base::Shape>, DataError> {
        let start = self.position;
        loop {
            let index = self.order[self.position] as usize;
            let image = self.files.image(index, &self.lines[index].name);
            let shapes =
                image.and_then(|image| self.builder.shapes(Sample::of_image(image, 0).size));
            match shapes {
                Ok(shapes) => {
                    self.position = start;
                    return Ok(shapes);
                }
                Err(problem) => {
                    self.builder.pass_over(bad_record(&self.list, self.line(), problem))?
                }
            }
            self.position = (self.position + 1) % self.lines.len();
            if self.position == start {
                return Err(DataError::AllBad { path: self.list.clone() });
            }
        }
    }

    fn next(&mut self, batch: &mut SampleBatch) -> Result<(), DataError> {
        self.position += 1;
        if self.position == self.lines.len() {
            self.position = 0;
            self.epochs += 1;
            self.reshuffle();
            self.builder.end_epoch(batch, &self.list)?;
        }
        Ok(())
    }

    /// The list's order, shuffled once.
    fn start_shuffle(&mut self, seed: u32) {
        self.shuffle = Some(ListShuffle { seed, rng: Mt19937::new(seed) });
        self.order.sort_unstable();
        self.reshuffle();
    }

    fn reshuffle(&mut self) {
        if let Some(shuffle) = &mut self.shuffle {
            shuffle.rng.shuffle(&mut self.order);
        }
    }
}

/// The error that names an image.
fn bad_record(list: &Path, line: &ListEntry, problem: SampleProblem) -> DataError {
    DataError::Sample { path: list.to_owned(), record: line.name.clone(), problem }
}

impl RecordSource for ImageListSource {
    fn fill(&mut self, batch: &mut SampleBatch, stop: &AtomicBool) -> Result<(), DataError> {
        self.builder.begin(batch);
        while !self.builder.is_full() {
            ended(stop)?;
            let index = self.order[self.position] as usize;
            let line = &self.lines[index];
            let image = self.files.image(index, &line.name);
            let put = image.and_then(|image| {
                let sample = Sample::of_image(image, line.label);
                self.builder.put((sample.size, sample.label), batch, |_| Ok(sample))
            });
            let error = |problem| bad_record(&self.list, line, problem);
            self.builder.finish_record(batch, index as u64, put, error)?;
            self.next(batch)?;
        }
        Ok(())
    }

    fn skip(&mut self, batches: u64) -> Result<(), DataError> {
        let Some(records) = self.builder.skip(batches) else {
            return skip_by_filling(self, batches);
        };
        let (passed, lines) = (self.position as u64 + records, self.lines.len() as u64);
        self.position = usize::try_from(passed % lines).expect("below the number of lines");
        self.epochs += passed / lines;
        (0..passed / lines).for_each(|_| self.reshuffle());
        Ok(())
    }

    fn state(&self) -> StreamState {
        StreamState {
            source: KIND.name,
            position: self.position as u64,
            epochs: self.epochs,
            shuffle_seed: self.shuffle.as_ref().map_or(0, |shuffle| shuffle.seed),
            transform: self.builder.transformer.rng().cloned(),
            ..StreamState::default()
        }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        let position = usize::try_from(state.position).ok();
        let position = position.filter(|&position| position < self.lines.len());
        let position = position.ok_or(DataError::State { what: "the list is shorter" })?;
        self.builder.transformer.restore(state.transform.as_ref())?;
        if self.shuffle.is_some() {
            self.start_shuffle(state.shuffle_seed);
            (0..state.epochs).for_each(|_| self.reshuffle());
        }
        (self.position, self.epochs) = (position, state.epochs);
        Ok(())
    }
}
