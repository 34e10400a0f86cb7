//! `f16`: IEEE 754 half precision: 11 significant bits, largest value 65504, beyond it infinity.
//!
//! `half` converts eight elements per instruction where the processor has F16C, found at run time.
//! Additions go through blocks of `f32` that stay in the first-level cache.

use super::{Conversion, WireFormat};
use crate::canonical::add_assign;
use half::f16;
use half::slice::HalfFloatSliceExt;
use zerocopy::FromBytes;

/// Elements converted at a time.
const BLOCK: usize = 512;

/// This format's row in the [table](super::WIRE_FORMATS).
pub(super) const FORMAT: WireFormat = WireFormat {
    name: "f16",
    element_bytes: size_of::<f16>(),
    integers_max: 1 << 11,
    is_narrow: true,
    add,
    conversion: Some(Conversion { encode, decode, round }),
    library: None,
};

fn elements(bytes: &[u8]) -> &[f16] {
    <[f16]>::ref_from_bytes(bytes).expect("whole elements, aligned")
}

fn elements_mut(bytes: &mut [u8]) -> &mut [f16] {
    <[f16]>::mut_from_bytes(bytes).expect("whole elements, aligned")
}

fn encode(scale: f32, values: &[f32], bytes: &mut [u8]) {
    let elements = elements_mut(bytes);
    assert_eq!(elements.len(), values.len(), "an element per value");
    let mut scaled = [0.0; BLOCK];
    for (elements, values) in elements.chunks_mut(BLOCK).zip(values.chunks(BLOCK)) {
        let scaled = &mut scaled[..values.len()];
        scaled.iter_mut().zip(values).for_each(|(scaled, value)| *scaled = scale * value);
        elements.convert_from_f32_slice(scaled);
    }
}

fn decode(bytes: &[u8], values: &mut [f32]) {
    elements(bytes).convert_to_f32_slice(values);
}

fn round(values: &mut [f32]) {
    let mut rounded = [f16::ZERO; BLOCK];
    for values in values.chunks_mut(BLOCK) {
        let rounded = &mut rounded[..values.len()];
        rounded.convert_from_f32_slice(values);
        rounded.convert_to_f32_slice(values);
    }
}

fn add(sums: &mut [u8], values: &[u8]) {
    let (sums, values) = (elements_mut(sums), elements(values));
    assert_eq!(sums.len(), values.len(), "both sides of a message have one length");
    let (mut a, mut b) = ([0.0; BLOCK], [0.0; BLOCK]);
    for (sums, values) in sums.chunks_mut(BLOCK).zip(values.chunks(BLOCK)) {
        let (a, b) = (&mut a[..sums.len()], &mut b[..sums.len()]);
        sums.convert_to_f32_slice(a);
        values.convert_to_f32_slice(b);
        add_assign(a, b);
        sums.convert_from_f32_slice(a);
    }
}
