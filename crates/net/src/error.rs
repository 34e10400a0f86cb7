//! Why a net cannot be built or run. Every variant names the layer or blob and what was expected.

use base::Shape;
use caffe_format::forks;
use layers::{Arity, DataSourceError, LayerError};

/// Why a net could not be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// Nothing to build.
    #[error("{}", no_layers(*.written, .state))]
    NoLayers {
        /// Layers as written, all of them left out.
        written: usize,
        /// Phase, level and stages of the net.
        state: String,
    },

    /// No row in the table.
    #[error("layer `{layer}`: {}", unknown_type(.kind, *.listed))]
    UnknownType {
        /// The layer.
        layer: String,
        /// The string after `type:`.
        kind: String,
        /// Whether the message lists all types: that of one layer per net does.
        listed: bool,
    },

    /// Nothing earlier in the file makes this blob.
    #[error("layer `{layer}`: bottom `{blob}` is not the top of any earlier layer{}", hint(.near))]
    UnknownBottom {
        /// The layer.
        layer: String,
        /// What it reads.
        blob: String,
        /// A blob with a similar name.
        near: Option<String>,
    },

    /// Two layers make the same blob.
    #[error(
        "layer `{layer}`: top `{blob}` is made by layer `{earlier}` already; rename one of them"
    )]
    DuplicateTop {
        /// The later layer.
        layer: String,
        /// The blob.
        blob: String,
        /// The earlier layer.
        earlier: String,
    },

    /// A layer that needs its bottom overwrites it.
    #[error(
        "layer `{layer}` ({kind}) cannot run in place{why}; give the top its own name instead of \
         `{blob}`"
    )]
    InPlace {
        /// The layer.
        layer: String,
        /// Its type.
        kind: &'static str,
        /// What would go wrong, after a colon; or nothing.
        why: &'static str,
        /// The blob.
        blob: String,
    },

    /// Wrong number of bottoms or tops.
    #[error("layer `{layer}` ({kind}) has {got} {what}, expected {want}")]
    Arity {
        /// The layer.
        layer: String,
        /// Its type.
        kind: &'static str,
        /// `bottoms` or `tops`.
        what: &'static str,
        /// How many there are.
        got: usize,
        /// How many there may be.
        want: Arity,
    },

    /// As many tops as bottoms are needed.
    #[error(
        "layer `{layer}` ({kind}) has {bottoms} bottoms and {tops} tops, expected as many of both"
    )]
    Unequal {
        /// The layer.
        layer: String,
        /// Its type.
        kind: &'static str,
        /// Bottoms.
        bottoms: usize,
        /// Tops.
        tops: usize,
    },

    /// A list that must be empty or complete is neither.
    #[error("layer `{layer}`: `{field}` is given {got} times, expected none or {want}")]
    ListLength {
        /// The layer.
        layer: String,
        /// `propagate_down`, `loss_weight` or `param`.
        field: &'static str,
        /// Entries.
        got: usize,
        /// Entries that would do.
        want: usize,
    },

    /// Both kinds of rules.
    #[error("layer `{layer}` has both include and exclude rules; keep one kind")]
    BothRules {
        /// The layer.
        layer: String,
    },

    /// The layer itself objects.
    #[error("layer `{layer}` ({kind})")]
    Layer {
        /// The layer.
        layer: String,
        /// Its type.
        kind: &'static str,
        /// What it says.
        source: LayerError,
    },

    /// A data layer's source cannot be opened.
    #[error("layer `{layer}`")]
    Source {
        /// The layer.
        layer: String,
        /// What the source says.
        source: DataSourceError,
    },

    /// Layers that can be described but not run.
    #[error(
        "not trained here: {layers}; only the {fork} fork of Caffe runs them, and only their shapes \
         are known here, for `check` and `model summary`"
    )]
    ShapesOnly {
        /// The layers and their types.
        layers: String,
        /// Who runs them.
        fork: &'static str,
    },

    /// Shared weights (`param { name: .. }`) disagree in shape.
    #[error("layer `{layer}`: shares param `{param}` as {got}, but layer `{owner}` made it {want}")]
    SharedShape {
        /// The sharing layer.
        layer: String,
        /// Name of the param.
        param: String,
        /// The layer that made it.
        owner: String,
        /// The sharing layer's shape.
        got: Shape,
        /// The owner's shape.
        want: Shape,
    },

    /// A net was compiled again for other shapes, and its params do not fit them.
    #[error(
        "layer `{layer}`: the new input shape asks for param {index} of shape {got}, not {want}"
    )]
    ParamReshaped {
        /// The layer.
        layer: String,
        /// Which param.
        index: usize,
        /// What the new input asks for.
        got: Shape,
        /// What there is.
        want: Shape,
    },

    /// Shared weights disagree in `lr_mult` or `decay_mult`.
    #[error("layer `{layer}`: shared param `{param}` has {field} {got}, elsewhere {want}")]
    SharedMultiplier {
        /// The sharing layer.
        layer: String,
        /// Name of the param.
        param: String,
        /// `lr_mult` or `decay_mult`.
        field: &'static str,
        /// Here.
        got: f32,
        /// There.
        want: f32,
    },

    /// A layer names two of its own params alike.
    #[error(
        "layer `{layer}`: two of its params are named `{param}`; a layer cannot share with itself"
    )]
    SharedWithin {
        /// The layer.
        layer: String,
        /// The name.
        param: String,
    },

    /// More than one thing is wrong.
    #[error("{}", list(.0))]
    Several(Vec<NetError>),
}

