//! Prototxt: protobuf's text format, as Caffe's users write it and as Caffe's log prints it.
//!
//! [`read`] reports every error of a file at once: after an error the parser goes on at the next
//! field, so a wrong value costs one report and not a cascade. An unknown field is reported once,
//! with how often it occurs. [`write()`] prints byte for byte what protobuf's `DebugString` prints.
//! Each is one walk over the message's description.
//!
//! The lexer hands out one token at a time and the parser looks one token ahead; memory beyond the
//! message itself is one entry per reported error.

mod diagnostic;
mod edit;
mod lexer;
mod likely;
mod number;
mod parser;
mod recover;
mod scalar;
mod strings;
mod suggest;
#[cfg(test)]
mod tests;
mod unknown;
mod value;
mod write;

pub use diagnostic::{Diagnostic, Diagnostics, ERRORS_MAX};
pub use edit::{Outline, TextEdits};
pub use likely::likely_kind;

use crate::message::Message;

/// What to do with a field that the schema does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// It is an error.
    Reject,
    /// Its value is skipped whole, with one warning per message and name: forks of Caffe write such
    /// fields.
    Warn,
}

/// Reads a message from `source`; `file_name` is for the reports only.
///
/// # Errors
///
/// All that is wrong with the file.
pub fn read<M: Message + Default>(file_name: &str, source: &str) -> Result<M, Diagnostics> {
    read_with(file_name, source, UnknownFields::Reject).map(|(message, _)| message)
}

/// As [`read`], from bytes that may not be text.
///
/// # Errors
///
/// As [`read`]; bytes that are not UTF-8 are one error.
pub fn read_bytes<M: Message + Default>(file_name: &str, bytes: &[u8]) -> Result<M, Diagnostics> {
    match str::from_utf8(bytes) {
        Ok(source) => read(file_name, source),
        Err(error) => Err(diagnostic::not_text(file_name, bytes, error.valid_up_to())),
    }
}

/// As [`read`], with a choice about unknown fields: the message, and a warning per message and name
/// for those that were skipped.
///
/// # Errors
///
/// As [`read`].
pub fn read_with<M: Message + Default>(
    file_name: &str,
    source: &str,
    unknown: UnknownFields,
) -> Result<(M, Vec<Diagnostic>), Diagnostics> {
    let mut message = M::default();
    let warnings = parser::root(file_name, source, unknown, &mut message)?;
    Ok((message, warnings))
}

/// As [`read`], into a message whose type is known at run time only.
#[cfg(test)]
pub(crate) fn read_into(
    file_name: &str,
    source: &str,
    message: &mut dyn Message,
) -> Result<(), Diagnostics> {
    parser::root(file_name, source, UnknownFields::Reject, message).map(drop)
}

/// The message as text, as protobuf's `DebugString` prints it: fields in the order of their
/// numbers, one per line, two spaces per level. Unknown binary fields have no name and are left
/// out.
pub fn write(message: &dyn Message) -> String {
    write::root(message)
}
