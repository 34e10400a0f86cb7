//! What loss layers share: checks of bottoms, which labels count, and what a sum is divided by.

use base::Shape;
use caffe_format::{LossParameter, LossParameterNormalizationMode as Mode};

use crate::LayerError;

/// The size of the batch, which predictions and labels must agree on.
pub(crate) fn batch(bottoms: &[Shape]) -> Result<usize, LayerError> {
    let first = |index: usize| bottoms[index].dims().first().copied();
    let Some(batch) = first(0) else {
        return Err(LayerError::Bottom {
            index: 0,
            got: bottoms[0].clone(),
            want: "a batch axis".into(),
        });
    };
    if first(1) != Some(batch) {
        return Err(LayerError::Bottom {
            index: 1,
            got: bottoms[1].clone(),
            want: format!("{batch} items, as bottom 0 has"),
        });
    }
    Ok(batch)
}

/// Scores of classes along one axis, and a label for every position of the other axes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClassScores {
    /// Items in the batch.
    pub(crate) batch: usize,
    /// Positions before the axis.
    pub(crate) outer: usize,
    /// Number of classes.
    pub(crate) count: usize,
    /// Positions after the axis; the scores of one position are this far apart.
    pub(crate) inner: usize,
}

impl ClassScores {
    /// For scores and labels in `bottoms`; there must be a label for every position.
    pub(crate) fn new(bottoms: &[Shape], axis: usize) -> Result<Self, LayerError> {
        let scores = &bottoms[0];
        let classes = Self {
            batch: scores.dims()[0],
            outer: scores.count_to(axis),
            count: scores.dims()[axis],
            inner: scores.count_from(axis + 1),
        };
        let want = classes.positions();
        if bottoms[1].count() != want {
            return Err(LayerError::Bottom {
                index: 1,
                got: bottoms[1].clone(),
                want: format!(
                    "{want} labels, one for each position beside axis {axis} of {scores}"
                ),
            });
        }
        Ok(classes)
    }

    /// For one list of scores and one label per item; the scores may have any axes.
    pub(crate) fn of_items(bottoms: &[Shape]) -> Result<Self, LayerError> {
        let batch = batch(bottoms)?;
        if bottoms[1].count() != batch {
            return Err(LayerError::Bottom {
                index: 1,
                got: bottoms[1].clone(),
                want: format!("{batch} labels, one per item"),
            });
        }
        Ok(Self { batch, outer: batch, count: bottoms[0].count_from(1), inner: 1 })
    }

    /// Number of labels.
    pub(crate) fn positions(self) -> usize {
        self.outer * self.inner
    }

    /// Index of a position's score of class 0; class `k` is `k * inner` further.
    pub(crate) fn start(self, position: usize) -> usize {
        position / self.inner * self.count * self.inner + position % self.inner
    }

    /// The class that `label` names at `position`, or `None` if it is to be ignored.
    pub(crate) fn class(
        self,
        label: f32,
        position: usize,
        ignore: Option<i32>,
    ) -> Result<Option<usize>, LayerError> {
        let value = truncated(label);
        if value.is_some() && value == ignore {
            return Ok(None);
        }
        let class = value.and_then(|value| usize::try_from(value).ok());
        match class.filter(|&class| class < self.count) {
            Some(class) => Ok(Some(class)),
            None => Err(LayerError::Label {
                item: position / self.positions().checked_div(self.batch).unwrap_or(0).max(1),
                value: label,
                classes: self.count,
            }),
        }
    }
}

/// A label truncated to an integer, as C does; `None` when it does not fit one.
pub(crate) fn truncated(label: f32) -> Option<i32> {
    #[expect(clippy::cast_possible_truncation, reason = "fractions are dropped, as in Caffe")]
    let value = label as i32;
    // Both bounds are floats; the upper one is the first that is too large.
    (-2_147_483_648.0..2_147_483_648.0).contains(&label).then_some(value)
}

/// What the sum of a loss is divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LossNormalization {
    mode: Mode,
    /// The divisor of R-FCN's mode `PRE_FIXED`.
    fixed: f32,
}

impl LossNormalization {
    /// As written; `normalize` of older files counts where `normalization` is not written.
    pub(crate) fn new(written: &LossParameter, default: Mode) -> Self {
        let mode = match (written.normalization, written.normalize) {
            (Some(mode), _) => mode,
            (None, Some(true)) => Mode::Valid,
            (None, Some(false)) => Mode::BatchSize,
            (None, None) => default,
        };
        Self { mode, fixed: written.pre_fixed_normalizer() }
    }

    /// The divisor for `outer * inner` positions, `valid` of them not ignored. At least 1, so that
    /// a batch without labels has a loss of zero.
    pub(crate) fn divisor(self, outer: usize, inner: usize, valid: usize) -> f64 {
        let count = match self.mode {
            Mode::Full => outer * inner,
            Mode::Valid => valid,
            Mode::BatchSize => outer,
            Mode::None => 1,
            Mode::PreFixed => return f64::from(self.fixed).max(1.0),
        };
        count.max(1) as f64
    }
}

/// Caffe raises probabilities to this before it takes a logarithm.
pub(crate) const PROBABILITY_MIN: f32 = 1e-20;

/// The larger of `least` and `p`. Not `f32::max`: it would turn NaN into `least`.
pub(crate) fn at_least(least: f32, p: f32) -> f32 {
    if p < least { least } else { p }
}

/// An f64 sum rounded to the f32 of a blob.
#[expect(clippy::cast_possible_truncation, reason = "blobs are f32")]
pub(crate) fn rounded(loss: f64) -> f32 {
    loss as f32
}

#[cfg(test)]
mod tests {
    use super::{ClassScores, truncated};
    use base::Shape;

    #[test]
    fn labels_are_truncated_as_in_c() {
        assert_eq!(truncated(2.9), Some(2));
        assert_eq!(truncated(-0.9), Some(0));
        assert_eq!(truncated(-3.0), Some(-3));
        assert_eq!(truncated(-2_147_483_648.0), Some(i32::MIN));
        for none in [f32::NAN, f32::INFINITY, -3e9, 2_147_483_648.0] {
            assert_eq!(truncated(none), None);
        }
    }

    #[test]
    fn a_label_out_of_range_names_the_item_of_the_batch() {
        let shapes = [Shape::new(&[2, 3, 2, 2]).unwrap(), Shape::new(&[2, 2, 2]).unwrap()];
        let classes = ClassScores::new(&shapes, 1).unwrap();
        assert_eq!(classes.start(5), 13);
        assert_eq!(classes.class(2.0, 5, None).unwrap(), Some(2));
        assert_eq!(classes.class(-1.0, 5, Some(-1)).unwrap(), None);
        let error = classes.class(3.0, 5, None).unwrap_err();
        assert_eq!(error.to_string(), "label 3 of item 1 is not one of the 3 classes");
        assert!(classes.class(f32::NAN, 0, Some(0)).is_err());
    }
}
