//! What is another data set, and what is the same one in other files.

use std::fs;
use std::path::{Path, PathBuf};

use caffe_format::DataParameterDb::{self, Leveldb, Lmdb};
use caffe_format::Datum;

use super::{of_database, of_files};
use crate::convert::DatabaseWriter;

const RECORDS: i32 = 3000;

/// A database whose record `changed` has another label.
fn database(path: PathBuf, backend: DataParameterDb, changed: Option<i32>) -> PathBuf {
    let mut writer = DatabaseWriter::create(&path, backend).unwrap();
    for record in 0..RECORDS {
        let label = record % 10 + i32::from(changed == Some(record));
        let datum = Datum::raw([1, 5, 5], vec![7; 25], label);
        writer.put(&format!("{record:08}"), &datum).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn one_changed_label_is_seen_in_any_place() {
    for backend in [Lmdb, Leveldb] {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, changed| {
            let path = database(folder.path().join(name), backend, changed);
            of_database(&path, backend, u64::MAX).unwrap()
        };
        let one = of("one", None);
        assert_eq!(of("two", None), one);
        for changed in [0, 1234, RECORDS - 1] {
            assert_ne!(of(&changed.to_string(), Some(changed)), one, "{backend:?}, {changed}");
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files are made in a temporary folder")]
fn readers_and_other_layouts_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let lmdb = database(folder.path().join("lmdb"), Lmdb, None);
    let level = database(folder.path().join("level"), Leveldb, None);
    let all = |of: &dyn Fn(&Path, DataParameterDb) -> u64| [of(&lmdb, Lmdb), of(&level, Leveldb)];
    let small = |path: &Path, backend| of_database(path, backend, u64::MAX).unwrap();
    let large = |path: &Path, backend| of_database(path, backend, 0).unwrap();
    let before = [all(&small), all(&large)];
    fs::write(lmdb.join("lock.mdb"), b"in use").unwrap();
    // What Google's LevelDB does whenever a program opens a database.
    let manifest = fs::read_to_string(level.join("CURRENT")).unwrap();
    fs::copy(level.join(manifest.trim()), level.join("MANIFEST-000099")).unwrap();
    fs::write(level.join("CURRENT"), b"MANIFEST-000099\n").unwrap();
    fs::write(level.join("LOG"), b"recovering").unwrap();
    fs::write(level.join("000100.log"), b"").unwrap();
    assert_eq!([all(&small), all(&large)], before);
    assert_eq!(before[0][0], before[0][1], "records count, not how they are stored");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files are made in a temporary folder")]
fn of_large_files_head_length_name_and_end_count() {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str, file: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join(file), bytes).unwrap();
        path
    };
    let bytes = vec![7; 10_000_000];
    for whole in [0, u64::MAX] {
        let of = |path: &Path| of_files(path, whole).unwrap();
        let one = of(&make("one", "data.mdb", &bytes));
        assert_eq!(of(&make("two", "data.mdb", &bytes)), one);
        for (name, file, changed, len) in [
            ("start", "data.mdb", 100, bytes.len()),
            ("second meta page", "data.mdb", 8000, bytes.len()),
            ("end", "data.mdb", bytes.len() - 1, bytes.len()),
            ("short", "data.mdb", 0, bytes.len() - 1),
            ("name", "other.mdb", 0, bytes.len()),
        ] {
            let mut other = bytes.clone();
            other[changed] += u8::from(changed > 0);
            assert_ne!(of(&make(name, file, &other[..len])), one, "{name}, {whole}");
        }
    }
    let mut other = bytes;
    other[1_234_567] = 8;
    let [one, other] = ["one".into(), make("middle", "data.mdb", &other)]
        .map(|name: PathBuf| of_files(&folder.path().join(name), u64::MAX).unwrap());
    assert_ne!(one, other, "of smaller files every byte counts");
    assert!(of_files(&folder.path().join("absent"), 0).is_err());
}
