//! Samples become the items of a batch; bad samples fail the stream or are left out.

use std::path::Path;

use base::{Shape, random::Mt19937};

use super::OnBadSample;
use crate::{
    batch::{SampleBatch, SkippedRecord},
    error::{DataError, SampleProblem},
    image::PixelRegion,
    sample::Sample,
    transform::{Chw, TransformBuffers, TransformDraw, Transformer},
};

/// Transforms samples into the items of a batch, one after another.
pub(super) struct BatchBuilder {
    pub(super) transformer: Transformer,
    batch_size: usize,
    /// Whether there is a second top.
    labels: bool,
    bad: BadSamples,
    buffers: TransformBuffers,
    /// Items of the current batch so far, and their size after the transformation.
    items: usize,
    size: Option<Chw>,
}

impl BatchBuilder {
    pub(super) fn new(
        transformer: Transformer,
        batch_size: usize,
        labels: bool,
        bad: BadSamples,
    ) -> Self {
        let buffers = TransformBuffers::default();
        Self { transformer, batch_size, labels, bad, buffers, items: 0, size: None }
    }

    /// Shapes of the tops of a batch that begins with a sample of `size`.
    pub(super) fn shapes(&self, size: Chw) -> Result<Vec<Shape>, SampleProblem> {
        let rules = self.transformer.rules();
        let [c, h, w] = rules.output(rules.resized_size(size))?;
        let data = Shape::new(&[self.batch_size, c, h, w]).map_err(SampleProblem::Batch)?;
        let label = Shape::new(&[self.batch_size]).map_err(SampleProblem::Batch)?;
        Ok(if self.labels { vec![data, label] } else { vec![data] })
    }

    /// Begins a batch.
    pub(super) fn begin(&mut self, batch: &mut SampleBatch) {
        batch.clear(1 + usize::from(self.labels));
        (self.items, self.size) = (0, None);
    }

    pub(super) fn is_full(&self) -> bool {
        self.items == self.batch_size
    }

