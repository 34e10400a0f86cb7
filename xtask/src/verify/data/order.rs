//! One order of records for every source, number of ranks and number of workers.
//!
//! A second database has the number of each record as its label, and an HDF5Output layer writes
//! down what each replica gets of it: all keys of all runs are compared with the definition of the
//! order.

use std::num::NonZeroU32;
use std::{fs, io};

use anyhow::{Context, Result, ensure};
use caffe_format::{DataParameterDb, Datum};
use data::ReplicaSlice;
use data::convert::DatabaseWriter;
use data::order::{RecordSharing, RunShuffle, StreamOrder};
use hdf5_pure::File;

use super::job::{JobFolder, JobLength, data_layer, finish, hashes};

const RECORDS: u32 = 60_000;
const REPLICAS: usize = 8;
const BATCH: usize = 125;
/// One and a half epochs, stopped within the first.
const LENGTH: JobLength = JobLength { iterations: 90, display: 15, snapshot: 45 };

/// Ranks and workers.
const WORLDS: &[(usize, usize)] = &[(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2), (8, 1)];
/// Flags that the order depends on, and groups and epochs of a block.
const ORDERS: &[(&str, u32, u32)] = &[
    ("--shuffle", 1, 1),
    ("--shuffle --data-groups 2", 2, 1),
    ("--shuffle --exchange-every 2", 1, 2),
];

/// What each replica gets is written down: the label of a record and its number.
const SEEN: &str = r#"
layer { name: "unused" type: "Silence" bottom: "pixel" }
layer { name: "seen" type: "HDF5Output" bottom: "label" bottom: "number"
        hdf5_output_param { file_name: "seen.h5" } }"#;

pub(super) fn run() -> Result<()> {
    // Replicas divide the records, or do not.
    for (records, orders) in [(RECORDS, &ORDERS[..1]), (RECORDS + 3, ORDERS)] {
        let folder = JobFolder::new("order")?;
        folder.database("db", records, 4, None)?;
        numbers(&folder, records)?;
        let numbers = format!(
            "layer {{ name: \"numbers\" type: \"Data\" top: \"pixel\" top: \"number\"\n\
             data_param {{ source: \"numbers\" batch_size: {BATCH} backend: LMDB }} }}"
        );
        folder.write(&format!("{}\n{numbers}{SEEN}", data_layer("db", BATCH)), LENGTH)?;
        for &(flags, groups, every) in orders {
            let [groups, exchange_every] =
                [groups, every].map(|n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN));
            let want = definition(records, RecordSharing { groups, exchange_every })?;
            worlds(&folder, records, flags, &want)?;
        }
    }
    Ok(())
}

/// A database whose labels are the numbers of its records.
fn numbers(folder: &JobFolder, records: u32) -> Result<()> {
    let mut writer = DatabaseWriter::create(&folder.path.join("numbers"), DataParameterDb::Lmdb)?;
    for record in 0..records {
        let datum = Datum::raw([1, 1, 1], vec![0], i32::try_from(record)?);
        writer.put(&format!("{record:08}"), &datum)?;
    }
    Ok(writer.finish()?)
}

/// What the order says that each replica reads, one batch further than the run. Every group reads
/// each record once per epoch, or in blocks of K epochs K times, once more or less where replicas
/// do not divide the records.
fn definition(records: u32, sharing: RecordSharing) -> Result<Vec<Vec<u64>>> {
    let run = RunShuffle { seed: NonZeroU32::new(1701).unwrap_or(NonZeroU32::MIN), sharing };
    let (count, every) = (u64::from(records), sharing.exchange_every.get());
    let group_replicas = REPLICAS / sharing.groups.get() as usize;
    let mut times = vec![vec![0_u32; records as usize]; sharing.groups.get() as usize];
    let mut all = Vec::new();
    for replica in 0..REPLICAS {
        let (shuffle, own) = run.group(ReplicaSlice { replica, replicas: REPLICAS });
        let order = StreamOrder { records: count, shuffle: Some(shuffle) };
        let record = |position: u64| order.block_of(position).record_at(position);
        let positions = || (own.replica as u64..).step_by(own.replicas);
        for position in positions().take_while(|&position| position < u64::from(every) * count) {
            times[replica / group_replicas][usize::try_from(record(position))?] += 1;
        }
        all.push(positions().take((LENGTH.iterations + 1) * BATCH).map(record).collect());
    }
    let exact = records.is_multiple_of(u32::try_from(group_replicas)?) || every == 1;
    let most = u32::from(!exact);
    let even = times.iter().flatten().all(|&times| times.abs_diff(every) <= most);
    let groups = sharing.groups;
    let what = format!("{records} records, --data-groups {groups} --exchange-every {every}");
    ensure!(even, "{what}: a record comes too often or too rarely");
    println!("{what}: each record {every} ± {most} times");
    Ok(all)
}

