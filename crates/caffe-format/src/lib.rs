//! Caffe's messages: as plain structs, as prototxt, as binary protobuf, and brought up to date.
//!
//! [`schema`] has one struct per message with Caffe's own names (`LayerParameter`, `BlobProto`, …);
//! everything in it is re-exported here. `text` reads prototxt and reports every error of a file
//! at once, `binary` reads `.caffemodel`, `.solverstate`, mean files and `Datum`s, `upgrade` turns
//! the formats of older Caffes into Caffe 1.0's, and `forks` names who has a field that Caffe has
//! not.
//! Both codecs are generic over `message::Message`.
//!
//! No files are opened here and no net is built: bytes and strings go in, values come out. Input is
//! hostile: no input panics, nesting is at most [`DEPTH_MAX`], and memory is bounded by the
//! input's size.

pub mod binary;
mod blob;
mod datum;
mod enum_name;
pub mod forks;
pub mod message;
#[rustfmt::skip] // generated as a table, one line per field
#[expect(clippy::too_many_lines, reason = "generated: one line per field of a message")]
pub mod schema;
pub mod text;
pub mod upgrade;

pub use blob::{BLOB_AXES_MAX, BLOB_VALUES_MAX, BlobError};
pub use enum_name::EnumNameError;
pub use message::UnknownField;
pub use schema::*;

/// Messages may nest this deep, in text and in binary; protobuf's own limit.
pub const DEPTH_MAX: usize = 100;

/// Most memory that the structs of one file's messages may take, without what they own.
///
/// An empty `layer {}` costs three bytes of file and four kilobytes of struct. Without a bound, a
/// small hostile file could ask for all memory; with it, a net may have 29,000 layers.
pub const STRUCT_BYTES_MAX: usize = 128 << 20;
