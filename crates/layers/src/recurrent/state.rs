//! The hidden state at the borders of a batch.

use super::{RecurrentOptions, RecurrentSizes};
use crate::{Bottom, Top};

/// The state between batches. With `expose_hidden`, bottoms and tops hold it and this is unused.
#[derive(Debug, Default)]
pub(super) struct RecurrentState {
    /// Each (streams, outputs).
    carried: Vec<Vec<f32>>,
}

impl RecurrentState {
    /// The state's blobs, unless bottoms and tops hold them.
    pub(super) fn carried(&mut self, options: &RecurrentOptions) -> &mut [Vec<f32>] {
        if options.expose { &mut [] } else { &mut self.carried }
    }

    /// Sets the state to zeros when its size changes.
    pub(super) fn resize(&mut self, options: &RecurrentOptions, sizes: RecurrentSizes) {
        self.carried.resize(options.states, Vec::new());
        for values in &mut self.carried {
            if values.len() != sizes.state() {
                *values = vec![0.0; sizes.state()];
            }
        }
    }

    /// Blob `index` of the state that a batch begins with.
    pub(super) fn before<'s>(
        &'s self,
        options: &RecurrentOptions,
        bottoms: &[Bottom<'s>],
        index: usize,
    ) -> &'s [f32] {
        match options.expose {
            true => bottoms[options.first_state() + index].data(),
            false => &self.carried[index],
        }
    }

    /// Stores blob `index` of the state after the last step, in its top or for the next batch.
    pub(super) fn store(
        &mut self,
        options: &RecurrentOptions,
        tops: &mut [Top<'_>],
        index: usize,
        values: &[f32],
    ) {
        match options.expose {
            true => tops[1 + index].data().copy_from_slice(values),
            false => self.carried[index].copy_from_slice(values),
        }
    }
}
