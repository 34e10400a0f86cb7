//! One order of records for every source, number of ranks and number of workers.

use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::{Result, ensure};
use base::random::Mt19937;
use caffe_format::{LayerParameter, NetParameter, Phase, text};
use data::order::{RecordSharing, RunShuffle, StreamOrder};
use data::{
    FillMonitor, OnBadSample, RecordAccess, RecordStores, ReplicaSlice, SourceOptions, store,
};

use super::job::{JobFolder, JobLength, data_layer, finish, hashes};

const RECORDS: u32 = 60_000;
const REPLICAS: usize = 8;
const BATCH: usize = 125;
/// One and a half epochs, stopped within the first.
const LENGTH: JobLength = JobLength { iterations: 90, display: 15, snapshot: 45 };

/// Ranks and workers.
const WORLDS: &[(usize, usize)] = &[(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2), (8, 1)];
/// Flags that the order depends on, and epochs of a block.
const ORDERS: &[(&str, u32, u32)] = &[
    ("--shuffle", 1, 1),
    ("--shuffle --data-groups 2", 2, 1),
    ("--shuffle --exchange-every 2", 1, 2),
];

pub(super) fn run() -> Result<()> {
    for records in [RECORDS, RECORDS + 3] {
        let folder = JobFolder::new("order")?;
        folder.database("db", records, 4, None)?;
        folder.write(&data_layer("db", BATCH), LENGTH)?;
        for &(flags, groups, every) in ORDERS {
            let [groups, exchange_every] =
                [groups, every].map(|n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN));
            definition(&folder, records, RecordSharing { groups, exchange_every })?;
            worlds(&folder, records, flags)?;
        }
    }
    Ok(())
}

/// What streams read is what the order says, and every group reads each record once per epoch, or
/// in blocks of K epochs K times, once more or less where replicas do not divide the records.
fn definition(folder: &JobFolder, records: u32, sharing: RecordSharing) -> Result<()> {
    let net: NetParameter = text::read("layer", &data_layer("db", BATCH))
        .map_err(|errors| anyhow::anyhow!("{errors}"))?;
    let layer: &LayerParameter = &net.layer[0];
    let run = RunShuffle { seed: NonZeroU32::new(1701).unwrap_or(NonZeroU32::MIN), sharing };
    let root = data::PathRoot::from(folder.path.as_path());
    let by_layer = [("data".into(), store::open_layer(layer, &root, &mut |_, _| ())?)].into();
    let access = RecordAccess::Stores(Arc::new(RecordStores { shuffle: Some(run), by_layer }));
    let (count, every) = (u64::from(records), sharing.exchange_every.get());
    let group_replicas = REPLICAS / sharing.groups.get() as usize;
    let mut seen = vec![vec![0_u32; records as usize]; sharing.groups.get() as usize];
    for replica in 0..REPLICAS {
        let slice = ReplicaSlice { replica, replicas: REPLICAS };
        let (shuffle, own) = run.group(slice);
        let order = StreamOrder { records: count, shuffle: Some(shuffle) };
        let block = u64::from(every) * count;
        let positions: Vec<u64> = (own.replica as u64..block).step_by(own.replicas).collect();
        for &position in &positions {
            let record = order.block_of(position).record_at(position);
            seen[replica / group_replicas][usize::try_from(record)?] += 1;
        }
        let options = SourceOptions {
            root: root.clone(),
            slice,
            on_bad_sample: OnBadSample::Fail,
            access: access.clone(),
            monitor: Arc::<FillMonitor>::default(),
        };
        let mut stream = data::open(layer, Phase::Train, &options, &mut Mt19937::new(1))?;
        for batch in positions.chunks_exact(BATCH).step_by(7) {
            stream.next_batch()?;
            for (item, &position) in batch.iter().enumerate() {
                let record = order.block_of(position).record_at(position);
                let name = stream.record_name(item);
                ensure!(name == Some(format!("{record:08}")), "position {position}: {name:?}");
            }
            stream.skip(6, 0)?;
        }
    }
    let exact = records.is_multiple_of(u32::try_from(group_replicas)?) || every == 1;
    let most = u32::from(!exact);
    let even = seen.iter().flatten().all(|&times| times.abs_diff(every) <= most);
    ensure!(even, "{records} records, {sharing:?}: a record comes too often or too rarely");
    println!("{records} records, {sharing:?}: keys as the order says, each {every} ± {most} times");
    Ok(())
}

/// All worlds and sources have the same weights, and so have runs that others continue.
fn worlds(folder: &JobFolder, records: u32, order: &str) -> Result<()> {
    let flags = |data: &str, workers: usize| {
        format!("--replicas {REPLICAS} --workers {workers} {order} --data {data}")
    };
    let mut want = None;
    for data in ["stream", "memory"] {
        for &(ranks, workers) in WORLDS {
            let log = finish(&mut folder.train(ranks, &flags(data, workers)))?;
            let got = hashes(&log)?;
            let want = want.get_or_insert_with(|| got.clone());
            ensure!(got == *want, "{order}, {data}, {ranks} ranks, {workers} workers differ");
            let last = got.last().map_or("", |(_, hash)| hash.as_str());
            println!("{records} records {order}: {data}, {ranks} x {workers}: {last}");
        }
    }
    let want = want.unwrap_or_default();
    for ((before, first), (after, then)) in [
        ((8, "memory"), (2, "stream")),
        ((2, "stream"), (4, "memory")),
        ((4, "memory"), (1, "memory")),
    ] {
        finish(&mut folder.train(before, &flags(first, 1)))?;
        let resume = "--snapshot run_iter_45.solverstate";
        let log = finish(&mut folder.train(after, &format!("{} {resume}", flags(then, 1))))?;
        let rest: Vec<_> = want.iter().filter(|(steps, _)| *steps > LENGTH.snapshot).collect();
        let got = hashes(&log)?;
        let got: Vec<_> = got.iter().filter(|(steps, _)| *steps > LENGTH.snapshot).collect();
        ensure!(got == rest, "{order}: {first} on {before}, then {then} on {after} differ");
        println!("{records} records {order}: {first} on {before}, then {then} on {after}: same");
    }
    Ok(())
}