/// All worlds and sources read what the order says and have the same weights, and so have runs that
/// others continue.
fn worlds(folder: &JobFolder, records: u32, order: &str, keys: &[Vec<u64>]) -> Result<()> {
    let flags = |data: &str, workers: usize| {
        format!("--replicas {REPLICAS} --workers {workers} {order} --data {data}")
    };
    let mut want = None;
    for data in ["stream", "memory"] {
        for &(ranks, workers) in WORLDS {
            let what = format!("{records} records {order}: {data}, {ranks} x {workers}");
            forget(folder)?;
            let log = finish(&mut folder.train(ranks, &flags(data, workers)))?;
            let got = hashes(&log)?;
            let want = want.get_or_insert_with(|| got.clone());
            ensure!(got == *want, "{what}: other weights");
            compare(folder, keys, 0).context(what.clone())?;
            println!("{what}: {}", got.last().map_or("", |(_, hash)| hash.as_str()));
        }
    }
    let want = want.unwrap_or_default();
    for ((before, first), (after, then)) in [
        ((8, "memory"), (2, "stream")),
        ((2, "stream"), (4, "memory")),
        ((4, "memory"), (1, "memory")),
    ] {
        let what = format!("{records} records {order}: {first} on {before}, {then} on {after}");
        finish(&mut folder.train(before, &flags(first, 1)))?;
        forget(folder)?;
        let resume = format!("--snapshot run_iter_{}.solverstate", LENGTH.snapshot);
        let log = finish(&mut folder.train(after, &format!("{} {resume}", flags(then, 1))))?;
        let rest: Vec<_> = want.iter().filter(|(steps, _)| *steps > LENGTH.snapshot).collect();
        let got = hashes(&log)?;
        let got: Vec<_> = got.iter().filter(|(steps, _)| *steps > LENGTH.snapshot).collect();
        ensure!(got == rest, "{what}: other weights");
        compare(folder, keys, LENGTH.snapshot).context(what.clone())?;
        println!("{what}: same keys and weights");
    }
    Ok(())
}

fn seen(folder: &JobFolder, replica: usize) -> std::path::PathBuf {
    let number = if replica == 0 { String::new() } else { format!(".{replica}") };
    folder.path.join(format!("seen.h5{number}"))
}

/// Removes what an earlier run has written down.
fn forget(folder: &JobFolder) -> Result<()> {
    for replica in 0..REPLICAS {
        match fs::remove_file(seen(folder, replica)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Compares what every replica has written down of a run that began at iteration `begin`; a forward
/// for the last display may have followed.
fn compare(folder: &JobFolder, keys: &[Vec<u64>], begin: usize) -> Result<()> {
    for (replica, keys) in keys.iter().enumerate() {
        let file = seen(folder, replica);
        let file = File::open_streaming(&file).with_context(|| file.display().to_string())?;
        let [labels, numbers] =
            [file.dataset("data")?.read_f32()?, file.dataset("label")?.read_f32()?];
        let all = (LENGTH.iterations - begin) * BATCH;
        let len = numbers.len();
        ensure!(len == all || len == all + BATCH, "replica {replica} has read {len} records");
        for (item, (&number, &label)) in numbers.iter().zip(&labels).enumerate() {
            let want = keys[begin * BATCH + item];
            ensure!(number == want as f32, "replica {replica}, item {item}: {number}, not {want}");
            ensure!(label == (want % 10) as f32, "record {want} has the label {label}");
        }
    }
    Ok(())
}
