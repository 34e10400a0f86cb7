//! Every message of Caffe's schema. Generated from `schema.tsv` and `extensions.tsv` by `xtask
//! codegen`; do not edit.
//!
//! Fields hold what was written: `None` is absent, whatever the default. The method of the same
//! name gives the value or the schema's default.

use crate::message::{
    Enum, EnumKind, FieldType, FieldValues, Message, MessageKind, Slot, SlotMut, UnknownField,
    bad_slot, optional, packed, repeated, required,
};

/// `AnnotatedDatum.AnnotationType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnnotatedDatumAnnotationType {
    /// `BBOX`.
    #[default] Bbox = 0,
}

impl Enum for AnnotatedDatumAnnotationType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "AnnotatedDatum.AnnotationType",
        values: &[("BBOX", 0)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Bbox),
            _ => None,
        }
    }
}

/// `BNParameter.BNMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BNParameterBNMode {
    /// `LEARN`.
    #[default] Learn = 0,
    /// `INFERENCE`.
    Inference = 1,
}

impl Enum for BNParameterBNMode {
    const KIND: &'static EnumKind = &EnumKind {
        name: "BNParameter.BNMode",
        values: &[("LEARN", 0), ("INFERENCE", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Learn),
            1 => Some(Self::Inference),
            _ => None,
        }
    }
}

/// `BNParameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BNParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for BNParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "BNParameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `BiasChannelParameter.LabelType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BiasChannelParameterLabelType {
    /// `IMAGE`.
    #[default] Image = 1,
    /// `PIXEL`.
    Pixel = 2,
}

impl Enum for BiasChannelParameterLabelType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "BiasChannelParameter.LabelType",
        values: &[("IMAGE", 1), ("PIXEL", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Image),
            2 => Some(Self::Pixel),
            _ => None,
        }
    }
}

/// `ConvolutionParameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConvolutionParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for ConvolutionParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "ConvolutionParameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `DataParameter.DB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataParameterDb {
    /// `LEVELDB`.
    #[default] Leveldb = 0,
    /// `LMDB`.
    Lmdb = 1,
}

impl Enum for DataParameterDb {
    const KIND: &'static EnumKind = &EnumKind {
        name: "DataParameter.DB",
        values: &[("LEVELDB", 0), ("LMDB", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Leveldb),
            1 => Some(Self::Lmdb),
            _ => None,
        }
    }
}

/// `EltwiseParameter.EltwiseOp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EltwiseParameterEltwiseOp {
    /// `PROD`.
    #[default] Prod = 0,
    /// `SUM`.
    Sum = 1,
    /// `MAX`.
    Max = 2,
}

impl Enum for EltwiseParameterEltwiseOp {
    const KIND: &'static EnumKind = &EnumKind {
        name: "EltwiseParameter.EltwiseOp",
        values: &[("PROD", 0), ("SUM", 1), ("MAX", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Prod),
            1 => Some(Self::Sum),
            2 => Some(Self::Max),
            _ => None,
        }
    }
}

/// `EmitConstraint.EmitType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmitConstraintEmitType {
    /// `CENTER`.
    #[default] Center = 0,
    /// `MIN_OVERLAP`.
    MinOverlap = 1,
}

impl Enum for EmitConstraintEmitType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "EmitConstraint.EmitType",
        values: &[("CENTER", 0), ("MIN_OVERLAP", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Center),
            1 => Some(Self::MinOverlap),
            _ => None,
        }
    }
}

/// `FillerParameter.VarianceNorm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FillerParameterVarianceNorm {
    /// `FAN_IN`.
    #[default] FanIn = 0,
    /// `FAN_OUT`.
    FanOut = 1,
    /// `AVERAGE`.
    Average = 2,
}

impl Enum for FillerParameterVarianceNorm {
    const KIND: &'static EnumKind = &EnumKind {
        name: "FillerParameter.VarianceNorm",
        values: &[("FAN_IN", 0), ("FAN_OUT", 1), ("AVERAGE", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::FanIn),
            1 => Some(Self::FanOut),
            2 => Some(Self::Average),
            _ => None,
        }
    }
}

/// `HingeLossParameter.Norm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HingeLossParameterNorm {
    /// `L1`.
    #[default] L1 = 1,
    /// `L2`.
    L2 = 2,
}

impl Enum for HingeLossParameterNorm {
    const KIND: &'static EnumKind = &EnumKind {
        name: "HingeLossParameter.Norm",
        values: &[("L1", 1), ("L2", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::L1),
            2 => Some(Self::L2),
            _ => None,
        }
    }
}

/// `ImageDataParameter.LabelType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageDataParameterLabelType {
    /// `NONE`.
    #[default] None = 0,
    /// `IMAGE`.
    Image = 1,
    /// `PIXEL`.
    Pixel = 2,
}

impl Enum for ImageDataParameterLabelType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "ImageDataParameter.LabelType",
        values: &[("NONE", 0), ("IMAGE", 1), ("PIXEL", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::None),
            1 => Some(Self::Image),
            2 => Some(Self::Pixel),
            _ => None,
        }
    }
}

/// `LRNParameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LRNParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for LRNParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "LRNParameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `LRNParameter.NormRegion`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LRNParameterNormRegion {
    /// `ACROSS_CHANNELS`.
    #[default] AcrossChannels = 0,
    /// `WITHIN_CHANNEL`.
    WithinChannel = 1,
}

impl Enum for LRNParameterNormRegion {
    const KIND: &'static EnumKind = &EnumKind {
        name: "LRNParameter.NormRegion",
        values: &[("ACROSS_CHANNELS", 0), ("WITHIN_CHANNEL", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::AcrossChannels),
            1 => Some(Self::WithinChannel),
            _ => None,
        }
    }
}

/// `LossParameter.NormalizationMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LossParameterNormalizationMode {
    /// `FULL`.
    #[default] Full = 0,
    /// `VALID`.
    Valid = 1,
    /// `BATCH_SIZE`.
    BatchSize = 2,
    /// `NONE`.
    None = 3,
    /// `PRE_FIXED`.
    PreFixed = 1001,
}

impl Enum for LossParameterNormalizationMode {
    const KIND: &'static EnumKind = &EnumKind {
        name: "LossParameter.NormalizationMode",
        values: &[("FULL", 0), ("VALID", 1), ("BATCH_SIZE", 2), ("NONE", 3), ("PRE_FIXED", 1001)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Full),
            1 => Some(Self::Valid),
            2 => Some(Self::BatchSize),
            3 => Some(Self::None),
            1001 => Some(Self::PreFixed),
            _ => None,
        }
    }
}

/// `MultiBoxLossParameter.ConfLossType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MultiBoxLossParameterConfLossType {
    /// `SOFTMAX`.
    #[default] Softmax = 0,
    /// `LOGISTIC`.
    Logistic = 1,
}

impl Enum for MultiBoxLossParameterConfLossType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "MultiBoxLossParameter.ConfLossType",
        values: &[("SOFTMAX", 0), ("LOGISTIC", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Softmax),
            1 => Some(Self::Logistic),
            _ => None,
        }
    }
}

/// `MultiBoxLossParameter.LocLossType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MultiBoxLossParameterLocLossType {
    /// `L2`.
    #[default] L2 = 0,
    /// `SMOOTH_L1`.
    SmoothL1 = 1,
}

impl Enum for MultiBoxLossParameterLocLossType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "MultiBoxLossParameter.LocLossType",
        values: &[("L2", 0), ("SMOOTH_L1", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::L2),
            1 => Some(Self::SmoothL1),
            _ => None,
        }
    }
}

/// `MultiBoxLossParameter.MatchType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MultiBoxLossParameterMatchType {
    /// `BIPARTITE`.
    #[default] Bipartite = 0,
    /// `PER_PREDICTION`.
    PerPrediction = 1,
}

impl Enum for MultiBoxLossParameterMatchType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "MultiBoxLossParameter.MatchType",
        values: &[("BIPARTITE", 0), ("PER_PREDICTION", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Bipartite),
            1 => Some(Self::PerPrediction),
            _ => None,
        }
    }
}

/// `MultiBoxLossParameter.MiningType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MultiBoxLossParameterMiningType {
    /// `NONE`.
    #[default] None = 0,
    /// `MAX_NEGATIVE`.
    MaxNegative = 1,
    /// `HARD_EXAMPLE`.
    HardExample = 2,
}

impl Enum for MultiBoxLossParameterMiningType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "MultiBoxLossParameter.MiningType",
        values: &[("NONE", 0), ("MAX_NEGATIVE", 1), ("HARD_EXAMPLE", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::None),
            1 => Some(Self::MaxNegative),
            2 => Some(Self::HardExample),
            _ => None,
        }
    }
}

/// `ParamSpec.DimCheckMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParamSpecDimCheckMode {
    /// `STRICT`.
    #[default] Strict = 0,
    /// `PERMISSIVE`.
    Permissive = 1,
}

impl Enum for ParamSpecDimCheckMode {
    const KIND: &'static EnumKind = &EnumKind {
        name: "ParamSpec.DimCheckMode",
        values: &[("STRICT", 0), ("PERMISSIVE", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Strict),
            1 => Some(Self::Permissive),
            _ => None,
        }
    }
}

/// `Phase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    /// `TRAIN`.
    #[default] Train = 0,
    /// `TEST`.
    Test = 1,
}

impl Enum for Phase {
    const KIND: &'static EnumKind = &EnumKind {
        name: "Phase",
        values: &[("TRAIN", 0), ("TEST", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Train),
            1 => Some(Self::Test),
            _ => None,
        }
    }
}

/// `PoolingParameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PoolingParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for PoolingParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "PoolingParameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `PoolingParameter.PoolMethod`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PoolingParameterPoolMethod {
    /// `MAX`.
    #[default] Max = 0,
    /// `AVE`.
    Ave = 1,
    /// `STOCHASTIC`.
    Stochastic = 2,
}

impl Enum for PoolingParameterPoolMethod {
    const KIND: &'static EnumKind = &EnumKind {
        name: "PoolingParameter.PoolMethod",
        values: &[("MAX", 0), ("AVE", 1), ("STOCHASTIC", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Max),
            1 => Some(Self::Ave),
            2 => Some(Self::Stochastic),
            _ => None,
        }
    }
}

/// `PoolingParameter.RoundMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PoolingParameterRoundMode {
    /// `CEIL`.
    #[default] Ceil = 0,
    /// `FLOOR`.
    Floor = 1,
}

impl Enum for PoolingParameterRoundMode {
    const KIND: &'static EnumKind = &EnumKind {
        name: "PoolingParameter.RoundMode",
        values: &[("CEIL", 0), ("FLOOR", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Ceil),
            1 => Some(Self::Floor),
            _ => None,
        }
    }
}

/// `PriorBoxParameter.CodeType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PriorBoxParameterCodeType {
    /// `CORNER`.
    #[default] Corner = 1,
    /// `CENTER_SIZE`.
    CenterSize = 2,
    /// `CORNER_SIZE`.
    CornerSize = 3,
}

impl Enum for PriorBoxParameterCodeType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "PriorBoxParameter.CodeType",
        values: &[("CORNER", 1), ("CENTER_SIZE", 2), ("CORNER_SIZE", 3)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Corner),
            2 => Some(Self::CenterSize),
            3 => Some(Self::CornerSize),
            _ => None,
        }
    }
}

/// `ReLU6Parameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReLU6ParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for ReLU6ParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "ReLU6Parameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `ReLUParameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReLUParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for ReLUParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "ReLUParameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `ReductionParameter.ReductionOp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReductionParameterReductionOp {
    /// `SUM`.
    #[default] Sum = 1,
    /// `ASUM`.
    Asum = 2,
    /// `SUMSQ`.
    Sumsq = 3,
    /// `MEAN`.
    Mean = 4,
}

impl Enum for ReductionParameterReductionOp {
    const KIND: &'static EnumKind = &EnumKind {
        name: "ReductionParameter.ReductionOp",
        values: &[("SUM", 1), ("ASUM", 2), ("SUMSQ", 3), ("MEAN", 4)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Sum),
            2 => Some(Self::Asum),
            3 => Some(Self::Sumsq),
            4 => Some(Self::Mean),
            _ => None,
        }
    }
}

/// `ResizeParameter.InterpMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResizeParameterInterpMode {
    /// `LINEAR`.
    #[default] Linear = 1,
    /// `AREA`.
    Area = 2,
    /// `NEAREST`.
    Nearest = 3,
    /// `CUBIC`.
    Cubic = 4,
    /// `LANCZOS4`.
    Lanczos4 = 5,
}

impl Enum for ResizeParameterInterpMode {
    const KIND: &'static EnumKind = &EnumKind {
        name: "ResizeParameter.InterpMode",
        values: &[("LINEAR", 1), ("AREA", 2), ("NEAREST", 3), ("CUBIC", 4), ("LANCZOS4", 5)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Linear),
            2 => Some(Self::Area),
            3 => Some(Self::Nearest),
            4 => Some(Self::Cubic),
            5 => Some(Self::Lanczos4),
            _ => None,
        }
    }
}

/// `ResizeParameter.PadMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResizeParameterPadMode {
    /// `CONSTANT`.
    #[default] Constant = 1,
    /// `MIRRORED`.
    Mirrored = 2,
    /// `REPEAT_NEAREST`.
    RepeatNearest = 3,
}

impl Enum for ResizeParameterPadMode {
    const KIND: &'static EnumKind = &EnumKind {
        name: "ResizeParameter.PadMode",
        values: &[("CONSTANT", 1), ("MIRRORED", 2), ("REPEAT_NEAREST", 3)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Constant),
            2 => Some(Self::Mirrored),
            3 => Some(Self::RepeatNearest),
            _ => None,
        }
    }
}

/// `ResizeParameter.ResizeMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResizeParameterResizeMode {
    /// `WARP`.
    #[default] Warp = 1,
    /// `FIT_SMALL_SIZE`.
    FitSmallSize = 2,
    /// `FIT_LARGE_SIZE_AND_PAD`.
    FitLargeSizeAndPad = 3,
}

impl Enum for ResizeParameterResizeMode {
    const KIND: &'static EnumKind = &EnumKind {
        name: "ResizeParameter.ResizeMode",
        values: &[("WARP", 1), ("FIT_SMALL_SIZE", 2), ("FIT_LARGE_SIZE_AND_PAD", 3)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Warp),
            2 => Some(Self::FitSmallSize),
            3 => Some(Self::FitLargeSizeAndPad),
            _ => None,
        }
    }
}

/// `SPPParameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SPPParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for SPPParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "SPPParameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `SPPParameter.PoolMethod`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SPPParameterPoolMethod {
    /// `MAX`.
    #[default] Max = 0,
    /// `AVE`.
    Ave = 1,
    /// `STOCHASTIC`.
    Stochastic = 2,
}

impl Enum for SPPParameterPoolMethod {
    const KIND: &'static EnumKind = &EnumKind {
        name: "SPPParameter.PoolMethod",
        values: &[("MAX", 0), ("AVE", 1), ("STOCHASTIC", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Max),
            1 => Some(Self::Ave),
            2 => Some(Self::Stochastic),
            _ => None,
        }
    }
}

/// `SegAccuracyParameter.AccuracyMetric`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SegAccuracyParameterAccuracyMetric {
    /// `PixelAccuracy`.
    #[default] Pixelaccuracy = 0,
    /// `ClassAccuracy`.
    Classaccuracy = 1,
    /// `PixelIOU`.
    Pixeliou = 2,
}

impl Enum for SegAccuracyParameterAccuracyMetric {
    const KIND: &'static EnumKind = &EnumKind {
        name: "SegAccuracyParameter.AccuracyMetric",
        values: &[("PixelAccuracy", 0), ("ClassAccuracy", 1), ("PixelIOU", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Pixelaccuracy),
            1 => Some(Self::Classaccuracy),
            2 => Some(Self::Pixeliou),
            _ => None,
        }
    }
}

/// `SigmoidParameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SigmoidParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for SigmoidParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "SigmoidParameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `SoftmaxParameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SoftmaxParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for SoftmaxParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "SoftmaxParameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `SolverParameter.SnapshotFormat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverParameterSnapshotFormat {
    /// `HDF5`.
    #[default] Hdf5 = 0,
    /// `BINARYPROTO`.
    Binaryproto = 1,
}

impl Enum for SolverParameterSnapshotFormat {
    const KIND: &'static EnumKind = &EnumKind {
        name: "SolverParameter.SnapshotFormat",
        values: &[("HDF5", 0), ("BINARYPROTO", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Hdf5),
            1 => Some(Self::Binaryproto),
            _ => None,
        }
    }
}

/// `SolverParameter.SolverMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverParameterSolverMode {
    /// `CPU`.
    #[default] Cpu = 0,
    /// `GPU`.
    Gpu = 1,
}

impl Enum for SolverParameterSolverMode {
    const KIND: &'static EnumKind = &EnumKind {
        name: "SolverParameter.SolverMode",
        values: &[("CPU", 0), ("GPU", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Cpu),
            1 => Some(Self::Gpu),
            _ => None,
        }
    }
}

/// `SolverParameter.SolverType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverParameterSolverType {
    /// `SGD`.
    #[default] Sgd = 0,
    /// `NESTEROV`.
    Nesterov = 1,
    /// `ADAGRAD`.
    Adagrad = 2,
    /// `RMSPROP`.
    Rmsprop = 3,
    /// `ADADELTA`.
    Adadelta = 4,
    /// `ADAM`.
    Adam = 5,
}

impl Enum for SolverParameterSolverType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "SolverParameter.SolverType",
        values: &[("SGD", 0), ("NESTEROV", 1), ("ADAGRAD", 2), ("RMSPROP", 3), ("ADADELTA", 4), ("ADAM", 5)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Sgd),
            1 => Some(Self::Nesterov),
            2 => Some(Self::Adagrad),
            3 => Some(Self::Rmsprop),
            4 => Some(Self::Adadelta),
            5 => Some(Self::Adam),
            _ => None,
        }
    }
}

/// `TanHParameter.Engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TanHParameterEngine {
    /// `DEFAULT`.
    #[default] Default = 0,
    /// `CAFFE`.
    Caffe = 1,
    /// `CUDNN`.
    Cudnn = 2,
}

impl Enum for TanHParameterEngine {
    const KIND: &'static EnumKind = &EnumKind {
        name: "TanHParameter.Engine",
        values: &[("DEFAULT", 0), ("CAFFE", 1), ("CUDNN", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::Caffe),
            2 => Some(Self::Cudnn),
            _ => None,
        }
    }
}

/// `V0LayerParameter.PoolMethod`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum V0LayerParameterPoolMethod {
    /// `MAX`.
    #[default] Max = 0,
    /// `AVE`.
    Ave = 1,
    /// `STOCHASTIC`.
    Stochastic = 2,
}

impl Enum for V0LayerParameterPoolMethod {
    const KIND: &'static EnumKind = &EnumKind {
        name: "V0LayerParameter.PoolMethod",
        values: &[("MAX", 0), ("AVE", 1), ("STOCHASTIC", 2)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Max),
            1 => Some(Self::Ave),
            2 => Some(Self::Stochastic),
            _ => None,
        }
    }
}

/// `V1LayerParameter.DimCheckMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum V1LayerParameterDimCheckMode {
    /// `STRICT`.
    #[default] Strict = 0,
    /// `PERMISSIVE`.
    Permissive = 1,
}

impl Enum for V1LayerParameterDimCheckMode {
    const KIND: &'static EnumKind = &EnumKind {
        name: "V1LayerParameter.DimCheckMode",
        values: &[("STRICT", 0), ("PERMISSIVE", 1)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Strict),
            1 => Some(Self::Permissive),
            _ => None,
        }
    }
}

/// `V1LayerParameter.LayerType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum V1LayerParameterLayerType {
    /// `NONE`.
    #[default] None = 0,
    /// `ABSVAL`.
    Absval = 35,
    /// `ACCURACY`.
    Accuracy = 1,
    /// `ARGMAX`.
    Argmax = 30,
    /// `BNLL`.
    Bnll = 2,
    /// `CONCAT`.
    Concat = 3,
    /// `CONTRASTIVE_LOSS`.
    ContrastiveLoss = 37,
    /// `CONVOLUTION`.
    Convolution = 4,
    /// `DATA`.
    Data = 5,
    /// `DECONVOLUTION`.
    Deconvolution = 39,
    /// `DROPOUT`.
    Dropout = 6,
    /// `DUMMY_DATA`.
    DummyData = 32,
    /// `EUCLIDEAN_LOSS`.
    EuclideanLoss = 7,
    /// `ELTWISE`.
    Eltwise = 25,
    /// `EXP`.
    Exp = 38,
    /// `FLATTEN`.
    Flatten = 8,
    /// `HDF5_DATA`.
    Hdf5Data = 9,
    /// `HDF5_OUTPUT`.
    Hdf5Output = 10,
    /// `HINGE_LOSS`.
    HingeLoss = 28,
    /// `IM2COL`.
    Im2col = 11,
    /// `IMAGE_DATA`.
    ImageData = 12,
    /// `INFOGAIN_LOSS`.
    InfogainLoss = 13,
    /// `INNER_PRODUCT`.
    InnerProduct = 14,
    /// `LRN`.
    Lrn = 15,
    /// `MEMORY_DATA`.
    MemoryData = 29,
    /// `MULTINOMIAL_LOGISTIC_LOSS`.
    MultinomialLogisticLoss = 16,
    /// `MVN`.
    Mvn = 34,
    /// `POOLING`.
    Pooling = 17,
    /// `POWER`.
    Power = 26,
    /// `RELU`.
    Relu = 18,
    /// `SIGMOID`.
    Sigmoid = 19,
    /// `SIGMOID_CROSS_ENTROPY_LOSS`.
    SigmoidCrossEntropyLoss = 27,
    /// `SILENCE`.
    Silence = 36,
    /// `SOFTMAX`.
    Softmax = 20,
    /// `SOFTMAX_LOSS`.
    SoftmaxLoss = 21,
    /// `SPLIT`.
    Split = 22,
    /// `SLICE`.
    Slice = 33,
    /// `TANH`.
    Tanh = 23,
    /// `WINDOW_DATA`.
    WindowData = 24,
    /// `THRESHOLD`.
    Threshold = 31,
}

impl Enum for V1LayerParameterLayerType {
    const KIND: &'static EnumKind = &EnumKind {
        name: "V1LayerParameter.LayerType",
        values: &[("NONE", 0), ("ABSVAL", 35), ("ACCURACY", 1), ("ARGMAX", 30), ("BNLL", 2), ("CONCAT", 3), ("CONTRASTIVE_LOSS", 37), ("CONVOLUTION", 4), ("DATA", 5), ("DECONVOLUTION", 39), ("DROPOUT", 6), ("DUMMY_DATA", 32), ("EUCLIDEAN_LOSS", 7), ("ELTWISE", 25), ("EXP", 38), ("FLATTEN", 8), ("HDF5_DATA", 9), ("HDF5_OUTPUT", 10), ("HINGE_LOSS", 28), ("IM2COL", 11), ("IMAGE_DATA", 12), ("INFOGAIN_LOSS", 13), ("INNER_PRODUCT", 14), ("LRN", 15), ("MEMORY_DATA", 29), ("MULTINOMIAL_LOGISTIC_LOSS", 16), ("MVN", 34), ("POOLING", 17), ("POWER", 26), ("RELU", 18), ("SIGMOID", 19), ("SIGMOID_CROSS_ENTROPY_LOSS", 27), ("SILENCE", 36), ("SOFTMAX", 20), ("SOFTMAX_LOSS", 21), ("SPLIT", 22), ("SLICE", 33), ("TANH", 23), ("WINDOW_DATA", 24), ("THRESHOLD", 31)],
    };
    fn number(self) -> i32 { self as i32 }
    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::None),
            35 => Some(Self::Absval),
            1 => Some(Self::Accuracy),
            30 => Some(Self::Argmax),
            2 => Some(Self::Bnll),
            3 => Some(Self::Concat),
            37 => Some(Self::ContrastiveLoss),
            4 => Some(Self::Convolution),
            5 => Some(Self::Data),
            39 => Some(Self::Deconvolution),
            6 => Some(Self::Dropout),
            32 => Some(Self::DummyData),
            7 => Some(Self::EuclideanLoss),
            25 => Some(Self::Eltwise),
            38 => Some(Self::Exp),
            8 => Some(Self::Flatten),
            9 => Some(Self::Hdf5Data),
            10 => Some(Self::Hdf5Output),
            28 => Some(Self::HingeLoss),
            11 => Some(Self::Im2col),
            12 => Some(Self::ImageData),
            13 => Some(Self::InfogainLoss),
            14 => Some(Self::InnerProduct),
            15 => Some(Self::Lrn),
            29 => Some(Self::MemoryData),
            16 => Some(Self::MultinomialLogisticLoss),
            34 => Some(Self::Mvn),
            17 => Some(Self::Pooling),
            26 => Some(Self::Power),
            18 => Some(Self::Relu),
            19 => Some(Self::Sigmoid),
            27 => Some(Self::SigmoidCrossEntropyLoss),
            36 => Some(Self::Silence),
            20 => Some(Self::Softmax),
            21 => Some(Self::SoftmaxLoss),
            22 => Some(Self::Split),
            33 => Some(Self::Slice),
            23 => Some(Self::Tanh),
            24 => Some(Self::WindowData),
            31 => Some(Self::Threshold),
            _ => None,
        }
    }
}

/// `AccuracyParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AccuracyParameter {
    /// `optional uint32 top_k = 1`, `1` unless set.
    pub top_k: Option<u32>,
    /// `optional int32 axis = 2`, `1` unless set.
    pub axis: Option<i32>,
    /// `optional int32 ignore_label = 3`.
    pub ignore_label: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl AccuracyParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "AccuracyParameter",
        new: || Box::new(AccuracyParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "top_k", FieldType::Uint32),
            optional(2, "axis", FieldType::Int32),
            optional(3, "ignore_label", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        top_k: None,
        axis: None,
        ignore_label: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: AccuracyParameter = AccuracyParameter::EMPTY; &EMPTY }
    /// [`Self::top_k`] or its default.
    pub fn top_k(&self) -> u32 { self.top_k.unwrap_or(1) }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
    /// [`Self::ignore_label`] or its default.
    pub fn ignore_label(&self) -> i32 { self.ignore_label.unwrap_or(0) }
}

impl Message for AccuracyParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.top_k.as_slice()),
            1 => Slot::Int32(self.axis.as_slice()),
            2 => Slot::Int32(self.ignore_label.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.top_k)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.ignore_label)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `AdaptiveBiasChannelParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AdaptiveBiasChannelParameter {
    /// `optional int32 num_iter = 1`, `1` unless set. Not in Caffe.
    pub num_iter: Option<i32>,
    /// `optional float bg_portion = 2`, `0.2` unless set. Not in Caffe.
    pub bg_portion: Option<f32>,
    /// `optional float fg_portion = 3`, `0.2` unless set. Not in Caffe.
    pub fg_portion: Option<f32>,
    /// `optional bool suppress_others = 4`, `True` unless set. Not in Caffe.
    pub suppress_others: Option<bool>,
    /// `optional float margin_others = 5`, `1e-5` unless set. Not in Caffe.
    pub margin_others: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl AdaptiveBiasChannelParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "AdaptiveBiasChannelParameter",
        new: || Box::new(AdaptiveBiasChannelParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "num_iter", FieldType::Int32),
            optional(2, "bg_portion", FieldType::Float),
            optional(3, "fg_portion", FieldType::Float),
            optional(4, "suppress_others", FieldType::Bool),
            optional(5, "margin_others", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        num_iter: None,
        bg_portion: None,
        fg_portion: None,
        suppress_others: None,
        margin_others: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: AdaptiveBiasChannelParameter = AdaptiveBiasChannelParameter::EMPTY; &EMPTY }
    /// [`Self::num_iter`] or its default.
    pub fn num_iter(&self) -> i32 { self.num_iter.unwrap_or(1) }
    /// [`Self::bg_portion`] or its default.
    pub fn bg_portion(&self) -> f32 { self.bg_portion.unwrap_or(0.2) }
    /// [`Self::fg_portion`] or its default.
    pub fn fg_portion(&self) -> f32 { self.fg_portion.unwrap_or(0.2) }
    /// [`Self::suppress_others`] or its default.
    pub fn suppress_others(&self) -> bool { self.suppress_others.unwrap_or(true) }
    /// [`Self::margin_others`] or its default.
    pub fn margin_others(&self) -> f32 { self.margin_others.unwrap_or(1e-5) }
}

impl Message for AdaptiveBiasChannelParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.num_iter.as_slice()),
            1 => Slot::Float(self.bg_portion.as_slice()),
            2 => Slot::Float(self.fg_portion.as_slice()),
            3 => Slot::Bool(self.suppress_others.as_slice()),
            4 => Slot::Float(self.margin_others.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.num_iter)),
            1 => SlotMut::Float(FieldValues::One(&mut self.bg_portion)),
            2 => SlotMut::Float(FieldValues::One(&mut self.fg_portion)),
            3 => SlotMut::Bool(FieldValues::One(&mut self.suppress_others)),
            4 => SlotMut::Float(FieldValues::One(&mut self.margin_others)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `AnnotatedDataParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnnotatedDataParameter {
    /// `repeated BatchSampler batch_sampler = 1`. Not in Caffe.
    pub batch_sampler: Vec<BatchSampler>,
    /// `optional string label_map_file = 2`. Not in Caffe.
    pub label_map_file: Option<String>,
    /// `optional enum AnnotatedDatum.AnnotationType anno_type = 3`. Not in Caffe.
    pub anno_type: Option<AnnotatedDatumAnnotationType>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl AnnotatedDataParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "AnnotatedDataParameter",
        new: || Box::new(AnnotatedDataParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            repeated(1, "batch_sampler", FieldType::Message(BatchSampler::KIND)),
            optional(2, "label_map_file", FieldType::String),
            optional(3, "anno_type", FieldType::Enum(AnnotatedDatumAnnotationType::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        batch_sampler: Vec::new(),
        label_map_file: None,
        anno_type: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: AnnotatedDataParameter = AnnotatedDataParameter::EMPTY; &EMPTY }
    /// [`Self::label_map_file`] or its default.
    pub fn label_map_file(&self) -> &str { self.label_map_file.as_deref().unwrap_or("") }
    /// [`Self::anno_type`] or its default.
    pub fn anno_type(&self) -> AnnotatedDatumAnnotationType { self.anno_type.unwrap_or(AnnotatedDatumAnnotationType::Bbox) }
}

impl Message for AnnotatedDataParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Message(&self.batch_sampler),
            1 => Slot::String(self.label_map_file.as_slice()),
            2 => Slot::Enum(&self.anno_type),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Message(&mut self.batch_sampler),
            1 => SlotMut::String(FieldValues::One(&mut self.label_map_file)),
            2 => SlotMut::Enum(&mut self.anno_type),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ArgMaxParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArgMaxParameter {
    /// `optional bool out_max_val = 1`, `False` unless set.
    pub out_max_val: Option<bool>,
    /// `optional uint32 top_k = 2`, `1` unless set.
    pub top_k: Option<u32>,
    /// `optional int32 axis = 3`.
    pub axis: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ArgMaxParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ArgMaxParameter",
        new: || Box::new(ArgMaxParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "out_max_val", FieldType::Bool),
            optional(2, "top_k", FieldType::Uint32),
            optional(3, "axis", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        out_max_val: None,
        top_k: None,
        axis: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ArgMaxParameter = ArgMaxParameter::EMPTY; &EMPTY }
    /// [`Self::out_max_val`] or its default.
    pub fn out_max_val(&self) -> bool { self.out_max_val.unwrap_or(false) }
    /// [`Self::top_k`] or its default.
    pub fn top_k(&self) -> u32 { self.top_k.unwrap_or(1) }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(0) }
}

impl Message for ArgMaxParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Bool(self.out_max_val.as_slice()),
            1 => Slot::Uint32(self.top_k.as_slice()),
            2 => Slot::Int32(self.axis.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Bool(FieldValues::One(&mut self.out_max_val)),
            1 => SlotMut::Uint32(FieldValues::One(&mut self.top_k)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `BNParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BNParameter {
    /// `optional enum BNParameter.BNMode bn_mode = 1`, `LEARN` unless set. Not in Caffe.
    pub bn_mode: Option<BNParameterBNMode>,
    /// `optional FillerParameter scale_filler = 2`. Not in Caffe.
    pub scale_filler: Option<FillerParameter>,
    /// `optional FillerParameter shift_filler = 3`. Not in Caffe.
    pub shift_filler: Option<FillerParameter>,
    /// `optional FillerParameter slope_filler = 4`. Not in Caffe.
    pub slope_filler: Option<FillerParameter>,
    /// `optional FillerParameter bias_filler = 5`. Not in Caffe.
    pub bias_filler: Option<FillerParameter>,
    /// `optional float momentum = 6`, `0.9` unless set. Not in Caffe.
    pub momentum: Option<f32>,
    /// `optional float eps = 7`, `1e-5` unless set. Not in Caffe.
    pub eps: Option<f32>,
    /// `optional bool frozen = 8`, `False` unless set. Not in Caffe.
    pub frozen: Option<bool>,
    /// `optional enum BNParameter.Engine engine = 9`, `DEFAULT` unless set. Not in Caffe.
    pub engine: Option<BNParameterEngine>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl BNParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "BNParameter",
        new: || Box::new(BNParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "bn_mode", FieldType::Enum(BNParameterBNMode::KIND)),
            optional(2, "scale_filler", FieldType::Message(FillerParameter::KIND)),
            optional(3, "shift_filler", FieldType::Message(FillerParameter::KIND)),
            optional(4, "slope_filler", FieldType::Message(FillerParameter::KIND)),
            optional(5, "bias_filler", FieldType::Message(FillerParameter::KIND)),
            optional(6, "momentum", FieldType::Float),
            optional(7, "eps", FieldType::Float),
            optional(8, "frozen", FieldType::Bool),
            optional(9, "engine", FieldType::Enum(BNParameterEngine::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        bn_mode: None,
        scale_filler: None,
        shift_filler: None,
        slope_filler: None,
        bias_filler: None,
        momentum: None,
        eps: None,
        frozen: None,
        engine: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: BNParameter = BNParameter::EMPTY; &EMPTY }
    /// [`Self::bn_mode`] or its default.
    pub fn bn_mode(&self) -> BNParameterBNMode { self.bn_mode.unwrap_or(BNParameterBNMode::Learn) }
    /// [`Self::scale_filler`] or its default.
    pub fn scale_filler(&self) -> &FillerParameter { self.scale_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::shift_filler`] or its default.
    pub fn shift_filler(&self) -> &FillerParameter { self.shift_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::slope_filler`] or its default.
    pub fn slope_filler(&self) -> &FillerParameter { self.slope_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::bias_filler`] or its default.
    pub fn bias_filler(&self) -> &FillerParameter { self.bias_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::momentum`] or its default.
    pub fn momentum(&self) -> f32 { self.momentum.unwrap_or(0.9) }
    /// [`Self::eps`] or its default.
    pub fn eps(&self) -> f32 { self.eps.unwrap_or(1e-5) }
    /// [`Self::frozen`] or its default.
    pub fn frozen(&self) -> bool { self.frozen.unwrap_or(false) }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> BNParameterEngine { self.engine.unwrap_or(BNParameterEngine::Default) }
}

impl Message for BNParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.bn_mode),
            1 => Slot::Message(&self.scale_filler),
            2 => Slot::Message(&self.shift_filler),
            3 => Slot::Message(&self.slope_filler),
            4 => Slot::Message(&self.bias_filler),
            5 => Slot::Float(self.momentum.as_slice()),
            6 => Slot::Float(self.eps.as_slice()),
            7 => Slot::Bool(self.frozen.as_slice()),
            8 => Slot::Enum(&self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.bn_mode),
            1 => SlotMut::Message(&mut self.scale_filler),
            2 => SlotMut::Message(&mut self.shift_filler),
            3 => SlotMut::Message(&mut self.slope_filler),
            4 => SlotMut::Message(&mut self.bias_filler),
            5 => SlotMut::Float(FieldValues::One(&mut self.momentum)),
            6 => SlotMut::Float(FieldValues::One(&mut self.eps)),
            7 => SlotMut::Bool(FieldValues::One(&mut self.frozen)),
            8 => SlotMut::Enum(&mut self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `BatchNormParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchNormParameter {
    /// `optional bool use_global_stats = 1`.
    pub use_global_stats: Option<bool>,
    /// `optional float moving_average_fraction = 2`, `0.999` unless set.
    pub moving_average_fraction: Option<f32>,
    /// `optional float eps = 3`, `1e-05` unless set.
    pub eps: Option<f32>,
    /// `optional bool update_global_stats = 1001`, `False` unless set. Not in Caffe.
    pub update_global_stats: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl BatchNormParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "BatchNormParameter",
        new: || Box::new(BatchNormParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "use_global_stats", FieldType::Bool),
            optional(2, "moving_average_fraction", FieldType::Float),
            optional(3, "eps", FieldType::Float),
            optional(1001, "update_global_stats", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        use_global_stats: None,
        moving_average_fraction: None,
        eps: None,
        update_global_stats: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: BatchNormParameter = BatchNormParameter::EMPTY; &EMPTY }
    /// [`Self::use_global_stats`] or its default.
    pub fn use_global_stats(&self) -> bool { self.use_global_stats.unwrap_or(false) }
    /// [`Self::moving_average_fraction`] or its default.
    pub fn moving_average_fraction(&self) -> f32 { self.moving_average_fraction.unwrap_or(0.999) }
    /// [`Self::eps`] or its default.
    pub fn eps(&self) -> f32 { self.eps.unwrap_or(1e-05) }
    /// [`Self::update_global_stats`] or its default.
    pub fn update_global_stats(&self) -> bool { self.update_global_stats.unwrap_or(false) }
}

impl Message for BatchNormParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Bool(self.use_global_stats.as_slice()),
            1 => Slot::Float(self.moving_average_fraction.as_slice()),
            2 => Slot::Float(self.eps.as_slice()),
            3 => Slot::Bool(self.update_global_stats.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Bool(FieldValues::One(&mut self.use_global_stats)),
            1 => SlotMut::Float(FieldValues::One(&mut self.moving_average_fraction)),
            2 => SlotMut::Float(FieldValues::One(&mut self.eps)),
            3 => SlotMut::Bool(FieldValues::One(&mut self.update_global_stats)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `BatchSampler`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchSampler {
    /// `optional bool use_original_image = 1`, `True` unless set. Not in Caffe.
    pub use_original_image: Option<bool>,
    /// `optional Sampler sampler = 2`. Not in Caffe.
    pub sampler: Option<Sampler>,
    /// `optional SampleConstraint sample_constraint = 3`. Not in Caffe.
    pub sample_constraint: Option<SampleConstraint>,
    /// `optional uint32 max_sample = 4`. Not in Caffe.
    pub max_sample: Option<u32>,
    /// `optional uint32 max_trials = 5`, `100` unless set. Not in Caffe.
    pub max_trials: Option<u32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl BatchSampler {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "BatchSampler",
        new: || Box::new(BatchSampler::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "use_original_image", FieldType::Bool),
            optional(2, "sampler", FieldType::Message(Sampler::KIND)),
            optional(3, "sample_constraint", FieldType::Message(SampleConstraint::KIND)),
            optional(4, "max_sample", FieldType::Uint32),
            optional(5, "max_trials", FieldType::Uint32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        use_original_image: None,
        sampler: None,
        sample_constraint: None,
        max_sample: None,
        max_trials: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: BatchSampler = BatchSampler::EMPTY; &EMPTY }
    /// [`Self::use_original_image`] or its default.
    pub fn use_original_image(&self) -> bool { self.use_original_image.unwrap_or(true) }
    /// [`Self::sampler`] or its default.
    pub fn sampler(&self) -> &Sampler { self.sampler.as_ref().unwrap_or(Sampler::empty()) }
    /// [`Self::sample_constraint`] or its default.
    pub fn sample_constraint(&self) -> &SampleConstraint { self.sample_constraint.as_ref().unwrap_or(SampleConstraint::empty()) }
    /// [`Self::max_sample`] or its default.
    pub fn max_sample(&self) -> u32 { self.max_sample.unwrap_or(0) }
    /// [`Self::max_trials`] or its default.
    pub fn max_trials(&self) -> u32 { self.max_trials.unwrap_or(100) }
}

impl Message for BatchSampler {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Bool(self.use_original_image.as_slice()),
            1 => Slot::Message(&self.sampler),
            2 => Slot::Message(&self.sample_constraint),
            3 => Slot::Uint32(self.max_sample.as_slice()),
            4 => Slot::Uint32(self.max_trials.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Bool(FieldValues::One(&mut self.use_original_image)),
            1 => SlotMut::Message(&mut self.sampler),
            2 => SlotMut::Message(&mut self.sample_constraint),
            3 => SlotMut::Uint32(FieldValues::One(&mut self.max_sample)),
            4 => SlotMut::Uint32(FieldValues::One(&mut self.max_trials)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `BiasChannelParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BiasChannelParameter {
    /// `optional float bg_bias = 1`, `1.0` unless set. Not in Caffe.
    pub bg_bias: Option<f32>,
    /// `optional float fg_bias = 2`, `2.0` unless set. Not in Caffe.
    pub fg_bias: Option<f32>,
    /// `repeated int32 ignore_label = 3`. Not in Caffe.
    pub ignore_label: Vec<i32>,
    /// `optional enum BiasChannelParameter.LabelType label_type = 4`, `IMAGE` unless set. Not in Caffe.
    pub label_type: Option<BiasChannelParameterLabelType>,
    /// `optional int32 background_label = 5`, `0` unless set. Not in Caffe.
    pub background_label: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl BiasChannelParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "BiasChannelParameter",
        new: || Box::new(BiasChannelParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "bg_bias", FieldType::Float),
            optional(2, "fg_bias", FieldType::Float),
            repeated(3, "ignore_label", FieldType::Int32),
            optional(4, "label_type", FieldType::Enum(BiasChannelParameterLabelType::KIND)),
            optional(5, "background_label", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        bg_bias: None,
        fg_bias: None,
        ignore_label: Vec::new(),
        label_type: None,
        background_label: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: BiasChannelParameter = BiasChannelParameter::EMPTY; &EMPTY }
    /// [`Self::bg_bias`] or its default.
    pub fn bg_bias(&self) -> f32 { self.bg_bias.unwrap_or(1.0) }
    /// [`Self::fg_bias`] or its default.
    pub fn fg_bias(&self) -> f32 { self.fg_bias.unwrap_or(2.0) }
    /// [`Self::label_type`] or its default.
    pub fn label_type(&self) -> BiasChannelParameterLabelType { self.label_type.unwrap_or(BiasChannelParameterLabelType::Image) }
    /// [`Self::background_label`] or its default.
    pub fn background_label(&self) -> i32 { self.background_label.unwrap_or(0) }
}

impl Message for BiasChannelParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.bg_bias.as_slice()),
            1 => Slot::Float(self.fg_bias.as_slice()),
            2 => Slot::Int32(self.ignore_label.as_slice()),
            3 => Slot::Enum(&self.label_type),
            4 => Slot::Int32(self.background_label.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.bg_bias)),
            1 => SlotMut::Float(FieldValues::One(&mut self.fg_bias)),
            2 => SlotMut::Int32(FieldValues::Many(&mut self.ignore_label)),
            3 => SlotMut::Enum(&mut self.label_type),
            4 => SlotMut::Int32(FieldValues::One(&mut self.background_label)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `BiasParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BiasParameter {
    /// `optional int32 axis = 1`, `1` unless set.
    pub axis: Option<i32>,
    /// `optional int32 num_axes = 2`, `1` unless set.
    pub num_axes: Option<i32>,
    /// `optional FillerParameter filler = 3`.
    pub filler: Option<FillerParameter>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl BiasParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "BiasParameter",
        new: || Box::new(BiasParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "axis", FieldType::Int32),
            optional(2, "num_axes", FieldType::Int32),
            optional(3, "filler", FieldType::Message(FillerParameter::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        axis: None,
        num_axes: None,
        filler: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: BiasParameter = BiasParameter::EMPTY; &EMPTY }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
    /// [`Self::num_axes`] or its default.
    pub fn num_axes(&self) -> i32 { self.num_axes.unwrap_or(1) }
    /// [`Self::filler`] or its default.
    pub fn filler(&self) -> &FillerParameter { self.filler.as_ref().unwrap_or(FillerParameter::empty()) }
}

impl Message for BiasParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.axis.as_slice()),
            1 => Slot::Int32(self.num_axes.as_slice()),
            2 => Slot::Message(&self.filler),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.num_axes)),
            2 => SlotMut::Message(&mut self.filler),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `BlobProto`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BlobProto {
    /// `optional int32 num = 1`, `0` unless set.
    pub num: Option<i32>,
    /// `optional int32 channels = 2`, `0` unless set.
    pub channels: Option<i32>,
    /// `optional int32 height = 3`, `0` unless set.
    pub height: Option<i32>,
    /// `optional int32 width = 4`, `0` unless set.
    pub width: Option<i32>,
    /// `repeated float data = 5`.
    pub data: Vec<f32>,
    /// `repeated float diff = 6`.
    pub diff: Vec<f32>,
    /// `optional BlobShape shape = 7`.
    pub shape: Option<BlobShape>,
    /// `repeated double double_data = 8`.
    pub double_data: Vec<f64>,
    /// `repeated double double_diff = 9`.
    pub double_diff: Vec<f64>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl BlobProto {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "BlobProto",
        new: || Box::new(BlobProto::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "num", FieldType::Int32),
            optional(2, "channels", FieldType::Int32),
            optional(3, "height", FieldType::Int32),
            optional(4, "width", FieldType::Int32),
            packed(5, "data", FieldType::Float),
            packed(6, "diff", FieldType::Float),
            optional(7, "shape", FieldType::Message(BlobShape::KIND)),
            packed(8, "double_data", FieldType::Double),
            packed(9, "double_diff", FieldType::Double),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        num: None,
        channels: None,
        height: None,
        width: None,
        data: Vec::new(),
        diff: Vec::new(),
        shape: None,
        double_data: Vec::new(),
        double_diff: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: BlobProto = BlobProto::EMPTY; &EMPTY }
    /// [`Self::num`] or its default.
    pub fn num(&self) -> i32 { self.num.unwrap_or(0) }
    /// [`Self::channels`] or its default.
    pub fn channels(&self) -> i32 { self.channels.unwrap_or(0) }
    /// [`Self::height`] or its default.
    pub fn height(&self) -> i32 { self.height.unwrap_or(0) }
    /// [`Self::width`] or its default.
    pub fn width(&self) -> i32 { self.width.unwrap_or(0) }
    /// [`Self::shape`] or its default.
    pub fn shape(&self) -> &BlobShape { self.shape.as_ref().unwrap_or(BlobShape::empty()) }
}

impl Message for BlobProto {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.num.as_slice()),
            1 => Slot::Int32(self.channels.as_slice()),
            2 => Slot::Int32(self.height.as_slice()),
            3 => Slot::Int32(self.width.as_slice()),
            4 => Slot::Float(self.data.as_slice()),
            5 => Slot::Float(self.diff.as_slice()),
            6 => Slot::Message(&self.shape),
            7 => Slot::Double(self.double_data.as_slice()),
            8 => Slot::Double(self.double_diff.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.num)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.channels)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.height)),
            3 => SlotMut::Int32(FieldValues::One(&mut self.width)),
            4 => SlotMut::Float(FieldValues::Many(&mut self.data)),
            5 => SlotMut::Float(FieldValues::Many(&mut self.diff)),
            6 => SlotMut::Message(&mut self.shape),
            7 => SlotMut::Double(FieldValues::Many(&mut self.double_data)),
            8 => SlotMut::Double(FieldValues::Many(&mut self.double_diff)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `BlobProtoVector`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BlobProtoVector {
    /// `repeated BlobProto blobs = 1`.
    pub blobs: Vec<BlobProto>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl BlobProtoVector {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "BlobProtoVector",
        new: || Box::new(BlobProtoVector::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            repeated(1, "blobs", FieldType::Message(BlobProto::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        blobs: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: BlobProtoVector = BlobProtoVector::EMPTY; &EMPTY }
}

impl Message for BlobProtoVector {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Message(&self.blobs),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Message(&mut self.blobs),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `BlobShape`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BlobShape {
    /// `repeated int64 dim = 1`.
    pub dim: Vec<i64>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl BlobShape {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "BlobShape",
        new: || Box::new(BlobShape::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            packed(1, "dim", FieldType::Int64),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        dim: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: BlobShape = BlobShape::EMPTY; &EMPTY }
}

impl Message for BlobShape {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int64(self.dim.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int64(FieldValues::Many(&mut self.dim)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `BoxAnnotatorOHEMParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoxAnnotatorOHEMParameter {
    /// `required uint32 roi_per_img = 1`. Not in Caffe.
    pub roi_per_img: Option<u32>,
    /// `optional int32 ignore_label = 2`, `-1` unless set. Not in Caffe.
    pub ignore_label: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl BoxAnnotatorOHEMParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "BoxAnnotatorOHEMParameter",
        new: || Box::new(BoxAnnotatorOHEMParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            required(1, "roi_per_img", FieldType::Uint32),
            optional(2, "ignore_label", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        roi_per_img: None,
        ignore_label: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: BoxAnnotatorOHEMParameter = BoxAnnotatorOHEMParameter::EMPTY; &EMPTY }
    /// [`Self::roi_per_img`] or its default.
    pub fn roi_per_img(&self) -> u32 { self.roi_per_img.unwrap_or(0) }
    /// [`Self::ignore_label`] or its default.
    pub fn ignore_label(&self) -> i32 { self.ignore_label.unwrap_or(-1) }
}

impl Message for BoxAnnotatorOHEMParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.roi_per_img.as_slice()),
            1 => Slot::Int32(self.ignore_label.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.roi_per_img)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.ignore_label)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ClipParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipParameter {
    /// `required float min = 1`.
    pub min: Option<f32>,
    /// `required float max = 2`.
    pub max: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ClipParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ClipParameter",
        new: || Box::new(ClipParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            required(1, "min", FieldType::Float),
            required(2, "max", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        min: None,
        max: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ClipParameter = ClipParameter::EMPTY; &EMPTY }
    /// [`Self::min`] or its default.
    pub fn min(&self) -> f32 { self.min.unwrap_or(0.0) }
    /// [`Self::max`] or its default.
    pub fn max(&self) -> f32 { self.max.unwrap_or(0.0) }
}

impl Message for ClipParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.min.as_slice()),
            1 => Slot::Float(self.max.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.min)),
            1 => SlotMut::Float(FieldValues::One(&mut self.max)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ColorJitterParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColorJitterParameter {
    /// `optional float brightness = 1`, `0.0` unless set. Not in Caffe.
    pub brightness: Option<f32>,
    /// `optional float contrast = 2`, `0.0` unless set. Not in Caffe.
    pub contrast: Option<f32>,
    /// `optional float saturation = 3`, `0.0` unless set. Not in Caffe.
    pub saturation: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ColorJitterParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ColorJitterParameter",
        new: || Box::new(ColorJitterParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "brightness", FieldType::Float),
            optional(2, "contrast", FieldType::Float),
            optional(3, "saturation", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        brightness: None,
        contrast: None,
        saturation: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ColorJitterParameter = ColorJitterParameter::EMPTY; &EMPTY }
    /// [`Self::brightness`] or its default.
    pub fn brightness(&self) -> f32 { self.brightness.unwrap_or(0.0) }
    /// [`Self::contrast`] or its default.
    pub fn contrast(&self) -> f32 { self.contrast.unwrap_or(0.0) }
    /// [`Self::saturation`] or its default.
    pub fn saturation(&self) -> f32 { self.saturation.unwrap_or(0.0) }
}

impl Message for ColorJitterParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.brightness.as_slice()),
            1 => Slot::Float(self.contrast.as_slice()),
            2 => Slot::Float(self.saturation.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.brightness)),
            1 => SlotMut::Float(FieldValues::One(&mut self.contrast)),
            2 => SlotMut::Float(FieldValues::One(&mut self.saturation)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ConcatParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConcatParameter {
    /// `optional uint32 concat_dim = 1`, `1` unless set.
    pub concat_dim: Option<u32>,
    /// `optional int32 axis = 2`, `1` unless set.
    pub axis: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ConcatParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ConcatParameter",
        new: || Box::new(ConcatParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "concat_dim", FieldType::Uint32),
            optional(2, "axis", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        concat_dim: None,
        axis: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ConcatParameter = ConcatParameter::EMPTY; &EMPTY }
    /// [`Self::concat_dim`] or its default.
    pub fn concat_dim(&self) -> u32 { self.concat_dim.unwrap_or(1) }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
}

impl Message for ConcatParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.concat_dim.as_slice()),
            1 => Slot::Int32(self.axis.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.concat_dim)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ContrastiveLossParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContrastiveLossParameter {
    /// `optional float margin = 1`, `1.0` unless set.
    pub margin: Option<f32>,
    /// `optional bool legacy_version = 2`, `False` unless set.
    pub legacy_version: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ContrastiveLossParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ContrastiveLossParameter",
        new: || Box::new(ContrastiveLossParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "margin", FieldType::Float),
            optional(2, "legacy_version", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        margin: None,
        legacy_version: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ContrastiveLossParameter = ContrastiveLossParameter::EMPTY; &EMPTY }
    /// [`Self::margin`] or its default.
    pub fn margin(&self) -> f32 { self.margin.unwrap_or(1.0) }
    /// [`Self::legacy_version`] or its default.
    pub fn legacy_version(&self) -> bool { self.legacy_version.unwrap_or(false) }
}

impl Message for ContrastiveLossParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.margin.as_slice()),
            1 => Slot::Bool(self.legacy_version.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.margin)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.legacy_version)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ConvolutionParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConvolutionParameter {
    /// `optional uint32 num_output = 1`.
    pub num_output: Option<u32>,
    /// `optional bool bias_term = 2`, `True` unless set.
    pub bias_term: Option<bool>,
    /// `repeated uint32 pad = 3`.
    pub pad: Vec<u32>,
    /// `repeated uint32 kernel_size = 4`.
    pub kernel_size: Vec<u32>,
    /// `optional uint32 group = 5`, `1` unless set.
    pub group: Option<u32>,
    /// `repeated uint32 stride = 6`.
    pub stride: Vec<u32>,
    /// `optional FillerParameter weight_filler = 7`.
    pub weight_filler: Option<FillerParameter>,
    /// `optional FillerParameter bias_filler = 8`.
    pub bias_filler: Option<FillerParameter>,
    /// `optional uint32 pad_h = 9`, `0` unless set.
    pub pad_h: Option<u32>,
    /// `optional uint32 pad_w = 10`, `0` unless set.
    pub pad_w: Option<u32>,
    /// `optional uint32 kernel_h = 11`.
    pub kernel_h: Option<u32>,
    /// `optional uint32 kernel_w = 12`.
    pub kernel_w: Option<u32>,
    /// `optional uint32 stride_h = 13`.
    pub stride_h: Option<u32>,
    /// `optional uint32 stride_w = 14`.
    pub stride_w: Option<u32>,
    /// `optional enum ConvolutionParameter.Engine engine = 15`, `DEFAULT` unless set.
    pub engine: Option<ConvolutionParameterEngine>,
    /// `optional int32 axis = 16`, `1` unless set.
    pub axis: Option<i32>,
    /// `optional bool force_nd_im2col = 17`, `False` unless set.
    pub force_nd_im2col: Option<bool>,
    /// `repeated uint32 dilation = 18`.
    pub dilation: Vec<u32>,
    /// `optional uint32 dilation_h = 1001`. Not in Caffe.
    pub dilation_h: Option<u32>,
    /// `optional uint32 dilation_w = 1002`. Not in Caffe.
    pub dilation_w: Option<u32>,
    /// `optional int32 pad_l = 1003`, `0` unless set. Not in Caffe.
    pub pad_l: Option<i32>,
    /// `optional int32 pad_r = 1004`, `0` unless set. Not in Caffe.
    pub pad_r: Option<i32>,
    /// `optional int32 pad_t = 1005`, `0` unless set. Not in Caffe.
    pub pad_t: Option<i32>,
    /// `optional int32 pad_b = 1006`, `0` unless set. Not in Caffe.
    pub pad_b: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ConvolutionParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ConvolutionParameter",
        new: || Box::new(ConvolutionParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "num_output", FieldType::Uint32),
            optional(2, "bias_term", FieldType::Bool),
            repeated(3, "pad", FieldType::Uint32),
            repeated(4, "kernel_size", FieldType::Uint32),
            optional(5, "group", FieldType::Uint32),
            repeated(6, "stride", FieldType::Uint32),
            optional(7, "weight_filler", FieldType::Message(FillerParameter::KIND)),
            optional(8, "bias_filler", FieldType::Message(FillerParameter::KIND)),
            optional(9, "pad_h", FieldType::Uint32),
            optional(10, "pad_w", FieldType::Uint32),
            optional(11, "kernel_h", FieldType::Uint32),
            optional(12, "kernel_w", FieldType::Uint32),
            optional(13, "stride_h", FieldType::Uint32),
            optional(14, "stride_w", FieldType::Uint32),
            optional(15, "engine", FieldType::Enum(ConvolutionParameterEngine::KIND)),
            optional(16, "axis", FieldType::Int32),
            optional(17, "force_nd_im2col", FieldType::Bool),
            repeated(18, "dilation", FieldType::Uint32),
            optional(1001, "dilation_h", FieldType::Uint32),
            optional(1002, "dilation_w", FieldType::Uint32),
            optional(1003, "pad_l", FieldType::Int32),
            optional(1004, "pad_r", FieldType::Int32),
            optional(1005, "pad_t", FieldType::Int32),
            optional(1006, "pad_b", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        num_output: None,
        bias_term: None,
        pad: Vec::new(),
        kernel_size: Vec::new(),
        group: None,
        stride: Vec::new(),
        weight_filler: None,
        bias_filler: None,
        pad_h: None,
        pad_w: None,
        kernel_h: None,
        kernel_w: None,
        stride_h: None,
        stride_w: None,
        engine: None,
        axis: None,
        force_nd_im2col: None,
        dilation: Vec::new(),
        dilation_h: None,
        dilation_w: None,
        pad_l: None,
        pad_r: None,
        pad_t: None,
        pad_b: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ConvolutionParameter = ConvolutionParameter::EMPTY; &EMPTY }
    /// [`Self::num_output`] or its default.
    pub fn num_output(&self) -> u32 { self.num_output.unwrap_or(0) }
    /// [`Self::bias_term`] or its default.
    pub fn bias_term(&self) -> bool { self.bias_term.unwrap_or(true) }
    /// [`Self::group`] or its default.
    pub fn group(&self) -> u32 { self.group.unwrap_or(1) }
    /// [`Self::weight_filler`] or its default.
    pub fn weight_filler(&self) -> &FillerParameter { self.weight_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::bias_filler`] or its default.
    pub fn bias_filler(&self) -> &FillerParameter { self.bias_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::pad_h`] or its default.
    pub fn pad_h(&self) -> u32 { self.pad_h.unwrap_or(0) }
    /// [`Self::pad_w`] or its default.
    pub fn pad_w(&self) -> u32 { self.pad_w.unwrap_or(0) }
    /// [`Self::kernel_h`] or its default.
    pub fn kernel_h(&self) -> u32 { self.kernel_h.unwrap_or(0) }
    /// [`Self::kernel_w`] or its default.
    pub fn kernel_w(&self) -> u32 { self.kernel_w.unwrap_or(0) }
    /// [`Self::stride_h`] or its default.
    pub fn stride_h(&self) -> u32 { self.stride_h.unwrap_or(0) }
    /// [`Self::stride_w`] or its default.
    pub fn stride_w(&self) -> u32 { self.stride_w.unwrap_or(0) }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> ConvolutionParameterEngine { self.engine.unwrap_or(ConvolutionParameterEngine::Default) }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
    /// [`Self::force_nd_im2col`] or its default.
    pub fn force_nd_im2col(&self) -> bool { self.force_nd_im2col.unwrap_or(false) }
    /// [`Self::dilation_h`] or its default.
    pub fn dilation_h(&self) -> u32 { self.dilation_h.unwrap_or(0) }
    /// [`Self::dilation_w`] or its default.
    pub fn dilation_w(&self) -> u32 { self.dilation_w.unwrap_or(0) }
    /// [`Self::pad_l`] or its default.
    pub fn pad_l(&self) -> i32 { self.pad_l.unwrap_or(0) }
    /// [`Self::pad_r`] or its default.
    pub fn pad_r(&self) -> i32 { self.pad_r.unwrap_or(0) }
    /// [`Self::pad_t`] or its default.
    pub fn pad_t(&self) -> i32 { self.pad_t.unwrap_or(0) }
    /// [`Self::pad_b`] or its default.
    pub fn pad_b(&self) -> i32 { self.pad_b.unwrap_or(0) }
}

impl Message for ConvolutionParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.num_output.as_slice()),
            1 => Slot::Bool(self.bias_term.as_slice()),
            2 => Slot::Uint32(self.pad.as_slice()),
            3 => Slot::Uint32(self.kernel_size.as_slice()),
            4 => Slot::Uint32(self.group.as_slice()),
            5 => Slot::Uint32(self.stride.as_slice()),
            6 => Slot::Message(&self.weight_filler),
            7 => Slot::Message(&self.bias_filler),
            8 => Slot::Uint32(self.pad_h.as_slice()),
            9 => Slot::Uint32(self.pad_w.as_slice()),
            10 => Slot::Uint32(self.kernel_h.as_slice()),
            11 => Slot::Uint32(self.kernel_w.as_slice()),
            12 => Slot::Uint32(self.stride_h.as_slice()),
            13 => Slot::Uint32(self.stride_w.as_slice()),
            14 => Slot::Enum(&self.engine),
            15 => Slot::Int32(self.axis.as_slice()),
            16 => Slot::Bool(self.force_nd_im2col.as_slice()),
            17 => Slot::Uint32(self.dilation.as_slice()),
            18 => Slot::Uint32(self.dilation_h.as_slice()),
            19 => Slot::Uint32(self.dilation_w.as_slice()),
            20 => Slot::Int32(self.pad_l.as_slice()),
            21 => Slot::Int32(self.pad_r.as_slice()),
            22 => Slot::Int32(self.pad_t.as_slice()),
            23 => Slot::Int32(self.pad_b.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.num_output)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.bias_term)),
            2 => SlotMut::Uint32(FieldValues::Many(&mut self.pad)),
            3 => SlotMut::Uint32(FieldValues::Many(&mut self.kernel_size)),
            4 => SlotMut::Uint32(FieldValues::One(&mut self.group)),
            5 => SlotMut::Uint32(FieldValues::Many(&mut self.stride)),
            6 => SlotMut::Message(&mut self.weight_filler),
            7 => SlotMut::Message(&mut self.bias_filler),
            8 => SlotMut::Uint32(FieldValues::One(&mut self.pad_h)),
            9 => SlotMut::Uint32(FieldValues::One(&mut self.pad_w)),
            10 => SlotMut::Uint32(FieldValues::One(&mut self.kernel_h)),
            11 => SlotMut::Uint32(FieldValues::One(&mut self.kernel_w)),
            12 => SlotMut::Uint32(FieldValues::One(&mut self.stride_h)),
            13 => SlotMut::Uint32(FieldValues::One(&mut self.stride_w)),
            14 => SlotMut::Enum(&mut self.engine),
            15 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            16 => SlotMut::Bool(FieldValues::One(&mut self.force_nd_im2col)),
            17 => SlotMut::Uint32(FieldValues::Many(&mut self.dilation)),
            18 => SlotMut::Uint32(FieldValues::One(&mut self.dilation_h)),
            19 => SlotMut::Uint32(FieldValues::One(&mut self.dilation_w)),
            20 => SlotMut::Int32(FieldValues::One(&mut self.pad_l)),
            21 => SlotMut::Int32(FieldValues::One(&mut self.pad_r)),
            22 => SlotMut::Int32(FieldValues::One(&mut self.pad_t)),
            23 => SlotMut::Int32(FieldValues::One(&mut self.pad_b)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `CropParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CropParameter {
    /// `optional int32 axis = 1`, `2` unless set.
    pub axis: Option<i32>,
    /// `repeated uint32 offset = 2`.
    pub offset: Vec<u32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl CropParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "CropParameter",
        new: || Box::new(CropParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "axis", FieldType::Int32),
            repeated(2, "offset", FieldType::Uint32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        axis: None,
        offset: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: CropParameter = CropParameter::EMPTY; &EMPTY }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(2) }
}

impl Message for CropParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.axis.as_slice()),
            1 => Slot::Uint32(self.offset.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            1 => SlotMut::Uint32(FieldValues::Many(&mut self.offset)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `DataParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataParameter {
    /// `optional string source = 1`.
    pub source: Option<String>,
    /// `optional float scale = 2`, `1.0` unless set.
    pub scale: Option<f32>,
    /// `optional string mean_file = 3`.
    pub mean_file: Option<String>,
    /// `optional uint32 batch_size = 4`.
    pub batch_size: Option<u32>,
    /// `optional uint32 crop_size = 5`, `0` unless set.
    pub crop_size: Option<u32>,
    /// `optional bool mirror = 6`, `False` unless set.
    pub mirror: Option<bool>,
    /// `optional uint32 rand_skip = 7`, `0` unless set.
    pub rand_skip: Option<u32>,
    /// `optional enum DataParameter.DB backend = 8`, `LEVELDB` unless set.
    pub backend: Option<DataParameterDb>,
    /// `optional bool force_encoded_color = 9`, `False` unless set.
    pub force_encoded_color: Option<bool>,
    /// `optional uint32 prefetch = 10`, `4` unless set.
    pub prefetch: Option<u32>,
    /// `optional bool shuffle = 1001`, `False` unless set. Not in Caffe.
    pub shuffle: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl DataParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "DataParameter",
        new: || Box::new(DataParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "source", FieldType::String),
            optional(2, "scale", FieldType::Float),
            optional(3, "mean_file", FieldType::String),
            optional(4, "batch_size", FieldType::Uint32),
            optional(5, "crop_size", FieldType::Uint32),
            optional(6, "mirror", FieldType::Bool),
            optional(7, "rand_skip", FieldType::Uint32),
            optional(8, "backend", FieldType::Enum(DataParameterDb::KIND)),
            optional(9, "force_encoded_color", FieldType::Bool),
            optional(10, "prefetch", FieldType::Uint32),
            optional(1001, "shuffle", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        source: None,
        scale: None,
        mean_file: None,
        batch_size: None,
        crop_size: None,
        mirror: None,
        rand_skip: None,
        backend: None,
        force_encoded_color: None,
        prefetch: None,
        shuffle: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: DataParameter = DataParameter::EMPTY; &EMPTY }
    /// [`Self::source`] or its default.
    pub fn source(&self) -> &str { self.source.as_deref().unwrap_or("") }
    /// [`Self::scale`] or its default.
    pub fn scale(&self) -> f32 { self.scale.unwrap_or(1.0) }
    /// [`Self::mean_file`] or its default.
    pub fn mean_file(&self) -> &str { self.mean_file.as_deref().unwrap_or("") }
    /// [`Self::batch_size`] or its default.
    pub fn batch_size(&self) -> u32 { self.batch_size.unwrap_or(0) }
    /// [`Self::crop_size`] or its default.
    pub fn crop_size(&self) -> u32 { self.crop_size.unwrap_or(0) }
    /// [`Self::mirror`] or its default.
    pub fn mirror(&self) -> bool { self.mirror.unwrap_or(false) }
    /// [`Self::rand_skip`] or its default.
    pub fn rand_skip(&self) -> u32 { self.rand_skip.unwrap_or(0) }
    /// [`Self::backend`] or its default.
    pub fn backend(&self) -> DataParameterDb { self.backend.unwrap_or(DataParameterDb::Leveldb) }
    /// [`Self::force_encoded_color`] or its default.
    pub fn force_encoded_color(&self) -> bool { self.force_encoded_color.unwrap_or(false) }
    /// [`Self::prefetch`] or its default.
    pub fn prefetch(&self) -> u32 { self.prefetch.unwrap_or(4) }
    /// [`Self::shuffle`] or its default.
    pub fn shuffle(&self) -> bool { self.shuffle.unwrap_or(false) }
}

impl Message for DataParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.source.as_slice()),
            1 => Slot::Float(self.scale.as_slice()),
            2 => Slot::String(self.mean_file.as_slice()),
            3 => Slot::Uint32(self.batch_size.as_slice()),
            4 => Slot::Uint32(self.crop_size.as_slice()),
            5 => Slot::Bool(self.mirror.as_slice()),
            6 => Slot::Uint32(self.rand_skip.as_slice()),
            7 => Slot::Enum(&self.backend),
            8 => Slot::Bool(self.force_encoded_color.as_slice()),
            9 => Slot::Uint32(self.prefetch.as_slice()),
            10 => Slot::Bool(self.shuffle.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.source)),
            1 => SlotMut::Float(FieldValues::One(&mut self.scale)),
            2 => SlotMut::String(FieldValues::One(&mut self.mean_file)),
            3 => SlotMut::Uint32(FieldValues::One(&mut self.batch_size)),
            4 => SlotMut::Uint32(FieldValues::One(&mut self.crop_size)),
            5 => SlotMut::Bool(FieldValues::One(&mut self.mirror)),
            6 => SlotMut::Uint32(FieldValues::One(&mut self.rand_skip)),
            7 => SlotMut::Enum(&mut self.backend),
            8 => SlotMut::Bool(FieldValues::One(&mut self.force_encoded_color)),
            9 => SlotMut::Uint32(FieldValues::One(&mut self.prefetch)),
            10 => SlotMut::Bool(FieldValues::One(&mut self.shuffle)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `Datum`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Datum {
    /// `optional int32 channels = 1`.
    pub channels: Option<i32>,
    /// `optional int32 height = 2`.
    pub height: Option<i32>,
    /// `optional int32 width = 3`.
    pub width: Option<i32>,
    /// `optional bytes data = 4`.
    pub data: Option<Vec<u8>>,
    /// `optional int32 label = 5`.
    pub label: Option<i32>,
    /// `repeated float float_data = 6`.
    pub float_data: Vec<f32>,
    /// `optional bool encoded = 7`, `False` unless set.
    pub encoded: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl Datum {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "Datum",
        new: || Box::new(Datum::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "channels", FieldType::Int32),
            optional(2, "height", FieldType::Int32),
            optional(3, "width", FieldType::Int32),
            optional(4, "data", FieldType::Bytes),
            optional(5, "label", FieldType::Int32),
            repeated(6, "float_data", FieldType::Float),
            optional(7, "encoded", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        channels: None,
        height: None,
        width: None,
        data: None,
        label: None,
        float_data: Vec::new(),
        encoded: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: Datum = Datum::EMPTY; &EMPTY }
    /// [`Self::channels`] or its default.
    pub fn channels(&self) -> i32 { self.channels.unwrap_or(0) }
    /// [`Self::height`] or its default.
    pub fn height(&self) -> i32 { self.height.unwrap_or(0) }
    /// [`Self::width`] or its default.
    pub fn width(&self) -> i32 { self.width.unwrap_or(0) }
    /// [`Self::data`] or its default.
    pub fn data(&self) -> &[u8] { self.data.as_deref().unwrap_or_default() }
    /// [`Self::label`] or its default.
    pub fn label(&self) -> i32 { self.label.unwrap_or(0) }
    /// [`Self::encoded`] or its default.
    pub fn encoded(&self) -> bool { self.encoded.unwrap_or(false) }
}

impl Message for Datum {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.channels.as_slice()),
            1 => Slot::Int32(self.height.as_slice()),
            2 => Slot::Int32(self.width.as_slice()),
            3 => Slot::Bytes(self.data.as_slice()),
            4 => Slot::Int32(self.label.as_slice()),
            5 => Slot::Float(self.float_data.as_slice()),
            6 => Slot::Bool(self.encoded.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.channels)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.height)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.width)),
            3 => SlotMut::Bytes(FieldValues::One(&mut self.data)),
            4 => SlotMut::Int32(FieldValues::One(&mut self.label)),
            5 => SlotMut::Float(FieldValues::Many(&mut self.float_data)),
            6 => SlotMut::Bool(FieldValues::One(&mut self.encoded)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `DenseCRFParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DenseCRFParameter {
    /// `optional int32 max_iter = 1`, `10` unless set. Not in Caffe.
    pub max_iter: Option<i32>,
    /// `repeated float pos_xy_std = 2`. Not in Caffe.
    pub pos_xy_std: Vec<f32>,
    /// `repeated float pos_w = 3`. Not in Caffe.
    pub pos_w: Vec<f32>,
    /// `repeated float bi_xy_std = 4`. Not in Caffe.
    pub bi_xy_std: Vec<f32>,
    /// `repeated float bi_rgb_std = 5`. Not in Caffe.
    pub bi_rgb_std: Vec<f32>,
    /// `repeated float bi_w = 6`. Not in Caffe.
    pub bi_w: Vec<f32>,
    /// `optional bool output_probability = 7`, `True` unless set. Not in Caffe.
    pub output_probability: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl DenseCRFParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "DenseCRFParameter",
        new: || Box::new(DenseCRFParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "max_iter", FieldType::Int32),
            repeated(2, "pos_xy_std", FieldType::Float),
            repeated(3, "pos_w", FieldType::Float),
            repeated(4, "bi_xy_std", FieldType::Float),
            repeated(5, "bi_rgb_std", FieldType::Float),
            repeated(6, "bi_w", FieldType::Float),
            optional(7, "output_probability", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        max_iter: None,
        pos_xy_std: Vec::new(),
        pos_w: Vec::new(),
        bi_xy_std: Vec::new(),
        bi_rgb_std: Vec::new(),
        bi_w: Vec::new(),
        output_probability: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: DenseCRFParameter = DenseCRFParameter::EMPTY; &EMPTY }
    /// [`Self::max_iter`] or its default.
    pub fn max_iter(&self) -> i32 { self.max_iter.unwrap_or(10) }
    /// [`Self::output_probability`] or its default.
    pub fn output_probability(&self) -> bool { self.output_probability.unwrap_or(true) }
}

impl Message for DenseCRFParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.max_iter.as_slice()),
            1 => Slot::Float(self.pos_xy_std.as_slice()),
            2 => Slot::Float(self.pos_w.as_slice()),
            3 => Slot::Float(self.bi_xy_std.as_slice()),
            4 => Slot::Float(self.bi_rgb_std.as_slice()),
            5 => Slot::Float(self.bi_w.as_slice()),
            6 => Slot::Bool(self.output_probability.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.max_iter)),
            1 => SlotMut::Float(FieldValues::Many(&mut self.pos_xy_std)),
            2 => SlotMut::Float(FieldValues::Many(&mut self.pos_w)),
            3 => SlotMut::Float(FieldValues::Many(&mut self.bi_xy_std)),
            4 => SlotMut::Float(FieldValues::Many(&mut self.bi_rgb_std)),
            5 => SlotMut::Float(FieldValues::Many(&mut self.bi_w)),
            6 => SlotMut::Bool(FieldValues::One(&mut self.output_probability)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `DenseImageDataParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DenseImageDataParameter {
    /// `optional string source = 1`. Not in Caffe.
    pub source: Option<String>,
    /// `optional uint32 batch_size = 2`. Not in Caffe.
    pub batch_size: Option<u32>,
    /// `optional uint32 rand_skip = 3`, `0` unless set. Not in Caffe.
    pub rand_skip: Option<u32>,
    /// `optional bool shuffle = 4`, `False` unless set. Not in Caffe.
    pub shuffle: Option<bool>,
    /// `optional uint32 new_height = 5`, `0` unless set. Not in Caffe.
    pub new_height: Option<u32>,
    /// `optional uint32 new_width = 6`, `0` unless set. Not in Caffe.
    pub new_width: Option<u32>,
    /// `optional bool is_color = 7`, `True` unless set. Not in Caffe.
    pub is_color: Option<bool>,
    /// `optional string mean_file = 8`. Not in Caffe.
    pub mean_file: Option<String>,
    /// `optional string root_folder = 9`. Not in Caffe.
    pub root_folder: Option<String>,
    /// `optional bool mirror = 10`, `False` unless set. Not in Caffe.
    pub mirror: Option<bool>,
    /// `optional uint32 crop_width = 11`, `0` unless set. Not in Caffe.
    pub crop_width: Option<u32>,
    /// `optional uint32 crop_height = 12`, `0` unless set. Not in Caffe.
    pub crop_height: Option<u32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl DenseImageDataParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "DenseImageDataParameter",
        new: || Box::new(DenseImageDataParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "source", FieldType::String),
            optional(2, "batch_size", FieldType::Uint32),
            optional(3, "rand_skip", FieldType::Uint32),
            optional(4, "shuffle", FieldType::Bool),
            optional(5, "new_height", FieldType::Uint32),
            optional(6, "new_width", FieldType::Uint32),
            optional(7, "is_color", FieldType::Bool),
            optional(8, "mean_file", FieldType::String),
            optional(9, "root_folder", FieldType::String),
            optional(10, "mirror", FieldType::Bool),
            optional(11, "crop_width", FieldType::Uint32),
            optional(12, "crop_height", FieldType::Uint32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        source: None,
        batch_size: None,
        rand_skip: None,
        shuffle: None,
        new_height: None,
        new_width: None,
        is_color: None,
        mean_file: None,
        root_folder: None,
        mirror: None,
        crop_width: None,
        crop_height: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: DenseImageDataParameter = DenseImageDataParameter::EMPTY; &EMPTY }
    /// [`Self::source`] or its default.
    pub fn source(&self) -> &str { self.source.as_deref().unwrap_or("") }
    /// [`Self::batch_size`] or its default.
    pub fn batch_size(&self) -> u32 { self.batch_size.unwrap_or(0) }
    /// [`Self::rand_skip`] or its default.
    pub fn rand_skip(&self) -> u32 { self.rand_skip.unwrap_or(0) }
    /// [`Self::shuffle`] or its default.
    pub fn shuffle(&self) -> bool { self.shuffle.unwrap_or(false) }
    /// [`Self::new_height`] or its default.
    pub fn new_height(&self) -> u32 { self.new_height.unwrap_or(0) }
    /// [`Self::new_width`] or its default.
    pub fn new_width(&self) -> u32 { self.new_width.unwrap_or(0) }
    /// [`Self::is_color`] or its default.
    pub fn is_color(&self) -> bool { self.is_color.unwrap_or(true) }
    /// [`Self::mean_file`] or its default.
    pub fn mean_file(&self) -> &str { self.mean_file.as_deref().unwrap_or("") }
    /// [`Self::root_folder`] or its default.
    pub fn root_folder(&self) -> &str { self.root_folder.as_deref().unwrap_or("") }
    /// [`Self::mirror`] or its default.
    pub fn mirror(&self) -> bool { self.mirror.unwrap_or(false) }
    /// [`Self::crop_width`] or its default.
    pub fn crop_width(&self) -> u32 { self.crop_width.unwrap_or(0) }
    /// [`Self::crop_height`] or its default.
    pub fn crop_height(&self) -> u32 { self.crop_height.unwrap_or(0) }
}

impl Message for DenseImageDataParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.source.as_slice()),
            1 => Slot::Uint32(self.batch_size.as_slice()),
            2 => Slot::Uint32(self.rand_skip.as_slice()),
            3 => Slot::Bool(self.shuffle.as_slice()),
            4 => Slot::Uint32(self.new_height.as_slice()),
            5 => Slot::Uint32(self.new_width.as_slice()),
            6 => Slot::Bool(self.is_color.as_slice()),
            7 => Slot::String(self.mean_file.as_slice()),
            8 => Slot::String(self.root_folder.as_slice()),
            9 => Slot::Bool(self.mirror.as_slice()),
            10 => Slot::Uint32(self.crop_width.as_slice()),
            11 => Slot::Uint32(self.crop_height.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.source)),
            1 => SlotMut::Uint32(FieldValues::One(&mut self.batch_size)),
            2 => SlotMut::Uint32(FieldValues::One(&mut self.rand_skip)),
            3 => SlotMut::Bool(FieldValues::One(&mut self.shuffle)),
            4 => SlotMut::Uint32(FieldValues::One(&mut self.new_height)),
            5 => SlotMut::Uint32(FieldValues::One(&mut self.new_width)),
            6 => SlotMut::Bool(FieldValues::One(&mut self.is_color)),
            7 => SlotMut::String(FieldValues::One(&mut self.mean_file)),
            8 => SlotMut::String(FieldValues::One(&mut self.root_folder)),
            9 => SlotMut::Bool(FieldValues::One(&mut self.mirror)),
            10 => SlotMut::Uint32(FieldValues::One(&mut self.crop_width)),
            11 => SlotMut::Uint32(FieldValues::One(&mut self.crop_height)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `DetectionEvaluateParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DetectionEvaluateParameter {
    /// `optional uint32 num_classes = 1`. Not in Caffe.
    pub num_classes: Option<u32>,
    /// `optional uint32 background_label_id = 2`, `0` unless set. Not in Caffe.
    pub background_label_id: Option<u32>,
    /// `optional float overlap_threshold = 3`, `0.5` unless set. Not in Caffe.
    pub overlap_threshold: Option<f32>,
    /// `optional bool evaluate_difficult_gt = 4`, `True` unless set. Not in Caffe.
    pub evaluate_difficult_gt: Option<bool>,
    /// `optional string name_size_file = 5`. Not in Caffe.
    pub name_size_file: Option<String>,
    /// `optional ResizeParameter resize_param = 6`. Not in Caffe.
    pub resize_param: Option<ResizeParameter>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl DetectionEvaluateParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "DetectionEvaluateParameter",
        new: || Box::new(DetectionEvaluateParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "num_classes", FieldType::Uint32),
            optional(2, "background_label_id", FieldType::Uint32),
            optional(3, "overlap_threshold", FieldType::Float),
            optional(4, "evaluate_difficult_gt", FieldType::Bool),
            optional(5, "name_size_file", FieldType::String),
            optional(6, "resize_param", FieldType::Message(ResizeParameter::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        num_classes: None,
        background_label_id: None,
        overlap_threshold: None,
        evaluate_difficult_gt: None,
        name_size_file: None,
        resize_param: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: DetectionEvaluateParameter = DetectionEvaluateParameter::EMPTY; &EMPTY }
    /// [`Self::num_classes`] or its default.
    pub fn num_classes(&self) -> u32 { self.num_classes.unwrap_or(0) }
    /// [`Self::background_label_id`] or its default.
    pub fn background_label_id(&self) -> u32 { self.background_label_id.unwrap_or(0) }
    /// [`Self::overlap_threshold`] or its default.
    pub fn overlap_threshold(&self) -> f32 { self.overlap_threshold.unwrap_or(0.5) }
    /// [`Self::evaluate_difficult_gt`] or its default.
    pub fn evaluate_difficult_gt(&self) -> bool { self.evaluate_difficult_gt.unwrap_or(true) }
    /// [`Self::name_size_file`] or its default.
    pub fn name_size_file(&self) -> &str { self.name_size_file.as_deref().unwrap_or("") }
    /// [`Self::resize_param`] or its default.
    pub fn resize_param(&self) -> &ResizeParameter { self.resize_param.as_ref().unwrap_or(ResizeParameter::empty()) }
}

impl Message for DetectionEvaluateParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.num_classes.as_slice()),
            1 => Slot::Uint32(self.background_label_id.as_slice()),
            2 => Slot::Float(self.overlap_threshold.as_slice()),
            3 => Slot::Bool(self.evaluate_difficult_gt.as_slice()),
            4 => Slot::String(self.name_size_file.as_slice()),
            5 => Slot::Message(&self.resize_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.num_classes)),
            1 => SlotMut::Uint32(FieldValues::One(&mut self.background_label_id)),
            2 => SlotMut::Float(FieldValues::One(&mut self.overlap_threshold)),
            3 => SlotMut::Bool(FieldValues::One(&mut self.evaluate_difficult_gt)),
            4 => SlotMut::String(FieldValues::One(&mut self.name_size_file)),
            5 => SlotMut::Message(&mut self.resize_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `DetectionOutputParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DetectionOutputParameter {
    /// `optional uint32 num_classes = 1`. Not in Caffe.
    pub num_classes: Option<u32>,
    /// `optional bool share_location = 2`, `True` unless set. Not in Caffe.
    pub share_location: Option<bool>,
    /// `optional int32 background_label_id = 3`, `0` unless set. Not in Caffe.
    pub background_label_id: Option<i32>,
    /// `optional NonMaximumSuppressionParameter nms_param = 4`. Not in Caffe.
    pub nms_param: Option<NonMaximumSuppressionParameter>,
    /// `optional SaveOutputParameter save_output_param = 5`. Not in Caffe.
    pub save_output_param: Option<SaveOutputParameter>,
    /// `optional enum PriorBoxParameter.CodeType code_type = 6`, `CORNER` unless set. Not in Caffe.
    pub code_type: Option<PriorBoxParameterCodeType>,
    /// `optional bool variance_encoded_in_target = 7`, `False` unless set. Not in Caffe.
    pub variance_encoded_in_target: Option<bool>,
    /// `optional int32 keep_top_k = 8`, `-1` unless set. Not in Caffe.
    pub keep_top_k: Option<i32>,
    /// `optional float confidence_threshold = 9`. Not in Caffe.
    pub confidence_threshold: Option<f32>,
    /// `optional bool visualize = 10`, `False` unless set. Not in Caffe.
    pub visualize: Option<bool>,
    /// `optional float visualize_threshold = 11`. Not in Caffe.
    pub visualize_threshold: Option<f32>,
    /// `optional string save_file = 12`. Not in Caffe.
    pub save_file: Option<String>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl DetectionOutputParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "DetectionOutputParameter",
        new: || Box::new(DetectionOutputParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "num_classes", FieldType::Uint32),
            optional(2, "share_location", FieldType::Bool),
            optional(3, "background_label_id", FieldType::Int32),
            optional(4, "nms_param", FieldType::Message(NonMaximumSuppressionParameter::KIND)),
            optional(5, "save_output_param", FieldType::Message(SaveOutputParameter::KIND)),
            optional(6, "code_type", FieldType::Enum(PriorBoxParameterCodeType::KIND)),
            optional(7, "variance_encoded_in_target", FieldType::Bool),
            optional(8, "keep_top_k", FieldType::Int32),
            optional(9, "confidence_threshold", FieldType::Float),
            optional(10, "visualize", FieldType::Bool),
            optional(11, "visualize_threshold", FieldType::Float),
            optional(12, "save_file", FieldType::String),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        num_classes: None,
        share_location: None,
        background_label_id: None,
        nms_param: None,
        save_output_param: None,
        code_type: None,
        variance_encoded_in_target: None,
        keep_top_k: None,
        confidence_threshold: None,
        visualize: None,
        visualize_threshold: None,
        save_file: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: DetectionOutputParameter = DetectionOutputParameter::EMPTY; &EMPTY }
    /// [`Self::num_classes`] or its default.
    pub fn num_classes(&self) -> u32 { self.num_classes.unwrap_or(0) }
    /// [`Self::share_location`] or its default.
    pub fn share_location(&self) -> bool { self.share_location.unwrap_or(true) }
    /// [`Self::background_label_id`] or its default.
    pub fn background_label_id(&self) -> i32 { self.background_label_id.unwrap_or(0) }
    /// [`Self::nms_param`] or its default.
    pub fn nms_param(&self) -> &NonMaximumSuppressionParameter { self.nms_param.as_ref().unwrap_or(NonMaximumSuppressionParameter::empty()) }
    /// [`Self::save_output_param`] or its default.
    pub fn save_output_param(&self) -> &SaveOutputParameter { self.save_output_param.as_ref().unwrap_or(SaveOutputParameter::empty()) }
    /// [`Self::code_type`] or its default.
    pub fn code_type(&self) -> PriorBoxParameterCodeType { self.code_type.unwrap_or(PriorBoxParameterCodeType::Corner) }
    /// [`Self::variance_encoded_in_target`] or its default.
    pub fn variance_encoded_in_target(&self) -> bool { self.variance_encoded_in_target.unwrap_or(false) }
    /// [`Self::keep_top_k`] or its default.
    pub fn keep_top_k(&self) -> i32 { self.keep_top_k.unwrap_or(-1) }
    /// [`Self::confidence_threshold`] or its default.
    pub fn confidence_threshold(&self) -> f32 { self.confidence_threshold.unwrap_or(0.0) }
    /// [`Self::visualize`] or its default.
    pub fn visualize(&self) -> bool { self.visualize.unwrap_or(false) }
    /// [`Self::visualize_threshold`] or its default.
    pub fn visualize_threshold(&self) -> f32 { self.visualize_threshold.unwrap_or(0.0) }
    /// [`Self::save_file`] or its default.
    pub fn save_file(&self) -> &str { self.save_file.as_deref().unwrap_or("") }
}

impl Message for DetectionOutputParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.num_classes.as_slice()),
            1 => Slot::Bool(self.share_location.as_slice()),
            2 => Slot::Int32(self.background_label_id.as_slice()),
            3 => Slot::Message(&self.nms_param),
            4 => Slot::Message(&self.save_output_param),
            5 => Slot::Enum(&self.code_type),
            6 => Slot::Bool(self.variance_encoded_in_target.as_slice()),
            7 => Slot::Int32(self.keep_top_k.as_slice()),
            8 => Slot::Float(self.confidence_threshold.as_slice()),
            9 => Slot::Bool(self.visualize.as_slice()),
            10 => Slot::Float(self.visualize_threshold.as_slice()),
            11 => Slot::String(self.save_file.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.num_classes)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.share_location)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.background_label_id)),
            3 => SlotMut::Message(&mut self.nms_param),
            4 => SlotMut::Message(&mut self.save_output_param),
            5 => SlotMut::Enum(&mut self.code_type),
            6 => SlotMut::Bool(FieldValues::One(&mut self.variance_encoded_in_target)),
            7 => SlotMut::Int32(FieldValues::One(&mut self.keep_top_k)),
            8 => SlotMut::Float(FieldValues::One(&mut self.confidence_threshold)),
            9 => SlotMut::Bool(FieldValues::One(&mut self.visualize)),
            10 => SlotMut::Float(FieldValues::One(&mut self.visualize_threshold)),
            11 => SlotMut::String(FieldValues::One(&mut self.save_file)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `DistortionParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DistortionParameter {
    /// `optional float brightness_prob = 1`, `0.0` unless set. Not in Caffe.
    pub brightness_prob: Option<f32>,
    /// `optional float brightness_delta = 2`, `0.0` unless set. Not in Caffe.
    pub brightness_delta: Option<f32>,
    /// `optional float contrast_prob = 3`, `0.0` unless set. Not in Caffe.
    pub contrast_prob: Option<f32>,
    /// `optional float contrast_lower = 4`, `0.0` unless set. Not in Caffe.
    pub contrast_lower: Option<f32>,
    /// `optional float contrast_upper = 5`, `0.0` unless set. Not in Caffe.
    pub contrast_upper: Option<f32>,
    /// `optional float hue_prob = 6`, `0.0` unless set. Not in Caffe.
    pub hue_prob: Option<f32>,
    /// `optional float hue_delta = 7`, `0.0` unless set. Not in Caffe.
    pub hue_delta: Option<f32>,
    /// `optional float saturation_prob = 8`, `0.0` unless set. Not in Caffe.
    pub saturation_prob: Option<f32>,
    /// `optional float saturation_lower = 9`, `0.0` unless set. Not in Caffe.
    pub saturation_lower: Option<f32>,
    /// `optional float saturation_upper = 10`, `0.0` unless set. Not in Caffe.
    pub saturation_upper: Option<f32>,
    /// `optional float random_order_prob = 11`, `0.0` unless set. Not in Caffe.
    pub random_order_prob: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl DistortionParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "DistortionParameter",
        new: || Box::new(DistortionParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "brightness_prob", FieldType::Float),
            optional(2, "brightness_delta", FieldType::Float),
            optional(3, "contrast_prob", FieldType::Float),
            optional(4, "contrast_lower", FieldType::Float),
            optional(5, "contrast_upper", FieldType::Float),
            optional(6, "hue_prob", FieldType::Float),
            optional(7, "hue_delta", FieldType::Float),
            optional(8, "saturation_prob", FieldType::Float),
            optional(9, "saturation_lower", FieldType::Float),
            optional(10, "saturation_upper", FieldType::Float),
            optional(11, "random_order_prob", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        brightness_prob: None,
        brightness_delta: None,
        contrast_prob: None,
        contrast_lower: None,
        contrast_upper: None,
        hue_prob: None,
        hue_delta: None,
        saturation_prob: None,
        saturation_lower: None,
        saturation_upper: None,
        random_order_prob: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: DistortionParameter = DistortionParameter::EMPTY; &EMPTY }
    /// [`Self::brightness_prob`] or its default.
    pub fn brightness_prob(&self) -> f32 { self.brightness_prob.unwrap_or(0.0) }
    /// [`Self::brightness_delta`] or its default.
    pub fn brightness_delta(&self) -> f32 { self.brightness_delta.unwrap_or(0.0) }
    /// [`Self::contrast_prob`] or its default.
    pub fn contrast_prob(&self) -> f32 { self.contrast_prob.unwrap_or(0.0) }
    /// [`Self::contrast_lower`] or its default.
    pub fn contrast_lower(&self) -> f32 { self.contrast_lower.unwrap_or(0.0) }
    /// [`Self::contrast_upper`] or its default.
    pub fn contrast_upper(&self) -> f32 { self.contrast_upper.unwrap_or(0.0) }
    /// [`Self::hue_prob`] or its default.
    pub fn hue_prob(&self) -> f32 { self.hue_prob.unwrap_or(0.0) }
    /// [`Self::hue_delta`] or its default.
    pub fn hue_delta(&self) -> f32 { self.hue_delta.unwrap_or(0.0) }
    /// [`Self::saturation_prob`] or its default.
    pub fn saturation_prob(&self) -> f32 { self.saturation_prob.unwrap_or(0.0) }
    /// [`Self::saturation_lower`] or its default.
    pub fn saturation_lower(&self) -> f32 { self.saturation_lower.unwrap_or(0.0) }
    /// [`Self::saturation_upper`] or its default.
    pub fn saturation_upper(&self) -> f32 { self.saturation_upper.unwrap_or(0.0) }
    /// [`Self::random_order_prob`] or its default.
    pub fn random_order_prob(&self) -> f32 { self.random_order_prob.unwrap_or(0.0) }
}

impl Message for DistortionParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.brightness_prob.as_slice()),
            1 => Slot::Float(self.brightness_delta.as_slice()),
            2 => Slot::Float(self.contrast_prob.as_slice()),
            3 => Slot::Float(self.contrast_lower.as_slice()),
            4 => Slot::Float(self.contrast_upper.as_slice()),
            5 => Slot::Float(self.hue_prob.as_slice()),
            6 => Slot::Float(self.hue_delta.as_slice()),
            7 => Slot::Float(self.saturation_prob.as_slice()),
            8 => Slot::Float(self.saturation_lower.as_slice()),
            9 => Slot::Float(self.saturation_upper.as_slice()),
            10 => Slot::Float(self.random_order_prob.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.brightness_prob)),
            1 => SlotMut::Float(FieldValues::One(&mut self.brightness_delta)),
            2 => SlotMut::Float(FieldValues::One(&mut self.contrast_prob)),
            3 => SlotMut::Float(FieldValues::One(&mut self.contrast_lower)),
            4 => SlotMut::Float(FieldValues::One(&mut self.contrast_upper)),
            5 => SlotMut::Float(FieldValues::One(&mut self.hue_prob)),
            6 => SlotMut::Float(FieldValues::One(&mut self.hue_delta)),
            7 => SlotMut::Float(FieldValues::One(&mut self.saturation_prob)),
            8 => SlotMut::Float(FieldValues::One(&mut self.saturation_lower)),
            9 => SlotMut::Float(FieldValues::One(&mut self.saturation_upper)),
            10 => SlotMut::Float(FieldValues::One(&mut self.random_order_prob)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `DomainTransformParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DomainTransformParameter {
    /// `optional int32 num_iter = 1`, `3` unless set. Not in Caffe.
    pub num_iter: Option<i32>,
    /// `optional float spatial_sigma = 2`, `50.0` unless set. Not in Caffe.
    pub spatial_sigma: Option<f32>,
    /// `optional float range_sigma = 3`, `5.0` unless set. Not in Caffe.
    pub range_sigma: Option<f32>,
    /// `optional float min_weight = 4`, `0.0` unless set. Not in Caffe.
    pub min_weight: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl DomainTransformParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "DomainTransformParameter",
        new: || Box::new(DomainTransformParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "num_iter", FieldType::Int32),
            optional(2, "spatial_sigma", FieldType::Float),
            optional(3, "range_sigma", FieldType::Float),
            optional(4, "min_weight", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        num_iter: None,
        spatial_sigma: None,
        range_sigma: None,
        min_weight: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: DomainTransformParameter = DomainTransformParameter::EMPTY; &EMPTY }
    /// [`Self::num_iter`] or its default.
    pub fn num_iter(&self) -> i32 { self.num_iter.unwrap_or(3) }
    /// [`Self::spatial_sigma`] or its default.
    pub fn spatial_sigma(&self) -> f32 { self.spatial_sigma.unwrap_or(50.0) }
    /// [`Self::range_sigma`] or its default.
    pub fn range_sigma(&self) -> f32 { self.range_sigma.unwrap_or(5.0) }
    /// [`Self::min_weight`] or its default.
    pub fn min_weight(&self) -> f32 { self.min_weight.unwrap_or(0.0) }
}

impl Message for DomainTransformParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.num_iter.as_slice()),
            1 => Slot::Float(self.spatial_sigma.as_slice()),
            2 => Slot::Float(self.range_sigma.as_slice()),
            3 => Slot::Float(self.min_weight.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.num_iter)),
            1 => SlotMut::Float(FieldValues::One(&mut self.spatial_sigma)),
            2 => SlotMut::Float(FieldValues::One(&mut self.range_sigma)),
            3 => SlotMut::Float(FieldValues::One(&mut self.min_weight)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `DropoutParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DropoutParameter {
    /// `optional float dropout_ratio = 1`, `0.5` unless set.
    pub dropout_ratio: Option<f32>,
    /// `optional bool sample_weights_test = 1001`, `False` unless set. Not in Caffe.
    pub sample_weights_test: Option<bool>,
    /// `optional bool scale_train = 1002`, `True` unless set. Not in Caffe.
    pub scale_train: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl DropoutParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "DropoutParameter",
        new: || Box::new(DropoutParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "dropout_ratio", FieldType::Float),
            optional(1001, "sample_weights_test", FieldType::Bool),
            optional(1002, "scale_train", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        dropout_ratio: None,
        sample_weights_test: None,
        scale_train: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: DropoutParameter = DropoutParameter::EMPTY; &EMPTY }
    /// [`Self::dropout_ratio`] or its default.
    pub fn dropout_ratio(&self) -> f32 { self.dropout_ratio.unwrap_or(0.5) }
    /// [`Self::sample_weights_test`] or its default.
    pub fn sample_weights_test(&self) -> bool { self.sample_weights_test.unwrap_or(false) }
    /// [`Self::scale_train`] or its default.
    pub fn scale_train(&self) -> bool { self.scale_train.unwrap_or(true) }
}

impl Message for DropoutParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.dropout_ratio.as_slice()),
            1 => Slot::Bool(self.sample_weights_test.as_slice()),
            2 => Slot::Bool(self.scale_train.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.dropout_ratio)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.sample_weights_test)),
            2 => SlotMut::Bool(FieldValues::One(&mut self.scale_train)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `DummyDataParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DummyDataParameter {
    /// `repeated FillerParameter data_filler = 1`.
    pub data_filler: Vec<FillerParameter>,
    /// `repeated uint32 num = 2`.
    pub num: Vec<u32>,
    /// `repeated uint32 channels = 3`.
    pub channels: Vec<u32>,
    /// `repeated uint32 height = 4`.
    pub height: Vec<u32>,
    /// `repeated uint32 width = 5`.
    pub width: Vec<u32>,
    /// `repeated BlobShape shape = 6`.
    pub shape: Vec<BlobShape>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl DummyDataParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "DummyDataParameter",
        new: || Box::new(DummyDataParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            repeated(1, "data_filler", FieldType::Message(FillerParameter::KIND)),
            repeated(2, "num", FieldType::Uint32),
            repeated(3, "channels", FieldType::Uint32),
            repeated(4, "height", FieldType::Uint32),
            repeated(5, "width", FieldType::Uint32),
            repeated(6, "shape", FieldType::Message(BlobShape::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        data_filler: Vec::new(),
        num: Vec::new(),
        channels: Vec::new(),
        height: Vec::new(),
        width: Vec::new(),
        shape: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: DummyDataParameter = DummyDataParameter::EMPTY; &EMPTY }
}

impl Message for DummyDataParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Message(&self.data_filler),
            1 => Slot::Uint32(self.num.as_slice()),
            2 => Slot::Uint32(self.channels.as_slice()),
            3 => Slot::Uint32(self.height.as_slice()),
            4 => Slot::Uint32(self.width.as_slice()),
            5 => Slot::Message(&self.shape),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Message(&mut self.data_filler),
            1 => SlotMut::Uint32(FieldValues::Many(&mut self.num)),
            2 => SlotMut::Uint32(FieldValues::Many(&mut self.channels)),
            3 => SlotMut::Uint32(FieldValues::Many(&mut self.height)),
            4 => SlotMut::Uint32(FieldValues::Many(&mut self.width)),
            5 => SlotMut::Message(&mut self.shape),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ELUParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ELUParameter {
    /// `optional float alpha = 1`, `1.0` unless set.
    pub alpha: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ELUParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ELUParameter",
        new: || Box::new(ELUParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "alpha", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        alpha: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ELUParameter = ELUParameter::EMPTY; &EMPTY }
    /// [`Self::alpha`] or its default.
    pub fn alpha(&self) -> f32 { self.alpha.unwrap_or(1.0) }
}

impl Message for ELUParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.alpha.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.alpha)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `EltwiseParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EltwiseParameter {
    /// `optional enum EltwiseParameter.EltwiseOp operation = 1`, `SUM` unless set.
    pub operation: Option<EltwiseParameterEltwiseOp>,
    /// `repeated float coeff = 2`.
    pub coeff: Vec<f32>,
    /// `optional bool stable_prod_grad = 3`, `True` unless set.
    pub stable_prod_grad: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl EltwiseParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "EltwiseParameter",
        new: || Box::new(EltwiseParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "operation", FieldType::Enum(EltwiseParameterEltwiseOp::KIND)),
            repeated(2, "coeff", FieldType::Float),
            optional(3, "stable_prod_grad", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        operation: None,
        coeff: Vec::new(),
        stable_prod_grad: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: EltwiseParameter = EltwiseParameter::EMPTY; &EMPTY }
    /// [`Self::operation`] or its default.
    pub fn operation(&self) -> EltwiseParameterEltwiseOp { self.operation.unwrap_or(EltwiseParameterEltwiseOp::Sum) }
    /// [`Self::stable_prod_grad`] or its default.
    pub fn stable_prod_grad(&self) -> bool { self.stable_prod_grad.unwrap_or(true) }
}

impl Message for EltwiseParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.operation),
            1 => Slot::Float(self.coeff.as_slice()),
            2 => Slot::Bool(self.stable_prod_grad.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.operation),
            1 => SlotMut::Float(FieldValues::Many(&mut self.coeff)),
            2 => SlotMut::Bool(FieldValues::One(&mut self.stable_prod_grad)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `EmbedParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EmbedParameter {
    /// `optional uint32 num_output = 1`.
    pub num_output: Option<u32>,
    /// `optional uint32 input_dim = 2`.
    pub input_dim: Option<u32>,
    /// `optional bool bias_term = 3`, `True` unless set.
    pub bias_term: Option<bool>,
    /// `optional FillerParameter weight_filler = 4`.
    pub weight_filler: Option<FillerParameter>,
    /// `optional FillerParameter bias_filler = 5`.
    pub bias_filler: Option<FillerParameter>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl EmbedParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "EmbedParameter",
        new: || Box::new(EmbedParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "num_output", FieldType::Uint32),
            optional(2, "input_dim", FieldType::Uint32),
            optional(3, "bias_term", FieldType::Bool),
            optional(4, "weight_filler", FieldType::Message(FillerParameter::KIND)),
            optional(5, "bias_filler", FieldType::Message(FillerParameter::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        num_output: None,
        input_dim: None,
        bias_term: None,
        weight_filler: None,
        bias_filler: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: EmbedParameter = EmbedParameter::EMPTY; &EMPTY }
    /// [`Self::num_output`] or its default.
    pub fn num_output(&self) -> u32 { self.num_output.unwrap_or(0) }
    /// [`Self::input_dim`] or its default.
    pub fn input_dim(&self) -> u32 { self.input_dim.unwrap_or(0) }
    /// [`Self::bias_term`] or its default.
    pub fn bias_term(&self) -> bool { self.bias_term.unwrap_or(true) }
    /// [`Self::weight_filler`] or its default.
    pub fn weight_filler(&self) -> &FillerParameter { self.weight_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::bias_filler`] or its default.
    pub fn bias_filler(&self) -> &FillerParameter { self.bias_filler.as_ref().unwrap_or(FillerParameter::empty()) }
}

impl Message for EmbedParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.num_output.as_slice()),
            1 => Slot::Uint32(self.input_dim.as_slice()),
            2 => Slot::Bool(self.bias_term.as_slice()),
            3 => Slot::Message(&self.weight_filler),
            4 => Slot::Message(&self.bias_filler),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.num_output)),
            1 => SlotMut::Uint32(FieldValues::One(&mut self.input_dim)),
            2 => SlotMut::Bool(FieldValues::One(&mut self.bias_term)),
            3 => SlotMut::Message(&mut self.weight_filler),
            4 => SlotMut::Message(&mut self.bias_filler),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `EmitConstraint`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EmitConstraint {
    /// `optional enum EmitConstraint.EmitType emit_type = 1`, `CENTER` unless set. Not in Caffe.
    pub emit_type: Option<EmitConstraintEmitType>,
    /// `optional float emit_overlap = 2`. Not in Caffe.
    pub emit_overlap: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl EmitConstraint {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "EmitConstraint",
        new: || Box::new(EmitConstraint::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "emit_type", FieldType::Enum(EmitConstraintEmitType::KIND)),
            optional(2, "emit_overlap", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        emit_type: None,
        emit_overlap: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: EmitConstraint = EmitConstraint::EMPTY; &EMPTY }
    /// [`Self::emit_type`] or its default.
    pub fn emit_type(&self) -> EmitConstraintEmitType { self.emit_type.unwrap_or(EmitConstraintEmitType::Center) }
    /// [`Self::emit_overlap`] or its default.
    pub fn emit_overlap(&self) -> f32 { self.emit_overlap.unwrap_or(0.0) }
}

impl Message for EmitConstraint {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.emit_type),
            1 => Slot::Float(self.emit_overlap.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.emit_type),
            1 => SlotMut::Float(FieldValues::One(&mut self.emit_overlap)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ExpParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExpParameter {
    /// `optional float base = 1`, `-1.0` unless set.
    pub base: Option<f32>,
    /// `optional float scale = 2`, `1.0` unless set.
    pub scale: Option<f32>,
    /// `optional float shift = 3`, `0.0` unless set.
    pub shift: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ExpParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ExpParameter",
        new: || Box::new(ExpParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "base", FieldType::Float),
            optional(2, "scale", FieldType::Float),
            optional(3, "shift", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        base: None,
        scale: None,
        shift: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ExpParameter = ExpParameter::EMPTY; &EMPTY }
    /// [`Self::base`] or its default.
    pub fn base(&self) -> f32 { self.base.unwrap_or(-1.0) }
    /// [`Self::scale`] or its default.
    pub fn scale(&self) -> f32 { self.scale.unwrap_or(1.0) }
    /// [`Self::shift`] or its default.
    pub fn shift(&self) -> f32 { self.shift.unwrap_or(0.0) }
}

impl Message for ExpParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.base.as_slice()),
            1 => Slot::Float(self.scale.as_slice()),
            2 => Slot::Float(self.shift.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.base)),
            1 => SlotMut::Float(FieldValues::One(&mut self.scale)),
            2 => SlotMut::Float(FieldValues::One(&mut self.shift)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ExpansionParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExpansionParameter {
    /// `optional float prob = 1`, `1.0` unless set. Not in Caffe.
    pub prob: Option<f32>,
    /// `optional float max_expand_ratio = 2`, `1.0` unless set. Not in Caffe.
    pub max_expand_ratio: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ExpansionParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ExpansionParameter",
        new: || Box::new(ExpansionParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "prob", FieldType::Float),
            optional(2, "max_expand_ratio", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        prob: None,
        max_expand_ratio: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ExpansionParameter = ExpansionParameter::EMPTY; &EMPTY }
    /// [`Self::prob`] or its default.
    pub fn prob(&self) -> f32 { self.prob.unwrap_or(1.0) }
    /// [`Self::max_expand_ratio`] or its default.
    pub fn max_expand_ratio(&self) -> f32 { self.max_expand_ratio.unwrap_or(1.0) }
}

impl Message for ExpansionParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.prob.as_slice()),
            1 => Slot::Float(self.max_expand_ratio.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.prob)),
            1 => SlotMut::Float(FieldValues::One(&mut self.max_expand_ratio)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `FillerParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FillerParameter {
    /// `optional string type = 1`, `constant` unless set.
    pub type_: Option<String>,
    /// `optional float value = 2`, `0.0` unless set.
    pub value: Option<f32>,
    /// `optional float min = 3`, `0.0` unless set.
    pub min: Option<f32>,
    /// `optional float max = 4`, `1.0` unless set.
    pub max: Option<f32>,
    /// `optional float mean = 5`, `0.0` unless set.
    pub mean: Option<f32>,
    /// `optional float std = 6`, `1.0` unless set.
    pub std: Option<f32>,
    /// `optional int32 sparse = 7`, `-1` unless set.
    pub sparse: Option<i32>,
    /// `optional enum FillerParameter.VarianceNorm variance_norm = 8`, `FAN_IN` unless set.
    pub variance_norm: Option<FillerParameterVarianceNorm>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl FillerParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "FillerParameter",
        new: || Box::new(FillerParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "type", FieldType::String),
            optional(2, "value", FieldType::Float),
            optional(3, "min", FieldType::Float),
            optional(4, "max", FieldType::Float),
            optional(5, "mean", FieldType::Float),
            optional(6, "std", FieldType::Float),
            optional(7, "sparse", FieldType::Int32),
            optional(8, "variance_norm", FieldType::Enum(FillerParameterVarianceNorm::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        type_: None,
        value: None,
        min: None,
        max: None,
        mean: None,
        std: None,
        sparse: None,
        variance_norm: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: FillerParameter = FillerParameter::EMPTY; &EMPTY }
    /// [`Self::type_`] or its default.
    pub fn type_(&self) -> &str { self.type_.as_deref().unwrap_or("constant") }
    /// [`Self::value`] or its default.
    pub fn value(&self) -> f32 { self.value.unwrap_or(0.0) }
    /// [`Self::min`] or its default.
    pub fn min(&self) -> f32 { self.min.unwrap_or(0.0) }
    /// [`Self::max`] or its default.
    pub fn max(&self) -> f32 { self.max.unwrap_or(1.0) }
    /// [`Self::mean`] or its default.
    pub fn mean(&self) -> f32 { self.mean.unwrap_or(0.0) }
    /// [`Self::std`] or its default.
    pub fn std(&self) -> f32 { self.std.unwrap_or(1.0) }
    /// [`Self::sparse`] or its default.
    pub fn sparse(&self) -> i32 { self.sparse.unwrap_or(-1) }
    /// [`Self::variance_norm`] or its default.
    pub fn variance_norm(&self) -> FillerParameterVarianceNorm { self.variance_norm.unwrap_or(FillerParameterVarianceNorm::FanIn) }
}

impl Message for FillerParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.type_.as_slice()),
            1 => Slot::Float(self.value.as_slice()),
            2 => Slot::Float(self.min.as_slice()),
            3 => Slot::Float(self.max.as_slice()),
            4 => Slot::Float(self.mean.as_slice()),
            5 => Slot::Float(self.std.as_slice()),
            6 => Slot::Int32(self.sparse.as_slice()),
            7 => Slot::Enum(&self.variance_norm),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.type_)),
            1 => SlotMut::Float(FieldValues::One(&mut self.value)),
            2 => SlotMut::Float(FieldValues::One(&mut self.min)),
            3 => SlotMut::Float(FieldValues::One(&mut self.max)),
            4 => SlotMut::Float(FieldValues::One(&mut self.mean)),
            5 => SlotMut::Float(FieldValues::One(&mut self.std)),
            6 => SlotMut::Int32(FieldValues::One(&mut self.sparse)),
            7 => SlotMut::Enum(&mut self.variance_norm),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `FlattenParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlattenParameter {
    /// `optional int32 axis = 1`, `1` unless set.
    pub axis: Option<i32>,
    /// `optional int32 end_axis = 2`, `-1` unless set.
    pub end_axis: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl FlattenParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "FlattenParameter",
        new: || Box::new(FlattenParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "axis", FieldType::Int32),
            optional(2, "end_axis", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        axis: None,
        end_axis: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: FlattenParameter = FlattenParameter::EMPTY; &EMPTY }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
    /// [`Self::end_axis`] or its default.
    pub fn end_axis(&self) -> i32 { self.end_axis.unwrap_or(-1) }
}

impl Message for FlattenParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.axis.as_slice()),
            1 => Slot::Int32(self.end_axis.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.end_axis)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `HDF5DataParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HDF5DataParameter {
    /// `optional string source = 1`.
    pub source: Option<String>,
    /// `optional uint32 batch_size = 2`.
    pub batch_size: Option<u32>,
    /// `optional bool shuffle = 3`, `False` unless set.
    pub shuffle: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl HDF5DataParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "HDF5DataParameter",
        new: || Box::new(HDF5DataParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "source", FieldType::String),
            optional(2, "batch_size", FieldType::Uint32),
            optional(3, "shuffle", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        source: None,
        batch_size: None,
        shuffle: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: HDF5DataParameter = HDF5DataParameter::EMPTY; &EMPTY }
    /// [`Self::source`] or its default.
    pub fn source(&self) -> &str { self.source.as_deref().unwrap_or("") }
    /// [`Self::batch_size`] or its default.
    pub fn batch_size(&self) -> u32 { self.batch_size.unwrap_or(0) }
    /// [`Self::shuffle`] or its default.
    pub fn shuffle(&self) -> bool { self.shuffle.unwrap_or(false) }
}

impl Message for HDF5DataParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.source.as_slice()),
            1 => Slot::Uint32(self.batch_size.as_slice()),
            2 => Slot::Bool(self.shuffle.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.source)),
            1 => SlotMut::Uint32(FieldValues::One(&mut self.batch_size)),
            2 => SlotMut::Bool(FieldValues::One(&mut self.shuffle)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `HDF5OutputParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HDF5OutputParameter {
    /// `optional string file_name = 1`.
    pub file_name: Option<String>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl HDF5OutputParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "HDF5OutputParameter",
        new: || Box::new(HDF5OutputParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "file_name", FieldType::String),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        file_name: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: HDF5OutputParameter = HDF5OutputParameter::EMPTY; &EMPTY }
    /// [`Self::file_name`] or its default.
    pub fn file_name(&self) -> &str { self.file_name.as_deref().unwrap_or("") }
}

impl Message for HDF5OutputParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.file_name.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.file_name)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `HingeLossParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HingeLossParameter {
    /// `optional enum HingeLossParameter.Norm norm = 1`, `L1` unless set.
    pub norm: Option<HingeLossParameterNorm>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl HingeLossParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "HingeLossParameter",
        new: || Box::new(HingeLossParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "norm", FieldType::Enum(HingeLossParameterNorm::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        norm: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: HingeLossParameter = HingeLossParameter::EMPTY; &EMPTY }
    /// [`Self::norm`] or its default.
    pub fn norm(&self) -> HingeLossParameterNorm { self.norm.unwrap_or(HingeLossParameterNorm::L1) }
}

impl Message for HingeLossParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.norm),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.norm),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ImageDataParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImageDataParameter {
    /// `optional string source = 1`.
    pub source: Option<String>,
    /// `optional float scale = 2`, `1.0` unless set.
    pub scale: Option<f32>,
    /// `optional string mean_file = 3`.
    pub mean_file: Option<String>,
    /// `optional uint32 batch_size = 4`, `1` unless set.
    pub batch_size: Option<u32>,
    /// `optional uint32 crop_size = 5`, `0` unless set.
    pub crop_size: Option<u32>,
    /// `optional bool mirror = 6`, `False` unless set.
    pub mirror: Option<bool>,
    /// `optional uint32 rand_skip = 7`, `0` unless set.
    pub rand_skip: Option<u32>,
    /// `optional bool shuffle = 8`, `False` unless set.
    pub shuffle: Option<bool>,
    /// `optional uint32 new_height = 9`, `0` unless set.
    pub new_height: Option<u32>,
    /// `optional uint32 new_width = 10`, `0` unless set.
    pub new_width: Option<u32>,
    /// `optional bool is_color = 11`, `True` unless set.
    pub is_color: Option<bool>,
    /// `optional string root_folder = 12`.
    pub root_folder: Option<String>,
    /// `optional int32 ignore_label = 1001`, `255` unless set. Not in Caffe.
    pub ignore_label: Option<i32>,
    /// `optional enum ImageDataParameter.LabelType label_type = 1002`, `IMAGE` unless set. Not in Caffe.
    pub label_type: Option<ImageDataParameterLabelType>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ImageDataParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ImageDataParameter",
        new: || Box::new(ImageDataParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "source", FieldType::String),
            optional(2, "scale", FieldType::Float),
            optional(3, "mean_file", FieldType::String),
            optional(4, "batch_size", FieldType::Uint32),
            optional(5, "crop_size", FieldType::Uint32),
            optional(6, "mirror", FieldType::Bool),
            optional(7, "rand_skip", FieldType::Uint32),
            optional(8, "shuffle", FieldType::Bool),
            optional(9, "new_height", FieldType::Uint32),
            optional(10, "new_width", FieldType::Uint32),
            optional(11, "is_color", FieldType::Bool),
            optional(12, "root_folder", FieldType::String),
            optional(1001, "ignore_label", FieldType::Int32),
            optional(1002, "label_type", FieldType::Enum(ImageDataParameterLabelType::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        source: None,
        scale: None,
        mean_file: None,
        batch_size: None,
        crop_size: None,
        mirror: None,
        rand_skip: None,
        shuffle: None,
        new_height: None,
        new_width: None,
        is_color: None,
        root_folder: None,
        ignore_label: None,
        label_type: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ImageDataParameter = ImageDataParameter::EMPTY; &EMPTY }
    /// [`Self::source`] or its default.
    pub fn source(&self) -> &str { self.source.as_deref().unwrap_or("") }
    /// [`Self::scale`] or its default.
    pub fn scale(&self) -> f32 { self.scale.unwrap_or(1.0) }
    /// [`Self::mean_file`] or its default.
    pub fn mean_file(&self) -> &str { self.mean_file.as_deref().unwrap_or("") }
    /// [`Self::batch_size`] or its default.
    pub fn batch_size(&self) -> u32 { self.batch_size.unwrap_or(1) }
    /// [`Self::crop_size`] or its default.
    pub fn crop_size(&self) -> u32 { self.crop_size.unwrap_or(0) }
    /// [`Self::mirror`] or its default.
    pub fn mirror(&self) -> bool { self.mirror.unwrap_or(false) }
    /// [`Self::rand_skip`] or its default.
    pub fn rand_skip(&self) -> u32 { self.rand_skip.unwrap_or(0) }
    /// [`Self::shuffle`] or its default.
    pub fn shuffle(&self) -> bool { self.shuffle.unwrap_or(false) }
    /// [`Self::new_height`] or its default.
    pub fn new_height(&self) -> u32 { self.new_height.unwrap_or(0) }
    /// [`Self::new_width`] or its default.
    pub fn new_width(&self) -> u32 { self.new_width.unwrap_or(0) }
    /// [`Self::is_color`] or its default.
    pub fn is_color(&self) -> bool { self.is_color.unwrap_or(true) }
    /// [`Self::root_folder`] or its default.
    pub fn root_folder(&self) -> &str { self.root_folder.as_deref().unwrap_or("") }
    /// [`Self::ignore_label`] or its default.
    pub fn ignore_label(&self) -> i32 { self.ignore_label.unwrap_or(255) }
    /// [`Self::label_type`] or its default.
    pub fn label_type(&self) -> ImageDataParameterLabelType { self.label_type.unwrap_or(ImageDataParameterLabelType::Image) }
}

impl Message for ImageDataParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.source.as_slice()),
            1 => Slot::Float(self.scale.as_slice()),
            2 => Slot::String(self.mean_file.as_slice()),
            3 => Slot::Uint32(self.batch_size.as_slice()),
            4 => Slot::Uint32(self.crop_size.as_slice()),
            5 => Slot::Bool(self.mirror.as_slice()),
            6 => Slot::Uint32(self.rand_skip.as_slice()),
            7 => Slot::Bool(self.shuffle.as_slice()),
            8 => Slot::Uint32(self.new_height.as_slice()),
            9 => Slot::Uint32(self.new_width.as_slice()),
            10 => Slot::Bool(self.is_color.as_slice()),
            11 => Slot::String(self.root_folder.as_slice()),
            12 => Slot::Int32(self.ignore_label.as_slice()),
            13 => Slot::Enum(&self.label_type),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.source)),
            1 => SlotMut::Float(FieldValues::One(&mut self.scale)),
            2 => SlotMut::String(FieldValues::One(&mut self.mean_file)),
            3 => SlotMut::Uint32(FieldValues::One(&mut self.batch_size)),
            4 => SlotMut::Uint32(FieldValues::One(&mut self.crop_size)),
            5 => SlotMut::Bool(FieldValues::One(&mut self.mirror)),
            6 => SlotMut::Uint32(FieldValues::One(&mut self.rand_skip)),
            7 => SlotMut::Bool(FieldValues::One(&mut self.shuffle)),
            8 => SlotMut::Uint32(FieldValues::One(&mut self.new_height)),
            9 => SlotMut::Uint32(FieldValues::One(&mut self.new_width)),
            10 => SlotMut::Bool(FieldValues::One(&mut self.is_color)),
            11 => SlotMut::String(FieldValues::One(&mut self.root_folder)),
            12 => SlotMut::Int32(FieldValues::One(&mut self.ignore_label)),
            13 => SlotMut::Enum(&mut self.label_type),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `InfogainLossParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InfogainLossParameter {
    /// `optional string source = 1`.
    pub source: Option<String>,
    /// `optional int32 axis = 2`, `1` unless set.
    pub axis: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl InfogainLossParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "InfogainLossParameter",
        new: || Box::new(InfogainLossParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "source", FieldType::String),
            optional(2, "axis", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        source: None,
        axis: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: InfogainLossParameter = InfogainLossParameter::EMPTY; &EMPTY }
    /// [`Self::source`] or its default.
    pub fn source(&self) -> &str { self.source.as_deref().unwrap_or("") }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
}

impl Message for InfogainLossParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.source.as_slice()),
            1 => Slot::Int32(self.axis.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.source)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `InnerProductParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InnerProductParameter {
    /// `optional uint32 num_output = 1`.
    pub num_output: Option<u32>,
    /// `optional bool bias_term = 2`, `True` unless set.
    pub bias_term: Option<bool>,
    /// `optional FillerParameter weight_filler = 3`.
    pub weight_filler: Option<FillerParameter>,
    /// `optional FillerParameter bias_filler = 4`.
    pub bias_filler: Option<FillerParameter>,
    /// `optional int32 axis = 5`, `1` unless set.
    pub axis: Option<i32>,
    /// `optional bool transpose = 6`, `False` unless set.
    pub transpose: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl InnerProductParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "InnerProductParameter",
        new: || Box::new(InnerProductParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "num_output", FieldType::Uint32),
            optional(2, "bias_term", FieldType::Bool),
            optional(3, "weight_filler", FieldType::Message(FillerParameter::KIND)),
            optional(4, "bias_filler", FieldType::Message(FillerParameter::KIND)),
            optional(5, "axis", FieldType::Int32),
            optional(6, "transpose", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        num_output: None,
        bias_term: None,
        weight_filler: None,
        bias_filler: None,
        axis: None,
        transpose: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: InnerProductParameter = InnerProductParameter::EMPTY; &EMPTY }
    /// [`Self::num_output`] or its default.
    pub fn num_output(&self) -> u32 { self.num_output.unwrap_or(0) }
    /// [`Self::bias_term`] or its default.
    pub fn bias_term(&self) -> bool { self.bias_term.unwrap_or(true) }
    /// [`Self::weight_filler`] or its default.
    pub fn weight_filler(&self) -> &FillerParameter { self.weight_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::bias_filler`] or its default.
    pub fn bias_filler(&self) -> &FillerParameter { self.bias_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
    /// [`Self::transpose`] or its default.
    pub fn transpose(&self) -> bool { self.transpose.unwrap_or(false) }
}

impl Message for InnerProductParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.num_output.as_slice()),
            1 => Slot::Bool(self.bias_term.as_slice()),
            2 => Slot::Message(&self.weight_filler),
            3 => Slot::Message(&self.bias_filler),
            4 => Slot::Int32(self.axis.as_slice()),
            5 => Slot::Bool(self.transpose.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.num_output)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.bias_term)),
            2 => SlotMut::Message(&mut self.weight_filler),
            3 => SlotMut::Message(&mut self.bias_filler),
            4 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            5 => SlotMut::Bool(FieldValues::One(&mut self.transpose)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `InputParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputParameter {
    /// `repeated BlobShape shape = 1`.
    pub shape: Vec<BlobShape>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl InputParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "InputParameter",
        new: || Box::new(InputParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            repeated(1, "shape", FieldType::Message(BlobShape::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        shape: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: InputParameter = InputParameter::EMPTY; &EMPTY }
}

impl Message for InputParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Message(&self.shape),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Message(&mut self.shape),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `InterpParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InterpParameter {
    /// `optional int32 height = 1`, `0` unless set. Not in Caffe.
    pub height: Option<i32>,
    /// `optional int32 width = 2`, `0` unless set. Not in Caffe.
    pub width: Option<i32>,
    /// `optional int32 zoom_factor = 3`, `1` unless set. Not in Caffe.
    pub zoom_factor: Option<i32>,
    /// `optional int32 shrink_factor = 4`, `1` unless set. Not in Caffe.
    pub shrink_factor: Option<i32>,
    /// `optional int32 pad_beg = 5`, `0` unless set. Not in Caffe.
    pub pad_beg: Option<i32>,
    /// `optional int32 pad_end = 6`, `0` unless set. Not in Caffe.
    pub pad_end: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl InterpParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "InterpParameter",
        new: || Box::new(InterpParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "height", FieldType::Int32),
            optional(2, "width", FieldType::Int32),
            optional(3, "zoom_factor", FieldType::Int32),
            optional(4, "shrink_factor", FieldType::Int32),
            optional(5, "pad_beg", FieldType::Int32),
            optional(6, "pad_end", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        height: None,
        width: None,
        zoom_factor: None,
        shrink_factor: None,
        pad_beg: None,
        pad_end: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: InterpParameter = InterpParameter::EMPTY; &EMPTY }
    /// [`Self::height`] or its default.
    pub fn height(&self) -> i32 { self.height.unwrap_or(0) }
    /// [`Self::width`] or its default.
    pub fn width(&self) -> i32 { self.width.unwrap_or(0) }
    /// [`Self::zoom_factor`] or its default.
    pub fn zoom_factor(&self) -> i32 { self.zoom_factor.unwrap_or(1) }
    /// [`Self::shrink_factor`] or its default.
    pub fn shrink_factor(&self) -> i32 { self.shrink_factor.unwrap_or(1) }
    /// [`Self::pad_beg`] or its default.
    pub fn pad_beg(&self) -> i32 { self.pad_beg.unwrap_or(0) }
    /// [`Self::pad_end`] or its default.
    pub fn pad_end(&self) -> i32 { self.pad_end.unwrap_or(0) }
}

impl Message for InterpParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.height.as_slice()),
            1 => Slot::Int32(self.width.as_slice()),
            2 => Slot::Int32(self.zoom_factor.as_slice()),
            3 => Slot::Int32(self.shrink_factor.as_slice()),
            4 => Slot::Int32(self.pad_beg.as_slice()),
            5 => Slot::Int32(self.pad_end.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.height)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.width)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.zoom_factor)),
            3 => SlotMut::Int32(FieldValues::One(&mut self.shrink_factor)),
            4 => SlotMut::Int32(FieldValues::One(&mut self.pad_beg)),
            5 => SlotMut::Int32(FieldValues::One(&mut self.pad_end)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `LRNParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LRNParameter {
    /// `optional uint32 local_size = 1`, `5` unless set.
    pub local_size: Option<u32>,
    /// `optional float alpha = 2`, `1.0` unless set.
    pub alpha: Option<f32>,
    /// `optional float beta = 3`, `0.75` unless set.
    pub beta: Option<f32>,
    /// `optional enum LRNParameter.NormRegion norm_region = 4`, `ACROSS_CHANNELS` unless set.
    pub norm_region: Option<LRNParameterNormRegion>,
    /// `optional float k = 5`, `1.0` unless set.
    pub k: Option<f32>,
    /// `optional enum LRNParameter.Engine engine = 6`, `DEFAULT` unless set.
    pub engine: Option<LRNParameterEngine>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl LRNParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "LRNParameter",
        new: || Box::new(LRNParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "local_size", FieldType::Uint32),
            optional(2, "alpha", FieldType::Float),
            optional(3, "beta", FieldType::Float),
            optional(4, "norm_region", FieldType::Enum(LRNParameterNormRegion::KIND)),
            optional(5, "k", FieldType::Float),
            optional(6, "engine", FieldType::Enum(LRNParameterEngine::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        local_size: None,
        alpha: None,
        beta: None,
        norm_region: None,
        k: None,
        engine: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: LRNParameter = LRNParameter::EMPTY; &EMPTY }
    /// [`Self::local_size`] or its default.
    pub fn local_size(&self) -> u32 { self.local_size.unwrap_or(5) }
    /// [`Self::alpha`] or its default.
    pub fn alpha(&self) -> f32 { self.alpha.unwrap_or(1.0) }
    /// [`Self::beta`] or its default.
    pub fn beta(&self) -> f32 { self.beta.unwrap_or(0.75) }
    /// [`Self::norm_region`] or its default.
    pub fn norm_region(&self) -> LRNParameterNormRegion { self.norm_region.unwrap_or(LRNParameterNormRegion::AcrossChannels) }
    /// [`Self::k`] or its default.
    pub fn k(&self) -> f32 { self.k.unwrap_or(1.0) }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> LRNParameterEngine { self.engine.unwrap_or(LRNParameterEngine::Default) }
}

impl Message for LRNParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.local_size.as_slice()),
            1 => Slot::Float(self.alpha.as_slice()),
            2 => Slot::Float(self.beta.as_slice()),
            3 => Slot::Enum(&self.norm_region),
            4 => Slot::Float(self.k.as_slice()),
            5 => Slot::Enum(&self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.local_size)),
            1 => SlotMut::Float(FieldValues::One(&mut self.alpha)),
            2 => SlotMut::Float(FieldValues::One(&mut self.beta)),
            3 => SlotMut::Enum(&mut self.norm_region),
            4 => SlotMut::Float(FieldValues::One(&mut self.k)),
            5 => SlotMut::Enum(&mut self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `LayerParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerParameter {
    /// `optional string name = 1`.
    pub name: Option<String>,
    /// `optional string type = 2`.
    pub type_: Option<String>,
    /// `repeated string bottom = 3`.
    pub bottom: Vec<String>,
    /// `repeated string top = 4`.
    pub top: Vec<String>,
    /// `repeated float loss_weight = 5`.
    pub loss_weight: Vec<f32>,
    /// `repeated ParamSpec param = 6`.
    pub param: Vec<ParamSpec>,
    /// `repeated BlobProto blobs = 7`.
    pub blobs: Vec<BlobProto>,
    /// `repeated NetStateRule include = 8`.
    pub include: Vec<NetStateRule>,
    /// `repeated NetStateRule exclude = 9`.
    pub exclude: Vec<NetStateRule>,
    /// `optional enum Phase phase = 10`.
    pub phase: Option<Phase>,
    /// `repeated bool propagate_down = 11`.
    pub propagate_down: Vec<bool>,
    /// `optional TransformationParameter transform_param = 100`.
    pub transform_param: Option<TransformationParameter>,
    /// `optional LossParameter loss_param = 101`.
    pub loss_param: Option<LossParameter>,
    /// `optional AccuracyParameter accuracy_param = 102`.
    pub accuracy_param: Option<AccuracyParameter>,
    /// `optional ArgMaxParameter argmax_param = 103`.
    pub argmax_param: Option<ArgMaxParameter>,
    /// `optional ConcatParameter concat_param = 104`.
    pub concat_param: Option<ConcatParameter>,
    /// `optional ContrastiveLossParameter contrastive_loss_param = 105`.
    pub contrastive_loss_param: Option<ContrastiveLossParameter>,
    /// `optional ConvolutionParameter convolution_param = 106`.
    pub convolution_param: Option<ConvolutionParameter>,
    /// `optional DataParameter data_param = 107`.
    pub data_param: Option<DataParameter>,
    /// `optional DropoutParameter dropout_param = 108`.
    pub dropout_param: Option<DropoutParameter>,
    /// `optional DummyDataParameter dummy_data_param = 109`.
    pub dummy_data_param: Option<DummyDataParameter>,
    /// `optional EltwiseParameter eltwise_param = 110`.
    pub eltwise_param: Option<EltwiseParameter>,
    /// `optional ExpParameter exp_param = 111`.
    pub exp_param: Option<ExpParameter>,
    /// `optional HDF5DataParameter hdf5_data_param = 112`.
    pub hdf5_data_param: Option<HDF5DataParameter>,
    /// `optional HDF5OutputParameter hdf5_output_param = 113`.
    pub hdf5_output_param: Option<HDF5OutputParameter>,
    /// `optional HingeLossParameter hinge_loss_param = 114`.
    pub hinge_loss_param: Option<HingeLossParameter>,
    /// `optional ImageDataParameter image_data_param = 115`.
    pub image_data_param: Option<ImageDataParameter>,
    /// `optional InfogainLossParameter infogain_loss_param = 116`.
    pub infogain_loss_param: Option<InfogainLossParameter>,
    /// `optional InnerProductParameter inner_product_param = 117`.
    pub inner_product_param: Option<InnerProductParameter>,
    /// `optional LRNParameter lrn_param = 118`.
    pub lrn_param: Option<LRNParameter>,
    /// `optional MemoryDataParameter memory_data_param = 119`.
    pub memory_data_param: Option<MemoryDataParameter>,
    /// `optional MVNParameter mvn_param = 120`.
    pub mvn_param: Option<MVNParameter>,
    /// `optional PoolingParameter pooling_param = 121`.
    pub pooling_param: Option<PoolingParameter>,
    /// `optional PowerParameter power_param = 122`.
    pub power_param: Option<PowerParameter>,
    /// `optional ReLUParameter relu_param = 123`.
    pub relu_param: Option<ReLUParameter>,
    /// `optional SigmoidParameter sigmoid_param = 124`.
    pub sigmoid_param: Option<SigmoidParameter>,
    /// `optional SoftmaxParameter softmax_param = 125`.
    pub softmax_param: Option<SoftmaxParameter>,
    /// `optional SliceParameter slice_param = 126`.
    pub slice_param: Option<SliceParameter>,
    /// `optional TanHParameter tanh_param = 127`.
    pub tanh_param: Option<TanHParameter>,
    /// `optional ThresholdParameter threshold_param = 128`.
    pub threshold_param: Option<ThresholdParameter>,
    /// `optional WindowDataParameter window_data_param = 129`.
    pub window_data_param: Option<WindowDataParameter>,
    /// `optional PythonParameter python_param = 130`.
    pub python_param: Option<PythonParameter>,
    /// `optional PReLUParameter prelu_param = 131`.
    pub prelu_param: Option<PReLUParameter>,
    /// `optional SPPParameter spp_param = 132`.
    pub spp_param: Option<SPPParameter>,
    /// `optional ReshapeParameter reshape_param = 133`.
    pub reshape_param: Option<ReshapeParameter>,
    /// `optional LogParameter log_param = 134`.
    pub log_param: Option<LogParameter>,
    /// `optional FlattenParameter flatten_param = 135`.
    pub flatten_param: Option<FlattenParameter>,
    /// `optional ReductionParameter reduction_param = 136`.
    pub reduction_param: Option<ReductionParameter>,
    /// `optional EmbedParameter embed_param = 137`.
    pub embed_param: Option<EmbedParameter>,
    /// `optional TileParameter tile_param = 138`.
    pub tile_param: Option<TileParameter>,
    /// `optional BatchNormParameter batch_norm_param = 139`.
    pub batch_norm_param: Option<BatchNormParameter>,
    /// `optional ELUParameter elu_param = 140`.
    pub elu_param: Option<ELUParameter>,
    /// `optional BiasParameter bias_param = 141`.
    pub bias_param: Option<BiasParameter>,
    /// `optional ScaleParameter scale_param = 142`.
    pub scale_param: Option<ScaleParameter>,
    /// `optional InputParameter input_param = 143`.
    pub input_param: Option<InputParameter>,
    /// `optional CropParameter crop_param = 144`.
    pub crop_param: Option<CropParameter>,
    /// `optional ParameterParameter parameter_param = 145`.
    pub parameter_param: Option<ParameterParameter>,
    /// `optional RecurrentParameter recurrent_param = 146`.
    pub recurrent_param: Option<RecurrentParameter>,
    /// `optional SwishParameter swish_param = 147`.
    pub swish_param: Option<SwishParameter>,
    /// `optional ClipParameter clip_param = 148`.
    pub clip_param: Option<ClipParameter>,
    /// `optional AnnotatedDataParameter annotated_data_param = 1001`. Not in Caffe.
    pub annotated_data_param: Option<AnnotatedDataParameter>,
    /// `optional DetectionEvaluateParameter detection_evaluate_param = 1002`. Not in Caffe.
    pub detection_evaluate_param: Option<DetectionEvaluateParameter>,
    /// `optional DetectionOutputParameter detection_output_param = 1003`. Not in Caffe.
    pub detection_output_param: Option<DetectionOutputParameter>,
    /// `optional MultiBoxLossParameter multibox_loss_param = 1004`. Not in Caffe.
    pub multibox_loss_param: Option<MultiBoxLossParameter>,
    /// `optional NormalizeParameter norm_param = 1005`. Not in Caffe.
    pub norm_param: Option<NormalizeParameter>,
    /// `optional PermuteParameter permute_param = 1006`. Not in Caffe.
    pub permute_param: Option<PermuteParameter>,
    /// `optional PriorBoxParameter prior_box_param = 1007`. Not in Caffe.
    pub prior_box_param: Option<PriorBoxParameter>,
    /// `optional BNParameter bn_param = 1008`. Not in Caffe.
    pub bn_param: Option<BNParameter>,
    /// `optional DenseImageDataParameter dense_image_data_param = 1009`. Not in Caffe.
    pub dense_image_data_param: Option<DenseImageDataParameter>,
    /// `optional UpsampleParameter upsample_param = 1010`. Not in Caffe.
    pub upsample_param: Option<UpsampleParameter>,
    /// `optional ROIPoolingParameter roi_pooling_param = 1011`. Not in Caffe.
    pub roi_pooling_param: Option<ROIPoolingParameter>,
    /// `optional AdaptiveBiasChannelParameter adaptive_bias_channel_param = 1012`. Not in Caffe.
    pub adaptive_bias_channel_param: Option<AdaptiveBiasChannelParameter>,
    /// `optional BiasChannelParameter bias_channel_param = 1013`. Not in Caffe.
    pub bias_channel_param: Option<BiasChannelParameter>,
    /// `optional DenseCRFParameter dense_crf_param = 1014`. Not in Caffe.
    pub dense_crf_param: Option<DenseCRFParameter>,
    /// `optional DomainTransformParameter domain_transform_param = 1015`. Not in Caffe.
    pub domain_transform_param: Option<DomainTransformParameter>,
    /// `optional InterpParameter interp_param = 1016`. Not in Caffe.
    pub interp_param: Option<InterpParameter>,
    /// `optional MatReadParameter mat_read_param = 1017`. Not in Caffe.
    pub mat_read_param: Option<MatReadParameter>,
    /// `optional MatWriteParameter mat_write_param = 1018`. Not in Caffe.
    pub mat_write_param: Option<MatWriteParameter>,
    /// `optional SegAccuracyParameter seg_accuracy_param = 1019`. Not in Caffe.
    pub seg_accuracy_param: Option<SegAccuracyParameter>,
    /// `optional UniqueLabelParameter unique_label_param = 1020`. Not in Caffe.
    pub unique_label_param: Option<UniqueLabelParameter>,
    /// `optional BoxAnnotatorOHEMParameter box_annotator_ohem_param = 1021`. Not in Caffe.
    pub box_annotator_ohem_param: Option<BoxAnnotatorOHEMParameter>,
    /// `optional PSROIPoolingParameter psroi_pooling_param = 1022`. Not in Caffe.
    pub psroi_pooling_param: Option<PSROIPoolingParameter>,
    /// `optional SmoothL1LossParameter smooth_l1_loss_param = 1023`. Not in Caffe.
    pub smooth_l1_loss_param: Option<SmoothL1LossParameter>,
    /// `optional ShuffleChannelParameter shuffle_channel_param = 1024`. Not in Caffe.
    pub shuffle_channel_param: Option<ShuffleChannelParameter>,
    /// `optional ReLU6Parameter relu6_param = 1025`. Not in Caffe.
    pub relu6_param: Option<ReLU6Parameter>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl LayerParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "LayerParameter",
        new: || Box::new(LayerParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "name", FieldType::String),
            optional(2, "type", FieldType::String),
            repeated(3, "bottom", FieldType::String),
            repeated(4, "top", FieldType::String),
            repeated(5, "loss_weight", FieldType::Float),
            repeated(6, "param", FieldType::Message(ParamSpec::KIND)),
            repeated(7, "blobs", FieldType::Message(BlobProto::KIND)),
            repeated(8, "include", FieldType::Message(NetStateRule::KIND)),
            repeated(9, "exclude", FieldType::Message(NetStateRule::KIND)),
            optional(10, "phase", FieldType::Enum(Phase::KIND)),
            repeated(11, "propagate_down", FieldType::Bool),
            optional(100, "transform_param", FieldType::Message(TransformationParameter::KIND)),
            optional(101, "loss_param", FieldType::Message(LossParameter::KIND)),
            optional(102, "accuracy_param", FieldType::Message(AccuracyParameter::KIND)),
            optional(103, "argmax_param", FieldType::Message(ArgMaxParameter::KIND)),
            optional(104, "concat_param", FieldType::Message(ConcatParameter::KIND)),
            optional(105, "contrastive_loss_param", FieldType::Message(ContrastiveLossParameter::KIND)),
            optional(106, "convolution_param", FieldType::Message(ConvolutionParameter::KIND)),
            optional(107, "data_param", FieldType::Message(DataParameter::KIND)),
            optional(108, "dropout_param", FieldType::Message(DropoutParameter::KIND)),
            optional(109, "dummy_data_param", FieldType::Message(DummyDataParameter::KIND)),
            optional(110, "eltwise_param", FieldType::Message(EltwiseParameter::KIND)),
            optional(111, "exp_param", FieldType::Message(ExpParameter::KIND)),
            optional(112, "hdf5_data_param", FieldType::Message(HDF5DataParameter::KIND)),
            optional(113, "hdf5_output_param", FieldType::Message(HDF5OutputParameter::KIND)),
            optional(114, "hinge_loss_param", FieldType::Message(HingeLossParameter::KIND)),
            optional(115, "image_data_param", FieldType::Message(ImageDataParameter::KIND)),
            optional(116, "infogain_loss_param", FieldType::Message(InfogainLossParameter::KIND)),
            optional(117, "inner_product_param", FieldType::Message(InnerProductParameter::KIND)),
            optional(118, "lrn_param", FieldType::Message(LRNParameter::KIND)),
            optional(119, "memory_data_param", FieldType::Message(MemoryDataParameter::KIND)),
            optional(120, "mvn_param", FieldType::Message(MVNParameter::KIND)),
            optional(121, "pooling_param", FieldType::Message(PoolingParameter::KIND)),
            optional(122, "power_param", FieldType::Message(PowerParameter::KIND)),
            optional(123, "relu_param", FieldType::Message(ReLUParameter::KIND)),
            optional(124, "sigmoid_param", FieldType::Message(SigmoidParameter::KIND)),
            optional(125, "softmax_param", FieldType::Message(SoftmaxParameter::KIND)),
            optional(126, "slice_param", FieldType::Message(SliceParameter::KIND)),
            optional(127, "tanh_param", FieldType::Message(TanHParameter::KIND)),
            optional(128, "threshold_param", FieldType::Message(ThresholdParameter::KIND)),
            optional(129, "window_data_param", FieldType::Message(WindowDataParameter::KIND)),
            optional(130, "python_param", FieldType::Message(PythonParameter::KIND)),
            optional(131, "prelu_param", FieldType::Message(PReLUParameter::KIND)),
            optional(132, "spp_param", FieldType::Message(SPPParameter::KIND)),
            optional(133, "reshape_param", FieldType::Message(ReshapeParameter::KIND)),
            optional(134, "log_param", FieldType::Message(LogParameter::KIND)),
            optional(135, "flatten_param", FieldType::Message(FlattenParameter::KIND)),
            optional(136, "reduction_param", FieldType::Message(ReductionParameter::KIND)),
            optional(137, "embed_param", FieldType::Message(EmbedParameter::KIND)),
            optional(138, "tile_param", FieldType::Message(TileParameter::KIND)),
            optional(139, "batch_norm_param", FieldType::Message(BatchNormParameter::KIND)),
            optional(140, "elu_param", FieldType::Message(ELUParameter::KIND)),
            optional(141, "bias_param", FieldType::Message(BiasParameter::KIND)),
            optional(142, "scale_param", FieldType::Message(ScaleParameter::KIND)),
            optional(143, "input_param", FieldType::Message(InputParameter::KIND)),
            optional(144, "crop_param", FieldType::Message(CropParameter::KIND)),
            optional(145, "parameter_param", FieldType::Message(ParameterParameter::KIND)),
            optional(146, "recurrent_param", FieldType::Message(RecurrentParameter::KIND)),
            optional(147, "swish_param", FieldType::Message(SwishParameter::KIND)),
            optional(148, "clip_param", FieldType::Message(ClipParameter::KIND)),
            optional(1001, "annotated_data_param", FieldType::Message(AnnotatedDataParameter::KIND)),
            optional(1002, "detection_evaluate_param", FieldType::Message(DetectionEvaluateParameter::KIND)),
            optional(1003, "detection_output_param", FieldType::Message(DetectionOutputParameter::KIND)),
            optional(1004, "multibox_loss_param", FieldType::Message(MultiBoxLossParameter::KIND)),
            optional(1005, "norm_param", FieldType::Message(NormalizeParameter::KIND)),
            optional(1006, "permute_param", FieldType::Message(PermuteParameter::KIND)),
            optional(1007, "prior_box_param", FieldType::Message(PriorBoxParameter::KIND)),
            optional(1008, "bn_param", FieldType::Message(BNParameter::KIND)),
            optional(1009, "dense_image_data_param", FieldType::Message(DenseImageDataParameter::KIND)),
            optional(1010, "upsample_param", FieldType::Message(UpsampleParameter::KIND)),
            optional(1011, "roi_pooling_param", FieldType::Message(ROIPoolingParameter::KIND)),
            optional(1012, "adaptive_bias_channel_param", FieldType::Message(AdaptiveBiasChannelParameter::KIND)),
            optional(1013, "bias_channel_param", FieldType::Message(BiasChannelParameter::KIND)),
            optional(1014, "dense_crf_param", FieldType::Message(DenseCRFParameter::KIND)),
            optional(1015, "domain_transform_param", FieldType::Message(DomainTransformParameter::KIND)),
            optional(1016, "interp_param", FieldType::Message(InterpParameter::KIND)),
            optional(1017, "mat_read_param", FieldType::Message(MatReadParameter::KIND)),
            optional(1018, "mat_write_param", FieldType::Message(MatWriteParameter::KIND)),
            optional(1019, "seg_accuracy_param", FieldType::Message(SegAccuracyParameter::KIND)),
            optional(1020, "unique_label_param", FieldType::Message(UniqueLabelParameter::KIND)),
            optional(1021, "box_annotator_ohem_param", FieldType::Message(BoxAnnotatorOHEMParameter::KIND)),
            optional(1022, "psroi_pooling_param", FieldType::Message(PSROIPoolingParameter::KIND)),
            optional(1023, "smooth_l1_loss_param", FieldType::Message(SmoothL1LossParameter::KIND)),
            optional(1024, "shuffle_channel_param", FieldType::Message(ShuffleChannelParameter::KIND)),
            optional(1025, "relu6_param", FieldType::Message(ReLU6Parameter::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        name: None,
        type_: None,
        bottom: Vec::new(),
        top: Vec::new(),
        loss_weight: Vec::new(),
        param: Vec::new(),
        blobs: Vec::new(),
        include: Vec::new(),
        exclude: Vec::new(),
        phase: None,
        propagate_down: Vec::new(),
        transform_param: None,
        loss_param: None,
        accuracy_param: None,
        argmax_param: None,
        concat_param: None,
        contrastive_loss_param: None,
        convolution_param: None,
        data_param: None,
        dropout_param: None,
        dummy_data_param: None,
        eltwise_param: None,
        exp_param: None,
        hdf5_data_param: None,
        hdf5_output_param: None,
        hinge_loss_param: None,
        image_data_param: None,
        infogain_loss_param: None,
        inner_product_param: None,
        lrn_param: None,
        memory_data_param: None,
        mvn_param: None,
        pooling_param: None,
        power_param: None,
        relu_param: None,
        sigmoid_param: None,
        softmax_param: None,
        slice_param: None,
        tanh_param: None,
        threshold_param: None,
        window_data_param: None,
        python_param: None,
        prelu_param: None,
        spp_param: None,
        reshape_param: None,
        log_param: None,
        flatten_param: None,
        reduction_param: None,
        embed_param: None,
        tile_param: None,
        batch_norm_param: None,
        elu_param: None,
        bias_param: None,
        scale_param: None,
        input_param: None,
        crop_param: None,
        parameter_param: None,
        recurrent_param: None,
        swish_param: None,
        clip_param: None,
        annotated_data_param: None,
        detection_evaluate_param: None,
        detection_output_param: None,
        multibox_loss_param: None,
        norm_param: None,
        permute_param: None,
        prior_box_param: None,
        bn_param: None,
        dense_image_data_param: None,
        upsample_param: None,
        roi_pooling_param: None,
        adaptive_bias_channel_param: None,
        bias_channel_param: None,
        dense_crf_param: None,
        domain_transform_param: None,
        interp_param: None,
        mat_read_param: None,
        mat_write_param: None,
        seg_accuracy_param: None,
        unique_label_param: None,
        box_annotator_ohem_param: None,
        psroi_pooling_param: None,
        smooth_l1_loss_param: None,
        shuffle_channel_param: None,
        relu6_param: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: LayerParameter = LayerParameter::EMPTY; &EMPTY }
    /// [`Self::name`] or its default.
    pub fn name(&self) -> &str { self.name.as_deref().unwrap_or("") }
    /// [`Self::type_`] or its default.
    pub fn type_(&self) -> &str { self.type_.as_deref().unwrap_or("") }
    /// [`Self::phase`] or its default.
    pub fn phase(&self) -> Phase { self.phase.unwrap_or(Phase::Train) }
    /// [`Self::transform_param`] or its default.
    pub fn transform_param(&self) -> &TransformationParameter { self.transform_param.as_ref().unwrap_or(TransformationParameter::empty()) }
    /// [`Self::loss_param`] or its default.
    pub fn loss_param(&self) -> &LossParameter { self.loss_param.as_ref().unwrap_or(LossParameter::empty()) }
    /// [`Self::accuracy_param`] or its default.
    pub fn accuracy_param(&self) -> &AccuracyParameter { self.accuracy_param.as_ref().unwrap_or(AccuracyParameter::empty()) }
    /// [`Self::argmax_param`] or its default.
    pub fn argmax_param(&self) -> &ArgMaxParameter { self.argmax_param.as_ref().unwrap_or(ArgMaxParameter::empty()) }
    /// [`Self::concat_param`] or its default.
    pub fn concat_param(&self) -> &ConcatParameter { self.concat_param.as_ref().unwrap_or(ConcatParameter::empty()) }
    /// [`Self::contrastive_loss_param`] or its default.
    pub fn contrastive_loss_param(&self) -> &ContrastiveLossParameter { self.contrastive_loss_param.as_ref().unwrap_or(ContrastiveLossParameter::empty()) }
    /// [`Self::convolution_param`] or its default.
    pub fn convolution_param(&self) -> &ConvolutionParameter { self.convolution_param.as_ref().unwrap_or(ConvolutionParameter::empty()) }
    /// [`Self::data_param`] or its default.
    pub fn data_param(&self) -> &DataParameter { self.data_param.as_ref().unwrap_or(DataParameter::empty()) }
    /// [`Self::dropout_param`] or its default.
    pub fn dropout_param(&self) -> &DropoutParameter { self.dropout_param.as_ref().unwrap_or(DropoutParameter::empty()) }
    /// [`Self::dummy_data_param`] or its default.
    pub fn dummy_data_param(&self) -> &DummyDataParameter { self.dummy_data_param.as_ref().unwrap_or(DummyDataParameter::empty()) }
    /// [`Self::eltwise_param`] or its default.
    pub fn eltwise_param(&self) -> &EltwiseParameter { self.eltwise_param.as_ref().unwrap_or(EltwiseParameter::empty()) }
    /// [`Self::exp_param`] or its default.
    pub fn exp_param(&self) -> &ExpParameter { self.exp_param.as_ref().unwrap_or(ExpParameter::empty()) }
    /// [`Self::hdf5_data_param`] or its default.
    pub fn hdf5_data_param(&self) -> &HDF5DataParameter { self.hdf5_data_param.as_ref().unwrap_or(HDF5DataParameter::empty()) }
    /// [`Self::hdf5_output_param`] or its default.
    pub fn hdf5_output_param(&self) -> &HDF5OutputParameter { self.hdf5_output_param.as_ref().unwrap_or(HDF5OutputParameter::empty()) }
    /// [`Self::hinge_loss_param`] or its default.
    pub fn hinge_loss_param(&self) -> &HingeLossParameter { self.hinge_loss_param.as_ref().unwrap_or(HingeLossParameter::empty()) }
    /// [`Self::image_data_param`] or its default.
    pub fn image_data_param(&self) -> &ImageDataParameter { self.image_data_param.as_ref().unwrap_or(ImageDataParameter::empty()) }
    /// [`Self::infogain_loss_param`] or its default.
    pub fn infogain_loss_param(&self) -> &InfogainLossParameter { self.infogain_loss_param.as_ref().unwrap_or(InfogainLossParameter::empty()) }
    /// [`Self::inner_product_param`] or its default.
    pub fn inner_product_param(&self) -> &InnerProductParameter { self.inner_product_param.as_ref().unwrap_or(InnerProductParameter::empty()) }
    /// [`Self::lrn_param`] or its default.
    pub fn lrn_param(&self) -> &LRNParameter { self.lrn_param.as_ref().unwrap_or(LRNParameter::empty()) }
    /// [`Self::memory_data_param`] or its default.
    pub fn memory_data_param(&self) -> &MemoryDataParameter { self.memory_data_param.as_ref().unwrap_or(MemoryDataParameter::empty()) }
    /// [`Self::mvn_param`] or its default.
    pub fn mvn_param(&self) -> &MVNParameter { self.mvn_param.as_ref().unwrap_or(MVNParameter::empty()) }
    /// [`Self::pooling_param`] or its default.
    pub fn pooling_param(&self) -> &PoolingParameter { self.pooling_param.as_ref().unwrap_or(PoolingParameter::empty()) }
    /// [`Self::power_param`] or its default.
    pub fn power_param(&self) -> &PowerParameter { self.power_param.as_ref().unwrap_or(PowerParameter::empty()) }
    /// [`Self::relu_param`] or its default.
    pub fn relu_param(&self) -> &ReLUParameter { self.relu_param.as_ref().unwrap_or(ReLUParameter::empty()) }
    /// [`Self::sigmoid_param`] or its default.
    pub fn sigmoid_param(&self) -> &SigmoidParameter { self.sigmoid_param.as_ref().unwrap_or(SigmoidParameter::empty()) }
    /// [`Self::softmax_param`] or its default.
    pub fn softmax_param(&self) -> &SoftmaxParameter { self.softmax_param.as_ref().unwrap_or(SoftmaxParameter::empty()) }
    /// [`Self::slice_param`] or its default.
    pub fn slice_param(&self) -> &SliceParameter { self.slice_param.as_ref().unwrap_or(SliceParameter::empty()) }
    /// [`Self::tanh_param`] or its default.
    pub fn tanh_param(&self) -> &TanHParameter { self.tanh_param.as_ref().unwrap_or(TanHParameter::empty()) }
    /// [`Self::threshold_param`] or its default.
    pub fn threshold_param(&self) -> &ThresholdParameter { self.threshold_param.as_ref().unwrap_or(ThresholdParameter::empty()) }
    /// [`Self::window_data_param`] or its default.
    pub fn window_data_param(&self) -> &WindowDataParameter { self.window_data_param.as_ref().unwrap_or(WindowDataParameter::empty()) }
    /// [`Self::python_param`] or its default.
    pub fn python_param(&self) -> &PythonParameter { self.python_param.as_ref().unwrap_or(PythonParameter::empty()) }
    /// [`Self::prelu_param`] or its default.
    pub fn prelu_param(&self) -> &PReLUParameter { self.prelu_param.as_ref().unwrap_or(PReLUParameter::empty()) }
    /// [`Self::spp_param`] or its default.
    pub fn spp_param(&self) -> &SPPParameter { self.spp_param.as_ref().unwrap_or(SPPParameter::empty()) }
    /// [`Self::reshape_param`] or its default.
    pub fn reshape_param(&self) -> &ReshapeParameter { self.reshape_param.as_ref().unwrap_or(ReshapeParameter::empty()) }
    /// [`Self::log_param`] or its default.
    pub fn log_param(&self) -> &LogParameter { self.log_param.as_ref().unwrap_or(LogParameter::empty()) }
    /// [`Self::flatten_param`] or its default.
    pub fn flatten_param(&self) -> &FlattenParameter { self.flatten_param.as_ref().unwrap_or(FlattenParameter::empty()) }
    /// [`Self::reduction_param`] or its default.
    pub fn reduction_param(&self) -> &ReductionParameter { self.reduction_param.as_ref().unwrap_or(ReductionParameter::empty()) }
    /// [`Self::embed_param`] or its default.
    pub fn embed_param(&self) -> &EmbedParameter { self.embed_param.as_ref().unwrap_or(EmbedParameter::empty()) }
    /// [`Self::tile_param`] or its default.
    pub fn tile_param(&self) -> &TileParameter { self.tile_param.as_ref().unwrap_or(TileParameter::empty()) }
    /// [`Self::batch_norm_param`] or its default.
    pub fn batch_norm_param(&self) -> &BatchNormParameter { self.batch_norm_param.as_ref().unwrap_or(BatchNormParameter::empty()) }
    /// [`Self::elu_param`] or its default.
    pub fn elu_param(&self) -> &ELUParameter { self.elu_param.as_ref().unwrap_or(ELUParameter::empty()) }
    /// [`Self::bias_param`] or its default.
    pub fn bias_param(&self) -> &BiasParameter { self.bias_param.as_ref().unwrap_or(BiasParameter::empty()) }
    /// [`Self::scale_param`] or its default.
    pub fn scale_param(&self) -> &ScaleParameter { self.scale_param.as_ref().unwrap_or(ScaleParameter::empty()) }
    /// [`Self::input_param`] or its default.
    pub fn input_param(&self) -> &InputParameter { self.input_param.as_ref().unwrap_or(InputParameter::empty()) }
    /// [`Self::crop_param`] or its default.
    pub fn crop_param(&self) -> &CropParameter { self.crop_param.as_ref().unwrap_or(CropParameter::empty()) }
    /// [`Self::parameter_param`] or its default.
    pub fn parameter_param(&self) -> &ParameterParameter { self.parameter_param.as_ref().unwrap_or(ParameterParameter::empty()) }
    /// [`Self::recurrent_param`] or its default.
    pub fn recurrent_param(&self) -> &RecurrentParameter { self.recurrent_param.as_ref().unwrap_or(RecurrentParameter::empty()) }
    /// [`Self::swish_param`] or its default.
    pub fn swish_param(&self) -> &SwishParameter { self.swish_param.as_ref().unwrap_or(SwishParameter::empty()) }
    /// [`Self::clip_param`] or its default.
    pub fn clip_param(&self) -> &ClipParameter { self.clip_param.as_ref().unwrap_or(ClipParameter::empty()) }
    /// [`Self::annotated_data_param`] or its default.
    pub fn annotated_data_param(&self) -> &AnnotatedDataParameter { self.annotated_data_param.as_ref().unwrap_or(AnnotatedDataParameter::empty()) }
    /// [`Self::detection_evaluate_param`] or its default.
    pub fn detection_evaluate_param(&self) -> &DetectionEvaluateParameter { self.detection_evaluate_param.as_ref().unwrap_or(DetectionEvaluateParameter::empty()) }
    /// [`Self::detection_output_param`] or its default.
    pub fn detection_output_param(&self) -> &DetectionOutputParameter { self.detection_output_param.as_ref().unwrap_or(DetectionOutputParameter::empty()) }
    /// [`Self::multibox_loss_param`] or its default.
    pub fn multibox_loss_param(&self) -> &MultiBoxLossParameter { self.multibox_loss_param.as_ref().unwrap_or(MultiBoxLossParameter::empty()) }
    /// [`Self::norm_param`] or its default.
    pub fn norm_param(&self) -> &NormalizeParameter { self.norm_param.as_ref().unwrap_or(NormalizeParameter::empty()) }
    /// [`Self::permute_param`] or its default.
    pub fn permute_param(&self) -> &PermuteParameter { self.permute_param.as_ref().unwrap_or(PermuteParameter::empty()) }
    /// [`Self::prior_box_param`] or its default.
    pub fn prior_box_param(&self) -> &PriorBoxParameter { self.prior_box_param.as_ref().unwrap_or(PriorBoxParameter::empty()) }
    /// [`Self::bn_param`] or its default.
    pub fn bn_param(&self) -> &BNParameter { self.bn_param.as_ref().unwrap_or(BNParameter::empty()) }
    /// [`Self::dense_image_data_param`] or its default.
    pub fn dense_image_data_param(&self) -> &DenseImageDataParameter { self.dense_image_data_param.as_ref().unwrap_or(DenseImageDataParameter::empty()) }
    /// [`Self::upsample_param`] or its default.
    pub fn upsample_param(&self) -> &UpsampleParameter { self.upsample_param.as_ref().unwrap_or(UpsampleParameter::empty()) }
    /// [`Self::roi_pooling_param`] or its default.
    pub fn roi_pooling_param(&self) -> &ROIPoolingParameter { self.roi_pooling_param.as_ref().unwrap_or(ROIPoolingParameter::empty()) }
    /// [`Self::adaptive_bias_channel_param`] or its default.
    pub fn adaptive_bias_channel_param(&self) -> &AdaptiveBiasChannelParameter { self.adaptive_bias_channel_param.as_ref().unwrap_or(AdaptiveBiasChannelParameter::empty()) }
    /// [`Self::bias_channel_param`] or its default.
    pub fn bias_channel_param(&self) -> &BiasChannelParameter { self.bias_channel_param.as_ref().unwrap_or(BiasChannelParameter::empty()) }
    /// [`Self::dense_crf_param`] or its default.
    pub fn dense_crf_param(&self) -> &DenseCRFParameter { self.dense_crf_param.as_ref().unwrap_or(DenseCRFParameter::empty()) }
    /// [`Self::domain_transform_param`] or its default.
    pub fn domain_transform_param(&self) -> &DomainTransformParameter { self.domain_transform_param.as_ref().unwrap_or(DomainTransformParameter::empty()) }
    /// [`Self::interp_param`] or its default.
    pub fn interp_param(&self) -> &InterpParameter { self.interp_param.as_ref().unwrap_or(InterpParameter::empty()) }
    /// [`Self::mat_read_param`] or its default.
    pub fn mat_read_param(&self) -> &MatReadParameter { self.mat_read_param.as_ref().unwrap_or(MatReadParameter::empty()) }
    /// [`Self::mat_write_param`] or its default.
    pub fn mat_write_param(&self) -> &MatWriteParameter { self.mat_write_param.as_ref().unwrap_or(MatWriteParameter::empty()) }
    /// [`Self::seg_accuracy_param`] or its default.
    pub fn seg_accuracy_param(&self) -> &SegAccuracyParameter { self.seg_accuracy_param.as_ref().unwrap_or(SegAccuracyParameter::empty()) }
    /// [`Self::unique_label_param`] or its default.
    pub fn unique_label_param(&self) -> &UniqueLabelParameter { self.unique_label_param.as_ref().unwrap_or(UniqueLabelParameter::empty()) }
    /// [`Self::box_annotator_ohem_param`] or its default.
    pub fn box_annotator_ohem_param(&self) -> &BoxAnnotatorOHEMParameter { self.box_annotator_ohem_param.as_ref().unwrap_or(BoxAnnotatorOHEMParameter::empty()) }
    /// [`Self::psroi_pooling_param`] or its default.
    pub fn psroi_pooling_param(&self) -> &PSROIPoolingParameter { self.psroi_pooling_param.as_ref().unwrap_or(PSROIPoolingParameter::empty()) }
    /// [`Self::smooth_l1_loss_param`] or its default.
    pub fn smooth_l1_loss_param(&self) -> &SmoothL1LossParameter { self.smooth_l1_loss_param.as_ref().unwrap_or(SmoothL1LossParameter::empty()) }
    /// [`Self::shuffle_channel_param`] or its default.
    pub fn shuffle_channel_param(&self) -> &ShuffleChannelParameter { self.shuffle_channel_param.as_ref().unwrap_or(ShuffleChannelParameter::empty()) }
    /// [`Self::relu6_param`] or its default.
    pub fn relu6_param(&self) -> &ReLU6Parameter { self.relu6_param.as_ref().unwrap_or(ReLU6Parameter::empty()) }
}

impl Message for LayerParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.name.as_slice()),
            1 => Slot::String(self.type_.as_slice()),
            2 => Slot::String(self.bottom.as_slice()),
            3 => Slot::String(self.top.as_slice()),
            4 => Slot::Float(self.loss_weight.as_slice()),
            5 => Slot::Message(&self.param),
            6 => Slot::Message(&self.blobs),
            7 => Slot::Message(&self.include),
            8 => Slot::Message(&self.exclude),
            9 => Slot::Enum(&self.phase),
            10 => Slot::Bool(self.propagate_down.as_slice()),
            11 => Slot::Message(&self.transform_param),
            12 => Slot::Message(&self.loss_param),
            13 => Slot::Message(&self.accuracy_param),
            14 => Slot::Message(&self.argmax_param),
            15 => Slot::Message(&self.concat_param),
            16 => Slot::Message(&self.contrastive_loss_param),
            17 => Slot::Message(&self.convolution_param),
            18 => Slot::Message(&self.data_param),
            19 => Slot::Message(&self.dropout_param),
            20 => Slot::Message(&self.dummy_data_param),
            21 => Slot::Message(&self.eltwise_param),
            22 => Slot::Message(&self.exp_param),
            23 => Slot::Message(&self.hdf5_data_param),
            24 => Slot::Message(&self.hdf5_output_param),
            25 => Slot::Message(&self.hinge_loss_param),
            26 => Slot::Message(&self.image_data_param),
            27 => Slot::Message(&self.infogain_loss_param),
            28 => Slot::Message(&self.inner_product_param),
            29 => Slot::Message(&self.lrn_param),
            30 => Slot::Message(&self.memory_data_param),
            31 => Slot::Message(&self.mvn_param),
            32 => Slot::Message(&self.pooling_param),
            33 => Slot::Message(&self.power_param),
            34 => Slot::Message(&self.relu_param),
            35 => Slot::Message(&self.sigmoid_param),
            36 => Slot::Message(&self.softmax_param),
            37 => Slot::Message(&self.slice_param),
            38 => Slot::Message(&self.tanh_param),
            39 => Slot::Message(&self.threshold_param),
            40 => Slot::Message(&self.window_data_param),
            41 => Slot::Message(&self.python_param),
            42 => Slot::Message(&self.prelu_param),
            43 => Slot::Message(&self.spp_param),
            44 => Slot::Message(&self.reshape_param),
            45 => Slot::Message(&self.log_param),
            46 => Slot::Message(&self.flatten_param),
            47 => Slot::Message(&self.reduction_param),
            48 => Slot::Message(&self.embed_param),
            49 => Slot::Message(&self.tile_param),
            50 => Slot::Message(&self.batch_norm_param),
            51 => Slot::Message(&self.elu_param),
            52 => Slot::Message(&self.bias_param),
            53 => Slot::Message(&self.scale_param),
            54 => Slot::Message(&self.input_param),
            55 => Slot::Message(&self.crop_param),
            56 => Slot::Message(&self.parameter_param),
            57 => Slot::Message(&self.recurrent_param),
            58 => Slot::Message(&self.swish_param),
            59 => Slot::Message(&self.clip_param),
            60 => Slot::Message(&self.annotated_data_param),
            61 => Slot::Message(&self.detection_evaluate_param),
            62 => Slot::Message(&self.detection_output_param),
            63 => Slot::Message(&self.multibox_loss_param),
            64 => Slot::Message(&self.norm_param),
            65 => Slot::Message(&self.permute_param),
            66 => Slot::Message(&self.prior_box_param),
            67 => Slot::Message(&self.bn_param),
            68 => Slot::Message(&self.dense_image_data_param),
            69 => Slot::Message(&self.upsample_param),
            70 => Slot::Message(&self.roi_pooling_param),
            71 => Slot::Message(&self.adaptive_bias_channel_param),
            72 => Slot::Message(&self.bias_channel_param),
            73 => Slot::Message(&self.dense_crf_param),
            74 => Slot::Message(&self.domain_transform_param),
            75 => Slot::Message(&self.interp_param),
            76 => Slot::Message(&self.mat_read_param),
            77 => Slot::Message(&self.mat_write_param),
            78 => Slot::Message(&self.seg_accuracy_param),
            79 => Slot::Message(&self.unique_label_param),
            80 => Slot::Message(&self.box_annotator_ohem_param),
            81 => Slot::Message(&self.psroi_pooling_param),
            82 => Slot::Message(&self.smooth_l1_loss_param),
            83 => Slot::Message(&self.shuffle_channel_param),
            84 => Slot::Message(&self.relu6_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.name)),
            1 => SlotMut::String(FieldValues::One(&mut self.type_)),
            2 => SlotMut::String(FieldValues::Many(&mut self.bottom)),
            3 => SlotMut::String(FieldValues::Many(&mut self.top)),
            4 => SlotMut::Float(FieldValues::Many(&mut self.loss_weight)),
            5 => SlotMut::Message(&mut self.param),
            6 => SlotMut::Message(&mut self.blobs),
            7 => SlotMut::Message(&mut self.include),
            8 => SlotMut::Message(&mut self.exclude),
            9 => SlotMut::Enum(&mut self.phase),
            10 => SlotMut::Bool(FieldValues::Many(&mut self.propagate_down)),
            11 => SlotMut::Message(&mut self.transform_param),
            12 => SlotMut::Message(&mut self.loss_param),
            13 => SlotMut::Message(&mut self.accuracy_param),
            14 => SlotMut::Message(&mut self.argmax_param),
            15 => SlotMut::Message(&mut self.concat_param),
            16 => SlotMut::Message(&mut self.contrastive_loss_param),
            17 => SlotMut::Message(&mut self.convolution_param),
            18 => SlotMut::Message(&mut self.data_param),
            19 => SlotMut::Message(&mut self.dropout_param),
            20 => SlotMut::Message(&mut self.dummy_data_param),
            21 => SlotMut::Message(&mut self.eltwise_param),
            22 => SlotMut::Message(&mut self.exp_param),
            23 => SlotMut::Message(&mut self.hdf5_data_param),
            24 => SlotMut::Message(&mut self.hdf5_output_param),
            25 => SlotMut::Message(&mut self.hinge_loss_param),
            26 => SlotMut::Message(&mut self.image_data_param),
            27 => SlotMut::Message(&mut self.infogain_loss_param),
            28 => SlotMut::Message(&mut self.inner_product_param),
            29 => SlotMut::Message(&mut self.lrn_param),
            30 => SlotMut::Message(&mut self.memory_data_param),
            31 => SlotMut::Message(&mut self.mvn_param),
            32 => SlotMut::Message(&mut self.pooling_param),
            33 => SlotMut::Message(&mut self.power_param),
            34 => SlotMut::Message(&mut self.relu_param),
            35 => SlotMut::Message(&mut self.sigmoid_param),
            36 => SlotMut::Message(&mut self.softmax_param),
            37 => SlotMut::Message(&mut self.slice_param),
            38 => SlotMut::Message(&mut self.tanh_param),
            39 => SlotMut::Message(&mut self.threshold_param),
            40 => SlotMut::Message(&mut self.window_data_param),
            41 => SlotMut::Message(&mut self.python_param),
            42 => SlotMut::Message(&mut self.prelu_param),
            43 => SlotMut::Message(&mut self.spp_param),
            44 => SlotMut::Message(&mut self.reshape_param),
            45 => SlotMut::Message(&mut self.log_param),
            46 => SlotMut::Message(&mut self.flatten_param),
            47 => SlotMut::Message(&mut self.reduction_param),
            48 => SlotMut::Message(&mut self.embed_param),
            49 => SlotMut::Message(&mut self.tile_param),
            50 => SlotMut::Message(&mut self.batch_norm_param),
            51 => SlotMut::Message(&mut self.elu_param),
            52 => SlotMut::Message(&mut self.bias_param),
            53 => SlotMut::Message(&mut self.scale_param),
            54 => SlotMut::Message(&mut self.input_param),
            55 => SlotMut::Message(&mut self.crop_param),
            56 => SlotMut::Message(&mut self.parameter_param),
            57 => SlotMut::Message(&mut self.recurrent_param),
            58 => SlotMut::Message(&mut self.swish_param),
            59 => SlotMut::Message(&mut self.clip_param),
            60 => SlotMut::Message(&mut self.annotated_data_param),
            61 => SlotMut::Message(&mut self.detection_evaluate_param),
            62 => SlotMut::Message(&mut self.detection_output_param),
            63 => SlotMut::Message(&mut self.multibox_loss_param),
            64 => SlotMut::Message(&mut self.norm_param),
            65 => SlotMut::Message(&mut self.permute_param),
            66 => SlotMut::Message(&mut self.prior_box_param),
            67 => SlotMut::Message(&mut self.bn_param),
            68 => SlotMut::Message(&mut self.dense_image_data_param),
            69 => SlotMut::Message(&mut self.upsample_param),
            70 => SlotMut::Message(&mut self.roi_pooling_param),
            71 => SlotMut::Message(&mut self.adaptive_bias_channel_param),
            72 => SlotMut::Message(&mut self.bias_channel_param),
            73 => SlotMut::Message(&mut self.dense_crf_param),
            74 => SlotMut::Message(&mut self.domain_transform_param),
            75 => SlotMut::Message(&mut self.interp_param),
            76 => SlotMut::Message(&mut self.mat_read_param),
            77 => SlotMut::Message(&mut self.mat_write_param),
            78 => SlotMut::Message(&mut self.seg_accuracy_param),
            79 => SlotMut::Message(&mut self.unique_label_param),
            80 => SlotMut::Message(&mut self.box_annotator_ohem_param),
            81 => SlotMut::Message(&mut self.psroi_pooling_param),
            82 => SlotMut::Message(&mut self.smooth_l1_loss_param),
            83 => SlotMut::Message(&mut self.shuffle_channel_param),
            84 => SlotMut::Message(&mut self.relu6_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `LightingParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LightingParameter {
    /// `optional float std = 1`, `0.1` unless set. Not in Caffe.
    pub std: Option<f32>,
    /// `repeated float eigenvalue = 2`. Not in Caffe.
    pub eigenvalue: Vec<f32>,
    /// `repeated float eigenvector = 3`. Not in Caffe.
    pub eigenvector: Vec<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl LightingParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "LightingParameter",
        new: || Box::new(LightingParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "std", FieldType::Float),
            repeated(2, "eigenvalue", FieldType::Float),
            repeated(3, "eigenvector", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        std: None,
        eigenvalue: Vec::new(),
        eigenvector: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: LightingParameter = LightingParameter::EMPTY; &EMPTY }
    /// [`Self::std`] or its default.
    pub fn std(&self) -> f32 { self.std.unwrap_or(0.1) }
}

impl Message for LightingParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.std.as_slice()),
            1 => Slot::Float(self.eigenvalue.as_slice()),
            2 => Slot::Float(self.eigenvector.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.std)),
            1 => SlotMut::Float(FieldValues::Many(&mut self.eigenvalue)),
            2 => SlotMut::Float(FieldValues::Many(&mut self.eigenvector)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `LogParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogParameter {
    /// `optional float base = 1`, `-1.0` unless set.
    pub base: Option<f32>,
    /// `optional float scale = 2`, `1.0` unless set.
    pub scale: Option<f32>,
    /// `optional float shift = 3`, `0.0` unless set.
    pub shift: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl LogParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "LogParameter",
        new: || Box::new(LogParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "base", FieldType::Float),
            optional(2, "scale", FieldType::Float),
            optional(3, "shift", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        base: None,
        scale: None,
        shift: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: LogParameter = LogParameter::EMPTY; &EMPTY }
    /// [`Self::base`] or its default.
    pub fn base(&self) -> f32 { self.base.unwrap_or(-1.0) }
    /// [`Self::scale`] or its default.
    pub fn scale(&self) -> f32 { self.scale.unwrap_or(1.0) }
    /// [`Self::shift`] or its default.
    pub fn shift(&self) -> f32 { self.shift.unwrap_or(0.0) }
}

impl Message for LogParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.base.as_slice()),
            1 => Slot::Float(self.scale.as_slice()),
            2 => Slot::Float(self.shift.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.base)),
            1 => SlotMut::Float(FieldValues::One(&mut self.scale)),
            2 => SlotMut::Float(FieldValues::One(&mut self.shift)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `LossParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LossParameter {
    /// `optional int32 ignore_label = 1`.
    pub ignore_label: Option<i32>,
    /// `optional bool normalize = 2`.
    pub normalize: Option<bool>,
    /// `optional enum LossParameter.NormalizationMode normalization = 3`, `VALID` unless set.
    pub normalization: Option<LossParameterNormalizationMode>,
    /// `optional bool weight_by_label_freqs = 1001`, `False` unless set. Not in Caffe.
    pub weight_by_label_freqs: Option<bool>,
    /// `repeated float class_weighting = 1002`. Not in Caffe.
    pub class_weighting: Vec<f32>,
    /// `optional float pre_fixed_normalizer = 1003`, `1.0` unless set. Not in Caffe.
    pub pre_fixed_normalizer: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl LossParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "LossParameter",
        new: || Box::new(LossParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "ignore_label", FieldType::Int32),
            optional(2, "normalize", FieldType::Bool),
            optional(3, "normalization", FieldType::Enum(LossParameterNormalizationMode::KIND)),
            optional(1001, "weight_by_label_freqs", FieldType::Bool),
            repeated(1002, "class_weighting", FieldType::Float),
            optional(1003, "pre_fixed_normalizer", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        ignore_label: None,
        normalize: None,
        normalization: None,
        weight_by_label_freqs: None,
        class_weighting: Vec::new(),
        pre_fixed_normalizer: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: LossParameter = LossParameter::EMPTY; &EMPTY }
    /// [`Self::ignore_label`] or its default.
    pub fn ignore_label(&self) -> i32 { self.ignore_label.unwrap_or(0) }
    /// [`Self::normalize`] or its default.
    pub fn normalize(&self) -> bool { self.normalize.unwrap_or(false) }
    /// [`Self::normalization`] or its default.
    pub fn normalization(&self) -> LossParameterNormalizationMode { self.normalization.unwrap_or(LossParameterNormalizationMode::Valid) }
    /// [`Self::weight_by_label_freqs`] or its default.
    pub fn weight_by_label_freqs(&self) -> bool { self.weight_by_label_freqs.unwrap_or(false) }
    /// [`Self::pre_fixed_normalizer`] or its default.
    pub fn pre_fixed_normalizer(&self) -> f32 { self.pre_fixed_normalizer.unwrap_or(1.0) }
}

impl Message for LossParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.ignore_label.as_slice()),
            1 => Slot::Bool(self.normalize.as_slice()),
            2 => Slot::Enum(&self.normalization),
            3 => Slot::Bool(self.weight_by_label_freqs.as_slice()),
            4 => Slot::Float(self.class_weighting.as_slice()),
            5 => Slot::Float(self.pre_fixed_normalizer.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.ignore_label)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.normalize)),
            2 => SlotMut::Enum(&mut self.normalization),
            3 => SlotMut::Bool(FieldValues::One(&mut self.weight_by_label_freqs)),
            4 => SlotMut::Float(FieldValues::Many(&mut self.class_weighting)),
            5 => SlotMut::Float(FieldValues::One(&mut self.pre_fixed_normalizer)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `MVNParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MVNParameter {
    /// `optional bool normalize_variance = 1`, `True` unless set.
    pub normalize_variance: Option<bool>,
    /// `optional bool across_channels = 2`, `False` unless set.
    pub across_channels: Option<bool>,
    /// `optional float eps = 3`, `1e-09` unless set.
    pub eps: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl MVNParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "MVNParameter",
        new: || Box::new(MVNParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "normalize_variance", FieldType::Bool),
            optional(2, "across_channels", FieldType::Bool),
            optional(3, "eps", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        normalize_variance: None,
        across_channels: None,
        eps: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: MVNParameter = MVNParameter::EMPTY; &EMPTY }
    /// [`Self::normalize_variance`] or its default.
    pub fn normalize_variance(&self) -> bool { self.normalize_variance.unwrap_or(true) }
    /// [`Self::across_channels`] or its default.
    pub fn across_channels(&self) -> bool { self.across_channels.unwrap_or(false) }
    /// [`Self::eps`] or its default.
    pub fn eps(&self) -> f32 { self.eps.unwrap_or(1e-09) }
}

impl Message for MVNParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Bool(self.normalize_variance.as_slice()),
            1 => Slot::Bool(self.across_channels.as_slice()),
            2 => Slot::Float(self.eps.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Bool(FieldValues::One(&mut self.normalize_variance)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.across_channels)),
            2 => SlotMut::Float(FieldValues::One(&mut self.eps)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `MatReadParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatReadParameter {
    /// `required string prefix = 1`. Not in Caffe.
    pub prefix: Option<String>,
    /// `optional string source = 2`. Not in Caffe.
    pub source: Option<String>,
    /// `optional int32 strip = 3`, `0` unless set. Not in Caffe.
    pub strip: Option<i32>,
    /// `optional int32 batch_size = 4`, `1` unless set. Not in Caffe.
    pub batch_size: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl MatReadParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "MatReadParameter",
        new: || Box::new(MatReadParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            required(1, "prefix", FieldType::String),
            optional(2, "source", FieldType::String),
            optional(3, "strip", FieldType::Int32),
            optional(4, "batch_size", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        prefix: None,
        source: None,
        strip: None,
        batch_size: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: MatReadParameter = MatReadParameter::EMPTY; &EMPTY }
    /// [`Self::prefix`] or its default.
    pub fn prefix(&self) -> &str { self.prefix.as_deref().unwrap_or("") }
    /// [`Self::source`] or its default.
    pub fn source(&self) -> &str { self.source.as_deref().unwrap_or("") }
    /// [`Self::strip`] or its default.
    pub fn strip(&self) -> i32 { self.strip.unwrap_or(0) }
    /// [`Self::batch_size`] or its default.
    pub fn batch_size(&self) -> i32 { self.batch_size.unwrap_or(1) }
}

impl Message for MatReadParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.prefix.as_slice()),
            1 => Slot::String(self.source.as_slice()),
            2 => Slot::Int32(self.strip.as_slice()),
            3 => Slot::Int32(self.batch_size.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.prefix)),
            1 => SlotMut::String(FieldValues::One(&mut self.source)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.strip)),
            3 => SlotMut::Int32(FieldValues::One(&mut self.batch_size)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `MatWriteParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatWriteParameter {
    /// `required string prefix = 1`. Not in Caffe.
    pub prefix: Option<String>,
    /// `optional string source = 2`. Not in Caffe.
    pub source: Option<String>,
    /// `optional int32 strip = 3`, `0` unless set. Not in Caffe.
    pub strip: Option<i32>,
    /// `optional int32 period = 4`, `1` unless set. Not in Caffe.
    pub period: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl MatWriteParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "MatWriteParameter",
        new: || Box::new(MatWriteParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            required(1, "prefix", FieldType::String),
            optional(2, "source", FieldType::String),
            optional(3, "strip", FieldType::Int32),
            optional(4, "period", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        prefix: None,
        source: None,
        strip: None,
        period: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: MatWriteParameter = MatWriteParameter::EMPTY; &EMPTY }
    /// [`Self::prefix`] or its default.
    pub fn prefix(&self) -> &str { self.prefix.as_deref().unwrap_or("") }
    /// [`Self::source`] or its default.
    pub fn source(&self) -> &str { self.source.as_deref().unwrap_or("") }
    /// [`Self::strip`] or its default.
    pub fn strip(&self) -> i32 { self.strip.unwrap_or(0) }
    /// [`Self::period`] or its default.
    pub fn period(&self) -> i32 { self.period.unwrap_or(1) }
}

impl Message for MatWriteParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.prefix.as_slice()),
            1 => Slot::String(self.source.as_slice()),
            2 => Slot::Int32(self.strip.as_slice()),
            3 => Slot::Int32(self.period.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.prefix)),
            1 => SlotMut::String(FieldValues::One(&mut self.source)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.strip)),
            3 => SlotMut::Int32(FieldValues::One(&mut self.period)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `MemoryDataParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryDataParameter {
    /// `optional uint32 batch_size = 1`.
    pub batch_size: Option<u32>,
    /// `optional uint32 channels = 2`.
    pub channels: Option<u32>,
    /// `optional uint32 height = 3`.
    pub height: Option<u32>,
    /// `optional uint32 width = 4`.
    pub width: Option<u32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl MemoryDataParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "MemoryDataParameter",
        new: || Box::new(MemoryDataParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "batch_size", FieldType::Uint32),
            optional(2, "channels", FieldType::Uint32),
            optional(3, "height", FieldType::Uint32),
            optional(4, "width", FieldType::Uint32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        batch_size: None,
        channels: None,
        height: None,
        width: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: MemoryDataParameter = MemoryDataParameter::EMPTY; &EMPTY }
    /// [`Self::batch_size`] or its default.
    pub fn batch_size(&self) -> u32 { self.batch_size.unwrap_or(0) }
    /// [`Self::channels`] or its default.
    pub fn channels(&self) -> u32 { self.channels.unwrap_or(0) }
    /// [`Self::height`] or its default.
    pub fn height(&self) -> u32 { self.height.unwrap_or(0) }
    /// [`Self::width`] or its default.
    pub fn width(&self) -> u32 { self.width.unwrap_or(0) }
}

impl Message for MemoryDataParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.batch_size.as_slice()),
            1 => Slot::Uint32(self.channels.as_slice()),
            2 => Slot::Uint32(self.height.as_slice()),
            3 => Slot::Uint32(self.width.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.batch_size)),
            1 => SlotMut::Uint32(FieldValues::One(&mut self.channels)),
            2 => SlotMut::Uint32(FieldValues::One(&mut self.height)),
            3 => SlotMut::Uint32(FieldValues::One(&mut self.width)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `MemoryOptimizationParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryOptimizationParameter {
    /// `optional bool optimize_train = 1`, `True` unless set. Not in Caffe.
    pub optimize_train: Option<bool>,
    /// `optional bool optimize_test = 2`, `False` unless set. Not in Caffe.
    pub optimize_test: Option<bool>,
    /// `repeated string exclude_blob = 3`. Not in Caffe.
    pub exclude_blob: Vec<String>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl MemoryOptimizationParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "MemoryOptimizationParameter",
        new: || Box::new(MemoryOptimizationParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "optimize_train", FieldType::Bool),
            optional(2, "optimize_test", FieldType::Bool),
            repeated(3, "exclude_blob", FieldType::String),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        optimize_train: None,
        optimize_test: None,
        exclude_blob: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: MemoryOptimizationParameter = MemoryOptimizationParameter::EMPTY; &EMPTY }
    /// [`Self::optimize_train`] or its default.
    pub fn optimize_train(&self) -> bool { self.optimize_train.unwrap_or(true) }
    /// [`Self::optimize_test`] or its default.
    pub fn optimize_test(&self) -> bool { self.optimize_test.unwrap_or(false) }
}

impl Message for MemoryOptimizationParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Bool(self.optimize_train.as_slice()),
            1 => Slot::Bool(self.optimize_test.as_slice()),
            2 => Slot::String(self.exclude_blob.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Bool(FieldValues::One(&mut self.optimize_train)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.optimize_test)),
            2 => SlotMut::String(FieldValues::Many(&mut self.exclude_blob)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `MultiBoxLossParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MultiBoxLossParameter {
    /// `optional enum MultiBoxLossParameter.LocLossType loc_loss_type = 1`, `SMOOTH_L1` unless set. Not in Caffe.
    pub loc_loss_type: Option<MultiBoxLossParameterLocLossType>,
    /// `optional enum MultiBoxLossParameter.ConfLossType conf_loss_type = 2`, `SOFTMAX` unless set. Not in Caffe.
    pub conf_loss_type: Option<MultiBoxLossParameterConfLossType>,
    /// `optional float loc_weight = 3`, `1.0` unless set. Not in Caffe.
    pub loc_weight: Option<f32>,
    /// `optional uint32 num_classes = 4`. Not in Caffe.
    pub num_classes: Option<u32>,
    /// `optional bool share_location = 5`, `True` unless set. Not in Caffe.
    pub share_location: Option<bool>,
    /// `optional enum MultiBoxLossParameter.MatchType match_type = 6`, `PER_PREDICTION` unless set. Not in Caffe.
    pub match_type: Option<MultiBoxLossParameterMatchType>,
    /// `optional float overlap_threshold = 7`, `0.5` unless set. Not in Caffe.
    pub overlap_threshold: Option<f32>,
    /// `optional bool use_prior_for_matching = 8`, `True` unless set. Not in Caffe.
    pub use_prior_for_matching: Option<bool>,
    /// `optional uint32 background_label_id = 9`, `0` unless set. Not in Caffe.
    pub background_label_id: Option<u32>,
    /// `optional bool use_difficult_gt = 10`, `True` unless set. Not in Caffe.
    pub use_difficult_gt: Option<bool>,
    /// `optional bool do_neg_mining = 11`. Not in Caffe.
    pub do_neg_mining: Option<bool>,
    /// `optional float neg_pos_ratio = 12`, `3.0` unless set. Not in Caffe.
    pub neg_pos_ratio: Option<f32>,
    /// `optional float neg_overlap = 13`, `0.5` unless set. Not in Caffe.
    pub neg_overlap: Option<f32>,
    /// `optional enum PriorBoxParameter.CodeType code_type = 14`, `CORNER` unless set. Not in Caffe.
    pub code_type: Option<PriorBoxParameterCodeType>,
    /// `optional bool encode_variance_in_target = 15`, `False` unless set. Not in Caffe.
    pub encode_variance_in_target: Option<bool>,
    /// `optional bool map_object_to_agnostic = 16`, `False` unless set. Not in Caffe.
    pub map_object_to_agnostic: Option<bool>,
    /// `optional bool ignore_cross_boundary_bbox = 17`, `False` unless set. Not in Caffe.
    pub ignore_cross_boundary_bbox: Option<bool>,
    /// `optional bool bp_inside = 18`, `False` unless set. Not in Caffe.
    pub bp_inside: Option<bool>,
    /// `optional enum MultiBoxLossParameter.MiningType mining_type = 19`, `MAX_NEGATIVE` unless set. Not in Caffe.
    pub mining_type: Option<MultiBoxLossParameterMiningType>,
    /// `optional NonMaximumSuppressionParameter nms_param = 20`. Not in Caffe.
    pub nms_param: Option<NonMaximumSuppressionParameter>,
    /// `optional int32 sample_size = 21`, `64` unless set. Not in Caffe.
    pub sample_size: Option<i32>,
    /// `optional bool use_prior_for_nms = 22`, `False` unless set. Not in Caffe.
    pub use_prior_for_nms: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl MultiBoxLossParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "MultiBoxLossParameter",
        new: || Box::new(MultiBoxLossParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "loc_loss_type", FieldType::Enum(MultiBoxLossParameterLocLossType::KIND)),
            optional(2, "conf_loss_type", FieldType::Enum(MultiBoxLossParameterConfLossType::KIND)),
            optional(3, "loc_weight", FieldType::Float),
            optional(4, "num_classes", FieldType::Uint32),
            optional(5, "share_location", FieldType::Bool),
            optional(6, "match_type", FieldType::Enum(MultiBoxLossParameterMatchType::KIND)),
            optional(7, "overlap_threshold", FieldType::Float),
            optional(8, "use_prior_for_matching", FieldType::Bool),
            optional(9, "background_label_id", FieldType::Uint32),
            optional(10, "use_difficult_gt", FieldType::Bool),
            optional(11, "do_neg_mining", FieldType::Bool),
            optional(12, "neg_pos_ratio", FieldType::Float),
            optional(13, "neg_overlap", FieldType::Float),
            optional(14, "code_type", FieldType::Enum(PriorBoxParameterCodeType::KIND)),
            optional(15, "encode_variance_in_target", FieldType::Bool),
            optional(16, "map_object_to_agnostic", FieldType::Bool),
            optional(17, "ignore_cross_boundary_bbox", FieldType::Bool),
            optional(18, "bp_inside", FieldType::Bool),
            optional(19, "mining_type", FieldType::Enum(MultiBoxLossParameterMiningType::KIND)),
            optional(20, "nms_param", FieldType::Message(NonMaximumSuppressionParameter::KIND)),
            optional(21, "sample_size", FieldType::Int32),
            optional(22, "use_prior_for_nms", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        loc_loss_type: None,
        conf_loss_type: None,
        loc_weight: None,
        num_classes: None,
        share_location: None,
        match_type: None,
        overlap_threshold: None,
        use_prior_for_matching: None,
        background_label_id: None,
        use_difficult_gt: None,
        do_neg_mining: None,
        neg_pos_ratio: None,
        neg_overlap: None,
        code_type: None,
        encode_variance_in_target: None,
        map_object_to_agnostic: None,
        ignore_cross_boundary_bbox: None,
        bp_inside: None,
        mining_type: None,
        nms_param: None,
        sample_size: None,
        use_prior_for_nms: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: MultiBoxLossParameter = MultiBoxLossParameter::EMPTY; &EMPTY }
    /// [`Self::loc_loss_type`] or its default.
    pub fn loc_loss_type(&self) -> MultiBoxLossParameterLocLossType { self.loc_loss_type.unwrap_or(MultiBoxLossParameterLocLossType::SmoothL1) }
    /// [`Self::conf_loss_type`] or its default.
    pub fn conf_loss_type(&self) -> MultiBoxLossParameterConfLossType { self.conf_loss_type.unwrap_or(MultiBoxLossParameterConfLossType::Softmax) }
    /// [`Self::loc_weight`] or its default.
    pub fn loc_weight(&self) -> f32 { self.loc_weight.unwrap_or(1.0) }
    /// [`Self::num_classes`] or its default.
    pub fn num_classes(&self) -> u32 { self.num_classes.unwrap_or(0) }
    /// [`Self::share_location`] or its default.
    pub fn share_location(&self) -> bool { self.share_location.unwrap_or(true) }
    /// [`Self::match_type`] or its default.
    pub fn match_type(&self) -> MultiBoxLossParameterMatchType { self.match_type.unwrap_or(MultiBoxLossParameterMatchType::PerPrediction) }
    /// [`Self::overlap_threshold`] or its default.
    pub fn overlap_threshold(&self) -> f32 { self.overlap_threshold.unwrap_or(0.5) }
    /// [`Self::use_prior_for_matching`] or its default.
    pub fn use_prior_for_matching(&self) -> bool { self.use_prior_for_matching.unwrap_or(true) }
    /// [`Self::background_label_id`] or its default.
    pub fn background_label_id(&self) -> u32 { self.background_label_id.unwrap_or(0) }
    /// [`Self::use_difficult_gt`] or its default.
    pub fn use_difficult_gt(&self) -> bool { self.use_difficult_gt.unwrap_or(true) }
    /// [`Self::do_neg_mining`] or its default.
    pub fn do_neg_mining(&self) -> bool { self.do_neg_mining.unwrap_or(false) }
    /// [`Self::neg_pos_ratio`] or its default.
    pub fn neg_pos_ratio(&self) -> f32 { self.neg_pos_ratio.unwrap_or(3.0) }
    /// [`Self::neg_overlap`] or its default.
    pub fn neg_overlap(&self) -> f32 { self.neg_overlap.unwrap_or(0.5) }
    /// [`Self::code_type`] or its default.
    pub fn code_type(&self) -> PriorBoxParameterCodeType { self.code_type.unwrap_or(PriorBoxParameterCodeType::Corner) }
    /// [`Self::encode_variance_in_target`] or its default.
    pub fn encode_variance_in_target(&self) -> bool { self.encode_variance_in_target.unwrap_or(false) }
    /// [`Self::map_object_to_agnostic`] or its default.
    pub fn map_object_to_agnostic(&self) -> bool { self.map_object_to_agnostic.unwrap_or(false) }
    /// [`Self::ignore_cross_boundary_bbox`] or its default.
    pub fn ignore_cross_boundary_bbox(&self) -> bool { self.ignore_cross_boundary_bbox.unwrap_or(false) }
    /// [`Self::bp_inside`] or its default.
    pub fn bp_inside(&self) -> bool { self.bp_inside.unwrap_or(false) }
    /// [`Self::mining_type`] or its default.
    pub fn mining_type(&self) -> MultiBoxLossParameterMiningType { self.mining_type.unwrap_or(MultiBoxLossParameterMiningType::MaxNegative) }
    /// [`Self::nms_param`] or its default.
    pub fn nms_param(&self) -> &NonMaximumSuppressionParameter { self.nms_param.as_ref().unwrap_or(NonMaximumSuppressionParameter::empty()) }
    /// [`Self::sample_size`] or its default.
    pub fn sample_size(&self) -> i32 { self.sample_size.unwrap_or(64) }
    /// [`Self::use_prior_for_nms`] or its default.
    pub fn use_prior_for_nms(&self) -> bool { self.use_prior_for_nms.unwrap_or(false) }
}

impl Message for MultiBoxLossParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.loc_loss_type),
            1 => Slot::Enum(&self.conf_loss_type),
            2 => Slot::Float(self.loc_weight.as_slice()),
            3 => Slot::Uint32(self.num_classes.as_slice()),
            4 => Slot::Bool(self.share_location.as_slice()),
            5 => Slot::Enum(&self.match_type),
            6 => Slot::Float(self.overlap_threshold.as_slice()),
            7 => Slot::Bool(self.use_prior_for_matching.as_slice()),
            8 => Slot::Uint32(self.background_label_id.as_slice()),
            9 => Slot::Bool(self.use_difficult_gt.as_slice()),
            10 => Slot::Bool(self.do_neg_mining.as_slice()),
            11 => Slot::Float(self.neg_pos_ratio.as_slice()),
            12 => Slot::Float(self.neg_overlap.as_slice()),
            13 => Slot::Enum(&self.code_type),
            14 => Slot::Bool(self.encode_variance_in_target.as_slice()),
            15 => Slot::Bool(self.map_object_to_agnostic.as_slice()),
            16 => Slot::Bool(self.ignore_cross_boundary_bbox.as_slice()),
            17 => Slot::Bool(self.bp_inside.as_slice()),
            18 => Slot::Enum(&self.mining_type),
            19 => Slot::Message(&self.nms_param),
            20 => Slot::Int32(self.sample_size.as_slice()),
            21 => Slot::Bool(self.use_prior_for_nms.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.loc_loss_type),
            1 => SlotMut::Enum(&mut self.conf_loss_type),
            2 => SlotMut::Float(FieldValues::One(&mut self.loc_weight)),
            3 => SlotMut::Uint32(FieldValues::One(&mut self.num_classes)),
            4 => SlotMut::Bool(FieldValues::One(&mut self.share_location)),
            5 => SlotMut::Enum(&mut self.match_type),
            6 => SlotMut::Float(FieldValues::One(&mut self.overlap_threshold)),
            7 => SlotMut::Bool(FieldValues::One(&mut self.use_prior_for_matching)),
            8 => SlotMut::Uint32(FieldValues::One(&mut self.background_label_id)),
            9 => SlotMut::Bool(FieldValues::One(&mut self.use_difficult_gt)),
            10 => SlotMut::Bool(FieldValues::One(&mut self.do_neg_mining)),
            11 => SlotMut::Float(FieldValues::One(&mut self.neg_pos_ratio)),
            12 => SlotMut::Float(FieldValues::One(&mut self.neg_overlap)),
            13 => SlotMut::Enum(&mut self.code_type),
            14 => SlotMut::Bool(FieldValues::One(&mut self.encode_variance_in_target)),
            15 => SlotMut::Bool(FieldValues::One(&mut self.map_object_to_agnostic)),
            16 => SlotMut::Bool(FieldValues::One(&mut self.ignore_cross_boundary_bbox)),
            17 => SlotMut::Bool(FieldValues::One(&mut self.bp_inside)),
            18 => SlotMut::Enum(&mut self.mining_type),
            19 => SlotMut::Message(&mut self.nms_param),
            20 => SlotMut::Int32(FieldValues::One(&mut self.sample_size)),
            21 => SlotMut::Bool(FieldValues::One(&mut self.use_prior_for_nms)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `NetParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetParameter {
    /// `optional string name = 1`.
    pub name: Option<String>,
    /// `repeated V1LayerParameter layers = 2`.
    pub layers: Vec<V1LayerParameter>,
    /// `repeated string input = 3`.
    pub input: Vec<String>,
    /// `repeated int32 input_dim = 4`.
    pub input_dim: Vec<i32>,
    /// `optional bool force_backward = 5`, `False` unless set.
    pub force_backward: Option<bool>,
    /// `optional NetState state = 6`.
    pub state: Option<NetState>,
    /// `optional bool debug_info = 7`, `False` unless set.
    pub debug_info: Option<bool>,
    /// `repeated BlobShape input_shape = 8`.
    pub input_shape: Vec<BlobShape>,
    /// `repeated LayerParameter layer = 100`.
    pub layer: Vec<LayerParameter>,
    /// `optional MemoryOptimizationParameter mem_param = 1001`. Not in Caffe.
    pub mem_param: Option<MemoryOptimizationParameter>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl NetParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "NetParameter",
        new: || Box::new(NetParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "name", FieldType::String),
            repeated(2, "layers", FieldType::Message(V1LayerParameter::KIND)),
            repeated(3, "input", FieldType::String),
            repeated(4, "input_dim", FieldType::Int32),
            optional(5, "force_backward", FieldType::Bool),
            optional(6, "state", FieldType::Message(NetState::KIND)),
            optional(7, "debug_info", FieldType::Bool),
            repeated(8, "input_shape", FieldType::Message(BlobShape::KIND)),
            repeated(100, "layer", FieldType::Message(LayerParameter::KIND)),
            optional(1001, "mem_param", FieldType::Message(MemoryOptimizationParameter::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        name: None,
        layers: Vec::new(),
        input: Vec::new(),
        input_dim: Vec::new(),
        force_backward: None,
        state: None,
        debug_info: None,
        input_shape: Vec::new(),
        layer: Vec::new(),
        mem_param: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: NetParameter = NetParameter::EMPTY; &EMPTY }
    /// [`Self::name`] or its default.
    pub fn name(&self) -> &str { self.name.as_deref().unwrap_or("") }
    /// [`Self::force_backward`] or its default.
    pub fn force_backward(&self) -> bool { self.force_backward.unwrap_or(false) }
    /// [`Self::state`] or its default.
    pub fn state(&self) -> &NetState { self.state.as_ref().unwrap_or(NetState::empty()) }
    /// [`Self::debug_info`] or its default.
    pub fn debug_info(&self) -> bool { self.debug_info.unwrap_or(false) }
    /// [`Self::mem_param`] or its default.
    pub fn mem_param(&self) -> &MemoryOptimizationParameter { self.mem_param.as_ref().unwrap_or(MemoryOptimizationParameter::empty()) }
}

impl Message for NetParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.name.as_slice()),
            1 => Slot::Message(&self.layers),
            2 => Slot::String(self.input.as_slice()),
            3 => Slot::Int32(self.input_dim.as_slice()),
            4 => Slot::Bool(self.force_backward.as_slice()),
            5 => Slot::Message(&self.state),
            6 => Slot::Bool(self.debug_info.as_slice()),
            7 => Slot::Message(&self.input_shape),
            8 => Slot::Message(&self.layer),
            9 => Slot::Message(&self.mem_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.name)),
            1 => SlotMut::Message(&mut self.layers),
            2 => SlotMut::String(FieldValues::Many(&mut self.input)),
            3 => SlotMut::Int32(FieldValues::Many(&mut self.input_dim)),
            4 => SlotMut::Bool(FieldValues::One(&mut self.force_backward)),
            5 => SlotMut::Message(&mut self.state),
            6 => SlotMut::Bool(FieldValues::One(&mut self.debug_info)),
            7 => SlotMut::Message(&mut self.input_shape),
            8 => SlotMut::Message(&mut self.layer),
            9 => SlotMut::Message(&mut self.mem_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `NetState`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetState {
    /// `optional enum Phase phase = 1`, `TEST` unless set.
    pub phase: Option<Phase>,
    /// `optional int32 level = 2`, `0` unless set.
    pub level: Option<i32>,
    /// `repeated string stage = 3`.
    pub stage: Vec<String>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl NetState {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "NetState",
        new: || Box::new(NetState::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "phase", FieldType::Enum(Phase::KIND)),
            optional(2, "level", FieldType::Int32),
            repeated(3, "stage", FieldType::String),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        phase: None,
        level: None,
        stage: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: NetState = NetState::EMPTY; &EMPTY }
    /// [`Self::phase`] or its default.
    pub fn phase(&self) -> Phase { self.phase.unwrap_or(Phase::Test) }
    /// [`Self::level`] or its default.
    pub fn level(&self) -> i32 { self.level.unwrap_or(0) }
}

impl Message for NetState {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.phase),
            1 => Slot::Int32(self.level.as_slice()),
            2 => Slot::String(self.stage.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.phase),
            1 => SlotMut::Int32(FieldValues::One(&mut self.level)),
            2 => SlotMut::String(FieldValues::Many(&mut self.stage)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `NetStateRule`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetStateRule {
    /// `optional enum Phase phase = 1`.
    pub phase: Option<Phase>,
    /// `optional int32 min_level = 2`.
    pub min_level: Option<i32>,
    /// `optional int32 max_level = 3`.
    pub max_level: Option<i32>,
    /// `repeated string stage = 4`.
    pub stage: Vec<String>,
    /// `repeated string not_stage = 5`.
    pub not_stage: Vec<String>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl NetStateRule {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "NetStateRule",
        new: || Box::new(NetStateRule::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "phase", FieldType::Enum(Phase::KIND)),
            optional(2, "min_level", FieldType::Int32),
            optional(3, "max_level", FieldType::Int32),
            repeated(4, "stage", FieldType::String),
            repeated(5, "not_stage", FieldType::String),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        phase: None,
        min_level: None,
        max_level: None,
        stage: Vec::new(),
        not_stage: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: NetStateRule = NetStateRule::EMPTY; &EMPTY }
    /// [`Self::phase`] or its default.
    pub fn phase(&self) -> Phase { self.phase.unwrap_or(Phase::Train) }
    /// [`Self::min_level`] or its default.
    pub fn min_level(&self) -> i32 { self.min_level.unwrap_or(0) }
    /// [`Self::max_level`] or its default.
    pub fn max_level(&self) -> i32 { self.max_level.unwrap_or(0) }
}

impl Message for NetStateRule {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.phase),
            1 => Slot::Int32(self.min_level.as_slice()),
            2 => Slot::Int32(self.max_level.as_slice()),
            3 => Slot::String(self.stage.as_slice()),
            4 => Slot::String(self.not_stage.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.phase),
            1 => SlotMut::Int32(FieldValues::One(&mut self.min_level)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.max_level)),
            3 => SlotMut::String(FieldValues::Many(&mut self.stage)),
            4 => SlotMut::String(FieldValues::Many(&mut self.not_stage)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `NoiseParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NoiseParameter {
    /// `optional float prob = 1`, `0.0` unless set. Not in Caffe.
    pub prob: Option<f32>,
    /// `optional bool hist_eq = 2`, `False` unless set. Not in Caffe.
    pub hist_eq: Option<bool>,
    /// `optional bool inverse = 3`, `False` unless set. Not in Caffe.
    pub inverse: Option<bool>,
    /// `optional bool decolorize = 4`, `False` unless set. Not in Caffe.
    pub decolorize: Option<bool>,
    /// `optional bool gauss_blur = 5`, `False` unless set. Not in Caffe.
    pub gauss_blur: Option<bool>,
    /// `optional float jpeg = 6`, `-1.0` unless set. Not in Caffe.
    pub jpeg: Option<f32>,
    /// `optional bool posterize = 7`, `False` unless set. Not in Caffe.
    pub posterize: Option<bool>,
    /// `optional bool erode = 8`, `False` unless set. Not in Caffe.
    pub erode: Option<bool>,
    /// `optional bool saltpepper = 9`, `False` unless set. Not in Caffe.
    pub saltpepper: Option<bool>,
    /// `optional SaltPepperParameter saltpepper_param = 10`. Not in Caffe.
    pub saltpepper_param: Option<SaltPepperParameter>,
    /// `optional bool clahe = 11`, `False` unless set. Not in Caffe.
    pub clahe: Option<bool>,
    /// `optional bool convert_to_hsv = 12`, `False` unless set. Not in Caffe.
    pub convert_to_hsv: Option<bool>,
    /// `optional bool convert_to_lab = 13`, `False` unless set. Not in Caffe.
    pub convert_to_lab: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl NoiseParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "NoiseParameter",
        new: || Box::new(NoiseParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "prob", FieldType::Float),
            optional(2, "hist_eq", FieldType::Bool),
            optional(3, "inverse", FieldType::Bool),
            optional(4, "decolorize", FieldType::Bool),
            optional(5, "gauss_blur", FieldType::Bool),
            optional(6, "jpeg", FieldType::Float),
            optional(7, "posterize", FieldType::Bool),
            optional(8, "erode", FieldType::Bool),
            optional(9, "saltpepper", FieldType::Bool),
            optional(10, "saltpepper_param", FieldType::Message(SaltPepperParameter::KIND)),
            optional(11, "clahe", FieldType::Bool),
            optional(12, "convert_to_hsv", FieldType::Bool),
            optional(13, "convert_to_lab", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        prob: None,
        hist_eq: None,
        inverse: None,
        decolorize: None,
        gauss_blur: None,
        jpeg: None,
        posterize: None,
        erode: None,
        saltpepper: None,
        saltpepper_param: None,
        clahe: None,
        convert_to_hsv: None,
        convert_to_lab: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: NoiseParameter = NoiseParameter::EMPTY; &EMPTY }
    /// [`Self::prob`] or its default.
    pub fn prob(&self) -> f32 { self.prob.unwrap_or(0.0) }
    /// [`Self::hist_eq`] or its default.
    pub fn hist_eq(&self) -> bool { self.hist_eq.unwrap_or(false) }
    /// [`Self::inverse`] or its default.
    pub fn inverse(&self) -> bool { self.inverse.unwrap_or(false) }
    /// [`Self::decolorize`] or its default.
    pub fn decolorize(&self) -> bool { self.decolorize.unwrap_or(false) }
    /// [`Self::gauss_blur`] or its default.
    pub fn gauss_blur(&self) -> bool { self.gauss_blur.unwrap_or(false) }
    /// [`Self::jpeg`] or its default.
    pub fn jpeg(&self) -> f32 { self.jpeg.unwrap_or(-1.0) }
    /// [`Self::posterize`] or its default.
    pub fn posterize(&self) -> bool { self.posterize.unwrap_or(false) }
    /// [`Self::erode`] or its default.
    pub fn erode(&self) -> bool { self.erode.unwrap_or(false) }
    /// [`Self::saltpepper`] or its default.
    pub fn saltpepper(&self) -> bool { self.saltpepper.unwrap_or(false) }
    /// [`Self::saltpepper_param`] or its default.
    pub fn saltpepper_param(&self) -> &SaltPepperParameter { self.saltpepper_param.as_ref().unwrap_or(SaltPepperParameter::empty()) }
    /// [`Self::clahe`] or its default.
    pub fn clahe(&self) -> bool { self.clahe.unwrap_or(false) }
    /// [`Self::convert_to_hsv`] or its default.
    pub fn convert_to_hsv(&self) -> bool { self.convert_to_hsv.unwrap_or(false) }
    /// [`Self::convert_to_lab`] or its default.
    pub fn convert_to_lab(&self) -> bool { self.convert_to_lab.unwrap_or(false) }
}

impl Message for NoiseParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.prob.as_slice()),
            1 => Slot::Bool(self.hist_eq.as_slice()),
            2 => Slot::Bool(self.inverse.as_slice()),
            3 => Slot::Bool(self.decolorize.as_slice()),
            4 => Slot::Bool(self.gauss_blur.as_slice()),
            5 => Slot::Float(self.jpeg.as_slice()),
            6 => Slot::Bool(self.posterize.as_slice()),
            7 => Slot::Bool(self.erode.as_slice()),
            8 => Slot::Bool(self.saltpepper.as_slice()),
            9 => Slot::Message(&self.saltpepper_param),
            10 => Slot::Bool(self.clahe.as_slice()),
            11 => Slot::Bool(self.convert_to_hsv.as_slice()),
            12 => Slot::Bool(self.convert_to_lab.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.prob)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.hist_eq)),
            2 => SlotMut::Bool(FieldValues::One(&mut self.inverse)),
            3 => SlotMut::Bool(FieldValues::One(&mut self.decolorize)),
            4 => SlotMut::Bool(FieldValues::One(&mut self.gauss_blur)),
            5 => SlotMut::Float(FieldValues::One(&mut self.jpeg)),
            6 => SlotMut::Bool(FieldValues::One(&mut self.posterize)),
            7 => SlotMut::Bool(FieldValues::One(&mut self.erode)),
            8 => SlotMut::Bool(FieldValues::One(&mut self.saltpepper)),
            9 => SlotMut::Message(&mut self.saltpepper_param),
            10 => SlotMut::Bool(FieldValues::One(&mut self.clahe)),
            11 => SlotMut::Bool(FieldValues::One(&mut self.convert_to_hsv)),
            12 => SlotMut::Bool(FieldValues::One(&mut self.convert_to_lab)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `NonMaximumSuppressionParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NonMaximumSuppressionParameter {
    /// `optional float nms_threshold = 1`, `0.3` unless set. Not in Caffe.
    pub nms_threshold: Option<f32>,
    /// `optional int32 top_k = 2`. Not in Caffe.
    pub top_k: Option<i32>,
    /// `optional float eta = 3`, `1.0` unless set. Not in Caffe.
    pub eta: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl NonMaximumSuppressionParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "NonMaximumSuppressionParameter",
        new: || Box::new(NonMaximumSuppressionParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "nms_threshold", FieldType::Float),
            optional(2, "top_k", FieldType::Int32),
            optional(3, "eta", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        nms_threshold: None,
        top_k: None,
        eta: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: NonMaximumSuppressionParameter = NonMaximumSuppressionParameter::EMPTY; &EMPTY }
    /// [`Self::nms_threshold`] or its default.
    pub fn nms_threshold(&self) -> f32 { self.nms_threshold.unwrap_or(0.3) }
    /// [`Self::top_k`] or its default.
    pub fn top_k(&self) -> i32 { self.top_k.unwrap_or(0) }
    /// [`Self::eta`] or its default.
    pub fn eta(&self) -> f32 { self.eta.unwrap_or(1.0) }
}

impl Message for NonMaximumSuppressionParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.nms_threshold.as_slice()),
            1 => Slot::Int32(self.top_k.as_slice()),
            2 => Slot::Float(self.eta.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.nms_threshold)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.top_k)),
            2 => SlotMut::Float(FieldValues::One(&mut self.eta)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `NormalizeParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NormalizeParameter {
    /// `optional bool across_spatial = 1`, `True` unless set. Not in Caffe.
    pub across_spatial: Option<bool>,
    /// `optional FillerParameter scale_filler = 2`. Not in Caffe.
    pub scale_filler: Option<FillerParameter>,
    /// `optional bool channel_shared = 3`, `True` unless set. Not in Caffe.
    pub channel_shared: Option<bool>,
    /// `optional float eps = 4`, `1e-10` unless set. Not in Caffe.
    pub eps: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl NormalizeParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "NormalizeParameter",
        new: || Box::new(NormalizeParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "across_spatial", FieldType::Bool),
            optional(2, "scale_filler", FieldType::Message(FillerParameter::KIND)),
            optional(3, "channel_shared", FieldType::Bool),
            optional(4, "eps", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        across_spatial: None,
        scale_filler: None,
        channel_shared: None,
        eps: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: NormalizeParameter = NormalizeParameter::EMPTY; &EMPTY }
    /// [`Self::across_spatial`] or its default.
    pub fn across_spatial(&self) -> bool { self.across_spatial.unwrap_or(true) }
    /// [`Self::scale_filler`] or its default.
    pub fn scale_filler(&self) -> &FillerParameter { self.scale_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::channel_shared`] or its default.
    pub fn channel_shared(&self) -> bool { self.channel_shared.unwrap_or(true) }
    /// [`Self::eps`] or its default.
    pub fn eps(&self) -> f32 { self.eps.unwrap_or(1e-10) }
}

impl Message for NormalizeParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Bool(self.across_spatial.as_slice()),
            1 => Slot::Message(&self.scale_filler),
            2 => Slot::Bool(self.channel_shared.as_slice()),
            3 => Slot::Float(self.eps.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Bool(FieldValues::One(&mut self.across_spatial)),
            1 => SlotMut::Message(&mut self.scale_filler),
            2 => SlotMut::Bool(FieldValues::One(&mut self.channel_shared)),
            3 => SlotMut::Float(FieldValues::One(&mut self.eps)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `PReLUParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PReLUParameter {
    /// `optional FillerParameter filler = 1`.
    pub filler: Option<FillerParameter>,
    /// `optional bool channel_shared = 2`, `False` unless set.
    pub channel_shared: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl PReLUParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "PReLUParameter",
        new: || Box::new(PReLUParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "filler", FieldType::Message(FillerParameter::KIND)),
            optional(2, "channel_shared", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        filler: None,
        channel_shared: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: PReLUParameter = PReLUParameter::EMPTY; &EMPTY }
    /// [`Self::filler`] or its default.
    pub fn filler(&self) -> &FillerParameter { self.filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::channel_shared`] or its default.
    pub fn channel_shared(&self) -> bool { self.channel_shared.unwrap_or(false) }
}

impl Message for PReLUParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Message(&self.filler),
            1 => Slot::Bool(self.channel_shared.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Message(&mut self.filler),
            1 => SlotMut::Bool(FieldValues::One(&mut self.channel_shared)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `PSROIPoolingParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PSROIPoolingParameter {
    /// `required float spatial_scale = 1`. Not in Caffe.
    pub spatial_scale: Option<f32>,
    /// `required int32 output_dim = 2`. Not in Caffe.
    pub output_dim: Option<i32>,
    /// `required int32 group_size = 3`. Not in Caffe.
    pub group_size: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl PSROIPoolingParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "PSROIPoolingParameter",
        new: || Box::new(PSROIPoolingParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            required(1, "spatial_scale", FieldType::Float),
            required(2, "output_dim", FieldType::Int32),
            required(3, "group_size", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        spatial_scale: None,
        output_dim: None,
        group_size: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: PSROIPoolingParameter = PSROIPoolingParameter::EMPTY; &EMPTY }
    /// [`Self::spatial_scale`] or its default.
    pub fn spatial_scale(&self) -> f32 { self.spatial_scale.unwrap_or(0.0) }
    /// [`Self::output_dim`] or its default.
    pub fn output_dim(&self) -> i32 { self.output_dim.unwrap_or(0) }
    /// [`Self::group_size`] or its default.
    pub fn group_size(&self) -> i32 { self.group_size.unwrap_or(0) }
}

impl Message for PSROIPoolingParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.spatial_scale.as_slice()),
            1 => Slot::Int32(self.output_dim.as_slice()),
            2 => Slot::Int32(self.group_size.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.spatial_scale)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.output_dim)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.group_size)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ParamSpec`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParamSpec {
    /// `optional string name = 1`.
    pub name: Option<String>,
    /// `optional enum ParamSpec.DimCheckMode share_mode = 2`.
    pub share_mode: Option<ParamSpecDimCheckMode>,
    /// `optional float lr_mult = 3`, `1.0` unless set.
    pub lr_mult: Option<f32>,
    /// `optional float decay_mult = 4`, `1.0` unless set.
    pub decay_mult: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ParamSpec {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ParamSpec",
        new: || Box::new(ParamSpec::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "name", FieldType::String),
            optional(2, "share_mode", FieldType::Enum(ParamSpecDimCheckMode::KIND)),
            optional(3, "lr_mult", FieldType::Float),
            optional(4, "decay_mult", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        name: None,
        share_mode: None,
        lr_mult: None,
        decay_mult: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ParamSpec = ParamSpec::EMPTY; &EMPTY }
    /// [`Self::name`] or its default.
    pub fn name(&self) -> &str { self.name.as_deref().unwrap_or("") }
    /// [`Self::share_mode`] or its default.
    pub fn share_mode(&self) -> ParamSpecDimCheckMode { self.share_mode.unwrap_or(ParamSpecDimCheckMode::Strict) }
    /// [`Self::lr_mult`] or its default.
    pub fn lr_mult(&self) -> f32 { self.lr_mult.unwrap_or(1.0) }
    /// [`Self::decay_mult`] or its default.
    pub fn decay_mult(&self) -> f32 { self.decay_mult.unwrap_or(1.0) }
}

impl Message for ParamSpec {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.name.as_slice()),
            1 => Slot::Enum(&self.share_mode),
            2 => Slot::Float(self.lr_mult.as_slice()),
            3 => Slot::Float(self.decay_mult.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.name)),
            1 => SlotMut::Enum(&mut self.share_mode),
            2 => SlotMut::Float(FieldValues::One(&mut self.lr_mult)),
            3 => SlotMut::Float(FieldValues::One(&mut self.decay_mult)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ParameterParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParameterParameter {
    /// `optional BlobShape shape = 1`.
    pub shape: Option<BlobShape>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ParameterParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ParameterParameter",
        new: || Box::new(ParameterParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "shape", FieldType::Message(BlobShape::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        shape: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ParameterParameter = ParameterParameter::EMPTY; &EMPTY }
    /// [`Self::shape`] or its default.
    pub fn shape(&self) -> &BlobShape { self.shape.as_ref().unwrap_or(BlobShape::empty()) }
}

impl Message for ParameterParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Message(&self.shape),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Message(&mut self.shape),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `PermuteParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PermuteParameter {
    /// `repeated uint32 order = 1`. Not in Caffe.
    pub order: Vec<u32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl PermuteParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "PermuteParameter",
        new: || Box::new(PermuteParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            repeated(1, "order", FieldType::Uint32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        order: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: PermuteParameter = PermuteParameter::EMPTY; &EMPTY }
}

impl Message for PermuteParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.order.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::Many(&mut self.order)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `PoolingParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PoolingParameter {
    /// `optional enum PoolingParameter.PoolMethod pool = 1`, `MAX` unless set.
    pub pool: Option<PoolingParameterPoolMethod>,
    /// `optional uint32 kernel_size = 2`.
    pub kernel_size: Option<u32>,
    /// `optional uint32 stride = 3`, `1` unless set.
    pub stride: Option<u32>,
    /// `optional uint32 pad = 4`, `0` unless set.
    pub pad: Option<u32>,
    /// `optional uint32 kernel_h = 5`.
    pub kernel_h: Option<u32>,
    /// `optional uint32 kernel_w = 6`.
    pub kernel_w: Option<u32>,
    /// `optional uint32 stride_h = 7`.
    pub stride_h: Option<u32>,
    /// `optional uint32 stride_w = 8`.
    pub stride_w: Option<u32>,
    /// `optional uint32 pad_h = 9`, `0` unless set.
    pub pad_h: Option<u32>,
    /// `optional uint32 pad_w = 10`, `0` unless set.
    pub pad_w: Option<u32>,
    /// `optional enum PoolingParameter.Engine engine = 11`, `DEFAULT` unless set.
    pub engine: Option<PoolingParameterEngine>,
    /// `optional bool global_pooling = 12`, `False` unless set.
    pub global_pooling: Option<bool>,
    /// `optional enum PoolingParameter.RoundMode round_mode = 13`, `CEIL` unless set.
    pub round_mode: Option<PoolingParameterRoundMode>,
    /// `optional uint32 pad_l = 1001`, `0` unless set. Not in Caffe.
    pub pad_l: Option<u32>,
    /// `optional uint32 pad_r = 1002`, `0` unless set. Not in Caffe.
    pub pad_r: Option<u32>,
    /// `optional uint32 pad_t = 1003`, `0` unless set. Not in Caffe.
    pub pad_t: Option<u32>,
    /// `optional uint32 pad_b = 1004`, `0` unless set. Not in Caffe.
    pub pad_b: Option<u32>,
    /// `optional bool ceil_mode = 1005`, `True` unless set. Not in Caffe.
    pub ceil_mode: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl PoolingParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "PoolingParameter",
        new: || Box::new(PoolingParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "pool", FieldType::Enum(PoolingParameterPoolMethod::KIND)),
            optional(2, "kernel_size", FieldType::Uint32),
            optional(3, "stride", FieldType::Uint32),
            optional(4, "pad", FieldType::Uint32),
            optional(5, "kernel_h", FieldType::Uint32),
            optional(6, "kernel_w", FieldType::Uint32),
            optional(7, "stride_h", FieldType::Uint32),
            optional(8, "stride_w", FieldType::Uint32),
            optional(9, "pad_h", FieldType::Uint32),
            optional(10, "pad_w", FieldType::Uint32),
            optional(11, "engine", FieldType::Enum(PoolingParameterEngine::KIND)),
            optional(12, "global_pooling", FieldType::Bool),
            optional(13, "round_mode", FieldType::Enum(PoolingParameterRoundMode::KIND)),
            optional(1001, "pad_l", FieldType::Uint32),
            optional(1002, "pad_r", FieldType::Uint32),
            optional(1003, "pad_t", FieldType::Uint32),
            optional(1004, "pad_b", FieldType::Uint32),
            optional(1005, "ceil_mode", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        pool: None,
        kernel_size: None,
        stride: None,
        pad: None,
        kernel_h: None,
        kernel_w: None,
        stride_h: None,
        stride_w: None,
        pad_h: None,
        pad_w: None,
        engine: None,
        global_pooling: None,
        round_mode: None,
        pad_l: None,
        pad_r: None,
        pad_t: None,
        pad_b: None,
        ceil_mode: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: PoolingParameter = PoolingParameter::EMPTY; &EMPTY }
    /// [`Self::pool`] or its default.
    pub fn pool(&self) -> PoolingParameterPoolMethod { self.pool.unwrap_or(PoolingParameterPoolMethod::Max) }
    /// [`Self::kernel_size`] or its default.
    pub fn kernel_size(&self) -> u32 { self.kernel_size.unwrap_or(0) }
    /// [`Self::stride`] or its default.
    pub fn stride(&self) -> u32 { self.stride.unwrap_or(1) }
    /// [`Self::pad`] or its default.
    pub fn pad(&self) -> u32 { self.pad.unwrap_or(0) }
    /// [`Self::kernel_h`] or its default.
    pub fn kernel_h(&self) -> u32 { self.kernel_h.unwrap_or(0) }
    /// [`Self::kernel_w`] or its default.
    pub fn kernel_w(&self) -> u32 { self.kernel_w.unwrap_or(0) }
    /// [`Self::stride_h`] or its default.
    pub fn stride_h(&self) -> u32 { self.stride_h.unwrap_or(0) }
    /// [`Self::stride_w`] or its default.
    pub fn stride_w(&self) -> u32 { self.stride_w.unwrap_or(0) }
    /// [`Self::pad_h`] or its default.
    pub fn pad_h(&self) -> u32 { self.pad_h.unwrap_or(0) }
    /// [`Self::pad_w`] or its default.
    pub fn pad_w(&self) -> u32 { self.pad_w.unwrap_or(0) }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> PoolingParameterEngine { self.engine.unwrap_or(PoolingParameterEngine::Default) }
    /// [`Self::global_pooling`] or its default.
    pub fn global_pooling(&self) -> bool { self.global_pooling.unwrap_or(false) }
    /// [`Self::round_mode`] or its default.
    pub fn round_mode(&self) -> PoolingParameterRoundMode { self.round_mode.unwrap_or(PoolingParameterRoundMode::Ceil) }
    /// [`Self::pad_l`] or its default.
    pub fn pad_l(&self) -> u32 { self.pad_l.unwrap_or(0) }
    /// [`Self::pad_r`] or its default.
    pub fn pad_r(&self) -> u32 { self.pad_r.unwrap_or(0) }
    /// [`Self::pad_t`] or its default.
    pub fn pad_t(&self) -> u32 { self.pad_t.unwrap_or(0) }
    /// [`Self::pad_b`] or its default.
    pub fn pad_b(&self) -> u32 { self.pad_b.unwrap_or(0) }
    /// [`Self::ceil_mode`] or its default.
    pub fn ceil_mode(&self) -> bool { self.ceil_mode.unwrap_or(true) }
}

impl Message for PoolingParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.pool),
            1 => Slot::Uint32(self.kernel_size.as_slice()),
            2 => Slot::Uint32(self.stride.as_slice()),
            3 => Slot::Uint32(self.pad.as_slice()),
            4 => Slot::Uint32(self.kernel_h.as_slice()),
            5 => Slot::Uint32(self.kernel_w.as_slice()),
            6 => Slot::Uint32(self.stride_h.as_slice()),
            7 => Slot::Uint32(self.stride_w.as_slice()),
            8 => Slot::Uint32(self.pad_h.as_slice()),
            9 => Slot::Uint32(self.pad_w.as_slice()),
            10 => Slot::Enum(&self.engine),
            11 => Slot::Bool(self.global_pooling.as_slice()),
            12 => Slot::Enum(&self.round_mode),
            13 => Slot::Uint32(self.pad_l.as_slice()),
            14 => Slot::Uint32(self.pad_r.as_slice()),
            15 => Slot::Uint32(self.pad_t.as_slice()),
            16 => Slot::Uint32(self.pad_b.as_slice()),
            17 => Slot::Bool(self.ceil_mode.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.pool),
            1 => SlotMut::Uint32(FieldValues::One(&mut self.kernel_size)),
            2 => SlotMut::Uint32(FieldValues::One(&mut self.stride)),
            3 => SlotMut::Uint32(FieldValues::One(&mut self.pad)),
            4 => SlotMut::Uint32(FieldValues::One(&mut self.kernel_h)),
            5 => SlotMut::Uint32(FieldValues::One(&mut self.kernel_w)),
            6 => SlotMut::Uint32(FieldValues::One(&mut self.stride_h)),
            7 => SlotMut::Uint32(FieldValues::One(&mut self.stride_w)),
            8 => SlotMut::Uint32(FieldValues::One(&mut self.pad_h)),
            9 => SlotMut::Uint32(FieldValues::One(&mut self.pad_w)),
            10 => SlotMut::Enum(&mut self.engine),
            11 => SlotMut::Bool(FieldValues::One(&mut self.global_pooling)),
            12 => SlotMut::Enum(&mut self.round_mode),
            13 => SlotMut::Uint32(FieldValues::One(&mut self.pad_l)),
            14 => SlotMut::Uint32(FieldValues::One(&mut self.pad_r)),
            15 => SlotMut::Uint32(FieldValues::One(&mut self.pad_t)),
            16 => SlotMut::Uint32(FieldValues::One(&mut self.pad_b)),
            17 => SlotMut::Bool(FieldValues::One(&mut self.ceil_mode)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `PowerParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PowerParameter {
    /// `optional float power = 1`, `1.0` unless set.
    pub power: Option<f32>,
    /// `optional float scale = 2`, `1.0` unless set.
    pub scale: Option<f32>,
    /// `optional float shift = 3`, `0.0` unless set.
    pub shift: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl PowerParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "PowerParameter",
        new: || Box::new(PowerParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "power", FieldType::Float),
            optional(2, "scale", FieldType::Float),
            optional(3, "shift", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        power: None,
        scale: None,
        shift: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: PowerParameter = PowerParameter::EMPTY; &EMPTY }
    /// [`Self::power`] or its default.
    pub fn power(&self) -> f32 { self.power.unwrap_or(1.0) }
    /// [`Self::scale`] or its default.
    pub fn scale(&self) -> f32 { self.scale.unwrap_or(1.0) }
    /// [`Self::shift`] or its default.
    pub fn shift(&self) -> f32 { self.shift.unwrap_or(0.0) }
}

impl Message for PowerParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.power.as_slice()),
            1 => Slot::Float(self.scale.as_slice()),
            2 => Slot::Float(self.shift.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.power)),
            1 => SlotMut::Float(FieldValues::One(&mut self.scale)),
            2 => SlotMut::Float(FieldValues::One(&mut self.shift)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `PriorBoxParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PriorBoxParameter {
    /// `repeated float min_size = 1`. Not in Caffe.
    pub min_size: Vec<f32>,
    /// `repeated float max_size = 2`. Not in Caffe.
    pub max_size: Vec<f32>,
    /// `repeated float aspect_ratio = 3`. Not in Caffe.
    pub aspect_ratio: Vec<f32>,
    /// `optional bool flip = 4`, `True` unless set. Not in Caffe.
    pub flip: Option<bool>,
    /// `optional bool clip = 5`, `False` unless set. Not in Caffe.
    pub clip: Option<bool>,
    /// `repeated float variance = 6`. Not in Caffe.
    pub variance: Vec<f32>,
    /// `optional uint32 img_size = 7`. Not in Caffe.
    pub img_size: Option<u32>,
    /// `optional uint32 img_h = 8`. Not in Caffe.
    pub img_h: Option<u32>,
    /// `optional uint32 img_w = 9`. Not in Caffe.
    pub img_w: Option<u32>,
    /// `optional float step = 10`. Not in Caffe.
    pub step: Option<f32>,
    /// `optional float step_h = 11`. Not in Caffe.
    pub step_h: Option<f32>,
    /// `optional float step_w = 12`. Not in Caffe.
    pub step_w: Option<f32>,
    /// `optional float offset = 13`, `0.5` unless set. Not in Caffe.
    pub offset: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl PriorBoxParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "PriorBoxParameter",
        new: || Box::new(PriorBoxParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            repeated(1, "min_size", FieldType::Float),
            repeated(2, "max_size", FieldType::Float),
            repeated(3, "aspect_ratio", FieldType::Float),
            optional(4, "flip", FieldType::Bool),
            optional(5, "clip", FieldType::Bool),
            repeated(6, "variance", FieldType::Float),
            optional(7, "img_size", FieldType::Uint32),
            optional(8, "img_h", FieldType::Uint32),
            optional(9, "img_w", FieldType::Uint32),
            optional(10, "step", FieldType::Float),
            optional(11, "step_h", FieldType::Float),
            optional(12, "step_w", FieldType::Float),
            optional(13, "offset", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        min_size: Vec::new(),
        max_size: Vec::new(),
        aspect_ratio: Vec::new(),
        flip: None,
        clip: None,
        variance: Vec::new(),
        img_size: None,
        img_h: None,
        img_w: None,
        step: None,
        step_h: None,
        step_w: None,
        offset: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: PriorBoxParameter = PriorBoxParameter::EMPTY; &EMPTY }
    /// [`Self::flip`] or its default.
    pub fn flip(&self) -> bool { self.flip.unwrap_or(true) }
    /// [`Self::clip`] or its default.
    pub fn clip(&self) -> bool { self.clip.unwrap_or(false) }
    /// [`Self::img_size`] or its default.
    pub fn img_size(&self) -> u32 { self.img_size.unwrap_or(0) }
    /// [`Self::img_h`] or its default.
    pub fn img_h(&self) -> u32 { self.img_h.unwrap_or(0) }
    /// [`Self::img_w`] or its default.
    pub fn img_w(&self) -> u32 { self.img_w.unwrap_or(0) }
    /// [`Self::step`] or its default.
    pub fn step(&self) -> f32 { self.step.unwrap_or(0.0) }
    /// [`Self::step_h`] or its default.
    pub fn step_h(&self) -> f32 { self.step_h.unwrap_or(0.0) }
    /// [`Self::step_w`] or its default.
    pub fn step_w(&self) -> f32 { self.step_w.unwrap_or(0.0) }
    /// [`Self::offset`] or its default.
    pub fn offset(&self) -> f32 { self.offset.unwrap_or(0.5) }
}

impl Message for PriorBoxParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.min_size.as_slice()),
            1 => Slot::Float(self.max_size.as_slice()),
            2 => Slot::Float(self.aspect_ratio.as_slice()),
            3 => Slot::Bool(self.flip.as_slice()),
            4 => Slot::Bool(self.clip.as_slice()),
            5 => Slot::Float(self.variance.as_slice()),
            6 => Slot::Uint32(self.img_size.as_slice()),
            7 => Slot::Uint32(self.img_h.as_slice()),
            8 => Slot::Uint32(self.img_w.as_slice()),
            9 => Slot::Float(self.step.as_slice()),
            10 => Slot::Float(self.step_h.as_slice()),
            11 => Slot::Float(self.step_w.as_slice()),
            12 => Slot::Float(self.offset.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::Many(&mut self.min_size)),
            1 => SlotMut::Float(FieldValues::Many(&mut self.max_size)),
            2 => SlotMut::Float(FieldValues::Many(&mut self.aspect_ratio)),
            3 => SlotMut::Bool(FieldValues::One(&mut self.flip)),
            4 => SlotMut::Bool(FieldValues::One(&mut self.clip)),
            5 => SlotMut::Float(FieldValues::Many(&mut self.variance)),
            6 => SlotMut::Uint32(FieldValues::One(&mut self.img_size)),
            7 => SlotMut::Uint32(FieldValues::One(&mut self.img_h)),
            8 => SlotMut::Uint32(FieldValues::One(&mut self.img_w)),
            9 => SlotMut::Float(FieldValues::One(&mut self.step)),
            10 => SlotMut::Float(FieldValues::One(&mut self.step_h)),
            11 => SlotMut::Float(FieldValues::One(&mut self.step_w)),
            12 => SlotMut::Float(FieldValues::One(&mut self.offset)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `PythonParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PythonParameter {
    /// `optional string module = 1`.
    pub module: Option<String>,
    /// `optional string layer = 2`.
    pub layer: Option<String>,
    /// `optional string param_str = 3`.
    pub param_str: Option<String>,
    /// `optional bool share_in_parallel = 4`, `False` unless set.
    pub share_in_parallel: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl PythonParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "PythonParameter",
        new: || Box::new(PythonParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "module", FieldType::String),
            optional(2, "layer", FieldType::String),
            optional(3, "param_str", FieldType::String),
            optional(4, "share_in_parallel", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        module: None,
        layer: None,
        param_str: None,
        share_in_parallel: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: PythonParameter = PythonParameter::EMPTY; &EMPTY }
    /// [`Self::module`] or its default.
    pub fn module(&self) -> &str { self.module.as_deref().unwrap_or("") }
    /// [`Self::layer`] or its default.
    pub fn layer(&self) -> &str { self.layer.as_deref().unwrap_or("") }
    /// [`Self::param_str`] or its default.
    pub fn param_str(&self) -> &str { self.param_str.as_deref().unwrap_or("") }
    /// [`Self::share_in_parallel`] or its default.
    pub fn share_in_parallel(&self) -> bool { self.share_in_parallel.unwrap_or(false) }
}

impl Message for PythonParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.module.as_slice()),
            1 => Slot::String(self.layer.as_slice()),
            2 => Slot::String(self.param_str.as_slice()),
            3 => Slot::Bool(self.share_in_parallel.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.module)),
            1 => SlotMut::String(FieldValues::One(&mut self.layer)),
            2 => SlotMut::String(FieldValues::One(&mut self.param_str)),
            3 => SlotMut::Bool(FieldValues::One(&mut self.share_in_parallel)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ROIPoolingParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ROIPoolingParameter {
    /// `optional uint32 pooled_h = 1`, `0` unless set. Not in Caffe.
    pub pooled_h: Option<u32>,
    /// `optional uint32 pooled_w = 2`, `0` unless set. Not in Caffe.
    pub pooled_w: Option<u32>,
    /// `optional float spatial_scale = 3`, `1.0` unless set. Not in Caffe.
    pub spatial_scale: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ROIPoolingParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ROIPoolingParameter",
        new: || Box::new(ROIPoolingParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "pooled_h", FieldType::Uint32),
            optional(2, "pooled_w", FieldType::Uint32),
            optional(3, "spatial_scale", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        pooled_h: None,
        pooled_w: None,
        spatial_scale: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ROIPoolingParameter = ROIPoolingParameter::EMPTY; &EMPTY }
    /// [`Self::pooled_h`] or its default.
    pub fn pooled_h(&self) -> u32 { self.pooled_h.unwrap_or(0) }
    /// [`Self::pooled_w`] or its default.
    pub fn pooled_w(&self) -> u32 { self.pooled_w.unwrap_or(0) }
    /// [`Self::spatial_scale`] or its default.
    pub fn spatial_scale(&self) -> f32 { self.spatial_scale.unwrap_or(1.0) }
}

impl Message for ROIPoolingParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.pooled_h.as_slice()),
            1 => Slot::Uint32(self.pooled_w.as_slice()),
            2 => Slot::Float(self.spatial_scale.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.pooled_h)),
            1 => SlotMut::Uint32(FieldValues::One(&mut self.pooled_w)),
            2 => SlotMut::Float(FieldValues::One(&mut self.spatial_scale)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `RandomResizedCropParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RandomResizedCropParameter {
    /// `optional float min_area = 1`, `0.08` unless set. Not in Caffe.
    pub min_area: Option<f32>,
    /// `optional float max_area = 2`, `1.0` unless set. Not in Caffe.
    pub max_area: Option<f32>,
    /// `optional float max_aspect_ratio = 3`, `1.3333334` unless set. Not in Caffe.
    pub max_aspect_ratio: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl RandomResizedCropParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "RandomResizedCropParameter",
        new: || Box::new(RandomResizedCropParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "min_area", FieldType::Float),
            optional(2, "max_area", FieldType::Float),
            optional(3, "max_aspect_ratio", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        min_area: None,
        max_area: None,
        max_aspect_ratio: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: RandomResizedCropParameter = RandomResizedCropParameter::EMPTY; &EMPTY }
    /// [`Self::min_area`] or its default.
    pub fn min_area(&self) -> f32 { self.min_area.unwrap_or(0.08) }
    /// [`Self::max_area`] or its default.
    pub fn max_area(&self) -> f32 { self.max_area.unwrap_or(1.0) }
    /// [`Self::max_aspect_ratio`] or its default.
    pub fn max_aspect_ratio(&self) -> f32 { self.max_aspect_ratio.unwrap_or(1.3333334) }
}

impl Message for RandomResizedCropParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.min_area.as_slice()),
            1 => Slot::Float(self.max_area.as_slice()),
            2 => Slot::Float(self.max_aspect_ratio.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.min_area)),
            1 => SlotMut::Float(FieldValues::One(&mut self.max_area)),
            2 => SlotMut::Float(FieldValues::One(&mut self.max_aspect_ratio)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ReLU6Parameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReLU6Parameter {
    /// `optional enum ReLU6Parameter.Engine engine = 1`, `DEFAULT` unless set. Not in Caffe.
    pub engine: Option<ReLU6ParameterEngine>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ReLU6Parameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ReLU6Parameter",
        new: || Box::new(ReLU6Parameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "engine", FieldType::Enum(ReLU6ParameterEngine::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        engine: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ReLU6Parameter = ReLU6Parameter::EMPTY; &EMPTY }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> ReLU6ParameterEngine { self.engine.unwrap_or(ReLU6ParameterEngine::Default) }
}

impl Message for ReLU6Parameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ReLUParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReLUParameter {
    /// `optional float negative_slope = 1`, `0.0` unless set.
    pub negative_slope: Option<f32>,
    /// `optional enum ReLUParameter.Engine engine = 2`, `DEFAULT` unless set.
    pub engine: Option<ReLUParameterEngine>,
    /// `optional bool relu6 = 1001`, `False` unless set. Not in Caffe.
    pub relu6: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ReLUParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ReLUParameter",
        new: || Box::new(ReLUParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "negative_slope", FieldType::Float),
            optional(2, "engine", FieldType::Enum(ReLUParameterEngine::KIND)),
            optional(1001, "relu6", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        negative_slope: None,
        engine: None,
        relu6: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ReLUParameter = ReLUParameter::EMPTY; &EMPTY }
    /// [`Self::negative_slope`] or its default.
    pub fn negative_slope(&self) -> f32 { self.negative_slope.unwrap_or(0.0) }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> ReLUParameterEngine { self.engine.unwrap_or(ReLUParameterEngine::Default) }
    /// [`Self::relu6`] or its default.
    pub fn relu6(&self) -> bool { self.relu6.unwrap_or(false) }
}

impl Message for ReLUParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.negative_slope.as_slice()),
            1 => Slot::Enum(&self.engine),
            2 => Slot::Bool(self.relu6.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.negative_slope)),
            1 => SlotMut::Enum(&mut self.engine),
            2 => SlotMut::Bool(FieldValues::One(&mut self.relu6)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `RecurrentParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecurrentParameter {
    /// `optional uint32 num_output = 1`, `0` unless set.
    pub num_output: Option<u32>,
    /// `optional FillerParameter weight_filler = 2`.
    pub weight_filler: Option<FillerParameter>,
    /// `optional FillerParameter bias_filler = 3`.
    pub bias_filler: Option<FillerParameter>,
    /// `optional bool debug_info = 4`, `False` unless set.
    pub debug_info: Option<bool>,
    /// `optional bool expose_hidden = 5`, `False` unless set.
    pub expose_hidden: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl RecurrentParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "RecurrentParameter",
        new: || Box::new(RecurrentParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "num_output", FieldType::Uint32),
            optional(2, "weight_filler", FieldType::Message(FillerParameter::KIND)),
            optional(3, "bias_filler", FieldType::Message(FillerParameter::KIND)),
            optional(4, "debug_info", FieldType::Bool),
            optional(5, "expose_hidden", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        num_output: None,
        weight_filler: None,
        bias_filler: None,
        debug_info: None,
        expose_hidden: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: RecurrentParameter = RecurrentParameter::EMPTY; &EMPTY }
    /// [`Self::num_output`] or its default.
    pub fn num_output(&self) -> u32 { self.num_output.unwrap_or(0) }
    /// [`Self::weight_filler`] or its default.
    pub fn weight_filler(&self) -> &FillerParameter { self.weight_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::bias_filler`] or its default.
    pub fn bias_filler(&self) -> &FillerParameter { self.bias_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::debug_info`] or its default.
    pub fn debug_info(&self) -> bool { self.debug_info.unwrap_or(false) }
    /// [`Self::expose_hidden`] or its default.
    pub fn expose_hidden(&self) -> bool { self.expose_hidden.unwrap_or(false) }
}

impl Message for RecurrentParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.num_output.as_slice()),
            1 => Slot::Message(&self.weight_filler),
            2 => Slot::Message(&self.bias_filler),
            3 => Slot::Bool(self.debug_info.as_slice()),
            4 => Slot::Bool(self.expose_hidden.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.num_output)),
            1 => SlotMut::Message(&mut self.weight_filler),
            2 => SlotMut::Message(&mut self.bias_filler),
            3 => SlotMut::Bool(FieldValues::One(&mut self.debug_info)),
            4 => SlotMut::Bool(FieldValues::One(&mut self.expose_hidden)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ReductionParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReductionParameter {
    /// `optional enum ReductionParameter.ReductionOp operation = 1`, `SUM` unless set.
    pub operation: Option<ReductionParameterReductionOp>,
    /// `optional int32 axis = 2`, `0` unless set.
    pub axis: Option<i32>,
    /// `optional float coeff = 3`, `1.0` unless set.
    pub coeff: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ReductionParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ReductionParameter",
        new: || Box::new(ReductionParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "operation", FieldType::Enum(ReductionParameterReductionOp::KIND)),
            optional(2, "axis", FieldType::Int32),
            optional(3, "coeff", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        operation: None,
        axis: None,
        coeff: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ReductionParameter = ReductionParameter::EMPTY; &EMPTY }
    /// [`Self::operation`] or its default.
    pub fn operation(&self) -> ReductionParameterReductionOp { self.operation.unwrap_or(ReductionParameterReductionOp::Sum) }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(0) }
    /// [`Self::coeff`] or its default.
    pub fn coeff(&self) -> f32 { self.coeff.unwrap_or(1.0) }
}

impl Message for ReductionParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.operation),
            1 => Slot::Int32(self.axis.as_slice()),
            2 => Slot::Float(self.coeff.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.operation),
            1 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            2 => SlotMut::Float(FieldValues::One(&mut self.coeff)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ReshapeParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReshapeParameter {
    /// `optional BlobShape shape = 1`.
    pub shape: Option<BlobShape>,
    /// `optional int32 axis = 2`, `0` unless set.
    pub axis: Option<i32>,
    /// `optional int32 num_axes = 3`, `-1` unless set.
    pub num_axes: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ReshapeParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ReshapeParameter",
        new: || Box::new(ReshapeParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "shape", FieldType::Message(BlobShape::KIND)),
            optional(2, "axis", FieldType::Int32),
            optional(3, "num_axes", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        shape: None,
        axis: None,
        num_axes: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ReshapeParameter = ReshapeParameter::EMPTY; &EMPTY }
    /// [`Self::shape`] or its default.
    pub fn shape(&self) -> &BlobShape { self.shape.as_ref().unwrap_or(BlobShape::empty()) }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(0) }
    /// [`Self::num_axes`] or its default.
    pub fn num_axes(&self) -> i32 { self.num_axes.unwrap_or(-1) }
}

impl Message for ReshapeParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Message(&self.shape),
            1 => Slot::Int32(self.axis.as_slice()),
            2 => Slot::Int32(self.num_axes.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Message(&mut self.shape),
            1 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.num_axes)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ResizeParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResizeParameter {
    /// `optional float prob = 1`, `1.0` unless set. Not in Caffe.
    pub prob: Option<f32>,
    /// `optional enum ResizeParameter.ResizeMode resize_mode = 2`, `WARP` unless set. Not in Caffe.
    pub resize_mode: Option<ResizeParameterResizeMode>,
    /// `optional uint32 height = 3`, `0` unless set. Not in Caffe.
    pub height: Option<u32>,
    /// `optional uint32 width = 4`, `0` unless set. Not in Caffe.
    pub width: Option<u32>,
    /// `optional uint32 height_scale = 5`, `0` unless set. Not in Caffe.
    pub height_scale: Option<u32>,
    /// `optional uint32 width_scale = 6`, `0` unless set. Not in Caffe.
    pub width_scale: Option<u32>,
    /// `optional enum ResizeParameter.PadMode pad_mode = 7`, `CONSTANT` unless set. Not in Caffe.
    pub pad_mode: Option<ResizeParameterPadMode>,
    /// `repeated float pad_value = 8`. Not in Caffe.
    pub pad_value: Vec<f32>,
    /// `repeated enum ResizeParameter.InterpMode interp_mode = 9`. Not in Caffe.
    pub interp_mode: Vec<ResizeParameterInterpMode>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ResizeParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ResizeParameter",
        new: || Box::new(ResizeParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "prob", FieldType::Float),
            optional(2, "resize_mode", FieldType::Enum(ResizeParameterResizeMode::KIND)),
            optional(3, "height", FieldType::Uint32),
            optional(4, "width", FieldType::Uint32),
            optional(5, "height_scale", FieldType::Uint32),
            optional(6, "width_scale", FieldType::Uint32),
            optional(7, "pad_mode", FieldType::Enum(ResizeParameterPadMode::KIND)),
            repeated(8, "pad_value", FieldType::Float),
            repeated(9, "interp_mode", FieldType::Enum(ResizeParameterInterpMode::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        prob: None,
        resize_mode: None,
        height: None,
        width: None,
        height_scale: None,
        width_scale: None,
        pad_mode: None,
        pad_value: Vec::new(),
        interp_mode: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ResizeParameter = ResizeParameter::EMPTY; &EMPTY }
    /// [`Self::prob`] or its default.
    pub fn prob(&self) -> f32 { self.prob.unwrap_or(1.0) }
    /// [`Self::resize_mode`] or its default.
    pub fn resize_mode(&self) -> ResizeParameterResizeMode { self.resize_mode.unwrap_or(ResizeParameterResizeMode::Warp) }
    /// [`Self::height`] or its default.
    pub fn height(&self) -> u32 { self.height.unwrap_or(0) }
    /// [`Self::width`] or its default.
    pub fn width(&self) -> u32 { self.width.unwrap_or(0) }
    /// [`Self::height_scale`] or its default.
    pub fn height_scale(&self) -> u32 { self.height_scale.unwrap_or(0) }
    /// [`Self::width_scale`] or its default.
    pub fn width_scale(&self) -> u32 { self.width_scale.unwrap_or(0) }
    /// [`Self::pad_mode`] or its default.
    pub fn pad_mode(&self) -> ResizeParameterPadMode { self.pad_mode.unwrap_or(ResizeParameterPadMode::Constant) }
}

impl Message for ResizeParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.prob.as_slice()),
            1 => Slot::Enum(&self.resize_mode),
            2 => Slot::Uint32(self.height.as_slice()),
            3 => Slot::Uint32(self.width.as_slice()),
            4 => Slot::Uint32(self.height_scale.as_slice()),
            5 => Slot::Uint32(self.width_scale.as_slice()),
            6 => Slot::Enum(&self.pad_mode),
            7 => Slot::Float(self.pad_value.as_slice()),
            8 => Slot::Enum(&self.interp_mode),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.prob)),
            1 => SlotMut::Enum(&mut self.resize_mode),
            2 => SlotMut::Uint32(FieldValues::One(&mut self.height)),
            3 => SlotMut::Uint32(FieldValues::One(&mut self.width)),
            4 => SlotMut::Uint32(FieldValues::One(&mut self.height_scale)),
            5 => SlotMut::Uint32(FieldValues::One(&mut self.width_scale)),
            6 => SlotMut::Enum(&mut self.pad_mode),
            7 => SlotMut::Float(FieldValues::Many(&mut self.pad_value)),
            8 => SlotMut::Enum(&mut self.interp_mode),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SPPParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SPPParameter {
    /// `optional uint32 pyramid_height = 1`.
    pub pyramid_height: Option<u32>,
    /// `optional enum SPPParameter.PoolMethod pool = 2`, `MAX` unless set.
    pub pool: Option<SPPParameterPoolMethod>,
    /// `optional enum SPPParameter.Engine engine = 6`, `DEFAULT` unless set.
    pub engine: Option<SPPParameterEngine>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SPPParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SPPParameter",
        new: || Box::new(SPPParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "pyramid_height", FieldType::Uint32),
            optional(2, "pool", FieldType::Enum(SPPParameterPoolMethod::KIND)),
            optional(6, "engine", FieldType::Enum(SPPParameterEngine::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        pyramid_height: None,
        pool: None,
        engine: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SPPParameter = SPPParameter::EMPTY; &EMPTY }
    /// [`Self::pyramid_height`] or its default.
    pub fn pyramid_height(&self) -> u32 { self.pyramid_height.unwrap_or(0) }
    /// [`Self::pool`] or its default.
    pub fn pool(&self) -> SPPParameterPoolMethod { self.pool.unwrap_or(SPPParameterPoolMethod::Max) }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> SPPParameterEngine { self.engine.unwrap_or(SPPParameterEngine::Default) }
}

impl Message for SPPParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.pyramid_height.as_slice()),
            1 => Slot::Enum(&self.pool),
            2 => Slot::Enum(&self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.pyramid_height)),
            1 => SlotMut::Enum(&mut self.pool),
            2 => SlotMut::Enum(&mut self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SaltPepperParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SaltPepperParameter {
    /// `optional float fraction = 1`, `0.0` unless set. Not in Caffe.
    pub fraction: Option<f32>,
    /// `repeated float value = 2`. Not in Caffe.
    pub value: Vec<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SaltPepperParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SaltPepperParameter",
        new: || Box::new(SaltPepperParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "fraction", FieldType::Float),
            repeated(2, "value", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        fraction: None,
        value: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SaltPepperParameter = SaltPepperParameter::EMPTY; &EMPTY }
    /// [`Self::fraction`] or its default.
    pub fn fraction(&self) -> f32 { self.fraction.unwrap_or(0.0) }
}

impl Message for SaltPepperParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.fraction.as_slice()),
            1 => Slot::Float(self.value.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.fraction)),
            1 => SlotMut::Float(FieldValues::Many(&mut self.value)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SampleConstraint`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleConstraint {
    /// `optional float min_jaccard_overlap = 1`. Not in Caffe.
    pub min_jaccard_overlap: Option<f32>,
    /// `optional float max_jaccard_overlap = 2`. Not in Caffe.
    pub max_jaccard_overlap: Option<f32>,
    /// `optional float min_sample_coverage = 3`. Not in Caffe.
    pub min_sample_coverage: Option<f32>,
    /// `optional float max_sample_coverage = 4`. Not in Caffe.
    pub max_sample_coverage: Option<f32>,
    /// `optional float min_object_coverage = 5`. Not in Caffe.
    pub min_object_coverage: Option<f32>,
    /// `optional float max_object_coverage = 6`. Not in Caffe.
    pub max_object_coverage: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SampleConstraint {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SampleConstraint",
        new: || Box::new(SampleConstraint::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "min_jaccard_overlap", FieldType::Float),
            optional(2, "max_jaccard_overlap", FieldType::Float),
            optional(3, "min_sample_coverage", FieldType::Float),
            optional(4, "max_sample_coverage", FieldType::Float),
            optional(5, "min_object_coverage", FieldType::Float),
            optional(6, "max_object_coverage", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        min_jaccard_overlap: None,
        max_jaccard_overlap: None,
        min_sample_coverage: None,
        max_sample_coverage: None,
        min_object_coverage: None,
        max_object_coverage: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SampleConstraint = SampleConstraint::EMPTY; &EMPTY }
    /// [`Self::min_jaccard_overlap`] or its default.
    pub fn min_jaccard_overlap(&self) -> f32 { self.min_jaccard_overlap.unwrap_or(0.0) }
    /// [`Self::max_jaccard_overlap`] or its default.
    pub fn max_jaccard_overlap(&self) -> f32 { self.max_jaccard_overlap.unwrap_or(0.0) }
    /// [`Self::min_sample_coverage`] or its default.
    pub fn min_sample_coverage(&self) -> f32 { self.min_sample_coverage.unwrap_or(0.0) }
    /// [`Self::max_sample_coverage`] or its default.
    pub fn max_sample_coverage(&self) -> f32 { self.max_sample_coverage.unwrap_or(0.0) }
    /// [`Self::min_object_coverage`] or its default.
    pub fn min_object_coverage(&self) -> f32 { self.min_object_coverage.unwrap_or(0.0) }
    /// [`Self::max_object_coverage`] or its default.
    pub fn max_object_coverage(&self) -> f32 { self.max_object_coverage.unwrap_or(0.0) }
}

impl Message for SampleConstraint {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.min_jaccard_overlap.as_slice()),
            1 => Slot::Float(self.max_jaccard_overlap.as_slice()),
            2 => Slot::Float(self.min_sample_coverage.as_slice()),
            3 => Slot::Float(self.max_sample_coverage.as_slice()),
            4 => Slot::Float(self.min_object_coverage.as_slice()),
            5 => Slot::Float(self.max_object_coverage.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.min_jaccard_overlap)),
            1 => SlotMut::Float(FieldValues::One(&mut self.max_jaccard_overlap)),
            2 => SlotMut::Float(FieldValues::One(&mut self.min_sample_coverage)),
            3 => SlotMut::Float(FieldValues::One(&mut self.max_sample_coverage)),
            4 => SlotMut::Float(FieldValues::One(&mut self.min_object_coverage)),
            5 => SlotMut::Float(FieldValues::One(&mut self.max_object_coverage)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `Sampler`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sampler {
    /// `optional float min_scale = 1`, `1.0` unless set. Not in Caffe.
    pub min_scale: Option<f32>,
    /// `optional float max_scale = 2`, `1.0` unless set. Not in Caffe.
    pub max_scale: Option<f32>,
    /// `optional float min_aspect_ratio = 3`, `1.0` unless set. Not in Caffe.
    pub min_aspect_ratio: Option<f32>,
    /// `optional float max_aspect_ratio = 4`, `1.0` unless set. Not in Caffe.
    pub max_aspect_ratio: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl Sampler {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "Sampler",
        new: || Box::new(Sampler::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "min_scale", FieldType::Float),
            optional(2, "max_scale", FieldType::Float),
            optional(3, "min_aspect_ratio", FieldType::Float),
            optional(4, "max_aspect_ratio", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        min_scale: None,
        max_scale: None,
        min_aspect_ratio: None,
        max_aspect_ratio: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: Sampler = Sampler::EMPTY; &EMPTY }
    /// [`Self::min_scale`] or its default.
    pub fn min_scale(&self) -> f32 { self.min_scale.unwrap_or(1.0) }
    /// [`Self::max_scale`] or its default.
    pub fn max_scale(&self) -> f32 { self.max_scale.unwrap_or(1.0) }
    /// [`Self::min_aspect_ratio`] or its default.
    pub fn min_aspect_ratio(&self) -> f32 { self.min_aspect_ratio.unwrap_or(1.0) }
    /// [`Self::max_aspect_ratio`] or its default.
    pub fn max_aspect_ratio(&self) -> f32 { self.max_aspect_ratio.unwrap_or(1.0) }
}

impl Message for Sampler {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.min_scale.as_slice()),
            1 => Slot::Float(self.max_scale.as_slice()),
            2 => Slot::Float(self.min_aspect_ratio.as_slice()),
            3 => Slot::Float(self.max_aspect_ratio.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.min_scale)),
            1 => SlotMut::Float(FieldValues::One(&mut self.max_scale)),
            2 => SlotMut::Float(FieldValues::One(&mut self.min_aspect_ratio)),
            3 => SlotMut::Float(FieldValues::One(&mut self.max_aspect_ratio)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SaveOutputParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SaveOutputParameter {
    /// `optional string output_directory = 1`. Not in Caffe.
    pub output_directory: Option<String>,
    /// `optional string output_name_prefix = 2`. Not in Caffe.
    pub output_name_prefix: Option<String>,
    /// `optional string output_format = 3`. Not in Caffe.
    pub output_format: Option<String>,
    /// `optional string label_map_file = 4`. Not in Caffe.
    pub label_map_file: Option<String>,
    /// `optional string name_size_file = 5`. Not in Caffe.
    pub name_size_file: Option<String>,
    /// `optional uint32 num_test_image = 6`. Not in Caffe.
    pub num_test_image: Option<u32>,
    /// `optional ResizeParameter resize_param = 7`. Not in Caffe.
    pub resize_param: Option<ResizeParameter>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SaveOutputParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SaveOutputParameter",
        new: || Box::new(SaveOutputParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "output_directory", FieldType::String),
            optional(2, "output_name_prefix", FieldType::String),
            optional(3, "output_format", FieldType::String),
            optional(4, "label_map_file", FieldType::String),
            optional(5, "name_size_file", FieldType::String),
            optional(6, "num_test_image", FieldType::Uint32),
            optional(7, "resize_param", FieldType::Message(ResizeParameter::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        output_directory: None,
        output_name_prefix: None,
        output_format: None,
        label_map_file: None,
        name_size_file: None,
        num_test_image: None,
        resize_param: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SaveOutputParameter = SaveOutputParameter::EMPTY; &EMPTY }
    /// [`Self::output_directory`] or its default.
    pub fn output_directory(&self) -> &str { self.output_directory.as_deref().unwrap_or("") }
    /// [`Self::output_name_prefix`] or its default.
    pub fn output_name_prefix(&self) -> &str { self.output_name_prefix.as_deref().unwrap_or("") }
    /// [`Self::output_format`] or its default.
    pub fn output_format(&self) -> &str { self.output_format.as_deref().unwrap_or("") }
    /// [`Self::label_map_file`] or its default.
    pub fn label_map_file(&self) -> &str { self.label_map_file.as_deref().unwrap_or("") }
    /// [`Self::name_size_file`] or its default.
    pub fn name_size_file(&self) -> &str { self.name_size_file.as_deref().unwrap_or("") }
    /// [`Self::num_test_image`] or its default.
    pub fn num_test_image(&self) -> u32 { self.num_test_image.unwrap_or(0) }
    /// [`Self::resize_param`] or its default.
    pub fn resize_param(&self) -> &ResizeParameter { self.resize_param.as_ref().unwrap_or(ResizeParameter::empty()) }
}

impl Message for SaveOutputParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.output_directory.as_slice()),
            1 => Slot::String(self.output_name_prefix.as_slice()),
            2 => Slot::String(self.output_format.as_slice()),
            3 => Slot::String(self.label_map_file.as_slice()),
            4 => Slot::String(self.name_size_file.as_slice()),
            5 => Slot::Uint32(self.num_test_image.as_slice()),
            6 => Slot::Message(&self.resize_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.output_directory)),
            1 => SlotMut::String(FieldValues::One(&mut self.output_name_prefix)),
            2 => SlotMut::String(FieldValues::One(&mut self.output_format)),
            3 => SlotMut::String(FieldValues::One(&mut self.label_map_file)),
            4 => SlotMut::String(FieldValues::One(&mut self.name_size_file)),
            5 => SlotMut::Uint32(FieldValues::One(&mut self.num_test_image)),
            6 => SlotMut::Message(&mut self.resize_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ScaleParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScaleParameter {
    /// `optional int32 axis = 1`, `1` unless set.
    pub axis: Option<i32>,
    /// `optional int32 num_axes = 2`, `1` unless set.
    pub num_axes: Option<i32>,
    /// `optional FillerParameter filler = 3`.
    pub filler: Option<FillerParameter>,
    /// `optional bool bias_term = 4`, `False` unless set.
    pub bias_term: Option<bool>,
    /// `optional FillerParameter bias_filler = 5`.
    pub bias_filler: Option<FillerParameter>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ScaleParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ScaleParameter",
        new: || Box::new(ScaleParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "axis", FieldType::Int32),
            optional(2, "num_axes", FieldType::Int32),
            optional(3, "filler", FieldType::Message(FillerParameter::KIND)),
            optional(4, "bias_term", FieldType::Bool),
            optional(5, "bias_filler", FieldType::Message(FillerParameter::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        axis: None,
        num_axes: None,
        filler: None,
        bias_term: None,
        bias_filler: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ScaleParameter = ScaleParameter::EMPTY; &EMPTY }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
    /// [`Self::num_axes`] or its default.
    pub fn num_axes(&self) -> i32 { self.num_axes.unwrap_or(1) }
    /// [`Self::filler`] or its default.
    pub fn filler(&self) -> &FillerParameter { self.filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::bias_term`] or its default.
    pub fn bias_term(&self) -> bool { self.bias_term.unwrap_or(false) }
    /// [`Self::bias_filler`] or its default.
    pub fn bias_filler(&self) -> &FillerParameter { self.bias_filler.as_ref().unwrap_or(FillerParameter::empty()) }
}

impl Message for ScaleParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.axis.as_slice()),
            1 => Slot::Int32(self.num_axes.as_slice()),
            2 => Slot::Message(&self.filler),
            3 => Slot::Bool(self.bias_term.as_slice()),
            4 => Slot::Message(&self.bias_filler),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.num_axes)),
            2 => SlotMut::Message(&mut self.filler),
            3 => SlotMut::Bool(FieldValues::One(&mut self.bias_term)),
            4 => SlotMut::Message(&mut self.bias_filler),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SegAccuracyParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SegAccuracyParameter {
    /// `optional enum SegAccuracyParameter.AccuracyMetric metric = 1`, `PixelAccuracy` unless set. Not in Caffe.
    pub metric: Option<SegAccuracyParameterAccuracyMetric>,
    /// `repeated int32 ignore_label = 2`. Not in Caffe.
    pub ignore_label: Vec<i32>,
    /// `optional bool reset = 3`, `True` unless set. Not in Caffe.
    pub reset: Option<bool>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SegAccuracyParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SegAccuracyParameter",
        new: || Box::new(SegAccuracyParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "metric", FieldType::Enum(SegAccuracyParameterAccuracyMetric::KIND)),
            repeated(2, "ignore_label", FieldType::Int32),
            optional(3, "reset", FieldType::Bool),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        metric: None,
        ignore_label: Vec::new(),
        reset: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SegAccuracyParameter = SegAccuracyParameter::EMPTY; &EMPTY }
    /// [`Self::metric`] or its default.
    pub fn metric(&self) -> SegAccuracyParameterAccuracyMetric { self.metric.unwrap_or(SegAccuracyParameterAccuracyMetric::Pixelaccuracy) }
    /// [`Self::reset`] or its default.
    pub fn reset(&self) -> bool { self.reset.unwrap_or(true) }
}

impl Message for SegAccuracyParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.metric),
            1 => Slot::Int32(self.ignore_label.as_slice()),
            2 => Slot::Bool(self.reset.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.metric),
            1 => SlotMut::Int32(FieldValues::Many(&mut self.ignore_label)),
            2 => SlotMut::Bool(FieldValues::One(&mut self.reset)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ShuffleChannelParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShuffleChannelParameter {
    /// `optional uint32 group = 1`, `1` unless set. Not in Caffe.
    pub group: Option<u32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ShuffleChannelParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ShuffleChannelParameter",
        new: || Box::new(ShuffleChannelParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "group", FieldType::Uint32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        group: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ShuffleChannelParameter = ShuffleChannelParameter::EMPTY; &EMPTY }
    /// [`Self::group`] or its default.
    pub fn group(&self) -> u32 { self.group.unwrap_or(1) }
}

impl Message for ShuffleChannelParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.group.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.group)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SigmoidParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SigmoidParameter {
    /// `optional enum SigmoidParameter.Engine engine = 1`, `DEFAULT` unless set.
    pub engine: Option<SigmoidParameterEngine>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SigmoidParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SigmoidParameter",
        new: || Box::new(SigmoidParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "engine", FieldType::Enum(SigmoidParameterEngine::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        engine: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SigmoidParameter = SigmoidParameter::EMPTY; &EMPTY }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> SigmoidParameterEngine { self.engine.unwrap_or(SigmoidParameterEngine::Default) }
}

impl Message for SigmoidParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SliceParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SliceParameter {
    /// `optional uint32 slice_dim = 1`, `1` unless set.
    pub slice_dim: Option<u32>,
    /// `repeated uint32 slice_point = 2`.
    pub slice_point: Vec<u32>,
    /// `optional int32 axis = 3`, `1` unless set.
    pub axis: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SliceParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SliceParameter",
        new: || Box::new(SliceParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "slice_dim", FieldType::Uint32),
            repeated(2, "slice_point", FieldType::Uint32),
            optional(3, "axis", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        slice_dim: None,
        slice_point: Vec::new(),
        axis: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SliceParameter = SliceParameter::EMPTY; &EMPTY }
    /// [`Self::slice_dim`] or its default.
    pub fn slice_dim(&self) -> u32 { self.slice_dim.unwrap_or(1) }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
}

impl Message for SliceParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.slice_dim.as_slice()),
            1 => Slot::Uint32(self.slice_point.as_slice()),
            2 => Slot::Int32(self.axis.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.slice_dim)),
            1 => SlotMut::Uint32(FieldValues::Many(&mut self.slice_point)),
            2 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SmoothL1LossParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SmoothL1LossParameter {
    /// `optional float sigma = 1`, `1.0` unless set. Not in Caffe.
    pub sigma: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SmoothL1LossParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SmoothL1LossParameter",
        new: || Box::new(SmoothL1LossParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "sigma", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        sigma: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SmoothL1LossParameter = SmoothL1LossParameter::EMPTY; &EMPTY }
    /// [`Self::sigma`] or its default.
    pub fn sigma(&self) -> f32 { self.sigma.unwrap_or(1.0) }
}

impl Message for SmoothL1LossParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.sigma.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.sigma)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SoftmaxParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SoftmaxParameter {
    /// `optional enum SoftmaxParameter.Engine engine = 1`, `DEFAULT` unless set.
    pub engine: Option<SoftmaxParameterEngine>,
    /// `optional int32 axis = 2`, `1` unless set.
    pub axis: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SoftmaxParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SoftmaxParameter",
        new: || Box::new(SoftmaxParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "engine", FieldType::Enum(SoftmaxParameterEngine::KIND)),
            optional(2, "axis", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        engine: None,
        axis: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SoftmaxParameter = SoftmaxParameter::EMPTY; &EMPTY }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> SoftmaxParameterEngine { self.engine.unwrap_or(SoftmaxParameterEngine::Default) }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
}

impl Message for SoftmaxParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.engine),
            1 => Slot::Int32(self.axis.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.engine),
            1 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SolverParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SolverParameter {
    /// `optional string train_net = 1`.
    pub train_net: Option<String>,
    /// `repeated string test_net = 2`.
    pub test_net: Vec<String>,
    /// `repeated int32 test_iter = 3`.
    pub test_iter: Vec<i32>,
    /// `optional int32 test_interval = 4`, `0` unless set.
    pub test_interval: Option<i32>,
    /// `optional float base_lr = 5`.
    pub base_lr: Option<f32>,
    /// `optional int32 display = 6`.
    pub display: Option<i32>,
    /// `optional int32 max_iter = 7`.
    pub max_iter: Option<i32>,
    /// `optional string lr_policy = 8`.
    pub lr_policy: Option<String>,
    /// `optional float gamma = 9`.
    pub gamma: Option<f32>,
    /// `optional float power = 10`.
    pub power: Option<f32>,
    /// `optional float momentum = 11`.
    pub momentum: Option<f32>,
    /// `optional float weight_decay = 12`.
    pub weight_decay: Option<f32>,
    /// `optional int32 stepsize = 13`.
    pub stepsize: Option<i32>,
    /// `optional int32 snapshot = 14`, `0` unless set.
    pub snapshot: Option<i32>,
    /// `optional string snapshot_prefix = 15`.
    pub snapshot_prefix: Option<String>,
    /// `optional bool snapshot_diff = 16`, `False` unless set.
    pub snapshot_diff: Option<bool>,
    /// `optional enum SolverParameter.SolverMode solver_mode = 17`, `GPU` unless set.
    pub solver_mode: Option<SolverParameterSolverMode>,
    /// `optional int32 device_id = 18`, `0` unless set.
    pub device_id: Option<i32>,
    /// `optional bool test_compute_loss = 19`, `False` unless set.
    pub test_compute_loss: Option<bool>,
    /// `optional int64 random_seed = 20`, `-1` unless set.
    pub random_seed: Option<i64>,
    /// `optional NetParameter train_net_param = 21`.
    pub train_net_param: Option<NetParameter>,
    /// `repeated NetParameter test_net_param = 22`.
    pub test_net_param: Vec<NetParameter>,
    /// `optional bool debug_info = 23`, `False` unless set.
    pub debug_info: Option<bool>,
    /// `optional string net = 24`.
    pub net: Option<String>,
    /// `optional NetParameter net_param = 25`.
    pub net_param: Option<NetParameter>,
    /// `optional NetState train_state = 26`.
    pub train_state: Option<NetState>,
    /// `repeated NetState test_state = 27`.
    pub test_state: Vec<NetState>,
    /// `optional bool snapshot_after_train = 28`, `True` unless set.
    pub snapshot_after_train: Option<bool>,
    /// `optional string regularization_type = 29`, `L2` unless set.
    pub regularization_type: Option<String>,
    /// `optional enum SolverParameter.SolverType solver_type = 30`, `SGD` unless set.
    pub solver_type: Option<SolverParameterSolverType>,
    /// `optional float delta = 31`, `1e-08` unless set.
    pub delta: Option<f32>,
    /// `optional bool test_initialization = 32`, `True` unless set.
    pub test_initialization: Option<bool>,
    /// `optional int32 average_loss = 33`, `1` unless set.
    pub average_loss: Option<i32>,
    /// `repeated int32 stepvalue = 34`.
    pub stepvalue: Vec<i32>,
    /// `optional float clip_gradients = 35`, `-1.0` unless set.
    pub clip_gradients: Option<f32>,
    /// `optional int32 iter_size = 36`, `1` unless set.
    pub iter_size: Option<i32>,
    /// `optional enum SolverParameter.SnapshotFormat snapshot_format = 37`, `BINARYPROTO` unless set.
    pub snapshot_format: Option<SolverParameterSnapshotFormat>,
    /// `optional float rms_decay = 38`, `0.99` unless set.
    pub rms_decay: Option<f32>,
    /// `optional float momentum2 = 39`, `0.999` unless set.
    pub momentum2: Option<f32>,
    /// `optional string type = 40`, `SGD` unless set.
    pub type_: Option<String>,
    /// `optional bool layer_wise_reduce = 41`, `True` unless set.
    pub layer_wise_reduce: Option<bool>,
    /// `repeated string weights = 42`.
    pub weights: Vec<String>,
    /// `optional int32 warmup_iter = 1001`, `0` unless set. Not in Caffe.
    pub warmup_iter: Option<i32>,
    /// `optional float warmup_start_lr = 1002`, `0.0` unless set. Not in Caffe.
    pub warmup_start_lr: Option<f32>,
    /// `optional float trust_coefficient = 1003`, `0.001` unless set. Not in Caffe.
    pub trust_coefficient: Option<f32>,
    /// `optional string eval_type = 1004`, `classification` unless set. Not in Caffe.
    pub eval_type: Option<String>,
    /// `optional string ap_version = 1005`, `Integral` unless set. Not in Caffe.
    pub ap_version: Option<String>,
    /// `optional bool show_per_class_result = 1006`, `False` unless set. Not in Caffe.
    pub show_per_class_result: Option<bool>,
    /// `repeated int32 plateau_winsize = 1007`. Not in Caffe.
    pub plateau_winsize: Vec<i32>,
    /// `optional bool momentum_correction = 1008`, `False` unless set. Not in Caffe.
    pub momentum_correction: Option<bool>,
    /// `optional int32 richness = 1009`, `300` unless set. Not in Caffe.
    pub richness: Option<i32>,
    /// `repeated int32 group_id = 1010`. Not in Caffe.
    pub group_id: Vec<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SolverParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SolverParameter",
        new: || Box::new(SolverParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "train_net", FieldType::String),
            repeated(2, "test_net", FieldType::String),
            repeated(3, "test_iter", FieldType::Int32),
            optional(4, "test_interval", FieldType::Int32),
            optional(5, "base_lr", FieldType::Float),
            optional(6, "display", FieldType::Int32),
            optional(7, "max_iter", FieldType::Int32),
            optional(8, "lr_policy", FieldType::String),
            optional(9, "gamma", FieldType::Float),
            optional(10, "power", FieldType::Float),
            optional(11, "momentum", FieldType::Float),
            optional(12, "weight_decay", FieldType::Float),
            optional(13, "stepsize", FieldType::Int32),
            optional(14, "snapshot", FieldType::Int32),
            optional(15, "snapshot_prefix", FieldType::String),
            optional(16, "snapshot_diff", FieldType::Bool),
            optional(17, "solver_mode", FieldType::Enum(SolverParameterSolverMode::KIND)),
            optional(18, "device_id", FieldType::Int32),
            optional(19, "test_compute_loss", FieldType::Bool),
            optional(20, "random_seed", FieldType::Int64),
            optional(21, "train_net_param", FieldType::Message(NetParameter::KIND)),
            repeated(22, "test_net_param", FieldType::Message(NetParameter::KIND)),
            optional(23, "debug_info", FieldType::Bool),
            optional(24, "net", FieldType::String),
            optional(25, "net_param", FieldType::Message(NetParameter::KIND)),
            optional(26, "train_state", FieldType::Message(NetState::KIND)),
            repeated(27, "test_state", FieldType::Message(NetState::KIND)),
            optional(28, "snapshot_after_train", FieldType::Bool),
            optional(29, "regularization_type", FieldType::String),
            optional(30, "solver_type", FieldType::Enum(SolverParameterSolverType::KIND)),
            optional(31, "delta", FieldType::Float),
            optional(32, "test_initialization", FieldType::Bool),
            optional(33, "average_loss", FieldType::Int32),
            repeated(34, "stepvalue", FieldType::Int32),
            optional(35, "clip_gradients", FieldType::Float),
            optional(36, "iter_size", FieldType::Int32),
            optional(37, "snapshot_format", FieldType::Enum(SolverParameterSnapshotFormat::KIND)),
            optional(38, "rms_decay", FieldType::Float),
            optional(39, "momentum2", FieldType::Float),
            optional(40, "type", FieldType::String),
            optional(41, "layer_wise_reduce", FieldType::Bool),
            repeated(42, "weights", FieldType::String),
            optional(1001, "warmup_iter", FieldType::Int32),
            optional(1002, "warmup_start_lr", FieldType::Float),
            optional(1003, "trust_coefficient", FieldType::Float),
            optional(1004, "eval_type", FieldType::String),
            optional(1005, "ap_version", FieldType::String),
            optional(1006, "show_per_class_result", FieldType::Bool),
            repeated(1007, "plateau_winsize", FieldType::Int32),
            optional(1008, "momentum_correction", FieldType::Bool),
            optional(1009, "richness", FieldType::Int32),
            repeated(1010, "group_id", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        train_net: None,
        test_net: Vec::new(),
        test_iter: Vec::new(),
        test_interval: None,
        base_lr: None,
        display: None,
        max_iter: None,
        lr_policy: None,
        gamma: None,
        power: None,
        momentum: None,
        weight_decay: None,
        stepsize: None,
        snapshot: None,
        snapshot_prefix: None,
        snapshot_diff: None,
        solver_mode: None,
        device_id: None,
        test_compute_loss: None,
        random_seed: None,
        train_net_param: None,
        test_net_param: Vec::new(),
        debug_info: None,
        net: None,
        net_param: None,
        train_state: None,
        test_state: Vec::new(),
        snapshot_after_train: None,
        regularization_type: None,
        solver_type: None,
        delta: None,
        test_initialization: None,
        average_loss: None,
        stepvalue: Vec::new(),
        clip_gradients: None,
        iter_size: None,
        snapshot_format: None,
        rms_decay: None,
        momentum2: None,
        type_: None,
        layer_wise_reduce: None,
        weights: Vec::new(),
        warmup_iter: None,
        warmup_start_lr: None,
        trust_coefficient: None,
        eval_type: None,
        ap_version: None,
        show_per_class_result: None,
        plateau_winsize: Vec::new(),
        momentum_correction: None,
        richness: None,
        group_id: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SolverParameter = SolverParameter::EMPTY; &EMPTY }
    /// [`Self::train_net`] or its default.
    pub fn train_net(&self) -> &str { self.train_net.as_deref().unwrap_or("") }
    /// [`Self::test_interval`] or its default.
    pub fn test_interval(&self) -> i32 { self.test_interval.unwrap_or(0) }
    /// [`Self::base_lr`] or its default.
    pub fn base_lr(&self) -> f32 { self.base_lr.unwrap_or(0.0) }
    /// [`Self::display`] or its default.
    pub fn display(&self) -> i32 { self.display.unwrap_or(0) }
    /// [`Self::max_iter`] or its default.
    pub fn max_iter(&self) -> i32 { self.max_iter.unwrap_or(0) }
    /// [`Self::lr_policy`] or its default.
    pub fn lr_policy(&self) -> &str { self.lr_policy.as_deref().unwrap_or("") }
    /// [`Self::gamma`] or its default.
    pub fn gamma(&self) -> f32 { self.gamma.unwrap_or(0.0) }
    /// [`Self::power`] or its default.
    pub fn power(&self) -> f32 { self.power.unwrap_or(0.0) }
    /// [`Self::momentum`] or its default.
    pub fn momentum(&self) -> f32 { self.momentum.unwrap_or(0.0) }
    /// [`Self::weight_decay`] or its default.
    pub fn weight_decay(&self) -> f32 { self.weight_decay.unwrap_or(0.0) }
    /// [`Self::stepsize`] or its default.
    pub fn stepsize(&self) -> i32 { self.stepsize.unwrap_or(0) }
    /// [`Self::snapshot`] or its default.
    pub fn snapshot(&self) -> i32 { self.snapshot.unwrap_or(0) }
    /// [`Self::snapshot_prefix`] or its default.
    pub fn snapshot_prefix(&self) -> &str { self.snapshot_prefix.as_deref().unwrap_or("") }
    /// [`Self::snapshot_diff`] or its default.
    pub fn snapshot_diff(&self) -> bool { self.snapshot_diff.unwrap_or(false) }
    /// [`Self::solver_mode`] or its default.
    pub fn solver_mode(&self) -> SolverParameterSolverMode { self.solver_mode.unwrap_or(SolverParameterSolverMode::Gpu) }
    /// [`Self::device_id`] or its default.
    pub fn device_id(&self) -> i32 { self.device_id.unwrap_or(0) }
    /// [`Self::test_compute_loss`] or its default.
    pub fn test_compute_loss(&self) -> bool { self.test_compute_loss.unwrap_or(false) }
    /// [`Self::random_seed`] or its default.
    pub fn random_seed(&self) -> i64 { self.random_seed.unwrap_or(-1) }
    /// [`Self::train_net_param`] or its default.
    pub fn train_net_param(&self) -> &NetParameter { self.train_net_param.as_ref().unwrap_or(NetParameter::empty()) }
    /// [`Self::debug_info`] or its default.
    pub fn debug_info(&self) -> bool { self.debug_info.unwrap_or(false) }
    /// [`Self::net`] or its default.
    pub fn net(&self) -> &str { self.net.as_deref().unwrap_or("") }
    /// [`Self::net_param`] or its default.
    pub fn net_param(&self) -> &NetParameter { self.net_param.as_ref().unwrap_or(NetParameter::empty()) }
    /// [`Self::train_state`] or its default.
    pub fn train_state(&self) -> &NetState { self.train_state.as_ref().unwrap_or(NetState::empty()) }
    /// [`Self::snapshot_after_train`] or its default.
    pub fn snapshot_after_train(&self) -> bool { self.snapshot_after_train.unwrap_or(true) }
    /// [`Self::regularization_type`] or its default.
    pub fn regularization_type(&self) -> &str { self.regularization_type.as_deref().unwrap_or("L2") }
    /// [`Self::solver_type`] or its default.
    pub fn solver_type(&self) -> SolverParameterSolverType { self.solver_type.unwrap_or(SolverParameterSolverType::Sgd) }
    /// [`Self::delta`] or its default.
    pub fn delta(&self) -> f32 { self.delta.unwrap_or(1e-08) }
    /// [`Self::test_initialization`] or its default.
    pub fn test_initialization(&self) -> bool { self.test_initialization.unwrap_or(true) }
    /// [`Self::average_loss`] or its default.
    pub fn average_loss(&self) -> i32 { self.average_loss.unwrap_or(1) }
    /// [`Self::clip_gradients`] or its default.
    pub fn clip_gradients(&self) -> f32 { self.clip_gradients.unwrap_or(-1.0) }
    /// [`Self::iter_size`] or its default.
    pub fn iter_size(&self) -> i32 { self.iter_size.unwrap_or(1) }
    /// [`Self::snapshot_format`] or its default.
    pub fn snapshot_format(&self) -> SolverParameterSnapshotFormat { self.snapshot_format.unwrap_or(SolverParameterSnapshotFormat::Binaryproto) }
    /// [`Self::rms_decay`] or its default.
    pub fn rms_decay(&self) -> f32 { self.rms_decay.unwrap_or(0.99) }
    /// [`Self::momentum2`] or its default.
    pub fn momentum2(&self) -> f32 { self.momentum2.unwrap_or(0.999) }
    /// [`Self::type_`] or its default.
    pub fn type_(&self) -> &str { self.type_.as_deref().unwrap_or("SGD") }
    /// [`Self::layer_wise_reduce`] or its default.
    pub fn layer_wise_reduce(&self) -> bool { self.layer_wise_reduce.unwrap_or(true) }
    /// [`Self::warmup_iter`] or its default.
    pub fn warmup_iter(&self) -> i32 { self.warmup_iter.unwrap_or(0) }
    /// [`Self::warmup_start_lr`] or its default.
    pub fn warmup_start_lr(&self) -> f32 { self.warmup_start_lr.unwrap_or(0.0) }
    /// [`Self::trust_coefficient`] or its default.
    pub fn trust_coefficient(&self) -> f32 { self.trust_coefficient.unwrap_or(0.001) }
    /// [`Self::eval_type`] or its default.
    pub fn eval_type(&self) -> &str { self.eval_type.as_deref().unwrap_or("classification") }
    /// [`Self::ap_version`] or its default.
    pub fn ap_version(&self) -> &str { self.ap_version.as_deref().unwrap_or("Integral") }
    /// [`Self::show_per_class_result`] or its default.
    pub fn show_per_class_result(&self) -> bool { self.show_per_class_result.unwrap_or(false) }
    /// [`Self::momentum_correction`] or its default.
    pub fn momentum_correction(&self) -> bool { self.momentum_correction.unwrap_or(false) }
    /// [`Self::richness`] or its default.
    pub fn richness(&self) -> i32 { self.richness.unwrap_or(300) }
}

impl Message for SolverParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.train_net.as_slice()),
            1 => Slot::String(self.test_net.as_slice()),
            2 => Slot::Int32(self.test_iter.as_slice()),
            3 => Slot::Int32(self.test_interval.as_slice()),
            4 => Slot::Float(self.base_lr.as_slice()),
            5 => Slot::Int32(self.display.as_slice()),
            6 => Slot::Int32(self.max_iter.as_slice()),
            7 => Slot::String(self.lr_policy.as_slice()),
            8 => Slot::Float(self.gamma.as_slice()),
            9 => Slot::Float(self.power.as_slice()),
            10 => Slot::Float(self.momentum.as_slice()),
            11 => Slot::Float(self.weight_decay.as_slice()),
            12 => Slot::Int32(self.stepsize.as_slice()),
            13 => Slot::Int32(self.snapshot.as_slice()),
            14 => Slot::String(self.snapshot_prefix.as_slice()),
            15 => Slot::Bool(self.snapshot_diff.as_slice()),
            16 => Slot::Enum(&self.solver_mode),
            17 => Slot::Int32(self.device_id.as_slice()),
            18 => Slot::Bool(self.test_compute_loss.as_slice()),
            19 => Slot::Int64(self.random_seed.as_slice()),
            20 => Slot::Message(&self.train_net_param),
            21 => Slot::Message(&self.test_net_param),
            22 => Slot::Bool(self.debug_info.as_slice()),
            23 => Slot::String(self.net.as_slice()),
            24 => Slot::Message(&self.net_param),
            25 => Slot::Message(&self.train_state),
            26 => Slot::Message(&self.test_state),
            27 => Slot::Bool(self.snapshot_after_train.as_slice()),
            28 => Slot::String(self.regularization_type.as_slice()),
            29 => Slot::Enum(&self.solver_type),
            30 => Slot::Float(self.delta.as_slice()),
            31 => Slot::Bool(self.test_initialization.as_slice()),
            32 => Slot::Int32(self.average_loss.as_slice()),
            33 => Slot::Int32(self.stepvalue.as_slice()),
            34 => Slot::Float(self.clip_gradients.as_slice()),
            35 => Slot::Int32(self.iter_size.as_slice()),
            36 => Slot::Enum(&self.snapshot_format),
            37 => Slot::Float(self.rms_decay.as_slice()),
            38 => Slot::Float(self.momentum2.as_slice()),
            39 => Slot::String(self.type_.as_slice()),
            40 => Slot::Bool(self.layer_wise_reduce.as_slice()),
            41 => Slot::String(self.weights.as_slice()),
            42 => Slot::Int32(self.warmup_iter.as_slice()),
            43 => Slot::Float(self.warmup_start_lr.as_slice()),
            44 => Slot::Float(self.trust_coefficient.as_slice()),
            45 => Slot::String(self.eval_type.as_slice()),
            46 => Slot::String(self.ap_version.as_slice()),
            47 => Slot::Bool(self.show_per_class_result.as_slice()),
            48 => Slot::Int32(self.plateau_winsize.as_slice()),
            49 => Slot::Bool(self.momentum_correction.as_slice()),
            50 => Slot::Int32(self.richness.as_slice()),
            51 => Slot::Int32(self.group_id.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.train_net)),
            1 => SlotMut::String(FieldValues::Many(&mut self.test_net)),
            2 => SlotMut::Int32(FieldValues::Many(&mut self.test_iter)),
            3 => SlotMut::Int32(FieldValues::One(&mut self.test_interval)),
            4 => SlotMut::Float(FieldValues::One(&mut self.base_lr)),
            5 => SlotMut::Int32(FieldValues::One(&mut self.display)),
            6 => SlotMut::Int32(FieldValues::One(&mut self.max_iter)),
            7 => SlotMut::String(FieldValues::One(&mut self.lr_policy)),
            8 => SlotMut::Float(FieldValues::One(&mut self.gamma)),
            9 => SlotMut::Float(FieldValues::One(&mut self.power)),
            10 => SlotMut::Float(FieldValues::One(&mut self.momentum)),
            11 => SlotMut::Float(FieldValues::One(&mut self.weight_decay)),
            12 => SlotMut::Int32(FieldValues::One(&mut self.stepsize)),
            13 => SlotMut::Int32(FieldValues::One(&mut self.snapshot)),
            14 => SlotMut::String(FieldValues::One(&mut self.snapshot_prefix)),
            15 => SlotMut::Bool(FieldValues::One(&mut self.snapshot_diff)),
            16 => SlotMut::Enum(&mut self.solver_mode),
            17 => SlotMut::Int32(FieldValues::One(&mut self.device_id)),
            18 => SlotMut::Bool(FieldValues::One(&mut self.test_compute_loss)),
            19 => SlotMut::Int64(FieldValues::One(&mut self.random_seed)),
            20 => SlotMut::Message(&mut self.train_net_param),
            21 => SlotMut::Message(&mut self.test_net_param),
            22 => SlotMut::Bool(FieldValues::One(&mut self.debug_info)),
            23 => SlotMut::String(FieldValues::One(&mut self.net)),
            24 => SlotMut::Message(&mut self.net_param),
            25 => SlotMut::Message(&mut self.train_state),
            26 => SlotMut::Message(&mut self.test_state),
            27 => SlotMut::Bool(FieldValues::One(&mut self.snapshot_after_train)),
            28 => SlotMut::String(FieldValues::One(&mut self.regularization_type)),
            29 => SlotMut::Enum(&mut self.solver_type),
            30 => SlotMut::Float(FieldValues::One(&mut self.delta)),
            31 => SlotMut::Bool(FieldValues::One(&mut self.test_initialization)),
            32 => SlotMut::Int32(FieldValues::One(&mut self.average_loss)),
            33 => SlotMut::Int32(FieldValues::Many(&mut self.stepvalue)),
            34 => SlotMut::Float(FieldValues::One(&mut self.clip_gradients)),
            35 => SlotMut::Int32(FieldValues::One(&mut self.iter_size)),
            36 => SlotMut::Enum(&mut self.snapshot_format),
            37 => SlotMut::Float(FieldValues::One(&mut self.rms_decay)),
            38 => SlotMut::Float(FieldValues::One(&mut self.momentum2)),
            39 => SlotMut::String(FieldValues::One(&mut self.type_)),
            40 => SlotMut::Bool(FieldValues::One(&mut self.layer_wise_reduce)),
            41 => SlotMut::String(FieldValues::Many(&mut self.weights)),
            42 => SlotMut::Int32(FieldValues::One(&mut self.warmup_iter)),
            43 => SlotMut::Float(FieldValues::One(&mut self.warmup_start_lr)),
            44 => SlotMut::Float(FieldValues::One(&mut self.trust_coefficient)),
            45 => SlotMut::String(FieldValues::One(&mut self.eval_type)),
            46 => SlotMut::String(FieldValues::One(&mut self.ap_version)),
            47 => SlotMut::Bool(FieldValues::One(&mut self.show_per_class_result)),
            48 => SlotMut::Int32(FieldValues::Many(&mut self.plateau_winsize)),
            49 => SlotMut::Bool(FieldValues::One(&mut self.momentum_correction)),
            50 => SlotMut::Int32(FieldValues::One(&mut self.richness)),
            51 => SlotMut::Int32(FieldValues::Many(&mut self.group_id)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SolverState`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SolverState {
    /// `optional int32 iter = 1`.
    pub iter: Option<i32>,
    /// `optional string learned_net = 2`.
    pub learned_net: Option<String>,
    /// `repeated BlobProto history = 3`.
    pub history: Vec<BlobProto>,
    /// `optional int32 current_step = 4`, `0` unless set.
    pub current_step: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SolverState {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SolverState",
        new: || Box::new(SolverState::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "iter", FieldType::Int32),
            optional(2, "learned_net", FieldType::String),
            repeated(3, "history", FieldType::Message(BlobProto::KIND)),
            optional(4, "current_step", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        iter: None,
        learned_net: None,
        history: Vec::new(),
        current_step: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SolverState = SolverState::EMPTY; &EMPTY }
    /// [`Self::iter`] or its default.
    pub fn iter(&self) -> i32 { self.iter.unwrap_or(0) }
    /// [`Self::learned_net`] or its default.
    pub fn learned_net(&self) -> &str { self.learned_net.as_deref().unwrap_or("") }
    /// [`Self::current_step`] or its default.
    pub fn current_step(&self) -> i32 { self.current_step.unwrap_or(0) }
}

impl Message for SolverState {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.iter.as_slice()),
            1 => Slot::String(self.learned_net.as_slice()),
            2 => Slot::Message(&self.history),
            3 => Slot::Int32(self.current_step.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.iter)),
            1 => SlotMut::String(FieldValues::One(&mut self.learned_net)),
            2 => SlotMut::Message(&mut self.history),
            3 => SlotMut::Int32(FieldValues::One(&mut self.current_step)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `SwishParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SwishParameter {
    /// `optional float beta = 1`, `1.0` unless set.
    pub beta: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl SwishParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "SwishParameter",
        new: || Box::new(SwishParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "beta", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        beta: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: SwishParameter = SwishParameter::EMPTY; &EMPTY }
    /// [`Self::beta`] or its default.
    pub fn beta(&self) -> f32 { self.beta.unwrap_or(1.0) }
}

impl Message for SwishParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.beta.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.beta)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `TanHParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TanHParameter {
    /// `optional enum TanHParameter.Engine engine = 1`, `DEFAULT` unless set.
    pub engine: Option<TanHParameterEngine>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl TanHParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "TanHParameter",
        new: || Box::new(TanHParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "engine", FieldType::Enum(TanHParameterEngine::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        engine: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: TanHParameter = TanHParameter::EMPTY; &EMPTY }
    /// [`Self::engine`] or its default.
    pub fn engine(&self) -> TanHParameterEngine { self.engine.unwrap_or(TanHParameterEngine::Default) }
}

impl Message for TanHParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Enum(&self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Enum(&mut self.engine),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `ThresholdParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ThresholdParameter {
    /// `optional float threshold = 1`, `0.0` unless set.
    pub threshold: Option<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl ThresholdParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "ThresholdParameter",
        new: || Box::new(ThresholdParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "threshold", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        threshold: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: ThresholdParameter = ThresholdParameter::EMPTY; &EMPTY }
    /// [`Self::threshold`] or its default.
    pub fn threshold(&self) -> f32 { self.threshold.unwrap_or(0.0) }
}

impl Message for ThresholdParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.threshold.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.threshold)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `TileParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TileParameter {
    /// `optional int32 axis = 1`, `1` unless set.
    pub axis: Option<i32>,
    /// `optional int32 tiles = 2`.
    pub tiles: Option<i32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl TileParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "TileParameter",
        new: || Box::new(TileParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "axis", FieldType::Int32),
            optional(2, "tiles", FieldType::Int32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        axis: None,
        tiles: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: TileParameter = TileParameter::EMPTY; &EMPTY }
    /// [`Self::axis`] or its default.
    pub fn axis(&self) -> i32 { self.axis.unwrap_or(1) }
    /// [`Self::tiles`] or its default.
    pub fn tiles(&self) -> i32 { self.tiles.unwrap_or(0) }
}

impl Message for TileParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.axis.as_slice()),
            1 => Slot::Int32(self.tiles.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.axis)),
            1 => SlotMut::Int32(FieldValues::One(&mut self.tiles)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `TransformationParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransformationParameter {
    /// `optional float scale = 1`, `1.0` unless set.
    pub scale: Option<f32>,
    /// `optional bool mirror = 2`, `False` unless set.
    pub mirror: Option<bool>,
    /// `optional uint32 crop_size = 3`, `0` unless set.
    pub crop_size: Option<u32>,
    /// `optional string mean_file = 4`.
    pub mean_file: Option<String>,
    /// `repeated float mean_value = 5`.
    pub mean_value: Vec<f32>,
    /// `optional bool force_color = 6`, `False` unless set.
    pub force_color: Option<bool>,
    /// `optional bool force_gray = 7`, `False` unless set.
    pub force_gray: Option<bool>,
    /// `optional uint32 crop_h = 1001`, `0` unless set. Not in Caffe.
    pub crop_h: Option<u32>,
    /// `optional uint32 crop_w = 1002`, `0` unless set. Not in Caffe.
    pub crop_w: Option<u32>,
    /// `optional ResizeParameter resize_param = 1003`. Not in Caffe.
    pub resize_param: Option<ResizeParameter>,
    /// `optional NoiseParameter noise_param = 1004`. Not in Caffe.
    pub noise_param: Option<NoiseParameter>,
    /// `optional DistortionParameter distort_param = 1005`. Not in Caffe.
    pub distort_param: Option<DistortionParameter>,
    /// `optional ExpansionParameter expand_param = 1006`. Not in Caffe.
    pub expand_param: Option<ExpansionParameter>,
    /// `optional EmitConstraint emit_constraint = 1007`. Not in Caffe.
    pub emit_constraint: Option<EmitConstraint>,
    /// `repeated float scale_factors = 1008`. Not in Caffe.
    pub scale_factors: Vec<f32>,
    /// `optional uint32 crop_width = 1009`, `0` unless set. Not in Caffe.
    pub crop_width: Option<u32>,
    /// `optional uint32 crop_height = 1010`, `0` unless set. Not in Caffe.
    pub crop_height: Option<u32>,
    /// `optional RandomResizedCropParameter random_resized_crop = 1011`. Not in Caffe.
    pub random_resized_crop: Option<RandomResizedCropParameter>,
    /// `optional ColorJitterParameter color_jitter = 1012`. Not in Caffe.
    pub color_jitter: Option<ColorJitterParameter>,
    /// `optional LightingParameter lighting = 1013`. Not in Caffe.
    pub lighting: Option<LightingParameter>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl TransformationParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "TransformationParameter",
        new: || Box::new(TransformationParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "scale", FieldType::Float),
            optional(2, "mirror", FieldType::Bool),
            optional(3, "crop_size", FieldType::Uint32),
            optional(4, "mean_file", FieldType::String),
            repeated(5, "mean_value", FieldType::Float),
            optional(6, "force_color", FieldType::Bool),
            optional(7, "force_gray", FieldType::Bool),
            optional(1001, "crop_h", FieldType::Uint32),
            optional(1002, "crop_w", FieldType::Uint32),
            optional(1003, "resize_param", FieldType::Message(ResizeParameter::KIND)),
            optional(1004, "noise_param", FieldType::Message(NoiseParameter::KIND)),
            optional(1005, "distort_param", FieldType::Message(DistortionParameter::KIND)),
            optional(1006, "expand_param", FieldType::Message(ExpansionParameter::KIND)),
            optional(1007, "emit_constraint", FieldType::Message(EmitConstraint::KIND)),
            repeated(1008, "scale_factors", FieldType::Float),
            optional(1009, "crop_width", FieldType::Uint32),
            optional(1010, "crop_height", FieldType::Uint32),
            optional(1011, "random_resized_crop", FieldType::Message(RandomResizedCropParameter::KIND)),
            optional(1012, "color_jitter", FieldType::Message(ColorJitterParameter::KIND)),
            optional(1013, "lighting", FieldType::Message(LightingParameter::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        scale: None,
        mirror: None,
        crop_size: None,
        mean_file: None,
        mean_value: Vec::new(),
        force_color: None,
        force_gray: None,
        crop_h: None,
        crop_w: None,
        resize_param: None,
        noise_param: None,
        distort_param: None,
        expand_param: None,
        emit_constraint: None,
        scale_factors: Vec::new(),
        crop_width: None,
        crop_height: None,
        random_resized_crop: None,
        color_jitter: None,
        lighting: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: TransformationParameter = TransformationParameter::EMPTY; &EMPTY }
    /// [`Self::scale`] or its default.
    pub fn scale(&self) -> f32 { self.scale.unwrap_or(1.0) }
    /// [`Self::mirror`] or its default.
    pub fn mirror(&self) -> bool { self.mirror.unwrap_or(false) }
    /// [`Self::crop_size`] or its default.
    pub fn crop_size(&self) -> u32 { self.crop_size.unwrap_or(0) }
    /// [`Self::mean_file`] or its default.
    pub fn mean_file(&self) -> &str { self.mean_file.as_deref().unwrap_or("") }
    /// [`Self::force_color`] or its default.
    pub fn force_color(&self) -> bool { self.force_color.unwrap_or(false) }
    /// [`Self::force_gray`] or its default.
    pub fn force_gray(&self) -> bool { self.force_gray.unwrap_or(false) }
    /// [`Self::crop_h`] or its default.
    pub fn crop_h(&self) -> u32 { self.crop_h.unwrap_or(0) }
    /// [`Self::crop_w`] or its default.
    pub fn crop_w(&self) -> u32 { self.crop_w.unwrap_or(0) }
    /// [`Self::resize_param`] or its default.
    pub fn resize_param(&self) -> &ResizeParameter { self.resize_param.as_ref().unwrap_or(ResizeParameter::empty()) }
    /// [`Self::noise_param`] or its default.
    pub fn noise_param(&self) -> &NoiseParameter { self.noise_param.as_ref().unwrap_or(NoiseParameter::empty()) }
    /// [`Self::distort_param`] or its default.
    pub fn distort_param(&self) -> &DistortionParameter { self.distort_param.as_ref().unwrap_or(DistortionParameter::empty()) }
    /// [`Self::expand_param`] or its default.
    pub fn expand_param(&self) -> &ExpansionParameter { self.expand_param.as_ref().unwrap_or(ExpansionParameter::empty()) }
    /// [`Self::emit_constraint`] or its default.
    pub fn emit_constraint(&self) -> &EmitConstraint { self.emit_constraint.as_ref().unwrap_or(EmitConstraint::empty()) }
    /// [`Self::crop_width`] or its default.
    pub fn crop_width(&self) -> u32 { self.crop_width.unwrap_or(0) }
    /// [`Self::crop_height`] or its default.
    pub fn crop_height(&self) -> u32 { self.crop_height.unwrap_or(0) }
    /// [`Self::random_resized_crop`] or its default.
    pub fn random_resized_crop(&self) -> &RandomResizedCropParameter { self.random_resized_crop.as_ref().unwrap_or(RandomResizedCropParameter::empty()) }
    /// [`Self::color_jitter`] or its default.
    pub fn color_jitter(&self) -> &ColorJitterParameter { self.color_jitter.as_ref().unwrap_or(ColorJitterParameter::empty()) }
    /// [`Self::lighting`] or its default.
    pub fn lighting(&self) -> &LightingParameter { self.lighting.as_ref().unwrap_or(LightingParameter::empty()) }
}

impl Message for TransformationParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Float(self.scale.as_slice()),
            1 => Slot::Bool(self.mirror.as_slice()),
            2 => Slot::Uint32(self.crop_size.as_slice()),
            3 => Slot::String(self.mean_file.as_slice()),
            4 => Slot::Float(self.mean_value.as_slice()),
            5 => Slot::Bool(self.force_color.as_slice()),
            6 => Slot::Bool(self.force_gray.as_slice()),
            7 => Slot::Uint32(self.crop_h.as_slice()),
            8 => Slot::Uint32(self.crop_w.as_slice()),
            9 => Slot::Message(&self.resize_param),
            10 => Slot::Message(&self.noise_param),
            11 => Slot::Message(&self.distort_param),
            12 => Slot::Message(&self.expand_param),
            13 => Slot::Message(&self.emit_constraint),
            14 => Slot::Float(self.scale_factors.as_slice()),
            15 => Slot::Uint32(self.crop_width.as_slice()),
            16 => Slot::Uint32(self.crop_height.as_slice()),
            17 => Slot::Message(&self.random_resized_crop),
            18 => Slot::Message(&self.color_jitter),
            19 => Slot::Message(&self.lighting),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Float(FieldValues::One(&mut self.scale)),
            1 => SlotMut::Bool(FieldValues::One(&mut self.mirror)),
            2 => SlotMut::Uint32(FieldValues::One(&mut self.crop_size)),
            3 => SlotMut::String(FieldValues::One(&mut self.mean_file)),
            4 => SlotMut::Float(FieldValues::Many(&mut self.mean_value)),
            5 => SlotMut::Bool(FieldValues::One(&mut self.force_color)),
            6 => SlotMut::Bool(FieldValues::One(&mut self.force_gray)),
            7 => SlotMut::Uint32(FieldValues::One(&mut self.crop_h)),
            8 => SlotMut::Uint32(FieldValues::One(&mut self.crop_w)),
            9 => SlotMut::Message(&mut self.resize_param),
            10 => SlotMut::Message(&mut self.noise_param),
            11 => SlotMut::Message(&mut self.distort_param),
            12 => SlotMut::Message(&mut self.expand_param),
            13 => SlotMut::Message(&mut self.emit_constraint),
            14 => SlotMut::Float(FieldValues::Many(&mut self.scale_factors)),
            15 => SlotMut::Uint32(FieldValues::One(&mut self.crop_width)),
            16 => SlotMut::Uint32(FieldValues::One(&mut self.crop_height)),
            17 => SlotMut::Message(&mut self.random_resized_crop),
            18 => SlotMut::Message(&mut self.color_jitter),
            19 => SlotMut::Message(&mut self.lighting),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `UniqueLabelParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UniqueLabelParameter {
    /// `required int32 max_labels = 1`. Not in Caffe.
    pub max_labels: Option<i32>,
    /// `repeated int32 ignore_label = 2`. Not in Caffe.
    pub ignore_label: Vec<i32>,
    /// `repeated float force_label = 3`. Not in Caffe.
    pub force_label: Vec<f32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl UniqueLabelParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "UniqueLabelParameter",
        new: || Box::new(UniqueLabelParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            required(1, "max_labels", FieldType::Int32),
            repeated(2, "ignore_label", FieldType::Int32),
            repeated(3, "force_label", FieldType::Float),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        max_labels: None,
        ignore_label: Vec::new(),
        force_label: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: UniqueLabelParameter = UniqueLabelParameter::EMPTY; &EMPTY }
    /// [`Self::max_labels`] or its default.
    pub fn max_labels(&self) -> i32 { self.max_labels.unwrap_or(0) }
}

impl Message for UniqueLabelParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Int32(self.max_labels.as_slice()),
            1 => Slot::Int32(self.ignore_label.as_slice()),
            2 => Slot::Float(self.force_label.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Int32(FieldValues::One(&mut self.max_labels)),
            1 => SlotMut::Int32(FieldValues::Many(&mut self.ignore_label)),
            2 => SlotMut::Float(FieldValues::Many(&mut self.force_label)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `UpsampleParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UpsampleParameter {
    /// `optional uint32 scale = 1`, `2` unless set. Not in Caffe.
    pub scale: Option<u32>,
    /// `optional uint32 scale_h = 2`. Not in Caffe.
    pub scale_h: Option<u32>,
    /// `optional uint32 scale_w = 3`. Not in Caffe.
    pub scale_w: Option<u32>,
    /// `optional bool pad_out_h = 4`, `False` unless set. Not in Caffe.
    pub pad_out_h: Option<bool>,
    /// `optional bool pad_out_w = 5`, `False` unless set. Not in Caffe.
    pub pad_out_w: Option<bool>,
    /// `optional uint32 upsample_h = 6`. Not in Caffe.
    pub upsample_h: Option<u32>,
    /// `optional uint32 upsample_w = 7`. Not in Caffe.
    pub upsample_w: Option<u32>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl UpsampleParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "UpsampleParameter",
        new: || Box::new(UpsampleParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "scale", FieldType::Uint32),
            optional(2, "scale_h", FieldType::Uint32),
            optional(3, "scale_w", FieldType::Uint32),
            optional(4, "pad_out_h", FieldType::Bool),
            optional(5, "pad_out_w", FieldType::Bool),
            optional(6, "upsample_h", FieldType::Uint32),
            optional(7, "upsample_w", FieldType::Uint32),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        scale: None,
        scale_h: None,
        scale_w: None,
        pad_out_h: None,
        pad_out_w: None,
        upsample_h: None,
        upsample_w: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: UpsampleParameter = UpsampleParameter::EMPTY; &EMPTY }
    /// [`Self::scale`] or its default.
    pub fn scale(&self) -> u32 { self.scale.unwrap_or(2) }
    /// [`Self::scale_h`] or its default.
    pub fn scale_h(&self) -> u32 { self.scale_h.unwrap_or(0) }
    /// [`Self::scale_w`] or its default.
    pub fn scale_w(&self) -> u32 { self.scale_w.unwrap_or(0) }
    /// [`Self::pad_out_h`] or its default.
    pub fn pad_out_h(&self) -> bool { self.pad_out_h.unwrap_or(false) }
    /// [`Self::pad_out_w`] or its default.
    pub fn pad_out_w(&self) -> bool { self.pad_out_w.unwrap_or(false) }
    /// [`Self::upsample_h`] or its default.
    pub fn upsample_h(&self) -> u32 { self.upsample_h.unwrap_or(0) }
    /// [`Self::upsample_w`] or its default.
    pub fn upsample_w(&self) -> u32 { self.upsample_w.unwrap_or(0) }
}

impl Message for UpsampleParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Uint32(self.scale.as_slice()),
            1 => Slot::Uint32(self.scale_h.as_slice()),
            2 => Slot::Uint32(self.scale_w.as_slice()),
            3 => Slot::Bool(self.pad_out_h.as_slice()),
            4 => Slot::Bool(self.pad_out_w.as_slice()),
            5 => Slot::Uint32(self.upsample_h.as_slice()),
            6 => Slot::Uint32(self.upsample_w.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Uint32(FieldValues::One(&mut self.scale)),
            1 => SlotMut::Uint32(FieldValues::One(&mut self.scale_h)),
            2 => SlotMut::Uint32(FieldValues::One(&mut self.scale_w)),
            3 => SlotMut::Bool(FieldValues::One(&mut self.pad_out_h)),
            4 => SlotMut::Bool(FieldValues::One(&mut self.pad_out_w)),
            5 => SlotMut::Uint32(FieldValues::One(&mut self.upsample_h)),
            6 => SlotMut::Uint32(FieldValues::One(&mut self.upsample_w)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `V0LayerParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct V0LayerParameter {
    /// `optional string name = 1`.
    pub name: Option<String>,
    /// `optional string type = 2`.
    pub type_: Option<String>,
    /// `optional uint32 num_output = 3`.
    pub num_output: Option<u32>,
    /// `optional bool biasterm = 4`, `True` unless set.
    pub biasterm: Option<bool>,
    /// `optional FillerParameter weight_filler = 5`.
    pub weight_filler: Option<FillerParameter>,
    /// `optional FillerParameter bias_filler = 6`.
    pub bias_filler: Option<FillerParameter>,
    /// `optional uint32 pad = 7`, `0` unless set.
    pub pad: Option<u32>,
    /// `optional uint32 kernelsize = 8`.
    pub kernelsize: Option<u32>,
    /// `optional uint32 group = 9`, `1` unless set.
    pub group: Option<u32>,
    /// `optional uint32 stride = 10`, `1` unless set.
    pub stride: Option<u32>,
    /// `optional enum V0LayerParameter.PoolMethod pool = 11`, `MAX` unless set.
    pub pool: Option<V0LayerParameterPoolMethod>,
    /// `optional float dropout_ratio = 12`, `0.5` unless set.
    pub dropout_ratio: Option<f32>,
    /// `optional uint32 local_size = 13`, `5` unless set.
    pub local_size: Option<u32>,
    /// `optional float alpha = 14`, `1.0` unless set.
    pub alpha: Option<f32>,
    /// `optional float beta = 15`, `0.75` unless set.
    pub beta: Option<f32>,
    /// `optional string source = 16`.
    pub source: Option<String>,
    /// `optional float scale = 17`, `1.0` unless set.
    pub scale: Option<f32>,
    /// `optional string meanfile = 18`.
    pub meanfile: Option<String>,
    /// `optional uint32 batchsize = 19`.
    pub batchsize: Option<u32>,
    /// `optional uint32 cropsize = 20`, `0` unless set.
    pub cropsize: Option<u32>,
    /// `optional bool mirror = 21`, `False` unless set.
    pub mirror: Option<bool>,
    /// `optional float k = 22`, `1.0` unless set.
    pub k: Option<f32>,
    /// `repeated BlobProto blobs = 50`.
    pub blobs: Vec<BlobProto>,
    /// `repeated float blobs_lr = 51`.
    pub blobs_lr: Vec<f32>,
    /// `repeated float weight_decay = 52`.
    pub weight_decay: Vec<f32>,
    /// `optional uint32 rand_skip = 53`, `0` unless set.
    pub rand_skip: Option<u32>,
    /// `optional float det_fg_threshold = 54`, `0.5` unless set.
    pub det_fg_threshold: Option<f32>,
    /// `optional float det_bg_threshold = 55`, `0.5` unless set.
    pub det_bg_threshold: Option<f32>,
    /// `optional float det_fg_fraction = 56`, `0.25` unless set.
    pub det_fg_fraction: Option<f32>,
    /// `optional uint32 det_context_pad = 58`, `0` unless set.
    pub det_context_pad: Option<u32>,
    /// `optional string det_crop_mode = 59`, `warp` unless set.
    pub det_crop_mode: Option<String>,
    /// `optional int32 new_num = 60`, `0` unless set.
    pub new_num: Option<i32>,
    /// `optional int32 new_channels = 61`, `0` unless set.
    pub new_channels: Option<i32>,
    /// `optional int32 new_height = 62`, `0` unless set.
    pub new_height: Option<i32>,
    /// `optional int32 new_width = 63`, `0` unless set.
    pub new_width: Option<i32>,
    /// `optional bool shuffle_images = 64`, `False` unless set.
    pub shuffle_images: Option<bool>,
    /// `optional uint32 concat_dim = 65`, `1` unless set.
    pub concat_dim: Option<u32>,
    /// `optional HDF5OutputParameter hdf5_output_param = 1001`.
    pub hdf5_output_param: Option<HDF5OutputParameter>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl V0LayerParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "V0LayerParameter",
        new: || Box::new(V0LayerParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "name", FieldType::String),
            optional(2, "type", FieldType::String),
            optional(3, "num_output", FieldType::Uint32),
            optional(4, "biasterm", FieldType::Bool),
            optional(5, "weight_filler", FieldType::Message(FillerParameter::KIND)),
            optional(6, "bias_filler", FieldType::Message(FillerParameter::KIND)),
            optional(7, "pad", FieldType::Uint32),
            optional(8, "kernelsize", FieldType::Uint32),
            optional(9, "group", FieldType::Uint32),
            optional(10, "stride", FieldType::Uint32),
            optional(11, "pool", FieldType::Enum(V0LayerParameterPoolMethod::KIND)),
            optional(12, "dropout_ratio", FieldType::Float),
            optional(13, "local_size", FieldType::Uint32),
            optional(14, "alpha", FieldType::Float),
            optional(15, "beta", FieldType::Float),
            optional(16, "source", FieldType::String),
            optional(17, "scale", FieldType::Float),
            optional(18, "meanfile", FieldType::String),
            optional(19, "batchsize", FieldType::Uint32),
            optional(20, "cropsize", FieldType::Uint32),
            optional(21, "mirror", FieldType::Bool),
            optional(22, "k", FieldType::Float),
            repeated(50, "blobs", FieldType::Message(BlobProto::KIND)),
            repeated(51, "blobs_lr", FieldType::Float),
            repeated(52, "weight_decay", FieldType::Float),
            optional(53, "rand_skip", FieldType::Uint32),
            optional(54, "det_fg_threshold", FieldType::Float),
            optional(55, "det_bg_threshold", FieldType::Float),
            optional(56, "det_fg_fraction", FieldType::Float),
            optional(58, "det_context_pad", FieldType::Uint32),
            optional(59, "det_crop_mode", FieldType::String),
            optional(60, "new_num", FieldType::Int32),
            optional(61, "new_channels", FieldType::Int32),
            optional(62, "new_height", FieldType::Int32),
            optional(63, "new_width", FieldType::Int32),
            optional(64, "shuffle_images", FieldType::Bool),
            optional(65, "concat_dim", FieldType::Uint32),
            optional(1001, "hdf5_output_param", FieldType::Message(HDF5OutputParameter::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        name: None,
        type_: None,
        num_output: None,
        biasterm: None,
        weight_filler: None,
        bias_filler: None,
        pad: None,
        kernelsize: None,
        group: None,
        stride: None,
        pool: None,
        dropout_ratio: None,
        local_size: None,
        alpha: None,
        beta: None,
        source: None,
        scale: None,
        meanfile: None,
        batchsize: None,
        cropsize: None,
        mirror: None,
        k: None,
        blobs: Vec::new(),
        blobs_lr: Vec::new(),
        weight_decay: Vec::new(),
        rand_skip: None,
        det_fg_threshold: None,
        det_bg_threshold: None,
        det_fg_fraction: None,
        det_context_pad: None,
        det_crop_mode: None,
        new_num: None,
        new_channels: None,
        new_height: None,
        new_width: None,
        shuffle_images: None,
        concat_dim: None,
        hdf5_output_param: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: V0LayerParameter = V0LayerParameter::EMPTY; &EMPTY }
    /// [`Self::name`] or its default.
    pub fn name(&self) -> &str { self.name.as_deref().unwrap_or("") }
    /// [`Self::type_`] or its default.
    pub fn type_(&self) -> &str { self.type_.as_deref().unwrap_or("") }
    /// [`Self::num_output`] or its default.
    pub fn num_output(&self) -> u32 { self.num_output.unwrap_or(0) }
    /// [`Self::biasterm`] or its default.
    pub fn biasterm(&self) -> bool { self.biasterm.unwrap_or(true) }
    /// [`Self::weight_filler`] or its default.
    pub fn weight_filler(&self) -> &FillerParameter { self.weight_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::bias_filler`] or its default.
    pub fn bias_filler(&self) -> &FillerParameter { self.bias_filler.as_ref().unwrap_or(FillerParameter::empty()) }
    /// [`Self::pad`] or its default.
    pub fn pad(&self) -> u32 { self.pad.unwrap_or(0) }
    /// [`Self::kernelsize`] or its default.
    pub fn kernelsize(&self) -> u32 { self.kernelsize.unwrap_or(0) }
    /// [`Self::group`] or its default.
    pub fn group(&self) -> u32 { self.group.unwrap_or(1) }
    /// [`Self::stride`] or its default.
    pub fn stride(&self) -> u32 { self.stride.unwrap_or(1) }
    /// [`Self::pool`] or its default.
    pub fn pool(&self) -> V0LayerParameterPoolMethod { self.pool.unwrap_or(V0LayerParameterPoolMethod::Max) }
    /// [`Self::dropout_ratio`] or its default.
    pub fn dropout_ratio(&self) -> f32 { self.dropout_ratio.unwrap_or(0.5) }
    /// [`Self::local_size`] or its default.
    pub fn local_size(&self) -> u32 { self.local_size.unwrap_or(5) }
    /// [`Self::alpha`] or its default.
    pub fn alpha(&self) -> f32 { self.alpha.unwrap_or(1.0) }
    /// [`Self::beta`] or its default.
    pub fn beta(&self) -> f32 { self.beta.unwrap_or(0.75) }
    /// [`Self::source`] or its default.
    pub fn source(&self) -> &str { self.source.as_deref().unwrap_or("") }
    /// [`Self::scale`] or its default.
    pub fn scale(&self) -> f32 { self.scale.unwrap_or(1.0) }
    /// [`Self::meanfile`] or its default.
    pub fn meanfile(&self) -> &str { self.meanfile.as_deref().unwrap_or("") }
    /// [`Self::batchsize`] or its default.
    pub fn batchsize(&self) -> u32 { self.batchsize.unwrap_or(0) }
    /// [`Self::cropsize`] or its default.
    pub fn cropsize(&self) -> u32 { self.cropsize.unwrap_or(0) }
    /// [`Self::mirror`] or its default.
    pub fn mirror(&self) -> bool { self.mirror.unwrap_or(false) }
    /// [`Self::k`] or its default.
    pub fn k(&self) -> f32 { self.k.unwrap_or(1.0) }
    /// [`Self::rand_skip`] or its default.
    pub fn rand_skip(&self) -> u32 { self.rand_skip.unwrap_or(0) }
    /// [`Self::det_fg_threshold`] or its default.
    pub fn det_fg_threshold(&self) -> f32 { self.det_fg_threshold.unwrap_or(0.5) }
    /// [`Self::det_bg_threshold`] or its default.
    pub fn det_bg_threshold(&self) -> f32 { self.det_bg_threshold.unwrap_or(0.5) }
    /// [`Self::det_fg_fraction`] or its default.
    pub fn det_fg_fraction(&self) -> f32 { self.det_fg_fraction.unwrap_or(0.25) }
    /// [`Self::det_context_pad`] or its default.
    pub fn det_context_pad(&self) -> u32 { self.det_context_pad.unwrap_or(0) }
    /// [`Self::det_crop_mode`] or its default.
    pub fn det_crop_mode(&self) -> &str { self.det_crop_mode.as_deref().unwrap_or("warp") }
    /// [`Self::new_num`] or its default.
    pub fn new_num(&self) -> i32 { self.new_num.unwrap_or(0) }
    /// [`Self::new_channels`] or its default.
    pub fn new_channels(&self) -> i32 { self.new_channels.unwrap_or(0) }
    /// [`Self::new_height`] or its default.
    pub fn new_height(&self) -> i32 { self.new_height.unwrap_or(0) }
    /// [`Self::new_width`] or its default.
    pub fn new_width(&self) -> i32 { self.new_width.unwrap_or(0) }
    /// [`Self::shuffle_images`] or its default.
    pub fn shuffle_images(&self) -> bool { self.shuffle_images.unwrap_or(false) }
    /// [`Self::concat_dim`] or its default.
    pub fn concat_dim(&self) -> u32 { self.concat_dim.unwrap_or(1) }
    /// [`Self::hdf5_output_param`] or its default.
    pub fn hdf5_output_param(&self) -> &HDF5OutputParameter { self.hdf5_output_param.as_ref().unwrap_or(HDF5OutputParameter::empty()) }
}

impl Message for V0LayerParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.name.as_slice()),
            1 => Slot::String(self.type_.as_slice()),
            2 => Slot::Uint32(self.num_output.as_slice()),
            3 => Slot::Bool(self.biasterm.as_slice()),
            4 => Slot::Message(&self.weight_filler),
            5 => Slot::Message(&self.bias_filler),
            6 => Slot::Uint32(self.pad.as_slice()),
            7 => Slot::Uint32(self.kernelsize.as_slice()),
            8 => Slot::Uint32(self.group.as_slice()),
            9 => Slot::Uint32(self.stride.as_slice()),
            10 => Slot::Enum(&self.pool),
            11 => Slot::Float(self.dropout_ratio.as_slice()),
            12 => Slot::Uint32(self.local_size.as_slice()),
            13 => Slot::Float(self.alpha.as_slice()),
            14 => Slot::Float(self.beta.as_slice()),
            15 => Slot::String(self.source.as_slice()),
            16 => Slot::Float(self.scale.as_slice()),
            17 => Slot::String(self.meanfile.as_slice()),
            18 => Slot::Uint32(self.batchsize.as_slice()),
            19 => Slot::Uint32(self.cropsize.as_slice()),
            20 => Slot::Bool(self.mirror.as_slice()),
            21 => Slot::Float(self.k.as_slice()),
            22 => Slot::Message(&self.blobs),
            23 => Slot::Float(self.blobs_lr.as_slice()),
            24 => Slot::Float(self.weight_decay.as_slice()),
            25 => Slot::Uint32(self.rand_skip.as_slice()),
            26 => Slot::Float(self.det_fg_threshold.as_slice()),
            27 => Slot::Float(self.det_bg_threshold.as_slice()),
            28 => Slot::Float(self.det_fg_fraction.as_slice()),
            29 => Slot::Uint32(self.det_context_pad.as_slice()),
            30 => Slot::String(self.det_crop_mode.as_slice()),
            31 => Slot::Int32(self.new_num.as_slice()),
            32 => Slot::Int32(self.new_channels.as_slice()),
            33 => Slot::Int32(self.new_height.as_slice()),
            34 => Slot::Int32(self.new_width.as_slice()),
            35 => Slot::Bool(self.shuffle_images.as_slice()),
            36 => Slot::Uint32(self.concat_dim.as_slice()),
            37 => Slot::Message(&self.hdf5_output_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.name)),
            1 => SlotMut::String(FieldValues::One(&mut self.type_)),
            2 => SlotMut::Uint32(FieldValues::One(&mut self.num_output)),
            3 => SlotMut::Bool(FieldValues::One(&mut self.biasterm)),
            4 => SlotMut::Message(&mut self.weight_filler),
            5 => SlotMut::Message(&mut self.bias_filler),
            6 => SlotMut::Uint32(FieldValues::One(&mut self.pad)),
            7 => SlotMut::Uint32(FieldValues::One(&mut self.kernelsize)),
            8 => SlotMut::Uint32(FieldValues::One(&mut self.group)),
            9 => SlotMut::Uint32(FieldValues::One(&mut self.stride)),
            10 => SlotMut::Enum(&mut self.pool),
            11 => SlotMut::Float(FieldValues::One(&mut self.dropout_ratio)),
            12 => SlotMut::Uint32(FieldValues::One(&mut self.local_size)),
            13 => SlotMut::Float(FieldValues::One(&mut self.alpha)),
            14 => SlotMut::Float(FieldValues::One(&mut self.beta)),
            15 => SlotMut::String(FieldValues::One(&mut self.source)),
            16 => SlotMut::Float(FieldValues::One(&mut self.scale)),
            17 => SlotMut::String(FieldValues::One(&mut self.meanfile)),
            18 => SlotMut::Uint32(FieldValues::One(&mut self.batchsize)),
            19 => SlotMut::Uint32(FieldValues::One(&mut self.cropsize)),
            20 => SlotMut::Bool(FieldValues::One(&mut self.mirror)),
            21 => SlotMut::Float(FieldValues::One(&mut self.k)),
            22 => SlotMut::Message(&mut self.blobs),
            23 => SlotMut::Float(FieldValues::Many(&mut self.blobs_lr)),
            24 => SlotMut::Float(FieldValues::Many(&mut self.weight_decay)),
            25 => SlotMut::Uint32(FieldValues::One(&mut self.rand_skip)),
            26 => SlotMut::Float(FieldValues::One(&mut self.det_fg_threshold)),
            27 => SlotMut::Float(FieldValues::One(&mut self.det_bg_threshold)),
            28 => SlotMut::Float(FieldValues::One(&mut self.det_fg_fraction)),
            29 => SlotMut::Uint32(FieldValues::One(&mut self.det_context_pad)),
            30 => SlotMut::String(FieldValues::One(&mut self.det_crop_mode)),
            31 => SlotMut::Int32(FieldValues::One(&mut self.new_num)),
            32 => SlotMut::Int32(FieldValues::One(&mut self.new_channels)),
            33 => SlotMut::Int32(FieldValues::One(&mut self.new_height)),
            34 => SlotMut::Int32(FieldValues::One(&mut self.new_width)),
            35 => SlotMut::Bool(FieldValues::One(&mut self.shuffle_images)),
            36 => SlotMut::Uint32(FieldValues::One(&mut self.concat_dim)),
            37 => SlotMut::Message(&mut self.hdf5_output_param),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `V1LayerParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct V1LayerParameter {
    /// `optional V0LayerParameter layer = 1`.
    pub layer: Option<V0LayerParameter>,
    /// `repeated string bottom = 2`.
    pub bottom: Vec<String>,
    /// `repeated string top = 3`.
    pub top: Vec<String>,
    /// `optional string name = 4`.
    pub name: Option<String>,
    /// `optional enum V1LayerParameter.LayerType type = 5`.
    pub type_: Option<V1LayerParameterLayerType>,
    /// `repeated BlobProto blobs = 6`.
    pub blobs: Vec<BlobProto>,
    /// `repeated float blobs_lr = 7`.
    pub blobs_lr: Vec<f32>,
    /// `repeated float weight_decay = 8`.
    pub weight_decay: Vec<f32>,
    /// `optional ConcatParameter concat_param = 9`.
    pub concat_param: Option<ConcatParameter>,
    /// `optional ConvolutionParameter convolution_param = 10`.
    pub convolution_param: Option<ConvolutionParameter>,
    /// `optional DataParameter data_param = 11`.
    pub data_param: Option<DataParameter>,
    /// `optional DropoutParameter dropout_param = 12`.
    pub dropout_param: Option<DropoutParameter>,
    /// `optional HDF5DataParameter hdf5_data_param = 13`.
    pub hdf5_data_param: Option<HDF5DataParameter>,
    /// `optional HDF5OutputParameter hdf5_output_param = 14`.
    pub hdf5_output_param: Option<HDF5OutputParameter>,
    /// `optional ImageDataParameter image_data_param = 15`.
    pub image_data_param: Option<ImageDataParameter>,
    /// `optional InfogainLossParameter infogain_loss_param = 16`.
    pub infogain_loss_param: Option<InfogainLossParameter>,
    /// `optional InnerProductParameter inner_product_param = 17`.
    pub inner_product_param: Option<InnerProductParameter>,
    /// `optional LRNParameter lrn_param = 18`.
    pub lrn_param: Option<LRNParameter>,
    /// `optional PoolingParameter pooling_param = 19`.
    pub pooling_param: Option<PoolingParameter>,
    /// `optional WindowDataParameter window_data_param = 20`.
    pub window_data_param: Option<WindowDataParameter>,
    /// `optional PowerParameter power_param = 21`.
    pub power_param: Option<PowerParameter>,
    /// `optional MemoryDataParameter memory_data_param = 22`.
    pub memory_data_param: Option<MemoryDataParameter>,
    /// `optional ArgMaxParameter argmax_param = 23`.
    pub argmax_param: Option<ArgMaxParameter>,
    /// `optional EltwiseParameter eltwise_param = 24`.
    pub eltwise_param: Option<EltwiseParameter>,
    /// `optional ThresholdParameter threshold_param = 25`.
    pub threshold_param: Option<ThresholdParameter>,
    /// `optional DummyDataParameter dummy_data_param = 26`.
    pub dummy_data_param: Option<DummyDataParameter>,
    /// `optional AccuracyParameter accuracy_param = 27`.
    pub accuracy_param: Option<AccuracyParameter>,
    /// `optional HingeLossParameter hinge_loss_param = 29`.
    pub hinge_loss_param: Option<HingeLossParameter>,
    /// `optional ReLUParameter relu_param = 30`.
    pub relu_param: Option<ReLUParameter>,
    /// `optional SliceParameter slice_param = 31`.
    pub slice_param: Option<SliceParameter>,
    /// `repeated NetStateRule include = 32`.
    pub include: Vec<NetStateRule>,
    /// `repeated NetStateRule exclude = 33`.
    pub exclude: Vec<NetStateRule>,
    /// `optional MVNParameter mvn_param = 34`.
    pub mvn_param: Option<MVNParameter>,
    /// `repeated float loss_weight = 35`.
    pub loss_weight: Vec<f32>,
    /// `optional TransformationParameter transform_param = 36`.
    pub transform_param: Option<TransformationParameter>,
    /// `optional TanHParameter tanh_param = 37`.
    pub tanh_param: Option<TanHParameter>,
    /// `optional SigmoidParameter sigmoid_param = 38`.
    pub sigmoid_param: Option<SigmoidParameter>,
    /// `optional SoftmaxParameter softmax_param = 39`.
    pub softmax_param: Option<SoftmaxParameter>,
    /// `optional ContrastiveLossParameter contrastive_loss_param = 40`.
    pub contrastive_loss_param: Option<ContrastiveLossParameter>,
    /// `optional ExpParameter exp_param = 41`.
    pub exp_param: Option<ExpParameter>,
    /// `optional LossParameter loss_param = 42`.
    pub loss_param: Option<LossParameter>,
    /// `repeated string param = 1001`.
    pub param: Vec<String>,
    /// `repeated enum V1LayerParameter.DimCheckMode blob_share_mode = 1002`.
    pub blob_share_mode: Vec<V1LayerParameterDimCheckMode>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl V1LayerParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "V1LayerParameter",
        new: || Box::new(V1LayerParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "layer", FieldType::Message(V0LayerParameter::KIND)),
            repeated(2, "bottom", FieldType::String),
            repeated(3, "top", FieldType::String),
            optional(4, "name", FieldType::String),
            optional(5, "type", FieldType::Enum(V1LayerParameterLayerType::KIND)),
            repeated(6, "blobs", FieldType::Message(BlobProto::KIND)),
            repeated(7, "blobs_lr", FieldType::Float),
            repeated(8, "weight_decay", FieldType::Float),
            optional(9, "concat_param", FieldType::Message(ConcatParameter::KIND)),
            optional(10, "convolution_param", FieldType::Message(ConvolutionParameter::KIND)),
            optional(11, "data_param", FieldType::Message(DataParameter::KIND)),
            optional(12, "dropout_param", FieldType::Message(DropoutParameter::KIND)),
            optional(13, "hdf5_data_param", FieldType::Message(HDF5DataParameter::KIND)),
            optional(14, "hdf5_output_param", FieldType::Message(HDF5OutputParameter::KIND)),
            optional(15, "image_data_param", FieldType::Message(ImageDataParameter::KIND)),
            optional(16, "infogain_loss_param", FieldType::Message(InfogainLossParameter::KIND)),
            optional(17, "inner_product_param", FieldType::Message(InnerProductParameter::KIND)),
            optional(18, "lrn_param", FieldType::Message(LRNParameter::KIND)),
            optional(19, "pooling_param", FieldType::Message(PoolingParameter::KIND)),
            optional(20, "window_data_param", FieldType::Message(WindowDataParameter::KIND)),
            optional(21, "power_param", FieldType::Message(PowerParameter::KIND)),
            optional(22, "memory_data_param", FieldType::Message(MemoryDataParameter::KIND)),
            optional(23, "argmax_param", FieldType::Message(ArgMaxParameter::KIND)),
            optional(24, "eltwise_param", FieldType::Message(EltwiseParameter::KIND)),
            optional(25, "threshold_param", FieldType::Message(ThresholdParameter::KIND)),
            optional(26, "dummy_data_param", FieldType::Message(DummyDataParameter::KIND)),
            optional(27, "accuracy_param", FieldType::Message(AccuracyParameter::KIND)),
            optional(29, "hinge_loss_param", FieldType::Message(HingeLossParameter::KIND)),
            optional(30, "relu_param", FieldType::Message(ReLUParameter::KIND)),
            optional(31, "slice_param", FieldType::Message(SliceParameter::KIND)),
            repeated(32, "include", FieldType::Message(NetStateRule::KIND)),
            repeated(33, "exclude", FieldType::Message(NetStateRule::KIND)),
            optional(34, "mvn_param", FieldType::Message(MVNParameter::KIND)),
            repeated(35, "loss_weight", FieldType::Float),
            optional(36, "transform_param", FieldType::Message(TransformationParameter::KIND)),
            optional(37, "tanh_param", FieldType::Message(TanHParameter::KIND)),
            optional(38, "sigmoid_param", FieldType::Message(SigmoidParameter::KIND)),
            optional(39, "softmax_param", FieldType::Message(SoftmaxParameter::KIND)),
            optional(40, "contrastive_loss_param", FieldType::Message(ContrastiveLossParameter::KIND)),
            optional(41, "exp_param", FieldType::Message(ExpParameter::KIND)),
            optional(42, "loss_param", FieldType::Message(LossParameter::KIND)),
            repeated(1001, "param", FieldType::String),
            repeated(1002, "blob_share_mode", FieldType::Enum(V1LayerParameterDimCheckMode::KIND)),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        layer: None,
        bottom: Vec::new(),
        top: Vec::new(),
        name: None,
        type_: None,
        blobs: Vec::new(),
        blobs_lr: Vec::new(),
        weight_decay: Vec::new(),
        concat_param: None,
        convolution_param: None,
        data_param: None,
        dropout_param: None,
        hdf5_data_param: None,
        hdf5_output_param: None,
        image_data_param: None,
        infogain_loss_param: None,
        inner_product_param: None,
        lrn_param: None,
        pooling_param: None,
        window_data_param: None,
        power_param: None,
        memory_data_param: None,
        argmax_param: None,
        eltwise_param: None,
        threshold_param: None,
        dummy_data_param: None,
        accuracy_param: None,
        hinge_loss_param: None,
        relu_param: None,
        slice_param: None,
        include: Vec::new(),
        exclude: Vec::new(),
        mvn_param: None,
        loss_weight: Vec::new(),
        transform_param: None,
        tanh_param: None,
        sigmoid_param: None,
        softmax_param: None,
        contrastive_loss_param: None,
        exp_param: None,
        loss_param: None,
        param: Vec::new(),
        blob_share_mode: Vec::new(),
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: V1LayerParameter = V1LayerParameter::EMPTY; &EMPTY }
    /// [`Self::layer`] or its default.
    pub fn layer(&self) -> &V0LayerParameter { self.layer.as_ref().unwrap_or(V0LayerParameter::empty()) }
    /// [`Self::name`] or its default.
    pub fn name(&self) -> &str { self.name.as_deref().unwrap_or("") }
    /// [`Self::type_`] or its default.
    pub fn type_(&self) -> V1LayerParameterLayerType { self.type_.unwrap_or(V1LayerParameterLayerType::None) }
    /// [`Self::concat_param`] or its default.
    pub fn concat_param(&self) -> &ConcatParameter { self.concat_param.as_ref().unwrap_or(ConcatParameter::empty()) }
    /// [`Self::convolution_param`] or its default.
    pub fn convolution_param(&self) -> &ConvolutionParameter { self.convolution_param.as_ref().unwrap_or(ConvolutionParameter::empty()) }
    /// [`Self::data_param`] or its default.
    pub fn data_param(&self) -> &DataParameter { self.data_param.as_ref().unwrap_or(DataParameter::empty()) }
    /// [`Self::dropout_param`] or its default.
    pub fn dropout_param(&self) -> &DropoutParameter { self.dropout_param.as_ref().unwrap_or(DropoutParameter::empty()) }
    /// [`Self::hdf5_data_param`] or its default.
    pub fn hdf5_data_param(&self) -> &HDF5DataParameter { self.hdf5_data_param.as_ref().unwrap_or(HDF5DataParameter::empty()) }
    /// [`Self::hdf5_output_param`] or its default.
    pub fn hdf5_output_param(&self) -> &HDF5OutputParameter { self.hdf5_output_param.as_ref().unwrap_or(HDF5OutputParameter::empty()) }
    /// [`Self::image_data_param`] or its default.
    pub fn image_data_param(&self) -> &ImageDataParameter { self.image_data_param.as_ref().unwrap_or(ImageDataParameter::empty()) }
    /// [`Self::infogain_loss_param`] or its default.
    pub fn infogain_loss_param(&self) -> &InfogainLossParameter { self.infogain_loss_param.as_ref().unwrap_or(InfogainLossParameter::empty()) }
    /// [`Self::inner_product_param`] or its default.
    pub fn inner_product_param(&self) -> &InnerProductParameter { self.inner_product_param.as_ref().unwrap_or(InnerProductParameter::empty()) }
    /// [`Self::lrn_param`] or its default.
    pub fn lrn_param(&self) -> &LRNParameter { self.lrn_param.as_ref().unwrap_or(LRNParameter::empty()) }
    /// [`Self::pooling_param`] or its default.
    pub fn pooling_param(&self) -> &PoolingParameter { self.pooling_param.as_ref().unwrap_or(PoolingParameter::empty()) }
    /// [`Self::window_data_param`] or its default.
    pub fn window_data_param(&self) -> &WindowDataParameter { self.window_data_param.as_ref().unwrap_or(WindowDataParameter::empty()) }
    /// [`Self::power_param`] or its default.
    pub fn power_param(&self) -> &PowerParameter { self.power_param.as_ref().unwrap_or(PowerParameter::empty()) }
    /// [`Self::memory_data_param`] or its default.
    pub fn memory_data_param(&self) -> &MemoryDataParameter { self.memory_data_param.as_ref().unwrap_or(MemoryDataParameter::empty()) }
    /// [`Self::argmax_param`] or its default.
    pub fn argmax_param(&self) -> &ArgMaxParameter { self.argmax_param.as_ref().unwrap_or(ArgMaxParameter::empty()) }
    /// [`Self::eltwise_param`] or its default.
    pub fn eltwise_param(&self) -> &EltwiseParameter { self.eltwise_param.as_ref().unwrap_or(EltwiseParameter::empty()) }
    /// [`Self::threshold_param`] or its default.
    pub fn threshold_param(&self) -> &ThresholdParameter { self.threshold_param.as_ref().unwrap_or(ThresholdParameter::empty()) }
    /// [`Self::dummy_data_param`] or its default.
    pub fn dummy_data_param(&self) -> &DummyDataParameter { self.dummy_data_param.as_ref().unwrap_or(DummyDataParameter::empty()) }
    /// [`Self::accuracy_param`] or its default.
    pub fn accuracy_param(&self) -> &AccuracyParameter { self.accuracy_param.as_ref().unwrap_or(AccuracyParameter::empty()) }
    /// [`Self::hinge_loss_param`] or its default.
    pub fn hinge_loss_param(&self) -> &HingeLossParameter { self.hinge_loss_param.as_ref().unwrap_or(HingeLossParameter::empty()) }
    /// [`Self::relu_param`] or its default.
    pub fn relu_param(&self) -> &ReLUParameter { self.relu_param.as_ref().unwrap_or(ReLUParameter::empty()) }
    /// [`Self::slice_param`] or its default.
    pub fn slice_param(&self) -> &SliceParameter { self.slice_param.as_ref().unwrap_or(SliceParameter::empty()) }
    /// [`Self::mvn_param`] or its default.
    pub fn mvn_param(&self) -> &MVNParameter { self.mvn_param.as_ref().unwrap_or(MVNParameter::empty()) }
    /// [`Self::transform_param`] or its default.
    pub fn transform_param(&self) -> &TransformationParameter { self.transform_param.as_ref().unwrap_or(TransformationParameter::empty()) }
    /// [`Self::tanh_param`] or its default.
    pub fn tanh_param(&self) -> &TanHParameter { self.tanh_param.as_ref().unwrap_or(TanHParameter::empty()) }
    /// [`Self::sigmoid_param`] or its default.
    pub fn sigmoid_param(&self) -> &SigmoidParameter { self.sigmoid_param.as_ref().unwrap_or(SigmoidParameter::empty()) }
    /// [`Self::softmax_param`] or its default.
    pub fn softmax_param(&self) -> &SoftmaxParameter { self.softmax_param.as_ref().unwrap_or(SoftmaxParameter::empty()) }
    /// [`Self::contrastive_loss_param`] or its default.
    pub fn contrastive_loss_param(&self) -> &ContrastiveLossParameter { self.contrastive_loss_param.as_ref().unwrap_or(ContrastiveLossParameter::empty()) }
    /// [`Self::exp_param`] or its default.
    pub fn exp_param(&self) -> &ExpParameter { self.exp_param.as_ref().unwrap_or(ExpParameter::empty()) }
    /// [`Self::loss_param`] or its default.
    pub fn loss_param(&self) -> &LossParameter { self.loss_param.as_ref().unwrap_or(LossParameter::empty()) }
}

impl Message for V1LayerParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::Message(&self.layer),
            1 => Slot::String(self.bottom.as_slice()),
            2 => Slot::String(self.top.as_slice()),
            3 => Slot::String(self.name.as_slice()),
            4 => Slot::Enum(&self.type_),
            5 => Slot::Message(&self.blobs),
            6 => Slot::Float(self.blobs_lr.as_slice()),
            7 => Slot::Float(self.weight_decay.as_slice()),
            8 => Slot::Message(&self.concat_param),
            9 => Slot::Message(&self.convolution_param),
            10 => Slot::Message(&self.data_param),
            11 => Slot::Message(&self.dropout_param),
            12 => Slot::Message(&self.hdf5_data_param),
            13 => Slot::Message(&self.hdf5_output_param),
            14 => Slot::Message(&self.image_data_param),
            15 => Slot::Message(&self.infogain_loss_param),
            16 => Slot::Message(&self.inner_product_param),
            17 => Slot::Message(&self.lrn_param),
            18 => Slot::Message(&self.pooling_param),
            19 => Slot::Message(&self.window_data_param),
            20 => Slot::Message(&self.power_param),
            21 => Slot::Message(&self.memory_data_param),
            22 => Slot::Message(&self.argmax_param),
            23 => Slot::Message(&self.eltwise_param),
            24 => Slot::Message(&self.threshold_param),
            25 => Slot::Message(&self.dummy_data_param),
            26 => Slot::Message(&self.accuracy_param),
            27 => Slot::Message(&self.hinge_loss_param),
            28 => Slot::Message(&self.relu_param),
            29 => Slot::Message(&self.slice_param),
            30 => Slot::Message(&self.include),
            31 => Slot::Message(&self.exclude),
            32 => Slot::Message(&self.mvn_param),
            33 => Slot::Float(self.loss_weight.as_slice()),
            34 => Slot::Message(&self.transform_param),
            35 => Slot::Message(&self.tanh_param),
            36 => Slot::Message(&self.sigmoid_param),
            37 => Slot::Message(&self.softmax_param),
            38 => Slot::Message(&self.contrastive_loss_param),
            39 => Slot::Message(&self.exp_param),
            40 => Slot::Message(&self.loss_param),
            41 => Slot::String(self.param.as_slice()),
            42 => Slot::Enum(&self.blob_share_mode),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::Message(&mut self.layer),
            1 => SlotMut::String(FieldValues::Many(&mut self.bottom)),
            2 => SlotMut::String(FieldValues::Many(&mut self.top)),
            3 => SlotMut::String(FieldValues::One(&mut self.name)),
            4 => SlotMut::Enum(&mut self.type_),
            5 => SlotMut::Message(&mut self.blobs),
            6 => SlotMut::Float(FieldValues::Many(&mut self.blobs_lr)),
            7 => SlotMut::Float(FieldValues::Many(&mut self.weight_decay)),
            8 => SlotMut::Message(&mut self.concat_param),
            9 => SlotMut::Message(&mut self.convolution_param),
            10 => SlotMut::Message(&mut self.data_param),
            11 => SlotMut::Message(&mut self.dropout_param),
            12 => SlotMut::Message(&mut self.hdf5_data_param),
            13 => SlotMut::Message(&mut self.hdf5_output_param),
            14 => SlotMut::Message(&mut self.image_data_param),
            15 => SlotMut::Message(&mut self.infogain_loss_param),
            16 => SlotMut::Message(&mut self.inner_product_param),
            17 => SlotMut::Message(&mut self.lrn_param),
            18 => SlotMut::Message(&mut self.pooling_param),
            19 => SlotMut::Message(&mut self.window_data_param),
            20 => SlotMut::Message(&mut self.power_param),
            21 => SlotMut::Message(&mut self.memory_data_param),
            22 => SlotMut::Message(&mut self.argmax_param),
            23 => SlotMut::Message(&mut self.eltwise_param),
            24 => SlotMut::Message(&mut self.threshold_param),
            25 => SlotMut::Message(&mut self.dummy_data_param),
            26 => SlotMut::Message(&mut self.accuracy_param),
            27 => SlotMut::Message(&mut self.hinge_loss_param),
            28 => SlotMut::Message(&mut self.relu_param),
            29 => SlotMut::Message(&mut self.slice_param),
            30 => SlotMut::Message(&mut self.include),
            31 => SlotMut::Message(&mut self.exclude),
            32 => SlotMut::Message(&mut self.mvn_param),
            33 => SlotMut::Float(FieldValues::Many(&mut self.loss_weight)),
            34 => SlotMut::Message(&mut self.transform_param),
            35 => SlotMut::Message(&mut self.tanh_param),
            36 => SlotMut::Message(&mut self.sigmoid_param),
            37 => SlotMut::Message(&mut self.softmax_param),
            38 => SlotMut::Message(&mut self.contrastive_loss_param),
            39 => SlotMut::Message(&mut self.exp_param),
            40 => SlotMut::Message(&mut self.loss_param),
            41 => SlotMut::String(FieldValues::Many(&mut self.param)),
            42 => SlotMut::Enum(&mut self.blob_share_mode),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// `WindowDataParameter`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WindowDataParameter {
    /// `optional string source = 1`.
    pub source: Option<String>,
    /// `optional float scale = 2`, `1.0` unless set.
    pub scale: Option<f32>,
    /// `optional string mean_file = 3`.
    pub mean_file: Option<String>,
    /// `optional uint32 batch_size = 4`.
    pub batch_size: Option<u32>,
    /// `optional uint32 crop_size = 5`, `0` unless set.
    pub crop_size: Option<u32>,
    /// `optional bool mirror = 6`, `False` unless set.
    pub mirror: Option<bool>,
    /// `optional float fg_threshold = 7`, `0.5` unless set.
    pub fg_threshold: Option<f32>,
    /// `optional float bg_threshold = 8`, `0.5` unless set.
    pub bg_threshold: Option<f32>,
    /// `optional float fg_fraction = 9`, `0.25` unless set.
    pub fg_fraction: Option<f32>,
    /// `optional uint32 context_pad = 10`, `0` unless set.
    pub context_pad: Option<u32>,
    /// `optional string crop_mode = 11`, `warp` unless set.
    pub crop_mode: Option<String>,
    /// `optional bool cache_images = 12`, `False` unless set.
    pub cache_images: Option<bool>,
    /// `optional string root_folder = 13`.
    pub root_folder: Option<String>,
    /// Fields of a binary file that the schema does not know, in file order.
    pub unknown: Vec<UnknownField>,
}

impl WindowDataParameter {
    /// Name and fields, for the codecs.
    pub const KIND: &'static MessageKind = &MessageKind {
        name: "WindowDataParameter",
        new: || Box::new(WindowDataParameter::EMPTY),
        size: size_of::<Self>(),
        fields: &[
            optional(1, "source", FieldType::String),
            optional(2, "scale", FieldType::Float),
            optional(3, "mean_file", FieldType::String),
            optional(4, "batch_size", FieldType::Uint32),
            optional(5, "crop_size", FieldType::Uint32),
            optional(6, "mirror", FieldType::Bool),
            optional(7, "fg_threshold", FieldType::Float),
            optional(8, "bg_threshold", FieldType::Float),
            optional(9, "fg_fraction", FieldType::Float),
            optional(10, "context_pad", FieldType::Uint32),
            optional(11, "crop_mode", FieldType::String),
            optional(12, "cache_images", FieldType::Bool),
            optional(13, "root_folder", FieldType::String),
        ],
    };
    /// Nothing set.
    pub const EMPTY: Self = Self {
        source: None,
        scale: None,
        mean_file: None,
        batch_size: None,
        crop_size: None,
        mirror: None,
        fg_threshold: None,
        bg_threshold: None,
        fg_fraction: None,
        context_pad: None,
        crop_mode: None,
        cache_images: None,
        root_folder: None,
        unknown: Vec::new(),
    };
    /// One [`Self::EMPTY`] for everybody.
    pub fn empty() -> &'static Self { static EMPTY: WindowDataParameter = WindowDataParameter::EMPTY; &EMPTY }
    /// [`Self::source`] or its default.
    pub fn source(&self) -> &str { self.source.as_deref().unwrap_or("") }
    /// [`Self::scale`] or its default.
    pub fn scale(&self) -> f32 { self.scale.unwrap_or(1.0) }
    /// [`Self::mean_file`] or its default.
    pub fn mean_file(&self) -> &str { self.mean_file.as_deref().unwrap_or("") }
    /// [`Self::batch_size`] or its default.
    pub fn batch_size(&self) -> u32 { self.batch_size.unwrap_or(0) }
    /// [`Self::crop_size`] or its default.
    pub fn crop_size(&self) -> u32 { self.crop_size.unwrap_or(0) }
    /// [`Self::mirror`] or its default.
    pub fn mirror(&self) -> bool { self.mirror.unwrap_or(false) }
    /// [`Self::fg_threshold`] or its default.
    pub fn fg_threshold(&self) -> f32 { self.fg_threshold.unwrap_or(0.5) }
    /// [`Self::bg_threshold`] or its default.
    pub fn bg_threshold(&self) -> f32 { self.bg_threshold.unwrap_or(0.5) }
    /// [`Self::fg_fraction`] or its default.
    pub fn fg_fraction(&self) -> f32 { self.fg_fraction.unwrap_or(0.25) }
    /// [`Self::context_pad`] or its default.
    pub fn context_pad(&self) -> u32 { self.context_pad.unwrap_or(0) }
    /// [`Self::crop_mode`] or its default.
    pub fn crop_mode(&self) -> &str { self.crop_mode.as_deref().unwrap_or("warp") }
    /// [`Self::cache_images`] or its default.
    pub fn cache_images(&self) -> bool { self.cache_images.unwrap_or(false) }
    /// [`Self::root_folder`] or its default.
    pub fn root_folder(&self) -> &str { self.root_folder.as_deref().unwrap_or("") }
}

impl Message for WindowDataParameter {
    fn kind(&self) -> &'static MessageKind { Self::KIND }
    fn slot(&self, index: usize) -> Slot<'_> {
        match index {
            0 => Slot::String(self.source.as_slice()),
            1 => Slot::Float(self.scale.as_slice()),
            2 => Slot::String(self.mean_file.as_slice()),
            3 => Slot::Uint32(self.batch_size.as_slice()),
            4 => Slot::Uint32(self.crop_size.as_slice()),
            5 => Slot::Bool(self.mirror.as_slice()),
            6 => Slot::Float(self.fg_threshold.as_slice()),
            7 => Slot::Float(self.bg_threshold.as_slice()),
            8 => Slot::Float(self.fg_fraction.as_slice()),
            9 => Slot::Uint32(self.context_pad.as_slice()),
            10 => Slot::String(self.crop_mode.as_slice()),
            11 => Slot::Bool(self.cache_images.as_slice()),
            12 => Slot::String(self.root_folder.as_slice()),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        match index {
            0 => SlotMut::String(FieldValues::One(&mut self.source)),
            1 => SlotMut::Float(FieldValues::One(&mut self.scale)),
            2 => SlotMut::String(FieldValues::One(&mut self.mean_file)),
            3 => SlotMut::Uint32(FieldValues::One(&mut self.batch_size)),
            4 => SlotMut::Uint32(FieldValues::One(&mut self.crop_size)),
            5 => SlotMut::Bool(FieldValues::One(&mut self.mirror)),
            6 => SlotMut::Float(FieldValues::One(&mut self.fg_threshold)),
            7 => SlotMut::Float(FieldValues::One(&mut self.bg_threshold)),
            8 => SlotMut::Float(FieldValues::One(&mut self.fg_fraction)),
            9 => SlotMut::Uint32(FieldValues::One(&mut self.context_pad)),
            10 => SlotMut::String(FieldValues::One(&mut self.crop_mode)),
            11 => SlotMut::Bool(FieldValues::One(&mut self.cache_images)),
            12 => SlotMut::String(FieldValues::One(&mut self.root_folder)),
            _ => bad_slot(Self::KIND, index),
        }
    }
    fn unknown(&self) -> &[UnknownField] { &self.unknown }
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }
}

/// Every message, by name.
pub const MESSAGES: &[&MessageKind] = &[
    AccuracyParameter::KIND,
    AdaptiveBiasChannelParameter::KIND,
    AnnotatedDataParameter::KIND,
    ArgMaxParameter::KIND,
    BNParameter::KIND,
    BatchNormParameter::KIND,
    BatchSampler::KIND,
    BiasChannelParameter::KIND,
    BiasParameter::KIND,
    BlobProto::KIND,
    BlobProtoVector::KIND,
    BlobShape::KIND,
    BoxAnnotatorOHEMParameter::KIND,
    ClipParameter::KIND,
    ColorJitterParameter::KIND,
    ConcatParameter::KIND,
    ContrastiveLossParameter::KIND,
    ConvolutionParameter::KIND,
    CropParameter::KIND,
    DataParameter::KIND,
    Datum::KIND,
    DenseCRFParameter::KIND,
    DenseImageDataParameter::KIND,
    DetectionEvaluateParameter::KIND,
    DetectionOutputParameter::KIND,
    DistortionParameter::KIND,
    DomainTransformParameter::KIND,
    DropoutParameter::KIND,
    DummyDataParameter::KIND,
    ELUParameter::KIND,
    EltwiseParameter::KIND,
    EmbedParameter::KIND,
    EmitConstraint::KIND,
    ExpParameter::KIND,
    ExpansionParameter::KIND,
    FillerParameter::KIND,
    FlattenParameter::KIND,
    HDF5DataParameter::KIND,
    HDF5OutputParameter::KIND,
    HingeLossParameter::KIND,
    ImageDataParameter::KIND,
    InfogainLossParameter::KIND,
    InnerProductParameter::KIND,
    InputParameter::KIND,
    InterpParameter::KIND,
    LRNParameter::KIND,
    LayerParameter::KIND,
    LightingParameter::KIND,
    LogParameter::KIND,
    LossParameter::KIND,
    MVNParameter::KIND,
    MatReadParameter::KIND,
    MatWriteParameter::KIND,
    MemoryDataParameter::KIND,
    MemoryOptimizationParameter::KIND,
    MultiBoxLossParameter::KIND,
    NetParameter::KIND,
    NetState::KIND,
    NetStateRule::KIND,
    NoiseParameter::KIND,
    NonMaximumSuppressionParameter::KIND,
    NormalizeParameter::KIND,
    PReLUParameter::KIND,
    PSROIPoolingParameter::KIND,
    ParamSpec::KIND,
    ParameterParameter::KIND,
    PermuteParameter::KIND,
    PoolingParameter::KIND,
    PowerParameter::KIND,
    PriorBoxParameter::KIND,
    PythonParameter::KIND,
    ROIPoolingParameter::KIND,
    RandomResizedCropParameter::KIND,
    ReLU6Parameter::KIND,
    ReLUParameter::KIND,
    RecurrentParameter::KIND,
    ReductionParameter::KIND,
    ReshapeParameter::KIND,
    ResizeParameter::KIND,
    SPPParameter::KIND,
    SaltPepperParameter::KIND,
    SampleConstraint::KIND,
    Sampler::KIND,
    SaveOutputParameter::KIND,
    ScaleParameter::KIND,
    SegAccuracyParameter::KIND,
    ShuffleChannelParameter::KIND,
    SigmoidParameter::KIND,
    SliceParameter::KIND,
    SmoothL1LossParameter::KIND,
    SoftmaxParameter::KIND,
    SolverParameter::KIND,
    SolverState::KIND,
    SwishParameter::KIND,
    TanHParameter::KIND,
    ThresholdParameter::KIND,
    TileParameter::KIND,
    TransformationParameter::KIND,
    UniqueLabelParameter::KIND,
    UpsampleParameter::KIND,
    V0LayerParameter::KIND,
    V1LayerParameter::KIND,
    WindowDataParameter::KIND,
];
