//! CIFAR-10's binary batches to two databases, as Caffe's `convert_cifar_data`: keys `00000` and
//! on.
//!
//! A batch is records of 3,073 bytes: a label and 32 by 32 pixels, red plane first. Caffe keeps
//! that order, so these images are red first where others are blue first.

use std::{fs, path::Path};

use caffe_format::{DataParameterDb, Datum};

use super::DatabaseWriter;
use crate::{ProgressFn, error::DataError};

const SIDE: i32 = 32;
const IMAGE_BYTES: usize = 3 * 32 * 32;
const RECORD_BYTES: usize = 1 + IMAGE_BYTES;
const TRAIN_BATCHES: [&str; 5] = [
    "data_batch_1.bin",
    "data_batch_2.bin",
    "data_batch_3.bin",
    "data_batch_4.bin",
    "data_batch_5.bin",
];

/// Converts the batches in folder `input` to `cifar10_train_lmdb` and `cifar10_test_lmdb` (or
/// `_leveldb`) in folder `output`; returns the numbers of training and test records.
pub fn cifar(
    input: &Path,
    output: &Path,
    backend: DataParameterDb,
    progress: ProgressFn<'_>,
) -> Result<[u64; 2], DataError> {
    let suffix = match backend {
        DataParameterDb::Lmdb => "lmdb",
        DataParameterDb::Leveldb => "leveldb",
    };
    let mut counts = [0; 2];
    let mut done = 0;
    let total = TRAIN_BATCHES.len() as u64 + 1;
    let sets = [("train", TRAIN_BATCHES.as_slice()), ("test", &["test_batch.bin"])];
    for ((set, batches), count) in sets.into_iter().zip(&mut counts) {
        let mut writer =
            DatabaseWriter::create(&output.join(format!("cifar10_{set}_{suffix}")), backend)?;
        for batch in batches {
            let path = input.join(batch);
            let bytes =
                fs::read(&path).map_err(|source| DataError::Read { path: path.clone(), source })?;
            let (records, rest) = bytes.as_chunks::<RECORD_BYTES>();
            if records.is_empty() || !rest.is_empty() {
                return Err(DataError::Cifar { path, bytes: bytes.len() });
            }
            for record in records {
                writer.put(&format!("{count:05}"), &datum(record))?;
                *count += 1;
            }
            done += 1;
            progress(done, total);
        }
        writer.finish()?;
    }
    Ok(counts)
}

fn datum(record: &[u8; RECORD_BYTES]) -> Datum {
    Datum {
        channels: Some(3),
        height: Some(SIDE),
        width: Some(SIDE),
        data: Some(record[1..].to_vec()),
        label: Some(i32::from(record[0].cast_signed())),
        ..Datum::EMPTY
    }
}
