//! Shapes, chunk arithmetic, ranks, Caffe's random numbers and number format, names of enum values,
//! fingerprints, medians, sizes in words and the clock: what several crates need. Depends on std
//! only.

mod chunk;
mod clock;
mod fingerprint;
mod general;
mod line;
mod median;
mod megabytes;
mod names;
mod rank;
mod shape;

pub mod random;

pub use chunk::chunk;
pub use clock::Clock;
pub use fingerprint::Fingerprint;
pub use general::general;
pub use line::line_to_stderr;
pub use median::median;
pub use megabytes::megabytes;
pub use names::UnknownName;
pub use rank::Rank;
pub use shape::{AXES_MAX, BLOB_VALUES_MAX, Shape, ShapeError};
