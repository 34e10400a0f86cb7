//! The sum between ranks that share memory: every rank adds its chunk of all buffers and writes the
//! sum back to all.
//!
//! Each value is read and written once per buffer, in blocks that stay in the first-level cache, so
//! the write finds its line already there: `2 p n` values of traffic, where sending chunks costs
//! about twice that. The additions follow the canonical tree, so the bits are those of `direct`'s
//! plan.

use crate::canonical::{BLOCK, tree_sum};
use crate::wire::WireFormat;
use transport::{LinkError, SharedMemory};
use zerocopy::{FromBytes, IntoBytes};

/// Leaves the sum over all ranks in `values`.
pub(crate) fn all_reduce(
    memory: &mut dyn SharedMemory,
    format: &WireFormat,
    values: &mut [f32],
) -> Result<(), LinkError> {
    memory.on_own_chunk(values.as_mut_bytes(), size_of::<f32>(), &mut |chunks| {
        let chunks = chunks.iter_mut();
        let chunks = chunks.map(|chunk| <[f32]>::mut_from_bytes(chunk).expect("whole values"));
        sum_into_all(format, &mut chunks.collect::<Vec<_>>());
    })
}

/// Leaves the sum of all `buffers` in each of them.
fn sum_into_all(format: &WireFormat, buffers: &mut [&mut [f32]]) {
    let mut sums = [0.0; BLOCK];
    let len = buffers[0].len();
    for start in (0..len).step_by(BLOCK) {
        let sums = &mut sums[..BLOCK.min(len - start)];
        tree_sum(format, buffers, start, sums);
        for buffer in &mut *buffers {
            buffer[start..start + sums.len()].copy_from_slice(sums);
        }
    }
}
