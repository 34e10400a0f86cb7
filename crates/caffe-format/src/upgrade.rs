//! Files of older Caffes, brought to Caffe 1.0's schema with the result that Caffe 1.0 gives.
//!
//! One module per generation, oldest first. A net passes them in this order, and each leaves alone
//! what is not of its time: V0 layers (`layers { layer { type: "conv" } }`), transformation fields
//! in data layers, V1 layers (`layers { type: CONVOLUTION }`), `input` fields, BatchNorm's three
//! `param`s.
//!
//! What was changed is returned, for the log to put into words. What Caffe stops at is an error
//! here.

mod batch_norm;
mod inputs;
mod padding;
mod solver;
#[cfg(test)]
mod tests;
mod transform;
mod v0;
mod v1;

pub use solver::{snapshot_prefix, solver};

use serde::{Deserialize, Serialize};

use crate::NetParameter;

/// The net in Caffe 1.0's schema, and what was changed.
///
/// # Errors
///
/// If an old net cannot be understood, with the layer at fault.
pub fn net(net: NetParameter) -> Result<(NetParameter, Vec<UpgradeChange>), UpgradeError> {
    let mut changes = Vec::new();
    let mut net = v0::net(net, &mut changes)?;
    transform::net(&mut net, &mut changes);
    let mut net = v1::net(net, &mut changes)?;
    inputs::net(&mut net, &mut changes)?;
    batch_norm::net(&mut net, &mut changes);
    Ok((net, changes))
}

/// One thing that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpgradeChange {
    /// V0 layers became V1 layers.
    V0Layers,
    /// A field of a V0 layer was dropped, since layers of this type have no use for it.
    DroppedField {
        /// The layer's name.
        layer: String,
        /// The field.
        field: String,
        /// The V0 type.
        kind: String,
    },
    /// Transformation fields of data layers moved to `transform_param`.
    TransformFields,
    /// V1 layers became Caffe 1.0's.
    V1Layers,
    /// The net's `input` fields became an Input layer.
    InputLayer,
    /// The net's `input` fields, which have no shape, were dropped.
    DroppedInputs,
    /// The rates of BatchNorm layers' `param`s were set to 0.
    BatchNormRates {
        /// How many layers.
        layers: usize,
    },
    /// `solver_type` was replaced by `type`.
    SolverType {
        /// Caffe 1.0's name.
        name: String,
    },
    /// A net inside the solver was changed.
    SolverNet {
        /// The solver's field that holds it.
        field: String,
        /// What was changed in it.
        change: Box<UpgradeChange>,
    },
}

/// Why an old file cannot be upgraded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpgradeError {
    /// `layer` and `layers` blocks in one file: their order is lost.
    #[error(
        "the net has both `layer` and `layers` blocks; write all as `layer {{ type: \"..\" }}`"
    )]
    MixedLayers,
    /// A V0 type that no Caffe had.
    #[error("layer `{layer}`: `{kind}` is not a type of V0 layers")]
    V0Type {
        /// The layer's name.
        layer: String,
        /// As written.
        kind: String,
    },
    /// A V0 net's padding can only be found if every bottom's origin is known.
    #[error(
        "layer `{layer}`: bottom `{blob}` is not an input and not the top of any earlier layer"
    )]
    UnknownBottom {
        /// The layer's name.
        layer: String,
        /// The bottom.
        blob: String,
    },
    /// Padding goes into a convolution or pooling, one blob in and one out.
    #[error("layer `{layer}`: cannot take in padding layer `{padding}`: {why}")]
    Padding {
        /// The layer after the padding.
        layer: String,
        /// The padding layer.
        padding: String,
        /// What it should be.
        why: &'static str,
    },
    /// `input` without its shape.
    #[error("input `{input}` has no shape: {want} for {inputs} inputs are needed, {got} given")]
    InputShape {
        /// The first input without shape.
        input: String,
        /// What is missing, and how many of it.
        want: String,
        /// Number of inputs.
        inputs: usize,
        /// Number of shapes or dimensions.
        got: usize,
    },
    /// Both spellings of the solver's type.
    #[error("the solver has both `type` and the older `solver_type`; keep `type`")]
    SolverType,
}
