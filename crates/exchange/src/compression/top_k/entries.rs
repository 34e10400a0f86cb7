//! Entries in a block: all indices, then all values in the wire format.
//!
//! ```text
//!   [ index | index | .. | value | value | .. ]     an entry takes 4 bytes and an element
//! ```

use super::super::blocks::{WORD_BYTES, words, words_mut};
use crate::wire::WireFormat;
use transport::AlignedBytes;
use zerocopy::IntoBytes;

/// Bytes of an entry.
pub(super) fn entry_bytes(wire: &WireFormat) -> usize {
    WORD_BYTES + wire.element_bytes
}

/// Fills a block with entries. Values must be what the format represents.
pub(super) fn write_entries(
    wire: &WireFormat,
    indices: &[u32],
    values: &[f32],
    block: &mut AlignedBytes,
) {
    block.resize(indices.len() * entry_bytes(wire));
    let (head, tail) = block.split_at_mut(indices.len() * WORD_BYTES);
    words_mut(head).copy_from_slice(indices);
    match wire.conversion {
        Some(conversion) => (conversion.encode)(1.0, values, tail),
        None => tail.copy_from_slice(values.as_bytes()),
    }
}

/// The indices of a block; its values are left in `values`.
pub(super) fn read_entries<'a>(
    wire: &WireFormat,
    block: &'a [u8],
    values: &mut Vec<f32>,
) -> &'a [u32] {
    let count = block.len() / entry_bytes(wire);
    let (head, tail) = block.split_at(count * WORD_BYTES);
    values.resize(count, 0.0);
    match wire.conversion {
        Some(conversion) => (conversion.decode)(tail, values),
        None => values.as_mut_bytes().copy_from_slice(tail),
    }
    words(head)
}

#[cfg(test)]
mod tests {
    use super::{entry_bytes, read_entries, write_entries};
    use crate::wire::WIRE_FORMATS;
    use transport::AlignedBytes;

    #[test]
    fn what_is_written_is_read() {
        for wire in WIRE_FORMATS {
            for count in [0, 1, 3, 8] {
                let indices: Vec<u32> = (0..count).map(|i| i * 5).collect();
                let values: Vec<f32> = indices.iter().map(|&i| i as f32 - 7.5).collect();
                let mut block = AlignedBytes::default();
                write_entries(wire, &indices, &values, &mut block);
                assert_eq!(block.len(), count as usize * entry_bytes(wire));
                let mut read = vec![9.0; 2];
                assert_eq!(read_entries(wire, &block, &mut read), indices, "{wire}");
                assert_eq!(read, values, "{wire}");
            }
        }
    }
}
