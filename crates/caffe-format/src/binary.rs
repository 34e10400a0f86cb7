//! Binary protobuf: `.caffemodel`, `.solverstate`, `.binaryproto` and the `Datum`s of a database.
//!
//! [`read`] and [`write()`] are each one walk over the message's description, whatever the message.
//! Packed values (a blob's data) are converted in bulk, at about the speed of a copy; unpacked ones
//! (`Datum.float_data`) consecutive records at a time. Both forms are read for every repeated
//! number, as protobuf asks. What the schema does not know (a foreign field, an enum value of
//! another Caffe, a known field of an unexpected wire type) is kept in `unknown` and written again
//! at the message's end.
//!
//! A length is compared with the bytes that are left before anything is allocated.

mod datum_view;
mod read;
#[cfg(test)]
mod tests;
mod wire;
mod write;

pub use datum_view::DatumView;

use crate::message::Message;

/// Reads a message that fills `bytes`.
///
/// # Errors
///
/// Names the place in the message and in `bytes` where the first thing is wrong.
pub fn read<M: Message + Default>(bytes: &[u8]) -> Result<M, BinaryError> {
    let mut message = M::default();
    read_into(bytes, &mut message)?;
    Ok(message)
}

/// Adds a message that fills `bytes` to `message`, as protobuf merges: single values are replaced,
/// repeated ones appended.
///
/// # Errors
///
/// As [`read`]; `message` then holds what came before the error.
pub(crate) fn read_into(bytes: &[u8], message: &mut dyn Message) -> Result<(), BinaryError> {
    read::root(bytes, message)
}

/// The message's bytes: fields in the order of their numbers, then what the schema does not know.
pub fn write(message: &dyn Message) -> Vec<u8> {
    write::root(message)
}

/// What is wrong with a binary message, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("in `{path}` at byte {offset}: {problem}")]
pub struct BinaryError {
    /// From the outermost message to the field: `NetParameter.layer[3].blobs[0].data`.
    pub path: String,
    /// From the start of the input.
    pub offset: usize,
    /// What is wrong.
    pub problem: BinaryProblem,
}

/// What is wrong with a binary message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BinaryProblem {
    /// The file was cut, or a length is wrong.
    #[error("{want} bytes are announced, {left} are left")]
    Short {
        /// What the length says.
        want: u64,
        /// What there is.
        left: usize,
    },
    /// The input ends within a number.
    #[error("the input ends within a number")]
    NumberCut,
    /// More than ten bytes, or more than 64 bits.
    #[error("a number has more than 64 bits")]
    NumberLong,
    /// Zero, or larger than protobuf's largest.
    #[error("{number} is no field number")]
    FieldNumber {
        /// What the tag says.
        number: u64,
    },
    /// 6 or 7.
    #[error("{wire} is no wire type")]
    WireType {
        /// What the tag says.
        wire: u8,
    },
    /// A group ends that did not begin, or never ends.
    #[error("the begin and end of group {number} do not match")]
    Group {
        /// The field number of the group.
        number: u32,
    },
    /// Packed values do not fill their block.
    #[error("{len} bytes are no whole number of {width}-byte values")]
    Packed {
        /// Length of the block.
        len: usize,
        /// Bytes of one value.
        width: usize,
    },
    /// A string that is not text.
    #[error("the string is not UTF-8")]
    Utf8,
    /// A required field is absent.
    #[error("required field `{field}` is missing")]
    Missing {
        /// The field's name.
        field: &'static str,
    },
    /// Nested deeper than [`crate::DEPTH_MAX`].
    #[error("messages are nested deeper than {}", crate::DEPTH_MAX)]
    Depth,
    /// More messages than [`crate::STRUCT_BYTES_MAX`] holds.
    #[error("more messages than any net has")]
    Count,
}
