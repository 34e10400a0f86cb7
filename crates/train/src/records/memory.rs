//! `--data memory`: every rank loads its range of each database once; then records go where they
//! are used first.
//!
//! Before a byte of a record is read, ranks know all lengths, so the memory needed is said and
//! compared with what there is (`memory_check.rs`). A rank that has a copy of the database to
//! itself holds all of it and exchanges nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Rank;
use caffe_format::LayerParameter;
use data::order::{RunShuffle, StreamOrder};
use data::shard::{DatabaseRange, OwnedReplicas, RecordShard, RecordSlot, range_of, shard_bytes};
use data::{PathRoot, RecordStore};

use super::exchange::{LayerExchange, RecordExchange, RecordTally};
use super::schedule::{PARCEL_BYTES, TransferSchedule};
use super::{RecordsRequest, memory_check, source_error};
use crate::event::RecordMemory;
use crate::{ComparedItem, Event, OnBadSample, RecordsProblem, TrainError};

/// What loading gives: a store per layer, and who moves records between ranks.
pub(super) struct LoadedRecords {
    pub(super) stores: BTreeMap<String, Arc<dyn RecordStore>>,
    pub(super) exchange: RecordExchange,
}

/// A layer whose records are about to be loaded.
struct LayerPlan<'a> {
    layer: &'a LayerParameter,
    range: DatabaseRange,
    /// Of all records: once per process, however many hold it.
    lengths: Arc<[u32]>,
    /// Positions of one batch of all replicas.
    batch: u64,
    /// How far ahead of their use records are moved, in positions.
    ahead: u64,
    memory: RecordMemory,
}

/// Loads the records of all `layers`. A collective.
pub(super) fn load(
    request: &RecordsRequest<'_>,
    layers: &[&LayerParameter],
    root: &PathRoot,
    shuffle: Option<RunShuffle>,
    events: &mut dyn FnMut(Event),
) -> Result<LoadedRecords, TrainError> {
    let several = request.ranks_per_copy() > 1;
    if request.ranks.are_several() && request.config.on_bad_sample == OnBadSample::Skip {
        return Err(RecordsProblem::SkipInMemory.into());
    }
    let plans: Vec<LayerPlan<'_>> =
        layers.iter().map(|layer| plan(request, layer, root, events)).collect::<Result<_, _>>()?;
    super::check_counts(plans.iter().map(|plan| (plan.layer.name(), plan.lengths.len() as u64)))?;
    request.check_shards(shuffle, plans[0].lengths.len() as u64)?;
    let memory = plans.iter().map(|plan| plan.memory.shard + plan.memory.exchange);
    memory_check::check(request, memory.sum())?;
    let mut loaded = LoadedRecords { stores: BTreeMap::new(), exchange: RecordExchange::default() };
    for plan in plans {
        let (name, records) = (plan.layer.name().to_owned(), plan.lengths.len() as u64);
        events(Event::RecordsReady {
            layer: name.clone(),
            records,
            shuffle: shuffle.map(|shuffle| shuffle.seed.get()),
            memory: Some(plan.memory),
        });
        let exchange = plan.load(request, shuffle, events)?;
        let shard = Arc::clone(&exchange.shard);
        loaded.stores.insert(name, shard);
        if several {
            loaded.exchange.add(exchange);
        }
    }
    if several {
        request.ranks.gather(Vec::new())?; // all have loaded: that is not the exchange's time
        let start = request.config.clock.now();
        let bytes = loaded.exchange.begin(request.ranks)?;
        let time = request.config.clock.now().saturating_sub(start);
        events(Event::RecordsPlaced { bytes, time });
    }
    Ok(loaded)
}

