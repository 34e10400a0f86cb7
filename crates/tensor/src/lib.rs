//! Where values live: aligned slabs and the memory layouts of a blob.
//!
//! A blob has Caffe's logical shape and one of two memory [`Layout`]s; whoever looks from outside sees
//! Caffe's order. `unsafe` is allowed in this crate for one purpose each: [`Slab`] views its aligned
//! lines as plain floats and asks for huge pages, and [`SharedSlab`] hands disjoint shares of one
//! slab to several workers.

mod huge;
mod layout;
mod shared;
mod slab;

pub use layout::Layout;
pub use shared::{Reading, SharedSlab, Writing};
pub use slab::Slab;
