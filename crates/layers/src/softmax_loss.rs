//! What SoftmaxWithLoss and InfogainLoss share: a softmax of scores, a label for every position,
//! and a sum over the labels that count, divided as `loss_param.normalization` says.
//!
//! Bottom 0 has scores along one axis, bottom 1 a label for every other position. Top 0 is the
//! loss. Top 1, if there is one, holds the probabilities; no gradient comes back through it.

use base::Shape;
use caffe_format::{LossParameter, LossParameterNormalizationMode as Mode};
use kernels::{Cpu, Unary, channel::ChannelDims, elementwise, softmax};

use crate::axis::AxisOption;
use crate::loss::{ClassScores, LossNormalization, batch, rounded};
use crate::workspace::Workspace;
use crate::{LayerError, Top};

/// Softmax probabilities and the labels they are compared with.
pub(crate) struct SoftmaxLoss {
    axis: AxisOption,
    /// Positions with this label do not count.
    pub(crate) ignore: Option<i32>,
    normalization: LossNormalization,
    tops: usize,
    pub(crate) classes: ClassScores,
    /// Probabilities of the last forward, in the scores' order.
    pub(crate) probabilities: Workspace,
}

impl SoftmaxLoss {
    pub(crate) fn new(axis: AxisOption, written: &LossParameter, tops: usize) -> Self {
        Self {
            axis,
            ignore: written.ignore_label,
            normalization: LossNormalization::new(written, Mode::Valid),
            tops,
            classes: ClassScores::default(),
            probabilities: Workspace::default(),
        }
    }

    pub(crate) fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let axis = self.axis.of(&bottoms[0])?;
        batch(bottoms)?;
        self.classes = ClassScores::new(bottoms, axis)?;
        self.probabilities.declare(bottoms[0].count());
        let shapes = [Shape::scalar(), bottoms[0].clone()];
        Ok(shapes[..self.tops].to_vec())
    }

    /// Computes the probabilities.
    pub(crate) fn softmax(&mut self, cpu: &Cpu, scores: &[f32]) {
        let ClassScores { outer, count: c, inner, .. } = self.classes;
        let values = Unary::OutOfPlace { x: scores, y: &mut self.probabilities };
        softmax::forward(cpu, ChannelDims { outer, c, inner }, values);
    }

    /// Calls `visit` with the index of class 0 and the label's class, for every label that counts.
    /// Returns what the sum over them is divided by.
    pub(crate) fn each_label(
        &self,
        labels: &[f32],
        mut visit: impl FnMut(usize, usize),
    ) -> Result<f64, LayerError> {
        let mut valid = 0;
        for (position, &label) in labels.iter().enumerate() {
            if let Some(class) = self.classes.class(label, position, self.ignore)? {
                visit(self.classes.start(position), class);
                valid += 1;
            }
        }
        Ok(self.normalization.divisor(self.classes.outer, self.classes.inner, valid))
    }

    /// Writes the tops.
    pub(crate) fn finish(&self, cpu: &Cpu, loss: f64, tops: &mut [Top<'_>]) {
        tops[0].data()[0] = rounded(loss);
        if let Some(top) = tops.get_mut(1) {
            elementwise::copy(cpu, &self.probabilities, top.data());
        }
    }

    pub(crate) fn workspace_bytes(&self) -> usize {
        self.probabilities.bytes()
    }
}