/// Finds the lengths of all records: each rank looks at its own range.
fn plan<'a>(
    request: &RecordsRequest<'_>,
    layer: &'a LayerParameter,
    root: &PathRoot,
    events: &mut dyn FnMut(Event),
) -> Result<LayerPlan<'a>, TrainError> {
    let per_copy = request.ranks_per_copy();
    let parts = (request.ranks.rank().index() % per_copy, per_copy);
    let wrong = |error| source_error(layer, error);
    let range = DatabaseRange::of_layer(layer, root, parts).map_err(wrong)?;
    let mut progress = |done, all| {
        events(Event::PreparingRecords { layer: layer.name().into(), done, all });
    };
    let own = range.lengths(&mut progress).map_err(wrong)?;
    let bytes: Vec<u8> = own.iter().flat_map(|len| len.to_le_bytes()).collect();
    let all = request.ranks.gather(bytes)?;
    let lengths: Arc<[u32]> = all[..per_copy]
        .iter()
        .flat_map(|part| part.as_chunks().0)
        .map(|&len| u32::from_le_bytes(len))
        .collect();
    for (rank, part) in all.iter().enumerate() {
        let first = rank % per_copy;
        let wanted = range_of(lengths.len() as u64, (first, per_copy));
        if part.len() as u64 / 4 != wanted.end - wanted.start || *part != all[first] {
            let what = ComparedItem::Data { layer: layer.name().into() };
            let host = request.ranks.host().to_owned();
            return Err(TrainError::Differs { rank, host, usual: 0, what });
        }
    }
    let replicas = request.group_replicas() as u64;
    let batch = u64::from(layer.data_param().batch_size()) * replicas;
    let batches = u64::from(request.config.solver.iter_size().unsigned_abs());
    // Prefetched batches, the one in use, and one that a forward outside a step may take.
    let prefetched = data::stream::prefetched_batches(layer) + 2 * batches;
    let ahead = if per_copy > 1 { prefetched * batch } else { 0 };
    let memory = memory(request, &lengths, ahead);
    Ok(LayerPlan { layer, range, lengths, batch, ahead, memory })
}

/// What this rank needs for a database with these lengths.
fn memory(request: &RecordsRequest<'_>, lengths: &[u32], ahead: u64) -> RecordMemory {
    let OwnedReplicas { first, end, replicas } = owned(request, request.ranks.rank());
    let (own, records) = (end - first, lengths.len() as u64);
    let bytes: u64 = lengths.iter().map(|&len| u64::from(len)).sum();
    let of = |count: u64| shard_bytes(lengths, count, bytes.div_ceil(records.max(1)) * count);
    let shard = of((records * own).div_ceil(replicas));
    let exchange = match ahead {
        0 => 0,
        _ => of((ahead * own).div_ceil(replicas)) + 4 * PARCEL_BYTES as u64,
    };
    RecordMemory { shard, exchange }
}

impl LayerPlan<'_> {
    /// Loads this rank's range. A collective.
    fn load(
        self,
        request: &RecordsRequest<'_>,
        shuffle: Option<RunShuffle>,
        events: &mut dyn FnMut(Event),
    ) -> Result<LayerExchange, TrainError> {
        let Self { layer, range, lengths, batch, ahead, .. } = self;
        let name = layer.name().to_owned();
        let consumed = request.start_position(layer);
        let owned = owned(request, request.ranks.rank());
        let (records, group_replicas) = (lengths.len() as u64, request.group_replicas());
        let groups = request.placement.replicas / group_replicas;
        let order = |group| {
            let shuffle = shuffle.map(|shuffle| shuffle.of_group(group, group_replicas));
            StreamOrder { records, shuffle }
        };
        let orders = (0..groups).map(order).collect();
        let schedule = TransferSchedule::new(orders, Arc::clone(&lengths), request.placement);
        let mut progress = |done, all| {
            events(Event::PreparingRecords { layer: name.clone(), done, all });
        };
        let shard = range
            .load(lengths, owned, consumed, &mut progress)
            .map_err(|error| source_error(layer, error))?;
        let mut tally = RecordTally::default();
        for record in range.range(records) {
            tally.add(&shard, RecordSlot::Loaded(record), record);
        }
        let shard: Arc<RecordShard> = Arc::new(shard);
        Ok(LayerExchange {
            layer: name,
            shard,
            schedule: Arc::new(schedule),
            batch,
            batches: u64::from(request.config.solver.iter_size().unsigned_abs()),
            ahead,
            consumed,
            frontier: consumed,
            started: consumed,
            arrived: RecordTally::default(),
            expected: tally.over_ranks(request.ranks)?,
        })
    }
}

/// The replicas of the rank's group that it runs; all of them where it holds a whole copy.
fn owned(request: &RecordsRequest<'_>, rank: Rank) -> OwnedReplicas {
    let (own, replicas) = (request.placement.of_rank(rank), request.group_replicas() as u64);
    if request.ranks_per_copy() == 1 {
        return OwnedReplicas { first: 0, end: replicas, replicas };
    }
    let first = own.start as u64 % replicas;
    OwnedReplicas { first, end: first + own.len() as u64, replicas }
}
