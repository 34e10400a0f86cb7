//! Wire formats: how an element is represented in a message.
//!
//! Values are `f32` everywhere else. A plan counts elements; the format says how many bytes one
//! takes and how encoded elements are added, so no algorithm knows about formats:
//!
//! ```text
//!   f32     values ───────────── plan, add: f32 ─────────────▶ values      no copy
//!   f16     values ── encode ──▶ plan, add: f32, rounded ──▶ decode ──▶ values
//! ```
//!
//! In a 16-bit format every node of the canonical tree is rounded to nearest even, leaves and root
//! included, and additions are `f32`. Rounding twice changes nothing, so exact algorithms give the
//! same bits in every world and with any number of workers.

mod bfloat16;
mod float16;
mod float32;

use std::fmt;
use std::str::FromStr;
use transport::LibraryDatatype;
use zerocopy::IntoBytes;

/// Every format, by name.
///
/// To add one: write `wire/<name>.rs` with a `FORMAT`, add a `mod` line above and a row below.
pub const WIRE_FORMATS: &[WireFormat] = &[bfloat16::FORMAT, float16::FORMAT, float32::FORMAT];

/// The format that changes nothing: buffers travel as their own memory.
pub const F32: &WireFormat = &float32::FORMAT;

/// Half precision with the range of `f32`.
pub const BF16: &WireFormat = &bfloat16::FORMAT;

/// IEEE 754 half precision.
pub const F16: &WireFormat = &float16::FORMAT;

/// One row of the table. Encoded elements have the machine's byte order and the alignment of
/// their size.
#[derive(Clone, Copy)]
pub struct WireFormat {
    /// What `--wire` and `bench allreduce --type` call it.
    pub name: &'static str,
    /// Bytes per element.
    pub element_bytes: usize,
    /// Every whole number from 0 to this one is represented exactly.
    pub integers_max: u32,
    /// Whether it has fewer exponents than `f32`: gradients must be scaled, or they overflow or
    /// vanish.
    pub is_narrow: bool,
    /// Adds the encoded elements of the second slice to those of the first.
    pub add: fn(&mut [u8], &[u8]),
    /// `None`: every `f32` is represented, by its own bytes.
    pub conversion: Option<Conversion>,
    /// What a library that can sum these elements calls them.
    pub library: Option<LibraryDatatype>,
}

/// Between `f32` and a narrower format. Both slices have the same number of elements.
#[derive(Clone, Copy)]
pub struct Conversion {
    /// Multiplies by the first argument, rounds to nearest even and encodes.
    pub encode: fn(f32, &[f32], &mut [u8]),
    /// Exact.
    pub decode: fn(&[u8], &mut [f32]),
    /// What encoding and decoding would leave.
    pub round: fn(&mut [f32]),
}

impl WireFormat {
    /// Rounds `values` to what the format represents.
    pub fn round(&self, values: &mut [f32]) {
        if let Some(conversion) = self.conversion {
            (conversion.round)(values);
        }
    }
}

impl PartialEq for WireFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for WireFormat {}

impl fmt::Debug for WireFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for WireFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// `values` as the bytes they are: what [`Exchange::broadcast`](crate::Exchange::broadcast) takes.
pub fn bytes_of(values: &mut [f32]) -> &mut [u8] {
    values.as_mut_bytes()
}

/// A name that is not in the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown wire format `{name}` (known: {})", known())]
pub struct WireFormatError {
    /// What was written.
    pub name: String,
}

fn known() -> String {
    let names: Vec<_> = WIRE_FORMATS.iter().map(|format| format.name).collect();
    names.join(", ")
}

impl FromStr for &'static WireFormat {
    type Err = WireFormatError;

    fn from_str(name: &str) -> Result<Self, WireFormatError> {
        let found = WIRE_FORMATS.iter().find(|format| format.name == name);
        found.ok_or_else(|| WireFormatError { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests;
