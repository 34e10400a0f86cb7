//! Shards that exchange records hold what each position needs, and no more.

use std::sync::Arc;

use caffe_format::DataParameterDb;

use super::{DatabaseRange, OwnedReplicas, RecordShard, RecordSlot, load::shard_bytes};
use crate::{
    error::{DataError, chain},
    leveldb::LevelDbWriter,
    lmdb::LmdbWriter,
    order::{GroupShuffle, RecordUse, StreamOrder},
    store::RecordStore,
};

const RECORDS: u64 = 37;

/// The value of a record: its number, as often as its length says.
fn value(record: u64) -> Vec<u8> {
    vec![u8::try_from(record).unwrap(); usize::try_from(5000 + record * 311 % 4000).unwrap()]
}

fn database() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let mut writer = LmdbWriter::create(&path).unwrap();
    for record in 0..RECORDS {
        writer.put(format!("{record:08}").as_bytes(), &value(record)).unwrap();
    }
    writer.finish().unwrap();
    (folder, path)
}

fn range(path: &std::path::Path, part: usize, parts: usize) -> DatabaseRange {
    DatabaseRange::new(path.to_owned(), DataParameterDb::Lmdb, (part, parts))
}

fn lengths_of(range: &DatabaseRange) -> Vec<u32> {
    range.lengths(&mut |_, _| {}).unwrap()
}

/// Loads all parts; `parts` replicas, one each.
fn load(path: &std::path::Path, parts: usize, position: u64) -> Vec<RecordShard> {
    let lengths = |part| lengths_of(&range(path, part, parts));
    let all: Arc<[u32]> = (0..parts).flat_map(lengths).collect();
    let shard = |part| {
        let owned =
            OwnedReplicas { first: part as u64, end: part as u64 + 1, replicas: parts as u64 };
        range(path, part, parts).load(Arc::clone(&all), owned, position, &mut |_, _| {}).unwrap()
    };
    (0..parts).map(shard).collect()
}

/// Moves a record to its next use, in pieces of 1000 bytes where it changes shards.
fn transfer(shards: &[RecordShard], from: usize, slot: RecordSlot, record: u64, position: u64) {
    let to = usize::try_from(position % shards.len() as u64).unwrap();
    if from == to {
        return shards[to].keep(slot, position).unwrap();
    }
    let len = shards[from].length(record);
    for start in (0..len).step_by(1000) {
        let mut bytes = Vec::new();
        let end = (start + 1000).min(len);
        let copy = |slice: &[u8]| bytes.extend_from_slice(slice);
        shards[from].with_bytes(slot, (start, end), copy).unwrap();
        shards[to].receive(position, record, start, &bytes);
    }
    if let RecordSlot::Loaded(record) = slot {
        shards[from].release_loaded(record);
    }
}

#[test]
fn a_whole_database_is_read_by_number() {
    let (_folder, path) = database();
    let [shard] = &load(&path, 1, 0)[..] else { panic!("one shard") };
    let mut buffer = Vec::new();
    for record in (0..RECORDS).rev() {
        let used = RecordUse { position: 1000, record };
        assert_eq!(shard.read(used, &mut buffer).unwrap(), value(record));
    }
    assert_eq!(shard.key(5).unwrap(), b"00000005");
    let lengths: Vec<u32> = (0..RECORDS).map(|r| u32::try_from(value(r).len()).unwrap()).collect();
    let bytes = lengths.iter().map(|&len| u64::from(len)).sum();
    assert!(shard.taken_bytes() <= shard_bytes(&lengths, RECORDS, bytes));
}

