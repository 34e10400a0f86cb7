//! From a written net to one that runs.
//!
//! A net is compiled in stages. Each takes the value of the stage before and returns a new one:
//!
//! | stage | value | made by |
//! |---|---|---|
//! | written | `NetParameter` | [`filter`] drops layers by their include and exclude rules, [`splits`] gives every blob one reader |
//! | graph | `NetGraph` | `graph`: names become ids; in-place, arity and layer types are checked |
//! | shaped | `ShapedNet` | `shapes`: layers are built and shaped, first to last; `params`: parameters are shared by name and placed in slab, pool and running state; `needs`: which layers and bottoms take part in backward |
//! | placed | `PlacedNet` | `layouts`: memory orders and conversions; `fusion`: layers absorb what follows them in place, and ReLU masks move to where diffs are made; `joining`: bottoms of a Concat become channels of its top; `memory`, `sharing`: blobs get buffers |
//! | executable | [`Net`] | `executable`: memory is allocated, and what each layer's forward and backward need is worked out |
//!
//! Only the last stage allocates blobs. [`describe()`] stops before it and returns what reports and
//! model files need, the [`NetDescription`], which an executable net has too. Fusion, joining and
//! shared diffs give the plain net's bits; [`MemoryPlan`] switches them off.
//!
//! A [`Net`] belongs to one worker: it owns activations and workspaces, and borrows parameters,
//! gradients and a replica's state from its caller. It knows no files, ranks or clocks.

mod backward;
mod blobs;
mod compile;
mod debug;
mod description;
mod error;
mod executable;
mod forward;
mod fusion;
mod graph;
mod ids;
mod joining;
mod layouts;
mod memory;
mod needs;
mod params;
mod placed;
mod replica;
mod report;
mod shapes;
mod sharing;
mod weights;

pub mod filter;
pub mod splits;

pub use blobs::{BlobValues, Output};
pub use compile::{OpenSources, compile, describe};
pub use debug::{DebugBlob, DebugValue, NetNorms};
pub use description::NetDescription;
pub use error::{NetError, RunError};
pub use executable::Net;
pub use filter::{Mismatch, UnmetRule};
pub use memory::{MemoryPlan, MemoryUse};
pub use params::{Param, ParamStorage};
pub use replica::ReplicaState;
pub use report::{
    BackwardWork, LayerReport, LayerSummary, LayoutConversion, NetReport, SharedParam, TopReport,
};

#[cfg(test)]
mod tests;
