//! `bn_param` as each of the two forks reads it.

use caffe_format::{BNParameter, BNParameterBNMode, FillerParameter, Phase};

use crate::{LayerError, LayerSpec};

/// `eps` of Caffe-SegNet, which has no field for it.
const SEGNET_EPS: f32 = 1e-9;

/// Whose layer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BnFork {
    /// Caffe-SegNet: scale and shift.
    SegNet,
    /// TSN and PSPNet: slope, bias and running statistics.
    Tsn,
}

/// Where mean and variance come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BnStatistics {
    /// The batch.
    OfBatch,
    /// The batch; running ones follow it.
    OfBatchAndRunning {
        /// What a running value keeps of itself.
        momentum: f32,
    },
    /// The running ones.
    Running,
    /// Nowhere: mean 0, variance 1.
    None,
}

impl BnStatistics {
    pub(super) fn of_batch(self) -> bool {
        matches!(self, Self::OfBatch | Self::OfBatchAndRunning { .. })
    }
}

/// `bn_param`, checked.
pub(super) struct BnOptions {
    pub(super) fork: BnFork,
    pub(super) statistics: BnStatistics,
    /// Of scale (slope) and shift (bias).
    pub(super) fillers: [FillerParameter; 2],
    pub(super) eps: f32,
    /// Whether scale and shift have no gradient: when frozen, and in testing, where `x` need then
    /// not be kept.
    pub(super) constant: bool,
    /// How the running variance begins.
    pub(super) variance: f32,
}

impl BnOptions {
    pub(super) fn lower(spec: &LayerSpec<'_>) -> Result<Self, LayerError> {
        let written = spec.layer.bn_param();
        match fork(spec, written)? {
            BnFork::SegNet => Self::segnet(spec, written),
            BnFork::Tsn => Self::tsn(spec, written),
        }
    }

    fn segnet(spec: &LayerSpec<'_>, written: &BNParameter) -> Result<Self, LayerError> {
        let statistics = match written.bn_mode() {
            BNParameterBNMode::Learn => BnStatistics::OfBatch,
            BNParameterBNMode::Inference => BnStatistics::None,
        };
        if spec.tops > 1 && statistics == BnStatistics::None {
            return Err(LayerError::Option {
                option: "bn_param.bn_mode",
                got: "INFERENCE".into(),
                want: "LEARN, or one top: there are no statistics for the others".into(),
            });
        }
        Ok(Self {
            fork: BnFork::SegNet,
            statistics,
            fillers: [written.scale_filler().clone(), written.shift_filler().clone()],
            eps: SEGNET_EPS,
            constant: spec.phase == Phase::Test && statistics == BnStatistics::None,
            variance: 0.0,
        })
    }

    fn tsn(spec: &LayerSpec<'_>, written: &BNParameter) -> Result<Self, LayerError> {
        let (eps, momentum, frozen) = (written.eps(), written.momentum(), written.frozen());
        let wrong = |option, got: f32, want: &str| {
            Err(LayerError::Option { option, got: got.to_string(), want: want.into() })
        };
        if !(eps >= 0.0 && eps.is_finite()) {
            return wrong("bn_param.eps", eps, "0 or more");
        }
        if !(0.0..=1.0).contains(&momentum) {
            return wrong("bn_param.momentum", momentum, "from 0 to 1");
        }
        let constant = frozen || spec.phase == Phase::Test;
        let statistics = match constant {
            true => BnStatistics::Running,
            false => BnStatistics::OfBatchAndRunning { momentum },
        };
        Ok(Self {
            fork: BnFork::Tsn,
            statistics,
            fillers: [written.slope_filler().clone(), written.bias_filler().clone()],
            eps,
            constant,
            variance: f32::from(u8::from(frozen)),
        })
    }
}

/// The fork whose fields are written. Without any, that of SegNet where there is more than one top,
/// which the other does not have.
fn fork(spec: &LayerSpec<'_>, p: &BNParameter) -> Result<BnFork, LayerError> {
    let first = |fields: &[(bool, &'static str)]| {
        fields.iter().find(|(written, _)| *written).map(|(_, field)| *field)
    };
    let segnet = first(&[
        (p.bn_mode.is_some(), "bn_param.bn_mode"),
        (p.scale_filler.is_some(), "bn_param.scale_filler"),
        (p.shift_filler.is_some(), "bn_param.shift_filler"),
    ]);
    let tsn = first(&[
        (p.slope_filler.is_some(), "bn_param.slope_filler"),
        (p.bias_filler.is_some(), "bn_param.bias_filler"),
        (p.momentum.is_some(), "bn_param.momentum"),
        (p.eps.is_some(), "bn_param.eps"),
        (p.frozen.is_some(), "bn_param.frozen"),
        (p.engine.is_some(), "bn_param.engine"),
    ]);
    let remedy = "they are fields of different forks; keep those of one";
    match (segnet, tsn) {
        (Some(first), Some(second)) => Err(LayerError::Conflict { first, second, remedy }),
        (None, Some(option)) if spec.tops > 1 => Err(LayerError::Option {
            option,
            got: "written".into(),
            want: "one top: only Caffe-SegNet's BN has tops for the statistics".into(),
        }),
        (None, Some(_)) => Ok(BnFork::Tsn),
        (Some(_), None) => Ok(BnFork::SegNet),
        (None, None) => Ok(if spec.tops > 1 { BnFork::SegNet } else { BnFork::Tsn }),
    }
}
