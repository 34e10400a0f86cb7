//! One all-to-all-v of records: packed, sent, and put into the shard.
//!
//! Packing and unpacking go record by record, so that they can be done while another parcel
//! travels. A parcel's buffers serve the next one when it is done.

use transport::AlignedBytes;

use super::exchange::LayerExchange;
use super::schedule::RecordTransfer;
use crate::StepError;
use crate::ranks::Ranks;

/// A parcel on its way: what it carries, and how far this rank is with it.
pub(super) struct ParcelMove {
    /// Which data layer's records these are.
    layer: usize,
    transfers: Vec<RecordTransfer>,
    rank: usize,
    /// Transfers that were packed, and that were unpacked.
    packed: usize,
    unpacked: usize,
    buffers: ParcelBuffers,
}

/// What a rank has for every other one, and what each has for it.
#[derive(Default)]
pub(super) struct ParcelBuffers {
    outgoing: Vec<AlignedBytes>,
    incoming: Vec<AlignedBytes>,
    /// How far each block is filled, or read.
    filled: Vec<usize>,
}

impl ParcelMove {
    /// Nothing is packed yet.
    pub(super) fn new(
        ranks: &Ranks,
        layer: usize,
        transfers: Vec<RecordTransfer>,
        mut buffers: ParcelBuffers,
    ) -> Self {
        let (rank, world) = (ranks.rank().index(), ranks.rank().world());
        let moves = || transfers.iter().filter(|t| t.from != t.to);
        let sent = moves().filter(|t| t.from == rank).map(|t| (t.to, t.end - t.start));
        let received = moves().filter(|t| t.to == rank).map(|t| (t.from, t.end - t.start));
        size_blocks(&mut buffers.outgoing, world, sent);
        size_blocks(&mut buffers.incoming, world, received);
        buffers.filled.clear();
        buffers.filled.resize(world, 0);
        Self { layer, transfers, rank, packed: 0, unpacked: 0, buffers }
    }

    /// Bytes that come from other ranks.
    pub(super) fn incoming_bytes(&self) -> u64 {
        self.buffers.incoming.iter().map(|block| block.len() as u64).sum()
    }

    /// The layer and the first position whose slots it fills.
    pub(super) fn filled_slots(&self) -> (usize, u64) {
        let positions = self.transfers.iter().map(|transfer| transfer.position);
        (self.layer, positions.min().unwrap_or(u64::MAX))
    }

    /// Whether it takes something out of such slots, and has to wait until they are filled.
    pub(super) fn takes_from(&self, (layer, first): (usize, u64)) -> bool {
        self.layer == layer && self.transfers.iter().any(|transfer| transfer.takes_from(first))
    }

    /// Copies the next record that this rank sends into its block; `false` if all are there.
    pub(super) fn pack_one(&mut self, layers: &[LayerExchange]) -> bool {
        let rest = &self.transfers[self.packed..];
        let Some(at) = rest.iter().position(|t| t.from == self.rank && t.to != self.rank) else {
            self.packed = self.transfers.len();
            return false;
        };
        let transfer = &rest[at];
        let ParcelBuffers { outgoing, filled, .. } = &mut self.buffers;
        layers[self.layer].pack(transfer, &mut outgoing[transfer.to], &mut filled[transfer.to]);
        self.packed += at + 1;
        true
    }

    /// Sends what was packed and receives. `meanwhile` is done while messages travel.
    pub(super) fn send(
        &mut self,
        ranks: &Ranks,
        meanwhile: &mut dyn FnMut() -> bool,
    ) -> Result<(), StepError> {
        let ParcelBuffers { outgoing, incoming, filled } = &mut self.buffers;
        filled.fill(0);
        // All ranks know whether a record moves. Within a block of several epochs none does.
        if self.transfers.iter().any(|transfer| transfer.from != transfer.to) {
            ranks.swap(outgoing, incoming, meanwhile)?;
        }
        Ok(())
    }

    /// Puts the next record that this rank uses next where it belongs; `false` if all are there.
    pub(super) fn unpack_one(&mut self, layers: &mut [LayerExchange]) -> bool {
        let rest = &self.transfers[self.unpacked..];
        let Some(at) = rest.iter().position(|t| t.to == self.rank) else {
            self.unpacked = self.transfers.len();
            return false;
        };
        let transfer = &rest[at];
        let ParcelBuffers { incoming, filled, .. } = &mut self.buffers;
        let (from, len) = (transfer.from, transfer.end - transfer.start);
        if from == self.rank {
            layers[self.layer].keep(transfer);
        } else {
            let start = filled[from];
            layers[self.layer].receive(transfer, &incoming[from][start..start + len]);
            filled[from] += len;
        }
        self.unpacked += at + 1;
        true
    }

    /// Puts all that is left where it belongs; the buffers, to use again.
    pub(super) fn finish(mut self, layers: &mut [LayerExchange]) -> ParcelBuffers {
        while self.unpack_one(layers) {}
        self.buffers
    }
}

/// Gives each of `world` blocks the sum of its lengths.
fn size_blocks(
    blocks: &mut Vec<AlignedBytes>,
    world: usize,
    lengths: impl Iterator<Item = (usize, usize)>,
) {
    let mut sums = vec![0; world];
    lengths.for_each(|(rank, len)| sums[rank] += len);
    blocks.resize_with(world, AlignedBytes::default);
    blocks.iter_mut().zip(sums).for_each(|(block, len)| block.resize(len));
}
