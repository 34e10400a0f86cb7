//! Memory for values: aligned slabs and the memory layouts of a blob.
//!
//! A blob has Caffe's logical shape and one of two memory [`Layout`]s; outside the net, values
//! always appear in Caffe's order. `unsafe` has two uses in this crate: [`Slab`] views its aligned
//! cache lines as values and asks for huge pages, and [`SharedSlab`] lends disjoint ranges of one
//! slab to several workers.

mod huge;
mod layout;
mod shared;
mod slab;

pub use layout::Layout;
pub use shared::{SharedSlab, SlabReadGuard, SlabWriteGuard};
pub use slab::{Slab, SlabValue};
