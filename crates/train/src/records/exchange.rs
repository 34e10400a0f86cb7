//! Moves records between the ranks' memories, while they train.
//!
//! An iteration uses as many positions of the endless stream as the global batch has; with groups
//! of replicas, as the batch of a group has, of each group's stream. So many are moved on in every
//! iteration too, some iterations ahead: the record of each goes to the rank that reads it next,
//! which is another one only from block to block (of one epoch, or of several). Streams prefetch,
//! so `ahead` is longer than what they may ask for; a record is always there before it is wanted,
//! and nobody waits.
//!
//! ```text
//!  position   …  read and freed │ prefetched, in use │ moved, kept until read │ not moved yet  …
//!                            consumed                                     frontier
//!                                └──────────────── ahead ─────────────────────┘
//! ```
//!
//! What a rank holds beyond its records of one epoch is at most `ahead` of them, as copies that
//! another rank has already, and one parcel in each direction. After each block the ranks compare
//! number and checksum of all records that arrived.

use std::collections::VecDeque;
use std::sync::Arc;

use data::shard::{RecordShard, RecordSlot};
use snapshot::hash::ByteHasher;
use transport::AlignedBytes;

use super::schedule::{RecordTransfer, TransferSchedule};
use crate::ranks::Ranks;
use crate::{RecordsProblem, StepError};

/// The memories of all data layers, and where each stands.
#[derive(Default)]
pub(crate) struct RecordExchange {
    pub(super) layers: Vec<LayerExchange>,
    /// What is to be done in this step, in the order that all ranks keep.
    tasks: VecDeque<ExchangeTask>,
    outgoing: Vec<AlignedBytes>,
    incoming: Vec<AlignedBytes>,
    /// Bytes that came from other ranks.
    received: u64,
}

/// One data layer's memory.
pub(super) struct LayerExchange {
    pub(super) layer: String,
    pub(super) shard: Arc<RecordShard>,
    pub(super) schedule: Arc<TransferSchedule>,
    /// Positions of one batch of all replicas of a group, and batches of one iteration.
    pub(super) batch: u64,
    pub(super) batches: u64,
    /// Positions between `consumed` and `frontier` between two steps.
    pub(super) ahead: u64,
    /// Positions that were read by all replicas.
    pub(super) consumed: u64,
    /// Positions whose records were moved to their next use, and where that began.
    pub(super) frontier: u64,
    pub(super) started: u64,
    /// What arrived of the block after the one that the frontier is in.
    pub(super) arrived: RecordTally,
    /// What every block must find.
    pub(super) expected: RecordTally,
}

/// Number of some records, and the sum of their checksums, whatever their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordTally {
    pub(crate) records: u64,
    pub(crate) checksum: u64,
}

/// One collective.
enum ExchangeTask {
    Parcel {
        layer: usize,
        transfers: Vec<RecordTransfer>,
    },
    /// The frontier has passed the end of a block.
    Compare {
        layer: usize,
        block: u64,
    },
}

impl RecordExchange {
    pub(super) fn add(&mut self, layer: LayerExchange) {
        self.layers.push(layer);
    }

    /// Puts every record that the ranks have loaded where it is used first, and moves on as far as
    /// streams prefetch. Returns the bytes that this rank received.
    pub(super) fn begin(&mut self, ranks: &Ranks) -> Result<u64, StepError> {
        for index in 0..self.layers.len() {
            let LayerExchange { schedule, consumed, .. } = &self.layers[index];
            let (schedule, consumed) = (Arc::clone(schedule), *consumed);
            for transfers in schedule.parcels(schedule.first_uses(consumed)) {
                self.move_records(ranks, index, &transfers)?;
                ranks.report_progress();
            }
            self.layers[index].compare(ranks, consumed / schedule.block_len())?;
        }
        self.plan(0);
        self.run(ranks, 0)?;
        Ok(self.received)
    }

    /// Lists the tasks of one step; how many there are.
    pub(crate) fn begin_step(&mut self) -> usize {
        self.plan(1);
        self.tasks.len()
    }

    /// Runs tasks in order until `left` are left; how many it were.
    pub(crate) fn run(&mut self, ranks: &Ranks, left: usize) -> Result<usize, StepError> {
        let before = self.tasks.len();
        while self.tasks.len() > left {
            match self.tasks.pop_front() {
                Some(ExchangeTask::Parcel { layer, transfers }) => {
                    self.move_records(ranks, layer, &transfers)?;
                }
                Some(ExchangeTask::Compare { layer, block }) => {
                    self.layers[layer].end_block(ranks, block)?;
                }
                None => break,
            }
        }
        Ok(before - self.tasks.len())
    }

    /// After a step in which every replica has read its batches.
    pub(crate) fn end_step(&mut self) {
        for layer in &mut self.layers {
            layer.consume(layer.batches);
        }
    }

    /// After a forward of every replica outside a step.
    pub(crate) fn end_forward(&mut self) {
        self.layers.iter_mut().for_each(|layer| layer.consume(1));
    }

