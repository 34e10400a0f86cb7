//! Bytes from rank to rank: broadcast, and collectives whose lengths differ from rank to rank.
//!
//! Lengths travel first, as eight bytes each by the same plan, so callers need to know only their
//! own. What is received is written once, where it stays.

use super::Exchange;
use crate::execute::{Elements, execute};
use crate::stamp::CollectiveLabel;
use crate::{ByteSegmentation, ExchangeError};
use collective::{Plan, Segmentation, all_gather_v, all_to_all_v, broadcast};
use transport::{LinkError, Transport};

/// Bytes of a length that travels.
const LEN_BYTES: usize = size_of::<u64>();

impl Exchange {
    /// Leaves what `root` has in `bytes` on all ranks.
    pub fn broadcast(&mut self, root: usize, bytes: &mut [u8]) -> Result<(), ExchangeError> {
        let segmentation = self.config.segmentation;
        let plan = broadcast(root, self.rank(), bytes.len(), byte_elements(segmentation));
        let text = format!("broadcast of {} bytes from {root}", bytes.len());
        let stamp = self.begin(&CollectiveLabel::new(&text, segmentation));
        let done = execute(
            &mut *self.link,
            Elements::BYTES,
            &plan,
            [bytes].into_iter(),
            None,
            &mut || false,
        );
        self.end_sent(stamp, done)
    }

    /// What every rank gives, in order of rank.
    pub fn all_gather_v(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, ExchangeError> {
        let world = self.rank().world();
        let ours = bytes_of_len(bytes.len());
        let lens = self.gather_blocks(&ours, &vec![LEN_BYTES; world])?;
        let lens: Vec<usize> = lens.iter().map(|len| len_of_bytes(len)).collect();
        self.gather_blocks(bytes, &lens)
    }

    /// What every rank has for this one, in order of rank; `outgoing` is what this one has for
    /// each.
    ///
    /// # Panics
    ///
    /// If there is not one for each rank.
    pub fn all_to_all_v(&mut self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, ExchangeError> {
        let world = self.rank().world();
        assert_eq!(outgoing.len(), world, "something for every rank, if only nothing");
        let lens = outgoing.iter().map(|block| bytes_of_len(block.len()).to_vec()).collect();
        let lens = self.swap_blocks(lens, &vec![LEN_BYTES; world])?;
        let lens: Vec<usize> = lens.iter().map(|len| len_of_bytes(len)).collect();
        self.swap_blocks(outgoing, &lens)
    }

    /// All-gather-v with lengths that everyone knows.
    fn gather_blocks(
        &mut self,
        ours: &[u8],
        lens: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        let plan = self.gather_plan(lens);
        let text = format!("all-gather-v of {} bytes", lens.iter().sum::<usize>());
        let stamp = self.begin(&CollectiveLabel::new(&text, self.config.segmentation));
        let mut blocks: Vec<Vec<u8>> = lens.iter().map(|&len| vec![0; len]).collect();
        blocks[self.rank().index()].copy_from_slice(ours);
        let done = copy_blocks(&mut *self.link, &plan, &mut blocks);
        self.end_sent(stamp, done)?;
        Ok(blocks)
    }

    pub(super) fn gather_plan(&self, lens: &[usize]) -> Plan {
        all_gather_v(self.rank(), lens, byte_elements(self.config.segmentation))
    }

    /// All-to-all-v with lengths that receivers know.
    fn swap_blocks(
        &mut self,
        outgoing: Vec<Vec<u8>>,
        incoming: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        let (segmentation, rank) = (self.config.segmentation, self.rank());
        let lens: Vec<usize> = outgoing.iter().map(Vec::len).collect();
        let plan = all_to_all_v(rank, &lens, incoming, byte_elements(segmentation));
        // Lengths differ from rank to rank, so they cannot be in the label.
        let stamp = self.begin(&CollectiveLabel::new("all-to-all-v", segmentation));
        let mut slots = outgoing;
        slots.extend(incoming.iter().map(|&len| vec![0; len]));
        slots.swap(rank.index(), rank.world() + rank.index()); // what stays is moved, not copied
        let done = copy_blocks(&mut *self.link, &plan, &mut slots);
        self.end_sent(stamp, done)?;
        Ok(slots.split_off(rank.world()))
    }
}

/// For plans whose elements are bytes, whatever format gradients travel in.
pub(super) fn byte_elements(segmentation: ByteSegmentation) -> Segmentation {
    segmentation.in_elements(Elements::BYTES.bytes)
}

/// Executes a plan that adds nothing, a block per slot.
fn copy_blocks(
    link: &mut dyn Transport,
    plan: &Plan,
    blocks: &mut [Vec<u8>],
) -> Result<u64, LinkError> {
    let slots = blocks.iter_mut().map(|block| &mut block[..]);
    execute(link, Elements::BYTES, plan, slots, None, &mut || false)
}

fn bytes_of_len(len: usize) -> [u8; LEN_BYTES] {
    u64::try_from(len).expect("at most 64 bits").to_le_bytes()
}

/// # Panics
///
/// If another rank sent anything but what [`bytes_of_len`] gives for lengths of memory it has: it
/// runs the same program.
fn len_of_bytes(bytes: &[u8]) -> usize {
    let bytes = bytes.try_into().expect("a length is eight bytes");
    usize::try_from(u64::from_le_bytes(bytes)).expect("all ranks have 64 bits")
}