    /// Makes the next item of a record of `size` as stored. `pixels` decodes it, at least the
    /// region it is given. A refused record draws nothing and takes no place.
    pub(super) fn put<'s>(
        &mut self,
        (size, label): (Chw, i32),
        batch: &mut SampleBatch,
        pixels: impl FnOnce(Option<PixelRegion>) -> Result<Sample<'s>, SampleProblem>,
    ) -> Result<(), SampleProblem> {
        let before = self.checkpoint();
        let put = self.draw((size, label), batch).and_then(|drawn| {
            let sample = pixels(self.transformer.rules().decoded_region(drawn))?;
            let item = self.values(batch, self.items).next().expect("the batch is not full");
            self.transformer.rules().apply(&sample, drawn, &mut self.buffers, item)
        });
        if let (Err(_), Some((rng, size))) = (&put, before) {
            self.transformer.restore(rng.as_ref()).expect("it is this transformer's own");
            self.size = size;
        }
        put
    }

    /// What a record that is refused after it was drawn for has changed; `None` where the first of
    /// those ends the stream.
    fn checkpoint(&self) -> Option<(Option<Mt19937>, Option<Chw>)> {
        self.skips_bad().then(|| (self.transformer.rng().cloned(), self.size))
    }

    /// Draws for a record of `size` as stored and enters its label: all but its values.
    pub(super) fn draw(
        &mut self,
        (size, label): (Chw, i32),
        batch: &mut SampleBatch,
    ) -> Result<TransformDraw, SampleProblem> {
        let rules = self.transformer.rules();
        let output = rules.output(rules.resized_size(size))?;
        match self.size {
            Some(want) if want != output => {
                return Err(SampleProblem::OtherSize { size: output, want });
            }
            Some(_) => {}
            None => {
                self.shape(size, batch)?;
            }
        }
        let drawn = self.transformer.draw(size)?;
        if self.labels {
            let labels = batch.top_mut(1, &[self.batch_size]).map_err(SampleProblem::Batch)?;
            labels[self.items] = label as f32;
        }
        Ok(drawn)
    }

    /// Shapes a batch that begins with a record of `size` as stored; how many values an item has.
    pub(super) fn shape(
        &mut self,
        size: Chw,
        batch: &mut SampleBatch,
    ) -> Result<usize, SampleProblem> {
        let rules = self.transformer.rules();
        let output @ [c, h, w] = rules.output(rules.resized_size(size))?;
        batch.top_mut(0, &[self.batch_size, c, h, w]).map_err(SampleProblem::Batch)?;
        self.size = Some(output);
        Ok(c * h * w)
    }

    /// Where the values of item `first` and those after it go, once one was drawn for.
    fn values<'a>(
        &self,
        batch: &'a mut SampleBatch,
        first: usize,
    ) -> impl Iterator<Item = &'a mut [f32]> + use<'a> {
        let [c, h, w] = self.size.expect("an item was drawn for");
        let data = batch.top_mut(0, &[self.batch_size, c, h, w]);
        data.expect("the shape is set already").chunks_exact_mut(c * h * w).skip(first)
    }

    /// Whether a record that cannot be used is left out.
    pub(super) fn skips_bad(&self) -> bool {
        self.bad.policy == OnBadSample::Skip
    }

    /// Counts the next item, which is record `id`.
    pub(super) fn add_item(&mut self, batch: &mut SampleBatch, id: u64) {
        self.items += 1;
        batch.origin.records.push(id);
        self.bad.epochs = None;
    }

    /// Records what became of record `id`: an item of the batch, or a bad sample, which `error`
    /// names.
    pub(super) fn finish_record(
        &mut self,
        batch: &mut SampleBatch,
        id: u64,
        put: Result<(), SampleProblem>,
        error: impl FnOnce(SampleProblem) -> DataError,
    ) -> Result<(), DataError> {
        match put {
            Ok(()) => self.add_item(batch, id),
            Err(problem) => batch.origin.skipped.push(self.bad.skip_or_fail(error(problem))?),
        }
        Ok(())
    }

    /// While shapes are looked for: passes over a bad sample, or gives its error back.
    pub(super) fn pass_over(&mut self, error: DataError) -> Result<(), DataError> {
        self.bad.skip_or_fail(error).map(drop)
    }

    /// An epoch of the source at `path` has ended; an error when there seems to be no good sample.
    pub(super) fn end_epoch(
        &mut self,
        batch: &mut SampleBatch,
        path: &Path,
    ) -> Result<(), DataError> {
        batch.origin.epochs_ended += 1;
        self.bad.end_epoch(path)
    }

    /// Draws what `batches` batches would draw and gives their number of records; `None` when
    /// samples may be left out, so that only looking at them tells how many are used.
    pub(super) fn skip(&mut self, batches: u64) -> Option<u64> {
        if self.skips_bad() {
            return None;
        }
        let records = batches * self.batch_size as u64;
        self.transformer.skip(records);
        Some(records)
    }
}

/// What becomes of samples that cannot be used.
pub(super) struct BadSamples {
    policy: OnBadSample,
    /// After so many epochs with bad samples only, there is no good one.
    epochs_max: usize,
    /// Epochs that began since the last good sample, once there was a bad one.
    epochs: Option<usize>,
}

impl BadSamples {
    /// A replica of many may need several epochs to see each record once.
    pub(super) fn new(policy: OnBadSample, replicas: usize) -> Self {
        Self { policy, epochs_max: replicas, epochs: None }
    }

    /// The error again, or what is skipped.
    fn skip_or_fail(&mut self, error: DataError) -> Result<SkippedRecord, DataError> {
        self.epochs.get_or_insert(0);
        match self.policy {
            OnBadSample::Skip => Ok(SkippedRecord::new(&error)),
            OnBadSample::Fail => Err(error),
        }
    }

    fn end_epoch(&mut self, path: &Path) -> Result<(), DataError> {
        if let Some(epochs) = &mut self.epochs {
            *epochs += 1;
            if *epochs > self.epochs_max {
                return Err(DataError::AllBad { path: path.to_owned() });
            }
        }
        Ok(())
    }
}
