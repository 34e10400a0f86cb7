//! Reading what Caffe wrote and what the C library sees; then the same files damaged.

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use heed::{Database, EnvOpenOptions, types::Bytes};

use super::{LmdbReader, LmdbWriter};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data").join(name)
}

type LmdbRecord = (Vec<u8>, Vec<u8>);

/// All records, in the reader's order.
fn records(reader: &mut LmdbReader) -> Vec<LmdbRecord> {
    let mut all = Vec::new();
    let mut value = Vec::new();
    while reader.advance().unwrap() {
        all.push((reader.key().to_vec(), reader.value(&mut value).unwrap().to_vec()));
    }
    all
}

/// All records as the C library gives them, from a copy (it wants to write a lock file).
#[expect(unsafe_code, reason = "the C library maps a file; it is a copy that only this test knows")]
fn records_of_the_library(folder: &Path) -> Vec<LmdbRecord> {
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(folder.join("data.mdb"), copy.path().join("data.mdb")).unwrap();
    let options = EnvOpenOptions::new();
    // SAFETY: nobody else writes the copy.
    let env = unsafe { options.open(copy.path()) }.unwrap();
    let transaction = env.read_txn().unwrap();
    let database: Database<Bytes, Bytes> = env.open_database(&transaction, None).unwrap().unwrap();
    let all = database.iter(&transaction).unwrap();
    all.map(|record| record.map(|(k, v)| (k.to_vec(), v.to_vec())).unwrap()).collect()
}

const DATABASES: [&str; 5] = [
    "fashion128_lmdb",
    "fashion512_lmdb",
    "images_encoded_lmdb",
    "images_gray_lmdb",
    "images_raw_lmdb",
];

#[test]
fn sees_what_the_c_library_sees() {
    for name in DATABASES {
        let mut reader = LmdbReader::open(&golden(name)).unwrap();
        let ours = records(&mut reader);
        assert_eq!(ours.len() as u64, reader.entries(), "{name}");
        assert!(ours == records_of_the_library(&golden(name)), "{name}");
        reader.rewind();
        assert!(ours == records(&mut reader), "{name}, second pass");
        assert!(!reader.advance().unwrap(), "the end stays the end");
    }
}

#[test]
fn seeks_and_finds() {
    let mut reader = LmdbReader::open(&golden("fashion512_lmdb/data.mdb")).unwrap();
    let all = records(&mut reader);
    let mut value = Vec::new();
    for (index, (key, want)) in all.iter().enumerate() {
        assert!(reader.seek(index as u64).unwrap());
        assert_eq!(reader.key(), key);
        assert!(reader.value(&mut value).unwrap() == want);
        assert_eq!(reader.advance().unwrap(), index + 1 < all.len());
        assert!(reader.get(key).unwrap().as_ref() == Some(want));
    }
    assert!(!reader.seek(512).unwrap());
    for absent in ["", "0", "00000000x", "zzz"] {
        assert_eq!(reader.get(absent.as_bytes()).unwrap(), None, "{absent}");
    }
}

/// Records of awkward sizes around the page size, enough for three levels and a grown map.
#[test]
fn reads_back_what_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let mut writer = LmdbWriter::create(&path).unwrap();
    let record = |i: usize| {
        let len = [0, 1, 100, 2000, 2030, 4080, 4081, 9000, 5][i % 9];
        (format!("{i:08}").into_bytes(), vec![u8::try_from(i % 251).unwrap(); len])
    };
    for i in (0..20_000).rev() {
        let (key, value) = record(i);
        writer.put(&key, &value).unwrap();
    }
    writer.finish().unwrap();
    let mut reader = LmdbReader::open(&path).unwrap();
    let all = records(&mut reader);
    assert_eq!(all.len(), 20_000);
    assert!(all.iter().enumerate().all(|(i, got)| *got == record(i)));
    assert!(all == records_of_the_library(&path));
}

#[test]
fn an_empty_database_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    LmdbWriter::create(&path).unwrap().finish().unwrap();
    let mut reader = LmdbReader::open(&path).unwrap();
    assert_eq!(reader.entries(), 0);
    assert!(!reader.advance().unwrap() && !reader.seek(0).unwrap());
    assert_eq!(reader.get(b"key").unwrap(), None);
}

#[test]
fn nothing_is_overwritten_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let mut unfinished = LmdbWriter::create(&path).unwrap();
    unfinished.put(b"key", b"value").unwrap();
    drop(unfinished);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    LmdbWriter::create(&path).unwrap().finish().unwrap();
    let error = LmdbWriter::create(&path).err().unwrap();
    assert_eq!(chain(&error), format!("{}: exists already and is not overwritten", path.display()));
}

/// An error and its causes on one line, as the program prints them.
fn chain(error: &dyn std::error::Error) -> String {
    let source = error.source().map(|cause| format!(": {}", chain(cause)));
    format!("{error}{}", source.unwrap_or_default())
}

