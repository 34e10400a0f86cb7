//! `f32`: IEEE 754 single precision, the values themselves.

use super::WireFormat;
use crate::canonical::add_assign;
use transport::LibraryDatatype;
use zerocopy::FromBytes;

/// This format's row in the [table](super::WIRE_FORMATS).
pub(super) const FORMAT: WireFormat = WireFormat {
    name: "f32",
    element_bytes: size_of::<f32>(),
    integers_max: 1 << 24,
    is_narrow: false,
    add,
    conversion: None,
    library: Some(LibraryDatatype::Float),
};

fn add(sums: &mut [u8], values: &[u8]) {
    let sums = <[f32]>::mut_from_bytes(sums).expect("whole elements, aligned");
    let values = <[f32]>::ref_from_bytes(values).expect("whole elements, aligned");
    add_assign(sums, values);
}
