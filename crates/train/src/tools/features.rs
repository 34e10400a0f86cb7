//! Writes blobs of a trained net to databases, as Caffe's `extract_features` does.
//!
//! Every item of a blob becomes a `Datum` with `float_data`. Its key is its number in ten digits,
//! so that a Data layer can read the features as it reads images.

use std::path::PathBuf;

use caffe_format::{DataParameterDb, Datum};
use data::convert::DatabaseWriter;

use crate::{Single, TrainError};

/// What to extract.
#[derive(Debug, Clone)]
pub struct Features {
    /// Blob names, each with the database to create, which must not exist yet.
    pub blobs: Vec<(String, PathBuf)>,
    /// LMDB or LevelDB.
    pub backend: DataParameterDb,
    /// Number of forward passes.
    pub batches: usize,
}

/// Runs `single` forward and writes the blobs; returns the number of records in each database.
/// Calls `each` after every batch.
pub fn extract_features(
    single: &mut Single,
    features: &Features,
    each: &mut dyn FnMut(usize),
) -> Result<u64, TrainError> {
    for (blob, _) in &features.blobs {
        if single.net().blob_shape(blob).is_none() {
            return Err(TrainError::NoBlob { blob: blob.clone() });
        }
    }
    let create = |(_, path): &(_, PathBuf)| DatabaseWriter::create(path, features.backend);
    let mut writers = features.blobs.iter().map(create).collect::<Result<Vec<_>, _>>()?;
    let mut counts = vec![0; writers.len()];
    for batch in 0..features.batches {
        single.forward()?;
        for ((writer, count), (blob, _)) in writers.iter_mut().zip(&mut counts).zip(&features.blobs)
        {
            let blob = single.blob(blob).expect("looked up above");
            for datum in items(blob.shape.dims(), &blob.values) {
                writer.put(&format!("{count:010}"), &datum)?;
                *count += 1;
            }
        }
        each(batch);
    }
    writers.into_iter().try_for_each(DatabaseWriter::finish)?;
    Ok(counts.into_iter().max().unwrap_or(0))
}

/// The items of a blob: channels, height, and all other axes as width.
fn items(dims: &[usize], values: &[f32]) -> impl Iterator<Item = Datum> {
    let side = |axis: usize| i32::try_from(dims.get(axis).copied().unwrap_or(1)).ok();
    let (channels, height) = (side(1), side(2));
    let width = i32::try_from(dims.iter().skip(3).product::<usize>()).ok();
    let len = dims.iter().skip(1).product::<usize>().max(1);
    values.chunks_exact(len).map(move |item| Datum {
        channels,
        height,
        width,
        float_data: item.to_vec(),
        ..Datum::EMPTY
    })
}
