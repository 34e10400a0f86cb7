//! Why an iteration failed: the one error type of a step.

use std::fmt;

use exchange::ExchangeError;
use net::{Net, ReplicaState, RunError};

use super::{NotFiniteBlob, ReplicaOutput};
use crate::sync::NotFiniteSum;
use crate::{EmulationProblem, RecordsProblem};

/// Why an iteration failed. No weight was written: they are those of the iteration before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A layer failed while running.
    #[error(transparent)]
    Layer(#[from] RunError),

    /// The loss is infinite or not a number.
    #[error(
        "iteration {iter}: the loss is {loss}; the first value that is not finite is in blob `{blob}` \
         of layer `{layer}`. {remedy}"
    )]
    Loss {
        /// The iteration.
        iter: u64,
        /// Infinite or not a number.
        loss: f32,
        /// The layer that computed the first value that is not finite.
        layer: String,
        /// The blob it is in.
        blob: String,
        /// What to do about it.
        remedy: DivergenceRemedy,
    },

    /// As [`Loss`](Self::Loss), of a replica that another worker or rank runs and reports.
    #[error("iteration {iter}: the loss of a replica on another rank is not finite")]
    LossElsewhere {
        /// The iteration.
        iter: u64,
    },

    /// A gradient is infinite or not a number.
    #[error(
        "iteration {iter}: the gradient of param {index} of layer `{layer}` is not finite. \
         {remedy}"
    )]
    Gradient {
        /// The iteration.
        iter: u64,
        /// The layer that owns the param.
        layer: String,
        /// Counted from 0, in Caffe's order.
        index: usize,
        /// What to do about it.
        remedy: DivergenceRemedy,
    },

    /// A gradient is infinite or not a number; a compression met it among others.
    #[error("iteration {iter}: a gradient that was compressed is not finite. {remedy}")]
    CompressedGradient {
        /// The iteration.
        iter: u64,
        /// What to do about it.
        remedy: DivergenceRemedy,
    },

    /// A collective between ranks or workers did not end.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),

    /// Gradients of an emulated run cannot be read.
    #[error(transparent)]
    Emulation(#[from] EmulationProblem),
    /// Records that ranks exchange did not arrive as they were sent.
    #[error(transparent)]
    Records(#[from] RecordsProblem),

    /// Another worker of this process failed, and reports why.
    #[error("another worker failed")]
    OtherWorker,

    /// An earlier iteration failed, and with it the job.
    #[error("an earlier iteration failed, which ended the job: open it again from a snapshot")]
    Ended,
}

impl StepError {
    /// The loss that `replica` found, or that of a replica elsewhere.
    pub(super) fn loss(iter: u64, replica: Option<&ReplicaOutput>) -> Self {
        match replica.and_then(|replica| Some((replica.loss, replica.not_finite.clone()?))) {
            Some((loss, NotFiniteBlob { layer, blob, remedy })) => {
                Self::Loss { iter, loss, layer, blob, remedy }
            }
            None => Self::LossElsewhere { iter },
        }
    }

    /// The gradient that was `found`; parameters are counted among those that have one. `replica`
    /// is one that `net` ran.
    pub(super) fn gradient(
        iter: u64,
        net: &Net,
        found: NotFiniteSum,
        replica: Option<&ReplicaState>,
    ) -> Self {
        let remedy = DivergenceRemedy::new(net, replica);
        let NotFiniteSum::Param(slot) = found else {
            return Self::CompressedGradient { iter, remedy };
        };
        let mut learned = net.params().iter().filter(|param| param.gradient.is_some());
        let param = learned.nth(slot).expect("slots are the params with a gradient");
        Self::Gradient { iter, layer: param.layer.clone(), index: param.index, remedy }
    }

    /// Whether nobody else knows of this failure, so that other ranks would wait in vain.
    pub(super) fn is_own(&self) -> bool {
        matches!(self, Self::Layer(_) | Self::Emulation(_))
    }

    /// Of several workers' errors the one with the lowest number explains the others.
    pub(super) fn precedence(&self) -> u8 {
        match self {
            Self::Layer(_) | Self::Emulation(_) | Self::Loss { .. } => 0,
            Self::Gradient { .. } | Self::CompressedGradient { .. } => 0,
            Self::LossElsewhere { .. } => 1,
            Self::Exchange(_) | Self::Records(_) => 2,
            Self::OtherWorker | Self::Ended => 3,
        }
    }
}

/// What helps against values that are not finite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DivergenceRemedy {
    /// A lower rate, or clipping.
    LowerRate,
    /// The running statistics that this layer normalises with: they have never been set.
    LoadStatistics {
        /// A BatchNorm with `use_global_stats`.
        layer: String,
    },
}

impl DivergenceRemedy {
    /// What helps `net`, when it has run `replica`.
    pub(super) fn new(net: &Net, replica: Option<&ReplicaState>) -> Self {
        match replica.and_then(|replica| net.empty_statistics(replica)) {
            Some(layer) => Self::LoadStatistics { layer: layer.into() },
            None => Self::LowerRate,
        }
    }
}

impl fmt::Display for DivergenceRemedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LowerRate => f.write_str("Lower `base_lr`, or set `clip_gradients`"),
            Self::LoadStatistics { layer } => write!(
                f,
                "Layer `{layer}` normalises with running statistics (`use_global_stats`) that are \
                 empty, all zero: load a model that has them (`--weights`), or remove \
                 `use_global_stats`"
            ),
        }
    }
}