/// Each epoch's records are moved while the epoch before is read, some positions ahead.
#[test]
fn shards_hold_what_their_positions_use() {
    let (_folder, path) = database();
    let shuffle = std::num::NonZeroU32::new(9).map(|seed| GroupShuffle::alone(seed, 1));
    let order = StreamOrder { records: RECORDS, shuffle };
    for (parts, ahead) in [(2, 10), (3, 1), (4, 37), (5, 90)] {
        let shards = load(&path, parts, 0);
        for record in 0..RECORDS {
            let home =
                (0..parts).find(|&p| range(&path, p, parts).range(RECORDS).contains(&record));
            let first = order.block_of(0).use_of(record, 0).unwrap();
            transfer(&shards, home.unwrap(), RecordSlot::Loaded(record), record, first);
        }
        let held: u64 = shards.iter().map(RecordShard::taken_bytes).sum();
        let (mut moved, mut buffer, mut most) = (0, Vec::new(), 0);
        for position in 0..RECORDS * 6 {
            while moved < position + ahead {
                let RecordUse { record, .. } = order.epoch(moved / RECORDS).at(moved % RECORDS);
                let next = order.block_of(moved).next().use_of(record, 0).unwrap();
                let from = usize::try_from(moved % parts as u64).unwrap();
                transfer(&shards, from, RecordSlot::Used(moved), record, next);
                moved += 1;
            }
            let wanted = order.epoch(position / RECORDS).at(position % RECORDS);
            let shard = &shards[usize::try_from(position % parts as u64).unwrap()];
            assert!(shard.read(wanted, &mut buffer).unwrap() == value(wanted.record));
            shards.iter().for_each(|shard| shard.release_before(position + 1));
            most = most.max(shards.iter().map(RecordShard::taken_bytes).sum::<u64>());
        }
        assert!(most >= held && most <= held + held / RECORDS * 2 * ahead, "{most} for {held}");
    }
}

#[test]
fn what_is_not_there_is_an_error_and_so_is_a_database_that_changed() {
    let (_folder, path) = database();
    let shards = load(&path, 2, 0);
    let error = shards[0].read(RecordUse { position: 2, record: 3 }, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, DataError::NotInShard { .. }), "{error:?}");
    let mut lengths = lengths_of(&range(&path, 0, 1));
    lengths[20] += 1;
    let owned = OwnedReplicas { first: 0, end: 1, replicas: 1 };
    let changed = range(&path, 0, 1).load(lengths.into(), owned, 0, &mut |_, _| {}).err().unwrap();
    assert!(chain(&changed).ends_with("changed while it was being loaded"), "{changed:?}");
}

/// A LevelDB does not say how many records it has, so its first pass goes over all of them, once;
/// the second one goes to the end of the range.
#[test]
fn both_backends_have_the_same_ranges_and_say_how_far_they_are() {
    let (folder, lmdb) = database();
    let level = folder.path().join("level");
    let mut writer = LevelDbWriter::create(&level).unwrap();
    (0..RECORDS).for_each(|r| writer.put(format!("{r:08}").as_bytes(), &value(r)).unwrap());
    writer.finish().unwrap();
    let all: Arc<[u32]> = lengths_of(&range(&lmdb, 0, 1)).into();
    for (part, parts) in [(0, 1), (2, 5), (4, 5), (36, 40), (39, 40)] {
        let level = DatabaseRange::new(level.clone(), DataParameterDb::Leveldb, (part, parts));
        let mut said = Vec::new();
        let got = level.lengths(&mut |done, all| said.push((done, all))).unwrap();
        assert_eq!(got, lengths_of(&range(&lmdb, part, parts)), "part {part} of {parts}");
        assert_eq!(said.pop(), Some((RECORDS, RECORDS)));
        let owned = OwnedReplicas { first: 0, end: 1, replicas: 1 };
        let loaded =
            level.load(Arc::clone(&all), owned, 0, &mut |done, all| said.push((done, all)));
        let (shard, mut end) = (loaded.unwrap(), level.range(RECORDS).end);
        if level.range(RECORDS).is_empty() {
            end = 0;
        }
        assert_eq!(said.last(), Some(&(end, end)));
        for record in level.range(RECORDS) {
            let (mut bytes, len) = (Vec::new(), shard.length(record));
            let add = |slice: &[u8]| bytes.extend_from_slice(slice);
            shard.with_bytes(RecordSlot::Loaded(record), (0, len), add).unwrap();
            assert_eq!(bytes, value(record));
        }
    }
}
