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
//! While a parcel travels, the one before it is unpacked and the next one packed. What a rank holds
//! beyond its records of one epoch is at most `ahead` of them, as copies that another rank has
//! already, and two parcels in each direction. After each block the ranks compare number and
//! checksum of all records that arrived.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::sync::Arc;

use data::shard::{RecordShard, RecordSlot};
use snapshot::hash::ByteHasher;
use transport::AlignedBytes;

use super::parcel::{ParcelBuffers, ParcelMove};
use super::schedule::{RecordTransfer, TransferSchedule};
use crate::ranks::Ranks;
use crate::{RecordsProblem, StepError};

/// The memories of all data layers, and where each stands.
#[derive(Default)]
pub(crate) struct RecordExchange {
    pub(super) layers: Vec<LayerExchange>,
    /// What is to be done in this step, in the order that all ranks keep.
    tasks: VecDeque<ExchangeTask>,
    /// Of parcels that are done.
    spare: Vec<ParcelBuffers>,
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
        for layer in 0..self.layers.len() {
            let LayerExchange { schedule, consumed, .. } = &self.layers[layer];
            let (schedule, consumed) = (Arc::clone(schedule), *consumed);
            let parcels = schedule.parcels(schedule.first_uses(consumed));
            self.work_off(
                ranks,
                parcels.map(|transfers| ExchangeTask::Parcel { layer, transfers }),
            )?;
            self.layers[layer].compare(ranks, consumed / schedule.block_len())?;
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
        let now = self.tasks.len().saturating_sub(left);
        let tasks: Vec<ExchangeTask> = self.tasks.drain(..now).collect();
        self.work_off(ranks, tasks.into_iter())?;
        Ok(now)
    }

    /// Runs tasks in order. While a parcel travels, the one before it is unpacked and the next one
    /// packed.
    fn work_off(
        &mut self,
        ranks: &Ranks,
        tasks: impl Iterator<Item = ExchangeTask>,
    ) -> Result<(), StepError> {
        let mut tasks = tasks.peekable();
        let (mut before, mut next): (Option<ParcelMove>, Option<ParcelMove>) = (None, None);
        loop {
            let Some(now) = next.take().or_else(|| self.next_parcel(ranks, &mut tasks)) else {
                self.finish(before.take());
                let Some(ExchangeTask::Compare { layer, block }) = tasks.next() else {
                    return Ok(());
                };
                self.layers[layer].end_block(ranks, block)?;
                continue;
            };
            next = self.send(ranks, &mut before, now, &mut tasks)?;
        }
    }

    /// Sends parcel `now`, which then is the one `before`; the next one, if a parcel follows.
    fn send(
        &mut self,
        ranks: &Ranks,
        before: &mut Option<ParcelMove>,
        mut now: ParcelMove,
        tasks: &mut Peekable<impl Iterator<Item = ExchangeTask>>,
    ) -> Result<Option<ParcelMove>, StepError> {
        if before.as_ref().is_some_and(|before| now.takes_from(before.filled_slots())) {
            self.finish(before.take());
        }
        while now.pack_one(&self.layers) {}
        self.received += now.incoming_bytes();
        let (filled, mut next, mut must_wait) = (now.filled_slots(), None, false);
        now.send(ranks, &mut || {
            if before.as_mut().is_some_and(|before| before.unpack_one(&mut self.layers)) {
                return true;
            }
            if let Some(next) = &mut next {
                return !must_wait && ParcelMove::pack_one(next, &self.layers);
            }
            next = self.next_parcel(ranks, tasks);
            must_wait = next.as_ref().is_some_and(|next| next.takes_from(filled));
            next.is_some()
        })?;
        self.finish(before.replace(now));
        Ok(next)
    }

    /// The next task, if it is a parcel; nothing of it is packed.
    fn next_parcel(
        &mut self,
        ranks: &Ranks,
        tasks: &mut Peekable<impl Iterator<Item = ExchangeTask>>,
    ) -> Option<ParcelMove> {
        let task = tasks.next_if(|task| matches!(task, ExchangeTask::Parcel { .. }));
        let Some(ExchangeTask::Parcel { layer, transfers }) = task else { return None };
        let buffers = self.spare.pop().unwrap_or_default();
        Some(ParcelMove::new(ranks, layer, transfers, buffers))
    }

    /// Unpacks what is left of a parcel that has arrived.
    fn finish(&mut self, parcel: Option<ParcelMove>) {
        self.spare.extend(parcel.map(|parcel| parcel.finish(&mut self.layers)));
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
}

impl LayerExchange {
    /// Copies what is sent into its rank's block.
    pub(super) fn pack(
        &self,
        transfer: &RecordTransfer,
        block: &mut AlignedBytes,
        filled: &mut usize,
    ) {
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

    /// Takes what came from another rank.
    pub(super) fn receive(&mut self, transfer: &RecordTransfer, bytes: &[u8]) {
        self.shard.receive(transfer.position, transfer.record, transfer.start, bytes);
        self.count(transfer);
    }

    /// Keeps a record that is used next where it lies.
    pub(super) fn keep(&mut self, transfer: &RecordTransfer) {
        let kept = self.shard.keep(transfer.slot, transfer.position);
        kept.expect("ranks agree on what lies where");
        self.count(transfer);
    }

    /// Counts a record that is where it is used next, once it is complete.
    fn count(&mut self, transfer: &RecordTransfer) {
        if !(transfer.is_last && transfer.is_new) {
            return;
        }
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
