//! Any record, by its number, is what reading in key order gives.

use std::path::{Path, PathBuf};

use caffe_format::DataParameterDb;

use super::{RecordUse, open};
use crate::{database, error::chain, leveldb::LevelDbWriter, lmdb::LmdbWriter};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data").join(name)
}

/// Reads a database in key order, and each record again by its number, last first; their count.
fn compare(path: &Path, backend: DataParameterDb) -> u64 {
    let mut reader = database::open(path, backend).unwrap();
    let mut want = Vec::new();
    while reader.advance().unwrap() {
        assert_eq!(reader.record(), want.len() as u64);
        want.push((reader.record_name(), reader.value(&mut Vec::new()).unwrap().to_vec()));
    }
    let mut reported = Vec::new();
    let store = open(path, backend, &mut |done, _| reported.push(done)).unwrap();
    assert!(reported.is_sorted() && reported.last() == Some(&store.records()));
    assert_eq!(store.records(), want.len() as u64);
    let mut buffer = Vec::new();
    for (index, (name, value)) in want.iter().enumerate().rev() {
        let record = index as u64;
        let got = store.read(RecordUse { position: 0, record }, &mut buffer).unwrap();
        assert!(got == value, "record {record} of {}", path.display());
        assert_eq!(store.key(record).unwrap(), name.as_bytes());
    }
    store.records()
}

#[test]
fn recorded_databases_in_any_order() {
    for (name, count) in [("fashion128", 128), ("fashion512", 512)] {
        assert_eq!(compare(&golden(&format!("{name}_lmdb")), DataParameterDb::Lmdb), count);
    }
    for name in ["images_encoded_lmdb", "images_gray_lmdb", "images_raw_lmdb"] {
        compare(&golden(name), DataParameterDb::Lmdb);
    }
    assert_eq!(compare(&golden("fashion512_leveldb"), DataParameterDb::Leveldb), 512);
}

/// Values in leaves and on overflow pages, in several leaves and tables.
#[test]
fn short_and_long_records_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let (lmdb, leveldb) = (folder.path().join("lmdb"), folder.path().join("leveldb"));
    let records = (0..3000_usize).map(|i| {
        let len = if i % 7 == 0 { 9000 + i } else { i % 500 };
        (format!("{i:08}").into_bytes(), vec![u8::try_from(i % 251).unwrap(); len])
    });
    let mut lmdb_writer = LmdbWriter::create(&lmdb).unwrap();
    let mut leveldb_writer = LevelDbWriter::create(&leveldb).unwrap();
    for (key, value) in records {
        lmdb_writer.put(&key, &value).unwrap();
        leveldb_writer.put(&key, &value).unwrap();
    }
    lmdb_writer.finish().unwrap();
    leveldb_writer.finish().unwrap();
    assert_eq!(compare(&lmdb, DataParameterDb::Lmdb), 3000);
    assert_eq!(compare(&leveldb, DataParameterDb::Leveldb), 3000);
}

/// A table that is gone, and a leaf that is another one, after the index was built.
#[test]
#[expect(clippy::disallowed_methods, reason = "files are damaged in a temporary folder")]
fn a_database_that_changed_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let write = |count: u32| {
        _ = std::fs::remove_dir_all(&path);
        let mut writer = LmdbWriter::create(&path).unwrap();
        for i in 0..count {
            writer.put(format!("{i:08}").as_bytes(), &[1; 100]).unwrap();
        }
        writer.finish().unwrap();
    };
    write(1000);
    let file = path.join("data.mdb");
    let store = open(&path, DataParameterDb::Lmdb, &mut |_, _| {}).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, vec![0; bytes.len()]).unwrap(); // the same file, other contents
    let used = RecordUse { position: 7, record: 7 };
    let error = chain(&store.read(used, &mut Vec::new()).unwrap_err());
    assert!(error.contains("data.mdb, page") && error.contains("is damaged"), "{error}");
    write(0);
    let error = chain(&open(&path, DataParameterDb::Lmdb, &mut |_, _| {}).err().unwrap());
    assert!(error.ends_with("holds no records"), "{error}");
}
