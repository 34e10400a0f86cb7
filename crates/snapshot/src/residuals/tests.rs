//! What is written is read, and anything else is refused.

use std::fs;

use super::{ResidualFile, ResidualNumbers, load_residuals, read, save_residuals};
use crate::{SnapshotError, SnapshotFormat, SnapshotPaths};

fn file(rank: u64) -> ResidualFile<'static> {
    let values: Vec<f32> = (0..5000).map(|i| i as f32 - 0.5).collect();
    ResidualFile {
        iteration: 40,
        rank,
        world: 2,
        compression: "top-k:share=0.01".into(),
        vectors: vec![
            ("residual".into(), ResidualNumbers::F32(values.into())),
            ("steps".into(), ResidualNumbers::U64(vec![7, u64::MAX].into())),
            ("none".into(), ResidualNumbers::F32(Vec::new().into())),
        ],
    }
}

#[test]
fn every_rank_reads_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("snap").display().to_string();
    let names = SnapshotPaths::new(&prefix, 40, SnapshotFormat::Binaryproto);
    let hashes: Vec<u64> =
        (0..2).map(|rank| save_residuals(&names, &file(rank)).unwrap()).collect();
    assert!(folder.path().join("snap_iter_40.residuals.1-of-2").is_file());
    for rank in 0..2 {
        assert_eq!(load_residuals(&names, &hashes, rank, 40).unwrap(), file(rank as u64));
    }
    let error = load_residuals(&names, &hashes, 0, 39).unwrap_err();
    assert!(matches!(error, SnapshotError::Residuals { .. }), "{error}");
    let swapped: Vec<u64> = hashes.into_iter().rev().collect();
    let error = load_residuals(&names, &swapped, 0, 40).unwrap_err();
    assert!(matches!(error, SnapshotError::Checksum { .. }), "{error}");
}

#[test]
fn every_cut_and_every_length_that_lies_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("snap").display().to_string();
    let names = SnapshotPaths::new(&prefix, 40, SnapshotFormat::Binaryproto);
    let mut small = file(0);
    small.vectors[0].1 = ResidualNumbers::F32(vec![1.0, 2.0].into());
    save_residuals(&names, &small).unwrap();
    let good = fs::read(names.residuals(0, 2)).unwrap();
    assert_eq!(read(&good), Some(small.clone()));
    for len in 0..good.len() {
        assert_eq!(read(&good[..len]), None, "cut at {len}");
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0xff; // must not panic, nor allocate what the file does not back
        assert_ne!(read(&bad), Some(small.clone()), "byte {at}");
    }
}