/// Reads everything from bytes that may be damaged; returns the first error.
fn read_all(bytes: Vec<u8>) -> Result<u64, String> {
    let mut reader = LmdbReader::from_bytes(Path::new("db"), bytes).map_err(|e| chain(&e))?;
    let mut value = Vec::new();
    let mut count = 0;
    while reader.advance().map_err(|e| chain(&e))? {
        reader.value(&mut value).map_err(|e| chain(&e))?;
        count += 1;
    }
    Ok(count)
}

/// Every byte that carries structure in a small database, flipped one at a time in three ways: an
/// error or a readable database of the same size, and never a panic.
#[test]
fn a_flipped_byte_never_panics() {
    let good = std::fs::read(golden("images_encoded_lmdb/data.mdb")).unwrap();
    let count = read_all(good.clone()).unwrap();
    let mut refused = 0;
    for at in (0..good.len()).filter(|at| at % 4096 < 256 || at % 4096 > 3840 || at % 61 == 0) {
        for flip in [0x01, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            match read_all(bad) {
                Ok(got) => assert_eq!(got, count, "byte {at} ^ {flip:#x}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 500, "only {refused} flips were noticed");
}

#[test]
fn a_file_cut_short_is_refused() {
    let good = std::fs::read(golden("fashion128_lmdb/data.mdb")).unwrap();
    for len in (0..good.len()).step_by(509) {
        let error = read_all(good[..len].to_vec()).unwrap_err();
        assert!(error.starts_with("db, page ") && error.contains("beyond the end"), "{error}");
    }
}

/// One change to `fashion128_lmdb` and the line it leads to.
#[track_caller]
fn check(offset: usize, bytes: &[u8], want: Expect) {
    let mut bad = std::fs::read(golden("fashion128_lmdb/data.mdb")).unwrap();
    bad[offset..offset + bytes.len()].copy_from_slice(bytes);
    want.assert_eq(&read_all(bad).map_or_else(|e| e, |n| format!("{n} records")));
}

#[test]
fn damage_is_named() {
    let meta = 4096 + 16; // the newer one
    check(
        16 + 128,
        &[2],
        expect!["db: is damaged: the two meta pages are not of successive transactions"],
    );
    check(0, &[7], expect!["db, page 0: is damaged: the header is not that of a meta page"]);
    check(16, &[0], expect!["db, page 0: is not an LMDB file (64-bit, little-endian, version 1)"]);
    check(
        16 + 24,
        &1000_u32.to_le_bytes(),
        expect!["db, page 0: page size 1000 is not a power of two from 512 to 65536"],
    );
    check(
        meta + 72 + 4,
        &[4],
        expect![
            "db, page 1: is a kind of LMDB that Caffe does not write: duplicate, reversed or integer keys"
        ],
    );
    check(
        meta + 72 + 6,
        &[0],
        expect!["db, page 1: is damaged: root, depth and number of records do not fit together"],
    );
    check(
        meta + 72 + 6,
        &[1],
        expect!["db, page 4: is damaged: the tree is not as deep as the meta page says"],
    );
    check(meta + 72 + 32, &[127], expect!["db: 127 records are announced, 128 were found"]);
    check(meta + 72 + 32, &[129], expect!["db: 129 records are announced, 128 were found"]);
    check(
        meta + 72 + 40,
        &[2],
        expect!["db, page 2: is damaged: the tree is not as deep as the meta page says"],
    );
    check(
        meta + 72 + 40,
        &[0xff; 3],
        expect![
            "db, page 16777215: bytes 68719472640..68719476736 lie beyond the end of the file (143360 bytes)"
        ],
    );
}

/// Files that fuzzing starts from and those it found; `fuzz/fuzz_targets/lmdb.rs` runs the same.
#[test]
fn hostile_files_are_survived() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/hostile/lmdb");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        super::read_all(&path, &bytes);
        let name = path.file_name().unwrap().to_string_lossy();
        let sound = [("one_leaf", 3), ("overflow", 1), ("two_levels", 3), ("empty", 0)];
        let want = sound.iter().find(|sound| sound.0 == name).map(|sound| sound.1);
        assert_eq!(read_all(bytes).ok(), want, "{name}");
    }
}

/// 31 pages with two ways down each: two thousand million ways to one leaf, and a seek that would
/// take them all.
#[test]
fn a_seek_ends_when_it_has_loaded_as_many_pages_as_there_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/hostile/lmdb");
    let bytes = std::fs::read(folder.join("many_ways")).unwrap();
    let mut reader = LmdbReader::from_bytes(Path::new("db"), bytes).unwrap();
    let error = chain(&reader.seek(1 << 39).unwrap_err());
    assert_eq!(error, "db, page 33: is damaged: pages are reached in more than one way");
}
