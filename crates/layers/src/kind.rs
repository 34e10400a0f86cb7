//! A row of the layer table: what a layer type is called, what it connects, how it is built and
//! checked.

use caffe_format::{LayerParameter, Phase};

use crate::{Layer, LayerError};

/// A layer type. One `KIND` per file; [`LAYERS`](crate::LAYERS) lists them all.
///
/// Most rows say only what differs: `LayerKind { name: "ReLU", build, ..LayerKind::UNARY }`.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts; a row writes only those that hold"
)]
pub struct LayerKind {
    /// The string after `type:` in a prototxt.
    pub name: &'static str,
    /// The fork of Caffe that has it, or "" for a type of Caffe's own.
    pub fork: &'static str,
    /// The message with its options, or "" when it has none.
    pub options: &'static str,
    /// What it computes, for `docs/layers.md`; one line of plain text mathematics.
    pub formula: &'static str,
    /// How many bottoms it takes.
    pub bottoms: Arity,
    /// How many tops it makes.
    pub tops: Arity,
    /// Whether there must be as many tops as bottoms, as for Convolution.
    pub tops_equal_bottoms: bool,
    /// Whether top `i` may be bottom `i`.
    pub in_place: InPlace,
    /// A loss: its first top weighs 1 unless `loss_weight` says otherwise, and tops left out are
    /// made.
    pub loss: bool,
    /// A data layer: its tops come from a [`DataSource`](crate::DataSource). Or an output layer:
    /// its bottoms go to the source's [`OutputSink`](crate::OutputSink).
    pub has_source: bool,
    /// Whether we know only its shapes: it can be described, and compiling a net that has one to
    /// run it is an error that names the fork.
    pub shapes_only: bool,
    /// Lowers what is written into a layer.
    pub build: fn(&LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError>,
    /// What the gradient checker tries: every option that changes the arithmetic. Empty only
    /// for layers without a gradient and those of shapes only.
    pub cases: &'static [GradientCase],
}

impl LayerKind {
    /// One bottom, one top, nothing special.
    pub const UNARY: Self = Self {
        name: "",
        fork: "",
        options: "",
        formula: "",
        bottoms: Arity::exactly(1),
        tops: Arity::exactly(1),
        tops_equal_bottoms: false,
        in_place: InPlace::Never,
        loss: false,
        has_source: false,
        shapes_only: false,
        build: |_| unreachable!("every row names its builder"),
        cases: &[],
    };

    /// Predictions and targets in, one loss out.
    pub const LOSS: Self = Self { bottoms: Arity::exactly(2), loss: true, ..Self::UNARY };

    /// No bottoms, tops from a source.
    pub const WITH_SOURCE: Self = Self {
        bottoms: Arity::exactly(0),
        tops: Arity { min: 1, max: usize::MAX },
        has_source: true,
        ..Self::UNARY
    };
}

/// How many blobs a layer connects; both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arity {
    /// At least.
    pub min: usize,
    /// At most; `usize::MAX` for any number.
    pub max: usize,
}

impl Arity {
    /// Exactly `count`.
    #[must_use]
    pub const fn exactly(count: usize) -> Self {
        Self { min: count, max: count }
    }

    /// `min` or more.
    #[must_use]
    pub const fn at_least(min: usize) -> Self {
        Self { min, max: usize::MAX }
    }

    /// Whether `count` fits.
    #[must_use]
    pub fn admits(self, count: usize) -> bool {
        (self.min..=self.max).contains(&count)
    }
}

impl std::fmt::Display for Arity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.min, self.max) {
            (min, max) if min == max => write!(f, "{min}"),
            (min, usize::MAX) => write!(f, "at least {min}"),
            (min, max) => write!(f, "{min} to {max}"),
        }
    }
}

/// Whether a layer may overwrite its bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InPlace {
    /// Shapes differ, or Caffe refuses it too.
    Never,
    /// Forward or backward would read values that the layer has overwritten. Caffe lets it, and its
    /// results are wrong.
    ReadsOverwritten,
    /// Top 0 may be bottom 0; the layer uses [`Forward::unary`](crate::Forward::unary) or keeps a
    /// copy.
    First,
}

/// What [`LayerKind::build`] sees.
pub struct LayerSpec<'a> {
    /// The layer as written.
    pub layer: &'a LayerParameter,
    /// The net's phase, or the layer's own when it names one.
    pub phase: Phase,
    /// Whether top 0 is bottom 0.
    pub in_place: bool,
    /// Number of bottoms.
    pub bottoms: usize,
    /// Number of tops, those made automatically included.
    pub tops: usize,
    /// Shapes of a data layer's tops, as its source announced them; empty for other layers.
    pub source_shapes: &'a [base::Shape],
}

/// One thing the gradient checker tries: options, bottom shapes and how they are filled.
pub struct GradientCase {
    /// What is written in the layer besides name and type, e.g. `relu_param { negative_slope: 0.1
    /// }`.
    pub options: &'static str,
    /// One entry per bottom.
    pub bottoms: &'static [(&'static [usize], BottomFill)],
    /// Number of tops.
    pub tops: usize,
}

impl GradientCase {
    /// One image-shaped bottom with values around zero, one top.
    #[must_use]
    pub const fn image(options: &'static str) -> Self {
        Self { options, bottoms: &[(&[2, 3, 4, 5], BottomFill::Gaussian)], tops: 1 }
    }
}

/// Values of a bottom in a [`GradientCase`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BottomFill {
    /// Mean 0, deviation 1; gradient is checked.
    Gaussian,
    /// As `Gaussian`, but every value at least 0.1 away from this one, where the function has a
    /// kink.
    Away(f32),
    /// Uniform in a range; gradient is checked.
    Uniform(f32, f32),
    /// Class indices below this; no gradient.
    Labels(usize),
    /// Zeros and ones; no gradient.
    Binary,
    /// Where sequences go on: zeros for the first step of so many streams, then zeros and ones;
    /// no gradient.
    Sequences(usize),
    /// These, in memory order: boxes, masks; no gradient.
    Values(&'static [f32]),
    /// Distinct values at least 0.05 apart in random order, for maxima; gradient is checked.
    Spread,
}
