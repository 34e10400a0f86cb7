//! The local sum: every worker adds its chunk of all workers' buffers, by the canonical tree, in
//! blocks that stay in the first-level cache.
//!
//! Where the sum goes depends on who needs it, which is all that differs:
//!
//! ```text
//!   Apart    all workers read one copy, as in training      p reads and 1 write per value
//!   Within   every rank needs it in its own buffer          p reads and p writes; a written line is
//!                                                           still in the cache from the read
//! ```
//!
//! Sending chunks instead costs about twice the traffic of `Within`. The bits are those of
//! `direct`'s plan.

use crate::canonical::{BLOCK, tree_sum};
use crate::wire::WireFormat;
use transport::{LinkError, SharedMemory};
use zerocopy::{FromBytes, IntoBytes};

/// One worker's chunk of all buffers, and where its sum goes.
pub enum ChunkMemory<'a, 'b> {
    /// To memory of its own.
    Apart {
        /// The chunk in every worker's buffer, in order of workers.
        buffers: &'a [&'b [f32]],
        /// Where in the chunk `sum` begins: threads may divide a chunk.
        start: usize,
        /// Receives the sum.
        sum: &'a mut [f32],
    },
    /// Back to every buffer.
    Within {
        /// The chunk in every rank's buffer, in order of ranks.
        buffers: &'a mut [&'b mut [f32]],
    },
}

/// Adds one worker's chunk of all buffers.
///
/// # Panics
///
/// If there is no buffer, or one is too short.
pub fn sum_chunk(format: &WireFormat, memory: ChunkMemory<'_, '_>) {
    match memory {
        ChunkMemory::Apart { buffers, start, sum } => tree_sum(format, buffers, start, sum),
        ChunkMemory::Within { buffers } => {
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
    }
}

/// Leaves the sum over all ranks, which share memory, in `values`.
pub(crate) fn all_reduce(
    memory: &mut dyn SharedMemory,
    format: &WireFormat,
    values: &mut [f32],
) -> Result<(), LinkError> {
    memory.on_own_chunk(values.as_mut_bytes(), size_of::<f32>(), &mut |chunks| {
        let chunks = chunks.iter_mut();
        let chunks = chunks.map(|chunk| <[f32]>::mut_from_bytes(chunk).expect("whole values"));
        sum_chunk(format, ChunkMemory::Within { buffers: &mut chunks.collect::<Vec<_>>() });
    })
}

#[cfg(test)]
mod tests {
    use super::{ChunkMemory, sum_chunk};
    use crate::canonical::BLOCK;
    use crate::wire::WIRE_FORMATS;

    /// Values whose sum depends on the order of additions and on rounding.
    fn buffers(count: usize) -> Vec<Vec<f32>> {
        let value = |buffer: usize, i: usize| (1.0 + (buffer * 31 + i % 97) as f32 * 0.41).powi(3);
        (0..count).map(|buffer| (0..BLOCK + 33).map(|i| value(buffer, i)).collect()).collect()
    }

    #[test]
    fn both_kinds_of_memory_hold_the_same_bits() {
        for format in WIRE_FORMATS {
            for count in [1, 2, 3, 5, 8] {
                let mut within = buffers(count);
                let inputs = within.clone();
                let inputs: Vec<&[f32]> = inputs.iter().map(|buffer| &buffer[..]).collect();
                let mut apart = vec![f32::NAN; BLOCK + 33];
                let (first, second) = apart.split_at_mut(700);
                for (start, sum) in [(0, first), (700, second)] {
                    sum_chunk(format, ChunkMemory::Apart { buffers: &inputs, start, sum });
                }
                let mut slices: Vec<&mut [f32]> =
                    within.iter_mut().map(|buffer| &mut buffer[..]).collect();
                sum_chunk(format, ChunkMemory::Within { buffers: &mut slices });
                assert!(within.iter().all(|buffer| *buffer == apart), "{format}, {count} buffers");
            }
        }
    }
}
