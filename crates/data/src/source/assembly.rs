//! What sources of images share: placing transformed samples in a batch, and bad ones.

use std::path::Path;

use base::Shape;

use super::OnBadSample;
use crate::{
    batch::Batch,
    error::{DataError, SampleProblem, chain},
    transform::{Chw, Transformer, Values},
};

/// Turns samples into the items of a batch.
pub(super) struct Assembly {
    pub(super) transformer: Transformer,
    pub(super) batch_size: usize,
    /// Whether there is a second top.
    pub(super) labels: bool,
}

/// How far a batch has come.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// The next item.
    pub(super) item: usize,
    /// Size of the items before.
    size: Option<Chw>,
}

impl Assembly {
    pub(super) fn tops(&self) -> usize {
        1 + usize::from(self.labels)
    }

    /// Shapes of the tops of a batch that begins with a sample of `size`.
    pub(super) fn shapes(&self, size: Chw) -> Result<Vec<Shape>, SampleProblem> {
        let [c, h, w] = self.transformer.output(size)?;
        let data = Shape::new(&[self.batch_size, c, h, w]).map_err(SampleProblem::Batch)?;
        let label = Shape::new(&[self.batch_size]).map_err(SampleProblem::Batch)?;
        Ok(if self.labels { vec![data, label] } else { vec![data] })
    }

    /// Transforms a sample into the next item. A refused one draws nothing and takes no place.
    pub(super) fn put(
        &mut self,
        place: &mut Place,
        size: Chw,
        values: Values<'_>,
        label: i32,
        batch: &mut Batch,
    ) -> Result<(), SampleProblem> {
        let output = self.transformer.output(size)?;
        if let Some(want) = place.size.filter(|&want| want != output) {
            return Err(SampleProblem::OtherSize { size: output, want });
        }
        let [c, h, w] = output;
        let data = batch.top_mut(0, &[self.batch_size, c, h, w]).map_err(SampleProblem::Batch)?;
        let item = &mut data[place.item * c * h * w..][..c * h * w];
        self.transformer.apply(size, values, item)?;
        if self.labels {
            let labels = batch.top_mut(1, &[self.batch_size]).map_err(SampleProblem::Batch)?;
            labels[place.item] = label as f32;
        }
        place.size = Some(output);
        place.item += 1;
        Ok(())
    }
}

/// What becomes of samples that cannot be used.
pub(super) struct BadSamples {
    policy: OnBadSample,
    /// After so many passes with bad samples only, there is no good one.
    passes_max: usize,
    /// Passes that began since the last good sample, once there was a bad one.
    passes: Option<usize>,
}

impl BadSamples {
    /// A replica of many may need several passes to see each record once.
    pub(super) fn new(policy: OnBadSample, replicas: usize) -> Self {
        Self { policy, passes_max: replicas, passes: None }
    }

    /// Whether samples may be left out, so that only looking at them tells how many are used.
    pub(super) fn may_skip(&self) -> bool {
        self.policy == OnBadSample::Skip
    }

    /// The error again, or the line that says what is skipped.
    pub(super) fn judge(&mut self, error: DataError) -> Result<String, DataError> {
        self.passes.get_or_insert(0);
        match self.policy {
            OnBadSample::Skip => Ok(chain(&error)),
            OnBadSample::Fail => Err(error),
        }
    }

    /// A good one came.
    pub(super) fn good(&mut self) {
        self.passes = None;
    }

    /// The source at `path` starts over; an error when there seems to be no good sample.
    pub(super) fn next_pass(&mut self, path: &Path) -> Result<(), DataError> {
        if let Some(passes) = &mut self.passes {
            *passes += 1;
            if *passes > self.passes_max {
                return Err(DataError::AllBad { path: path.to_owned() });
            }
        }
        Ok(())
    }
}
