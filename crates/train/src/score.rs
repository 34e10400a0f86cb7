//! Means over forwards of one net.

use net::Output;

/// Sums of outputs and loss over the iterations of a test phase.
#[derive(Default)]
pub(crate) struct Score {
    outputs: Vec<Output>,
    loss: f32,
    iterations: usize,
}

impl Score {
    /// Adds one forward's outputs.
    pub(crate) fn add(&mut self, outputs: Vec<Output>, loss: f32) {
        self.loss += loss;
        self.iterations += 1;
        if self.outputs.is_empty() {
            self.outputs = outputs;
            return;
        }
        for (sum, output) in self.outputs.iter_mut().zip(outputs) {
            for (sum, value) in sum.values.iter_mut().zip(output.values) {
                *sum += value;
            }
        }
    }

    /// Means over the iterations.
    pub(crate) fn means(mut self) -> (Vec<Output>, f32) {
        let count = self.iterations as f32;
        for value in self.outputs.iter_mut().flat_map(|output| &mut output.values) {
            *value /= count;
        }
        (self.outputs, self.loss / count)
    }
}
