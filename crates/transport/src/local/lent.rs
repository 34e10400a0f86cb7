//! Work on all workers' buffers at once: between two barriers everyone lends its buffer to the
//! group.
//!
//! ```text
//!            chunk 0   chunk 1   chunk 2
//!   worker 0 [ ▒▒▒ ]   [     ]   [     ]      between the barriers worker c reads and writes
//!   worker 1 [ ▒▒▒ ]   [     ]   [     ]      chunk c of all buffers, and nothing else
//!   worker 2 [ ▒▒▒ ]   [     ]   [     ]
//!              ▲ worker 0
//! ```
//!
//! **Why this is sound.** All ranks compare lengths and element sizes before anyone touches a
//! buffer, so chunks are computed from the same numbers and are disjoint. Nobody passes the second
//! barrier, and gets its buffer back, before everyone is done, even by panic.

use super::link::LocalLink;
use crate::{LinkError, SharedMemory};

/// A buffer that a worker lends.
#[derive(Clone, Copy)]
pub(super) struct LentBuffer {
    pub(super) start: *mut u8,
    pub(super) len: usize,
    pub(super) element_bytes: usize,
}

impl SharedMemory for LocalLink {
    fn on_own_chunk(
        &mut self,
        buffer: &mut [u8],
        element_bytes: usize,
        body: &mut dyn FnMut(&mut [&mut [u8]]),
    ) -> Result<(), LinkError> {
        let (me, world, len) = (self.rank.index(), self.rank.world(), buffer.len());
        assert!(len.is_multiple_of(element_bytes), "a buffer holds whole elements");
        let ours = LentBuffer { start: buffer.as_mut_ptr(), len, element_bytes };
        self.group.lend(me, Some(ours));
        self.barrier()?;
        // From here to the last barrier, which everyone reaches even by panic, buffers are lent.
        let lent = Lent { link: self };
        let agreed = lent.agree(ours);
        if agreed.is_ok() {
            let chunk = base::chunk(len / element_bytes, world, me);
            let (start, chunk_len) = (chunk.start * element_bytes, chunk.len() * element_bytes);
            let chunks = (0..world).map(|rank| {
                let buffer = lent.link.group.lent(rank).start;
                // SAFETY: in bounds, since all buffers have the length that `chunk` was taken from.
                let chunk = unsafe { buffer.add(start) };
                // SAFETY: between the barriers only we touch our chunk of anyone's buffer.
                unsafe { std::slice::from_raw_parts_mut(chunk, chunk_len) }
            });
            body(&mut chunks.collect::<Vec<_>>());
        }
        drop(lent);
        if let Err(error) = &agreed {
            self.group.fail(error.clone());
        }
        agreed
    }
}

/// All buffers of the group, until everyone is done with them.
struct Lent<'a> {
    link: &'a mut LocalLink,
}

impl Lent<'_> {
    /// Everyone runs the same collective over as many bytes in the same elements.
    fn agree(&self, ours: LentBuffer) -> Result<(), LinkError> {
        let link = &self.link;
        for rank in 0..link.rank.world() {
            if !link.is_in_same_collective(rank) {
                return Err(link.mismatch(rank));
            }
            let theirs = link.group.lent(rank);
            if (theirs.len, theirs.element_bytes) != (ours.len, ours.element_bytes) {
                let (want, got) = (ours.len, theirs.len);
                return Err(LinkError::Length { rank, lane: 0, want, got });
            }
        }
        Ok(())
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.link.final_barrier();
        self.link.group.lend(self.link.rank.index(), None);
    }
}
