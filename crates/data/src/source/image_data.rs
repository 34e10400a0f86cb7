//! `ImageData`: image files named in a list, over and over. Caffe's `image_data_layer.cpp`.
//!
//! A line of the list is a file name, a space and a label; the name may itself hold spaces. With
//! `shuffle` the order is drawn anew, from the present one, whenever the list ends. As in Caffe every
//! replica reads the whole list, so with several replicas the list should be shuffled.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use base::{Phase, random::Mt19937};
use caffe_format::ImageDataParameter;

use super::{
    Ahead, Opened, Request, Source, SourceKind,
    assembly::{Assembly, BadSamples, Place},
    list::{self, Line},
    skip_by_filling,
};
use crate::{
    batch::Batch,
    error::{DataError, SampleProblem},
    image::{self, Color, Image, resize::resize},
    state::StreamState,
    transform::{Transformer, Values},
};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind = SourceKind { name: "ImageData", ahead: Ahead::Thread, open };

struct ImageData {
    list: PathBuf,
    /// In front of the names, as text: Caffe adds no separator.
    root_folder: String,
    root: PathBuf,
    lines: Vec<Line>,
    /// Indices of `lines` in the present order.
    order: Vec<u32>,
    shuffle: Option<Shuffle>,
    /// Height and width to resize to.
    new_size: Option<(usize, usize)>,
    color: Color,
    assembly: Assembly,
    bad: BadSamples,
    position: usize,
    passes: u64,
}

struct Shuffle {
    seed: u32,
    rng: Mt19937,
}

