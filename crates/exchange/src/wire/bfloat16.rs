//! `bf16`: the upper half of an `f32`: 8 significant bits, the whole range of `f32`.
//!
//! Conversion is a shift, and rounding an addition before it: plain loops that the compiler
//! vectorises.

use super::{Conversion, WireFormat};
use half::bf16;
use zerocopy::FromBytes;

/// This format's row in the [table](super::WIRE_FORMATS).
pub(super) const FORMAT: WireFormat = WireFormat {
    name: "bf16",
    element_bytes: size_of::<bf16>(),
    integers_max: 1 << 8,
    is_narrow: false,
    add,
    conversion: Some(Conversion { encode, decode, round }),
    library: None,
};

fn elements(bytes: &[u8]) -> &[bf16] {
    <[bf16]>::ref_from_bytes(bytes).expect("whole elements, aligned")
}

fn elements_mut(bytes: &mut [u8]) -> &mut [bf16] {
    <[bf16]>::mut_from_bytes(bytes).expect("whole elements, aligned")
}

fn encode(scale: f32, values: &[f32], bytes: &mut [u8]) {
    let elements = elements_mut(bytes);
    assert_eq!(elements.len(), values.len(), "an element per value");
    for (element, value) in elements.iter_mut().zip(values) {
        *element = bf16::from_f32(scale * value);
    }
}

fn decode(bytes: &[u8], values: &mut [f32]) {
    let elements = elements(bytes);
    assert_eq!(elements.len(), values.len(), "an element per value");
    for (value, element) in values.iter_mut().zip(elements) {
        *value = element.to_f32();
    }
}

fn round(values: &mut [f32]) {
    for value in values {
        *value = bf16::from_f32(*value).to_f32();
    }
}

fn add(sums: &mut [u8], values: &[u8]) {
    let (sums, values) = (elements_mut(sums), elements(values));
    assert_eq!(sums.len(), values.len(), "both sides of a message have one length");
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = bf16::from_f32(sum.to_f32() + value.to_f32());
    }
}
