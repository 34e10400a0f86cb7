//! Reading what Caffe and `rusty-leveldb` wrote; then the same files damaged.

use std::path::{Path, PathBuf};

use super::{LevelDbIndex, LevelDbReader, LevelDbWriter};
use crate::{error::chain, lmdb};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data").join(name)
}

type LevelDbRecord = (Vec<u8>, Vec<u8>);

fn records(folder: &Path) -> Result<Vec<LevelDbRecord>, String> {
    let mut reader = LevelDbReader::open(folder).map_err(|error| chain(&error))?;
    let mut all = Vec::new();
    while reader.advance().map_err(|error| chain(&error))? {
        all.push((reader.key().to_vec(), reader.value().to_vec()));
    }
    Ok(all)
}

/// Caffe wrote the same images to both.
#[test]
fn holds_what_the_lmdb_holds() {
    let mut reader = lmdb::LmdbReader::open(&golden("fashion512_lmdb")).unwrap();
    let mut want = Vec::new();
    while reader.advance().unwrap() {
        let value = reader.value(&mut Vec::new()).unwrap().to_vec();
        want.push((reader.key().to_vec(), value));
    }
    assert!(records(&golden("fashion512_leveldb")).unwrap() == want);
}

/// Records that are in several tables and the log, some replaced or deleted.
#[test]
fn the_newest_entry_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let options = rusty_leveldb::Options { write_buffer_size: 20_000, ..Default::default() };
    let mut database = rusty_leveldb::DB::open(&path, options).unwrap();
    let key = |i: usize| format!("{:05}", i * 7919 % 5000).into_bytes();
    for i in 0..15_000 {
        let value = format!("value {i} of some length that fills tables").into_bytes();
        database.put(&key(i), &value).unwrap();
        if i % 3 == 0 {
            database.delete(&key(i + 1)).unwrap();
        }
    }
    let mut want = Vec::new();
    let mut iterator = database.new_iter().unwrap();
    while let Some((key, value)) = rusty_leveldb::LdbIterator::next(&mut iterator) {
        want.push((key.to_vec(), value.to_vec()));
    }
    drop(iterator);
    drop(database); // without closing: the log holds the rest
    let got = records(&path).unwrap();
    assert!(want.len() > 1000 && got == want, "{} for {}", got.len(), want.len());
    let index = LevelDbIndex::build(&path, &mut |_, _| {}).unwrap();
    assert_eq!(index.records(), want.len() as u64);
    for (record, want) in (0..).zip(&want) {
        let got = index.read(record, |key, value| (key.to_vec(), value.to_vec())).unwrap();
        assert!(got == *want, "record {record} by its number");
    }
}

#[test]
fn reads_back_what_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let mut writer = LevelDbWriter::create(&path).unwrap();
    let record = |i: usize| (format!("{i:08}").into_bytes(), vec![1; i * 37 % 9000]);
    for i in (0..2000).rev() {
        let (key, value) = record(i);
        writer.put(&key, &value).unwrap();
    }
    writer.finish().unwrap();
    assert!(records(&path).unwrap().into_iter().eq((0..2000).map(record)));
    assert!(LevelDbWriter::create(&path).is_err());
    drop(LevelDbWriter::create(&folder.path().join("other")).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A flipped byte in any file: an error, or the same records, and never a panic.
#[test]
#[expect(clippy::disallowed_methods, reason = "damages a copy in a temporary folder")]
fn damage_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(golden("fashion512_leveldb")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let want = records(folder.path()).unwrap();
    for (name, step) in [("CURRENT", 1), ("MANIFEST-000007", 1), ("000005.ldb", 3989)] {
        let path = folder.path().join(name);
        let good = std::fs::read(&path).unwrap();
        let places = (0..good.len()).step_by(step).chain(good.len().saturating_sub(48)..good.len());
        for at in places {
            for flip in [0x01, 0x80] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                std::fs::write(&path, &bad).unwrap();
                if let Ok(got) = records(folder.path()) {
                    assert!(got == want, "{name}: byte {at} ^ {flip:#x}");
                }
            }
        }
        std::fs::write(&path, &good[..good.len() / 2]).unwrap();
        assert!(records(folder.path()).map_or(true, |got| got != want), "{name} cut");
        std::fs::write(&path, &good).unwrap();
    }
}