fn open(request: Request<'_>) -> Result<Opened, DataError> {
    let Request { layer, phase, options, rng } = request;
    let param = layer.image_data_param();
    let batch_size = param.batch_size() as usize;
    if batch_size == 0 {
        return Err(DataError::Required { field: "image_data_param.batch_size" });
    }
    if layer.top.len() != 2 {
        return Err(DataError::Tops { got: layer.top.len(), want: "needs 2 (data, label)" });
    }
    let list = options.root.join(param.source());
    let lines = list::read(&list)?;
    let count =
        u32::try_from(lines.len()).map_err(|_| DataError::LongList { path: list.clone() })?;
    let mut transformer = Transformer::new(layer.transform_param(), phase, &options.root)?;
    transformer.seed(rng);
    let mut source = ImageData {
        bad: BadSamples::new(options.on_bad_sample, 1),
        list,
        root_folder: param.root_folder().to_owned(),
        root: options.root.clone(),
        lines,
        order: (0..count).collect(),
        shuffle: None,
        new_size: new_size(param)?,
        color: if param.is_color() { Color::Bgr } else { Color::Gray },
        assembly: Assembly { transformer, batch_size, labels: true },
        position: 0,
        passes: 0,
    };
    let mut notices = Vec::new();
    if param.shuffle() {
        source.start_shuffle(rng.next_u32());
    } else if phase == Phase::Train && options.deal.replica > 0 && param.rand_skip() == 0 {
        notices.push("every replica reads the same images: set `shuffle: true`".to_owned());
    }
    if param.rand_skip() > 0 {
        source.position = rng.remainder(param.rand_skip()) as usize;
        if source.position >= source.lines.len() {
            return Err(DataError::Skip { path: source.list, records: source.position });
        }
    }
    let shapes = source.first_shapes()?;
    source.assembly.transformer.seed(rng);
    _ = rng.next_u32(); // the seed of the thread, which draws nothing
    Ok(Opened { source: Box::new(source), shapes, notices })
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

impl ImageData {
    fn line(&self) -> &Line {
        &self.lines[self.order[self.position] as usize]
    }

    /// Reads, decodes and resizes the current image.
    fn read(&self) -> Result<Image, SampleProblem> {
        let path = self.root.join(format!("{}{}", self.root_folder, self.line().name));
        let bytes = std::fs::read(path).map_err(SampleProblem::Read)?;
        let image = image::decode(&bytes, self.color).map_err(SampleProblem::Image)?;
        Ok(match self.new_size {
            Some((height, width)) => resize(&image, height, width),
            None => image,
        })
    }

    fn bad_record(&self, problem: SampleProblem) -> DataError {
        let record = self.line().name.clone();
        DataError::Sample { path: self.list.clone(), record, problem }
    }

    /// Shapes of the tops, from the first image that can be used; the position stays.
    fn first_shapes(&mut self) -> Result<Vec<base::Shape>, DataError> {
        let start = self.position;
        loop {
            let shapes = self.read().and_then(|image| {
                self.assembly.shapes([image.channels, image.height, image.width])
            });
            match shapes {
                Ok(shapes) => {
                    self.position = start;
                    return Ok(shapes);
                }
                Err(problem) => _ = self.bad.judge(self.bad_record(problem))?,
            }
            self.position = (self.position + 1) % self.lines.len();
            if self.position == start {
                return Err(DataError::AllBad { path: self.list.clone() });
            }
        }
    }

    fn next(&mut self, batch: &mut Batch) -> Result<(), DataError> {
        self.position += 1;
        if self.position == self.lines.len() {
            self.position = 0;
            self.passes += 1;
            batch.restarts += 1;
            self.reshuffle();
            self.bad.next_pass(&self.list)?;
        }
        Ok(())
    }

    /// The list's order, shuffled once.
    fn start_shuffle(&mut self, seed: u32) {
        self.shuffle = Some(Shuffle { seed, rng: Mt19937::new(seed) });
        self.order.sort_unstable();
        self.reshuffle();
    }

    fn reshuffle(&mut self) {
        if let Some(shuffle) = &mut self.shuffle {
            shuffle.rng.shuffle(&mut self.order);
        }
    }
}

impl Source for ImageData {
    fn fill(&mut self, batch: &mut Batch, stop: &AtomicBool) -> Result<(), DataError> {
        batch.clear(self.assembly.tops());
        let mut place = Place::default();
        while place.item < self.assembly.batch_size {
            if stop.load(Ordering::Relaxed) {
                return Err(DataError::Ended);
            }
            let label = self.line().label;
            let put = self.read().and_then(|image| {
                let size = [image.channels, image.height, image.width];
                let values = Values::Interleaved(&image.pixels);
                self.assembly.put(&mut place, size, values, label, batch)
            });
            match put {
                Ok(()) => {
                    batch.push_record(self.line().name.clone());
                    self.bad.good();
                }
                Err(problem) => {
                    batch.skipped.push(self.bad.judge(self.bad_record(problem))?);
                }
            }
            self.next(batch)?;
        }
        batch.state = self.state();
        Ok(())
    }

    fn skip(&mut self, batches: u64) -> Result<(), DataError> {
        if self.bad.may_skip() {
            return skip_by_filling(self, batches);
        }
        let records = batches * self.assembly.batch_size as u64;
        self.assembly.transformer.skip(records);
        let (passed, lines) = (self.position as u64 + records, self.lines.len() as u64);
        self.position = usize::try_from(passed % lines).expect("below the number of lines");
        self.passes += passed / lines;
        (0..passed / lines).for_each(|_| self.reshuffle());
        Ok(())
    }

    fn state(&self) -> StreamState {
        StreamState {
            source: KIND.name.to_owned(),
            position: self.position as u64,
            passes: self.passes,
            shuffle_seed: self.shuffle.as_ref().map_or(0, |shuffle| shuffle.seed),
            transform: self.assembly.transformer.rng().cloned(),
            ..StreamState::default()
        }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        let position = usize::try_from(state.position).ok();
        let position = position.filter(|&position| position < self.lines.len());
        let position = position.ok_or(DataError::State { what: "the list is shorter" })?;
        if !self.assembly.transformer.restore(state.transform.as_ref()) {
            return Err(DataError::State { what: "one crops or mirrors at random, the other not" });
        }
        if self.shuffle.is_some() {
            self.start_shuffle(state.shuffle_seed);
            (0..state.passes).for_each(|_| self.reshuffle());
        }
        (self.position, self.passes) = (position, state.passes);
        Ok(())
    }
}