    /// Lists what moves the frontiers to where they belong after `steps` more steps.
    fn plan(&mut self, steps: u64) {
        for (index, layer) in self.layers.iter_mut().enumerate() {
            let block_len = layer.schedule.block_len();
            let target = layer.consumed + steps * layer.batch * layer.batches + layer.ahead;
            while layer.frontier < target {
                let block = layer.frontier / block_len;
                let end = target.min((block + 1) * block_len);
                let transfers = layer.schedule.next_uses(layer.frontier..end);
                let parcels = layer.schedule.parcels(transfers);
                self.tasks.extend(
                    parcels.map(|transfers| ExchangeTask::Parcel { layer: index, transfers }),
                );
                if end.is_multiple_of(block_len) {
                    self.tasks.push_back(ExchangeTask::Compare { layer: index, block });
                }
                layer.frontier = end;
            }
        }
    }

    /// One all-to-all-v.
    fn move_records(
        &mut self,
        ranks: &Ranks,
        layer: usize,
        transfers: &[RecordTransfer],
    ) -> Result<(), StepError> {
        let (rank, world) = (ranks.rank().index(), ranks.rank().world());
        let layer = &mut self.layers[layer];
        let moves = |t: &&RecordTransfer| t.from != t.to;
        let sent = || transfers.iter().filter(moves).filter(|t| t.from == rank);
        let received = || transfers.iter().filter(moves).filter(|t| t.to == rank);
        size_blocks(&mut self.outgoing, world, sent().map(|t| (t.to, t.end - t.start)));
        size_blocks(&mut self.incoming, world, received().map(|t| (t.from, t.end - t.start)));
        let mut filled = vec![0; world];
        for transfer in sent() {
            layer.pack(transfer, &mut self.outgoing[transfer.to], &mut filled[transfer.to]);
        }
        // All ranks know whether a record moves. Within a block of several epochs none does.
        if transfers.iter().any(|transfer| transfer.from != transfer.to) {
            ranks.swap(&mut self.outgoing, &mut self.incoming)?;
        }
        self.received += self.incoming.iter().map(|block| block.len() as u64).sum::<u64>();
        filled.fill(0);
        for transfer in received() {
            let (start, len) = (filled[transfer.from], transfer.end - transfer.start);
            let bytes = &self.incoming[transfer.from][start..start + len];
            layer.shard.receive(transfer.position, transfer.record, transfer.start, bytes);
            filled[transfer.from] += len;
        }
        for stays in transfers.iter().filter(|t| t.from == t.to && t.to == rank) {
            layer.shard.keep(stays.slot, stays.position).expect("ranks agree on what lies where");
        }
        let arrived = transfers.iter().filter(|t| t.to == rank && t.is_last && t.is_new);
        arrived.for_each(|transfer| layer.count(transfer));
        Ok(())
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

impl LayerExchange {
    /// Copies what is sent into its rank's block.
    fn pack(&self, transfer: &RecordTransfer, block: &mut AlignedBytes, filled: &mut usize) {
        let copy = |slice: &[u8]| {
            block[*filled..*filled + slice.len()].copy_from_slice(slice);
            *filled += slice.len();
        };
        let range = (transfer.start, transfer.end);
        let lent = self.shard.with_bytes(transfer.slot, range, copy);
        lent.expect("ranks agree on what lies where");
        if let (RecordSlot::Loaded(record), true) = (transfer.slot, transfer.is_last) {
            self.shard.release_loaded(record);
        }
    }

    /// Adds a record that is where it is used next.
    fn count(&mut self, transfer: &RecordTransfer) {
        let slot = RecordSlot::Used(transfer.position);
        self.arrived.add(&self.shard, slot, transfer.record);
    }

    /// The records of `block` were moved on. Of a block in which the run was resumed only the rest
    /// was, which is not compared.
    fn end_block(&mut self, ranks: &Ranks, block: u64) -> Result<(), StepError> {
        if block * self.schedule.block_len() < self.started {
            self.arrived = RecordTally::default();
            return Ok(());
        }
        self.compare(ranks, block)
    }

    /// Compares what all ranks have found of a block with what was loaded.
    fn compare(&mut self, ranks: &Ranks, block: u64) -> Result<(), StepError> {
        let arrived = std::mem::take(&mut self.arrived).over_ranks(ranks)?;
        if arrived == self.expected {
            return Ok(());
        }
        let layer = self.layer.clone();
        let (got, want) = (arrived.records, self.expected.records);
        let epoch = block * self.schedule.epochs_per_block();
        Err(StepError::Records(RecordsProblem::Damaged { layer, epoch, got, want }))
    }

    fn consume(&mut self, batches: u64) {
        self.consumed += batches * self.batch;
        self.shard.release_before(self.consumed);
    }
}

impl RecordTally {
    /// Adds the record in `slot`.
    pub(super) fn add(&mut self, shard: &RecordShard, slot: RecordSlot, record: u64) {
        let mut hasher = ByteHasher::new();
        hasher.write(&record.to_le_bytes());
        let lent = shard.with_bytes(slot, (0, shard.length(record)), |slice| hasher.write(slice));
        lent.expect("a record that has arrived is there");
        self.records += 1;
        self.checksum = self.checksum.wrapping_add(hasher.finish());
    }

    /// The sum over all ranks. A collective.
    pub(super) fn over_ranks(self, ranks: &Ranks) -> Result<Self, StepError> {
        let own = [self.records.to_le_bytes(), self.checksum.to_le_bytes()].concat();
        let mut sum = Self::default();
        for bytes in ranks.gather(own)? {
            let (numbers, _) = bytes.as_chunks::<8>();
            let &[records, checksum] = numbers else { continue };
            sum.records += u64::from_le_bytes(records);
            sum.checksum = sum.checksum.wrapping_add(u64::from_le_bytes(checksum));
        }
        Ok(sum)
    }
}
