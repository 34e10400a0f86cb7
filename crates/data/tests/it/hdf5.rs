//! `HDF5Data` over several files: shuffled, for several replicas, damaged.

use std::path::Path;

use base::random::Mt19937;
use caffe_format::Phase;
use data::{BatchStream, ReplicaSlice, SourceOptions};
use expect_test::expect;
use hdf5_pure::FileBuilder;

use crate::{
    golden::{layer, options},
    stream::chain,
};

/// A file with rows that hold `first`, `first + 1`, … twice and once as a label.
fn write(path: &Path, first: u8, rows: u8) {
    let numbers: Vec<f32> = (first..first + rows).map(f32::from).collect();
    let pairs: Vec<f64> = numbers.iter().flat_map(|&n| [f64::from(n); 2]).collect();
    let mut builder = FileBuilder::new();
    builder.create_dataset("x").with_f64_data(&pairs).with_shape(&[u64::from(rows), 2]);
    builder.create_dataset("y").with_f32_data(&numbers).with_shape(&[u64::from(rows)]);
    builder.write(path).unwrap();
}

/// Three files with 3, 4 and 2 rows, numbered through.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, first, rows) in [("a.h5", 0, 3), ("b.h5", 3, 4), ("c.h5", 7, 2)] {
        write(&folder.path().join(name), first, rows);
    }
    std::fs::write(folder.path().join("list"), "a.h5 b.h5\nc.h5\n").unwrap();
    folder
}

fn open(root: &Path, param: &str, slice: ReplicaSlice) -> BatchStream {
    let layer = layer(&format!(
        r#"layer {{ type: "HDF5Data" top: "x" top: "y"
             hdf5_data_param {{ source: "list" batch_size: 4 {param} }} }}"#
    ));
    let options = SourceOptions { root: root.into(), slice, ..options() };
    let mut rng = Mt19937::new(5);
    let stream = data::open(&layer, Phase::Train, &options, &mut rng).unwrap();
    assert_eq!(rng, Mt19937::new(5), "nothing is drawn from the main stream");
    stream
}

fn labels(stream: &mut BatchStream) -> Vec<f32> {
    let batch = stream.next_batch().unwrap();
    let (x, y) = (crate::values(batch, 0), crate::values(batch, 1));
    assert!(x.as_chunks().0.iter().zip(&y).all(|(pair, label)| *pair == [*label; 2]));
    y
}

#[test]
fn rows_follow_one_another_through_the_files() {
    let folder = folder();
    for (replica, replicas) in [(0, 1), (0, 2), (1, 2), (2, 3)] {
        let mut stream = open(folder.path(), "", ReplicaSlice { replica, replicas });
        let mut row = replica;
        for _ in 0..10 {
            for label in labels(&mut stream) {
                assert_eq!(label, (row % 9) as f32);
                row += replicas;
            }
        }
    }
}

#[test]
fn a_shuffled_pass_has_every_row_once_and_resumes() {
    let folder = folder();
    let mut stream = open(folder.path(), "shuffle: true", ReplicaSlice::ALL);
    let mut seen = Vec::new();
    for _ in 0..9 {
        let saved = stream.state().clone();
        let batch = labels(&mut stream);
        let mut resumed = open(folder.path(), "shuffle: true", ReplicaSlice::ALL);
        resumed.restore(&saved).unwrap();
        assert_eq!(labels(&mut resumed), batch);
        seen.extend(batch);
    }
    let passes: Vec<&[f32]> = seen.chunks(9).collect();
    assert_ne!(passes[0], passes[1]);
    for pass in passes {
        let mut sorted = pass.to_vec();
        sorted.sort_by(f32::total_cmp);
        assert_eq!(sorted, (0_u8..9).map(f32::from).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let folder = folder();
    let check = |top: &str, list: &str, want: expect_test::Expect| {
        std::fs::write(folder.path().join("list"), list).unwrap();
        let prototxt = format!(
            r#"layer {{ type: "HDF5Data" top: "{top}"
                 hdf5_data_param {{ source: "list" batch_size: 4 }} }}"#
        );
        let root = folder.path().to_owned();
        let options = SourceOptions { root: root.into(), ..options() };
        let mut rng = Mt19937::new(0);
        let result = data::open(&layer(&prototxt), Phase::Train, &options, &mut rng)
            .and_then(|mut stream| stream.next_batch().map(|_| ()));
        let error = chain(&result.unwrap_err());
        want.assert_eq(&error.replace(&*folder.path().to_string_lossy(), "DIR"));
    };
    std::fs::write(folder.path().join("text"), "text").unwrap();
    let bytes = std::fs::read(folder.path().join("a.h5")).unwrap();
    std::fs::write(folder.path().join("cut"), &bytes[..bytes.len() / 2]).unwrap();
    check("x", "", expect!["DIR/list holds no records"]);
    check(
        "x",
        "absent.h5",
        expect!["dataset `x` of DIR/absent.h5: I/O error: No such file or directory (os error 2)"],
    );
    check(
        "x",
        "text",
        expect![
            "dataset `x` of DIR/text: HDF5 format error: HDF5 signature not found at any valid offset"
        ],
    );
    check(
        "x",
        "cut",
        expect![
            "dataset `x` of DIR/cut: HDF5 format error: unexpected EOF: need 206 bytes, have 172"
        ],
    );
    check("z", "a.h5", expect!["dataset `z` of DIR/a.h5: HDF5 format error: path not found: z"]);
}
