//! From a written net to one that runs.
//!
//! A net is compiled in stages. Each takes the value of the stage before and returns a new one:
//!
//! | stage | value | modules |
//! |---|---|---|
//! | written | `NetParameter` | [`filter()`], `splits` |
//! | graph | `NetGraph` | `graph` |
//! | shaped | `ShapedNet` | `shapes`, `params`, `needs` |
//! | placed | `PlacedNet` | `placed`, `precision`, `layouts`, `fusion`, `joining`, `memory`, .. |
//! | executable | [`Net`] | `allocate`, `executable`, `forward`, `backward` |
//!
//! - `filter` drops layers by their include and exclude rules; `splits` gives every blob one
//!   reader.
//! - `graph` replaces names by ids and checks layer types, arity and what runs in place.
//! - `shapes` builds the layers and shapes them, first to last. `params` shares parameters by name
//!   and places them in slab, pool and running state. `needs` decides which layers and bottoms take
//!   part in backward.
//! - `precision` decides which blobs are in half precision. `layouts` assigns memory orders and
//!   inserts conversions. `fusion` lets layers absorb what follows them in place and moves ReLU
//!   masks to where diffs are made. `joining` makes the bottoms of a Concat channels of its top.
//!   `memory` and `sharing` assign buffers, as sizes.
//! - `allocate` takes memory and works out what each layer's forward and backward need.
//!
//! Only the last stage allocates blobs. [`describe()`] stops before it and returns what reports and
//! model files need, the [`NetDescription`], which copies of an executable net share. Fusion,
//! joining and shared diffs give the plain net's bits; [`MemoryPlan`] switches them off.
//!
//! A [`Net`] belongs to one worker: it owns activations and workspaces, and borrows parameters,
//! gradients and a replica's state from its caller. It knows no files, ranks or clocks.

mod allocate;
mod backward;
mod backward_memory;
mod blob_access;
mod blob_memory;
mod blobs;
mod compile;
mod debug;
mod description;
mod error;
mod executable;
mod forward;
mod forward_memory;
mod fusion;
mod graph;
mod ids;
mod joining;
mod layouts;
mod memory;
mod needs;
mod params;
mod placed;
mod precision;
mod recompile;
mod replica;
mod report;
mod shapes;
mod sharing;
mod splits;
mod structure;
mod weights;

pub mod filter;
pub mod float_text;

pub use blob_access::BlobPart;
pub use blobs::{BlobValues, Output};
pub use compile::{FilteredNet, OpenSources, compile, describe};
pub use debug::{DebugBlob, DebugValue, NetNorms};
pub use description::NetDescription;
pub use error::{NetError, RunError};
pub use executable::Net;
pub use filter::{Mismatch, UnmetRule, filter};
pub use memory::{MemoryPlan, MemoryUse};
pub use params::{Param, ParamStorage};
pub use precision::Precision;
pub use replica::ReplicaState;
pub use report::{
    BackwardWork, LayerReport, LayerSummary, NetReport, SharedParam, SourceReport, TopReport,
};
pub use structure::{LayerBlob, LayerStructure};

#[cfg(test)]
mod tests;
