//! Converters and tools against the databases and mean files that Caffe's own made.

use data::{DataError, convert, database, lmdb::Reader, mean};

use crate::feeds::golden;
use caffe_format::{DataParameterDb, binary};

fn records(reader: &mut Reader) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut all = Vec::new();
    while reader.advance().unwrap() {
        let mut value = Vec::new();
        reader.read_value(&mut value).unwrap();
        all.push((reader.key().to_vec(), value));
    }
    all
}

#[test]
fn idx_files_become_caffes_records() {
    let folder = tempfile::tempdir().unwrap();
    for set in ["fashion128", "fashion512"] {
        let path = folder.path().join(set);
        let mut told = Vec::new();
        let count = convert::idx::idx(
            &golden().join(format!("{set}-images-idx3-ubyte")),
            &golden().join(format!("{set}-labels-idx1-ubyte")),
            &path,
            &mut |done, total| told.push((done, total)),
        )
        .unwrap();
        assert_eq!(told.last(), Some(&(count, count)));
        let ours = records(&mut Reader::open(&path).unwrap());
        let caffes = records(&mut Reader::open(&golden().join(format!("{set}_lmdb"))).unwrap());
        assert!(ours == caffes, "{set}: keys and bytes");
    }
}

#[test]
fn idx_files_that_do_not_fit_leave_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let images = golden().join("fashion128-images-idx3-ubyte");
    let labels = golden().join("fashion512-labels-idx1-ubyte");
    let cut = folder.path().join("cut");
    std::fs::copy(&images, &cut).unwrap();
    std::fs::OpenOptions::new().write(true).open(&cut).unwrap().set_len(50_000).unwrap();
    let good_labels = golden().join("fashion128-labels-idx1-ubyte");
    for (images, labels) in [(&images, &labels), (&labels, &images), (&cut, &good_labels)] {
        let error = convert::idx::idx(images, labels, &path, &mut |_, _| {}).unwrap_err();
        assert!(matches!(error, DataError::Idx { .. } | DataError::Read { .. }), "{error:?}");
        assert!(!path.exists());
    }
}

#[test]
fn means_are_caffes_to_the_byte() {
    for (source, file) in
        [("fashion512_lmdb", "mean.binaryproto"), ("images_raw_lmdb", "images_mean.binaryproto")]
    {
        let mut database = database::open(&golden().join(source), DataParameterDb::Lmdb).unwrap();
        let blob = mean::compute(&mut *database, &mut |_, _| {}).unwrap();
        let want = std::fs::read(golden().join(file)).unwrap();
        assert!(binary::write(&blob) == want, "{source}");
    }
}
