//! All-reduce in shared memory: every worker adds its chunk of all buffers and writes it back to all.
//!
//! ```text
//!            chunk 0   chunk 1   chunk 2
//!   worker 0 [ ▒▒▒ ]   [     ]   [     ]      between two barriers worker c reads and writes
//!   worker 1 [ ▒▒▒ ]   [     ]   [     ]      chunk c of all buffers, and nothing else
//!   worker 2 [ ▒▒▒ ]   [     ]   [     ]
//!              ▲ worker 0
//! ```
//!
//! Each value is read and written once per buffer, in blocks that stay in the first-level cache, so
//! the write finds its line already there: `2 p n` values of traffic, where sending chunks about
//! costs about twice that. The additions follow the canonical tree.

use super::link::Link;
use crate::{LinkError, Transport, add_assign};
use std::ops::Range;

/// Values of a block: with sums and partial sums, well within the first-level cache.
const BLOCK: usize = 2048;

/// Sums `values` of all workers into all of them.
pub(super) fn all_reduce(link: &mut Link, values: &mut [f32]) -> Result<(), LinkError> {
    let (me, world) = (link.rank.index(), link.rank.world());
    link.group.lend(me, Some((values.as_mut_ptr(), values.len())));
    link.barrier()?;
    // From here to `barrier_at_last`, which everyone reaches even by panic, buffers are lent.
    let mut lent = Lent { link, buffers: Vec::with_capacity(world) };
    let agreed = lent.agree(values.len());
    if agreed.is_ok() {
        lent.sum_chunk(base::chunk(values.len(), world, me));
    }
    drop(lent);
    if let Err(error) = &agreed {
        link.group.fail(error.clone());
    }
    agreed
}

/// All buffers of the group, until everyone is done with them.
struct Lent<'a> {
    link: &'a mut Link,
    buffers: Vec<*mut f32>,
}

impl Lent<'_> {
    /// Everyone runs the same collective over as many values.
    fn agree(&mut self, len: usize) -> Result<(), LinkError> {
        let link = &self.link;
        for rank in 0..link.rank.world() {
            let stamp = link.group.stamp(rank);
            let ours = &link.stamp;
            if stamp.sequence != ours.sequence || stamp.fingerprint != ours.fingerprint {
                return Err(link.mismatch(rank));
            }
            let (buffer, got) = link.group.lent(rank);
            if got != len {
                return Err(LinkError::Length { rank, lane: 0, want: len, got });
            }
            self.buffers.push(buffer);
        }
        Ok(())
    }

    /// Adds our chunk of all buffers and writes the sum to all.
    fn sum_chunk(&mut self, chunk: Range<usize>) {
        let levels = self.buffers.len().next_power_of_two().ilog2() as usize;
        let mut work = vec![0.0_f32; BLOCK * (levels + 1)];
        let mut inputs: Vec<&[f32]> = Vec::with_capacity(self.buffers.len());
        for start in chunk.clone().step_by(BLOCK) {
            let len = BLOCK.min(chunk.end - start);
            let (sums, partial) = work.split_at_mut(len);
            for buffer in &self.buffers {
                // SAFETY: in bounds, since all buffers have the length that `chunk` was cut from.
                let block = unsafe { buffer.add(start) };
                // SAFETY: between the barriers only we touch our chunk, and we do not write it now.
                inputs.push(unsafe { std::slice::from_raw_parts(block, len) });
            }
            tree(sums, &inputs, partial);
            inputs.clear();
            for buffer in &self.buffers {
                // SAFETY: as above.
                let block = unsafe { buffer.add(start) };
                // SAFETY: as above; `inputs` is cleared, and `sums` is memory of our own.
                unsafe { std::slice::from_raw_parts_mut(block, len) }.copy_from_slice(sums);
            }
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.link.barrier_at_last();
        let me = self.link.rank().index();
        self.link.group.lend(me, None);
    }
}

/// The canonical tree over `inputs`, each as long as `sums`; `partial` is room for partial sums.
fn tree(sums: &mut [f32], inputs: &[&[f32]], partial: &mut [f32]) {
    match inputs {
        [] => {}
        [only] => sums.copy_from_slice(only),
        [a, b] => {
            for ((sum, a), b) in sums.iter_mut().zip(*a).zip(*b) {
                *sum = a + b;
            }
        }
        [a, b, c, d] => {
            for ((((sum, a), b), c), d) in sums.iter_mut().zip(*a).zip(*b).zip(*c).zip(*d) {
                *sum = (a + b) + (c + d);
            }
        }
        _ => {
            let (left, right) = inputs.split_at(1 << (inputs.len() - 1).ilog2());
            tree(sums, left, partial);
            let (right_sums, partial) = partial.split_at_mut(sums.len());
            tree(right_sums, right, partial);
            add_assign(sums, right_sums);
        }
    }
}
