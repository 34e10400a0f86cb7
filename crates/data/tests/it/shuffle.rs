//! Shuffled streams: what each replica reads is a function of seed, replicas and data set.

use std::{num::NonZeroU32, sync::Arc};

use caffe_format::{DataParameterDb, LayerParameter};
use data::{
    BatchStream, DataError, OnBadSample, RecordAccess, RecordStores, ReplicaSlice, SourceOptions,
    StreamState,
    order::{GroupShuffle, RunShuffle, StreamOrder},
};

use crate::{
    golden::{golden, layer, options},
    stream::open,
};

const RECORDS: u64 = 128;

fn data_layer(batch: usize) -> LayerParameter {
    layer(&format!(
        r#"layer {{ name: "data" type: "Data" top: "data" top: "label"
             transform_param {{ crop_size: 20 mirror: true }}
             data_param {{ source: "fashion128_lmdb" batch_size: {batch} backend: LMDB }} }}"#
    ))
}

/// Options of one replica of a run that shuffles with `seed`, or does not.
fn shuffled(seed: u32, slice: ReplicaSlice) -> SourceOptions {
    let path = golden().join("fashion128_lmdb");
    let store = data::store::open(&path, DataParameterDb::Lmdb, &mut |_, _| {}).unwrap();
    let by_layer = [("data".to_owned(), store)].into();
    let stores = RecordStores { shuffle: NonZeroU32::new(seed).map(RunShuffle::new), by_layer };
    SourceOptions { slice, access: RecordAccess::Stores(Arc::new(stores)), ..options() }
}

/// Keys of the next batch's records.
fn keys(stream: &mut BatchStream) -> Vec<String> {
    let items = stream.next_batch().unwrap().shape(1).count();
    (0..items).map(|item| stream.record_name(item).unwrap()).collect()
}

/// The keys that the order says, for replica `replica` of `replicas`.
fn expected(seed: u32, replica: usize, replicas: usize, count: usize) -> Vec<String> {
    let shuffle = NonZeroU32::new(seed).map(|seed| GroupShuffle::alone(seed, 1));
    let order = StreamOrder { records: RECORDS, shuffle };
    let positions = (replica as u64..).step_by(replicas).take(count);
    positions.map(|p| format!("{:08}", order.epoch(p / RECORDS).at(p % RECORDS).record)).collect()
}

/// Also with batches that are longer than several epochs.
#[test]
fn replicas_read_what_the_order_says() {
    for (replicas, batch, batches) in [(1, 7, 60), (3, 50, 9), (8, 64, 5), (2, 300, 2)] {
        for replica in 0..replicas {
            let options = shuffled(1701, ReplicaSlice { replica, replicas });
            let mut stream = open(&data_layer(batch), &options).unwrap();
            let got: Vec<_> = (0..batches).flat_map(|_| keys(&mut stream)).collect();
            assert!(got == expected(1701, replica, replicas, batch * batches), "{replica}");
        }
    }
}

/// Crops and mirrors are drawn as without a shuffle: the n-th record of a replica gets the n-th
/// draw. In key order a store gives what the database gives, to the bit.
#[test]
fn a_store_in_key_order_gives_what_the_database_gives() {
    let slice = ReplicaSlice { replica: 1, replicas: 3 };
    let database = SourceOptions { slice, ..options() };
    let mut plain = open(&data_layer(30), &database).unwrap();
    let mut store = open(&data_layer(30), &shuffled(0, slice)).unwrap();
    for _ in 0..10 {
        let (got, want) = (store.next_batch().unwrap(), plain.next_batch().unwrap());
        assert!(crate::values(got, 0) == crate::values(want, 0));
        assert!(crate::values(got, 1) == crate::values(want, 1));
        assert_eq!(store.state(), plain.state());
    }
}

#[test]
fn a_shuffled_stream_resumes_and_skips_to_the_very_next_record() {
    for (replica, replicas) in [(0, 1), (1, 3)] {
        let options = shuffled(5, ReplicaSlice { replica, replicas });
        let mut unbroken = open(&data_layer(20), &options).unwrap();
        for taken in 0..25 {
            let state = StreamState::from_bytes(&unbroken.state().to_bytes()).unwrap();
            assert_eq!(state.shuffle_seed, 5);
            let batch = unbroken.next_batch().unwrap();
            let want = crate::values(batch, 0);
            let mut resumed = open(&data_layer(20), &options).unwrap();
            if taken % 2 == 0 {
                resumed.restore(&state).unwrap();
                assert_eq!(*resumed.state(), state);
            } else {
                resumed.skip(taken, 0).unwrap();
            }
            assert!(crate::values(resumed.next_batch().unwrap(), 0) == want, "after {taken}");
        }
    }
}

#[test]
fn the_position_of_a_run_in_another_order_is_refused() {
    let slice = ReplicaSlice::ALL;
    let state_of = |seed| open(&data_layer(9), &shuffled(seed, slice)).unwrap().state().clone();
    for (seed, saved) in [(0, 1), (1, 0), (1, 2)] {
        let mut stream = open(&data_layer(9), &shuffled(seed, slice)).unwrap();
        let error = stream.restore(&state_of(saved)).unwrap_err();
        assert!(matches!(error, DataError::OtherOrder), "{error:?}");
    }
}

/// A bad record is named by its key, and skipping takes the next one of this replica.
#[test]
fn bad_records_are_named_by_their_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let mut writer = data::lmdb::LmdbWriter::create(&path).unwrap();
    for key in 0..6 {
        let pixel = caffe_format::Datum::raw([1, 1, 1], vec![key], i32::from(key));
        let good = caffe_format::binary::write(&pixel);
        let value = if key == 4 { b"damaged".to_vec() } else { good };
        writer.put(format!("{key:08}").as_bytes(), &value).unwrap();
    }
    writer.finish().unwrap();
    let layer = layer(
        r#"layer { name: "data" type: "Data" top: "data" top: "label"
             data_param { source: "db" batch_size: 5 backend: LMDB } }"#,
    );
    let store = data::store::open(&path, DataParameterDb::Lmdb, &mut |_, _| {}).unwrap();
    let by_layer = [("data".to_owned(), store)].into();
    let stores = RecordStores { shuffle: NonZeroU32::new(1).map(RunShuffle::new), by_layer };
    let access = RecordAccess::Stores(Arc::new(stores));
    let root = folder.path().to_owned();
    let fails = SourceOptions { root: root.into(), access, ..options() };
    let mut stream = open(&layer, &fails).unwrap();
    let error = (0..2).find_map(|_| stream.next_batch().err()).unwrap().to_string();
    assert!(error.starts_with("record `00000004` of "), "{error}");
    let skips = SourceOptions { on_bad_sample: OnBadSample::Skip, ..fails };
    let mut stream = open(&layer, &skips).unwrap();
    let mut labels = crate::values(stream.next_batch().unwrap(), 1);
    labels.sort_unstable_by(f32::total_cmp);
    assert_eq!(labels, [0.0, 1.0, 2.0, 3.0, 5.0]);
}