/// Why a net that was built could not run, or a blob not be set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A layer objects, or its source does.
    #[error("layer `{layer}`{}", of_record(.record))]
    Layer {
        /// The layer.
        layer: String,
        /// The record it is about, when one is known.
        record: Option<String>,
        /// What it says.
        source: LayerError,
    },

    /// A bottom changed its shape so that its memory order matters where it did not before.
    #[error(
        "layer `{layer}`: bottom `{blob}` became {got} while running; \
         build the net for this shape instead"
    )]
    Layout {
        /// The layer.
        layer: String,
        /// The bottom.
        blob: String,
        /// Its new shape.
        got: Shape,
    },

    /// A bottom changed its shape so that a parameter no longer fits.
    #[error(
        "layer `{layer}`: the new input shape asks for param {index} of shape {got}, not {want}"
    )]
    ParamShape {
        /// The layer.
        layer: String,
        /// Which param.
        index: usize,
        /// What the new input asks for.
        got: Shape,
        /// What there is.
        want: Shape,
    },

    /// No blob of this name.
    #[error("the net has no blob `{blob}` (blobs: {known})")]
    UnknownBlob {
        /// The name.
        blob: String,
        /// The names there are.
        known: String,
    },

    /// A blob was to be set from another number of values.
    #[error("blob `{blob}` has shape {want}, but {got} values were given")]
    BlobLength {
        /// The blob.
        blob: String,
        /// How many values were given.
        got: usize,
        /// Its shape.
        want: Shape,
    },

    /// A blob was to be set that is some channels of another one.
    #[error(
        "blob `{blob}` cannot be set: the net was compiled to write it into its Concat's top; \
         compile with `MemoryPlan::KeepDiffs`"
    )]
    BlobJoined {
        /// The blob.
        blob: String,
    },

    /// A diff was to be set, or backward run, in a net that runs forward only.
    #[error(
        "the net keeps no diffs; compile it with `MemoryPlan::ShareDiffs` to run backward, \
         or with `MemoryPlan::KeepDiffs` to set diffs"
    )]
    NoDiffs,

    /// A diff was to be set whose memory other diffs use.
    #[error(
        "the diff of blob `{blob}` cannot be set: its memory is shared; \
         compile with `MemoryPlan::KeepDiffs`"
    )]
    DiffShared {
        /// The blob.
        blob: String,
    },
}

fn no_layers(written: usize, state: &str) -> String {
    match written {
        0 => "the net has no layers".into(),
        1 => format!("the include and exclude rules leave out the net's only layer in {state}"),
        _ => format!("the include and exclude rules leave out all {written} layers in {state}"),
    }
}

fn unknown_type(kind: &str, listed: bool) -> String {
    match type_hint(kind) {
        Some(hint) => hint,
        None if listed => format!("unknown layer type `{kind}` (known types: {})", known_types()),
        None => format!("unknown layer type `{kind}`"),
    }
}

/// What is wrong with a type, if more is known than that it is not in the table.
pub(crate) fn type_hint(kind: &str) -> Option<String> {
    if kind.is_empty() {
        return Some("`type` is missing".into());
    }
    if kind == "Python" {
        return Some(PYTHON.into());
    }
    if let Some(fork) = forks::of_layer_type(kind) {
        return Some(format!("layer type `{kind}` of {} is not supported", fork.name));
    }
    let mut known = layers::LAYERS.iter().map(|row| row.name);
    let near = known.find(|name| crate::graph::similar(name, kind))?;
    Some(format!("unknown layer type `{kind}`; did you mean `{near}`?"))
}

/// The names of all layer types, for messages.
pub(crate) fn known_types() -> String {
    layers::LAYERS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

/// About the one layer type of Caffe 1.0 that is not in the table.
const PYTHON: &str = "a net with Python layers needs the Python package: run `pip install \
                      ./crates/python` in FireCaffe's source, then `python3 -m caffe` in place of \
                      `firecaffe`";

fn hint(near: &Option<String>) -> String {
    near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn of_record(record: &Option<String>) -> String {
    record.as_ref().map_or_else(String::new, |record| format!(", record `{record}`"))
}

fn list(errors: &[NetError]) -> String {
    errors.iter().map(|error| format!("{}", Chain(error))).collect::<Vec<_>>().join("\n")
}

/// Prints an error with its causes.
struct Chain<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        self.0.source().map_or(Ok(()), |cause| write!(f, ": {}", Chain(cause)))
    }
}
