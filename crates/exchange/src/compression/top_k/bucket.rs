//! What is kept per bucket from step to step.

use super::borders::equal_borders;
use crate::compression::{CompressionError, MomentumSetup, ResidualState};
use std::ops::Range;

/// What is kept per bucket from step to step.
pub(super) struct TopKBucket {
    pub(super) range: Range<usize>,
    /// Magnitudes from which values are selected, and sums kept; `None` before the first step.
    pub(super) threshold: Option<u32>,
    pub(super) global_threshold: Option<u32>,
    /// Within the bucket: rank r owns what lies between borders r and r + 1.
    pub(super) borders: Vec<usize>,
    /// Indices that were applied in this step, ascending.
    pub(super) applied: Vec<u32>,
    /// What to write back if the step is skipped, last first.
    pub(super) undo: Vec<UndoEntry>,
    /// The velocity of a bucket that is summed densely, and the same before the last step.
    pub(super) dense_velocity: Vec<f32>,
    pub(super) dense_before: Vec<f32>,
    pub(super) was_dense: bool,
}

/// u and v of a value before they were changed.
pub(super) struct UndoEntry {
    pub(super) index: u32,
    pub(super) velocity: f32,
    pub(super) accumulated: f32,
}

impl TopKBucket {
    pub(super) fn new(range: &Range<usize>, world: usize) -> Self {
        Self {
            range: range.clone(),
            threshold: None,
            global_threshold: None,
            borders: equal_borders(range.len(), world),
            applied: Vec::new(),
            undo: Vec::new(),
            dense_velocity: Vec::new(),
            dense_before: Vec::new(),
            was_dense: false,
        }
    }

    /// Takes in the sum of a dense step, which becomes the velocity.
    pub(super) fn take_dense(&mut self, momentum: MomentumSetup, values: &mut [f32]) {
        let MomentumSetup { value: m, nesterov } = momentum;
        self.dense_velocity.resize(values.len(), 0.0);
        self.dense_before.clone_from(&self.dense_velocity);
        self.was_dense = true;
        for (u, g) in self.dense_velocity.iter_mut().zip(values) {
            if nesterov {
                *u = m * (*u + *g);
                *g += *u;
            } else {
                *u = m * *u + *g;
                *g = *u;
            }
        }
    }

    /// Puts u and v of the pool back to before the step.
    pub(super) fn undo_step(&mut self, velocity: &mut [f32], accumulated: &mut [f32]) {
        for entry in self.undo.drain(..).rev() {
            let at = self.range.start + entry.index as usize;
            velocity[at] = entry.velocity;
            accumulated[at] = entry.accumulated;
        }
        if std::mem::take(&mut self.was_dense) {
            std::mem::swap(&mut self.dense_velocity, &mut self.dense_before);
        }
    }

    pub(super) fn save<'a>(&'a self, index: usize, state: &mut ResidualState<'a>) {
        let threshold = |threshold: Option<u32>| u64::from(threshold.unwrap_or(0));
        let thresholds = vec![threshold(self.threshold), threshold(self.global_threshold)];
        state.push_u64(&format!("thresholds of bucket {index}"), thresholds);
        let borders = self.borders.iter().map(|&border| border as u64).collect();
        state.push_u64(&format!("borders of bucket {index}"), borders);
        if !self.dense_velocity.is_empty() {
            state.push_f32(&format!("dense velocity of bucket {index}"), &self.dense_velocity);
        }
    }

    /// The step is final.
    pub(super) fn accept(&mut self) {
        self.undo.clear();
        self.was_dense = false;
    }

    pub(super) fn load(
        &mut self,
        index: usize,
        state: &ResidualState<'_>,
    ) -> Result<(), CompressionError> {
        let name = format!("thresholds of bucket {index}");
        let keys = state.numbers(&name, 2, 1 << 31)?;
        let key = |at: usize| u32::try_from(keys[at]).ok().filter(|&key| key > 0);
        (self.threshold, self.global_threshold) = (key(0), key(1));
        let (name, len) = (format!("borders of bucket {index}"), self.range.len());
        let borders = state.numbers(&name, self.borders.len(), len as u64 + 1)?;
        // From a file: borders that do not ascend to the end would leave values without an owner.
        let mut least = 0;
        for (border, &saved) in self.borders.iter_mut().zip(borders) {
            *border = usize::try_from(saved).unwrap_or(len).max(least);
            least = *border;
        }
        (self.borders[0], *self.borders.last_mut().expect("one more than ranks")) = (0, len);
        let name = format!("dense velocity of bucket {index}");
        if state.has(&name) {
            self.dense_velocity.resize(len, 0.0);
            state.copy_f32(&name, &mut self.dense_velocity)?;
        }
        Ok(())
    }
}
