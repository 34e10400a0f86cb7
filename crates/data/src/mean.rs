//! Mean images: reading a `.binaryproto`, and computing one as Caffe's `compute_image_mean` does.
//!
//! Sums are f32 in record order and divided at the end, as Caffe's are, so that the file comes out
//! the same byte for byte. After some ten million records f32 sums stop growing; that is Caffe's
//! limit too.

use std::path::Path;

use caffe_format::{BlobProto, BlobShape, binary};

use crate::{
    ProgressFn,
    database::RecordReader,
    error::{DataError, SampleProblem},
    image::Color,
    sample::{PixelValues, Sample, SampleDecoder},
    transform::Chw,
};

/// Reads a mean image.
pub(crate) fn read(path: &Path) -> Result<(Chw, Vec<f32>), DataError> {
    let bytes =
        std::fs::read(path).map_err(|source| DataError::Read { path: path.to_owned(), source })?;
    let blob: BlobProto =
        binary::read(&bytes).map_err(|source| DataError::Mean { path: path.to_owned(), source })?;
    let dims = match &blob.shape {
        Some(BlobShape { dim, .. }) => dim.clone(),
        None => [blob.num(), blob.channels(), blob.height(), blob.width()].map(i64::from).to_vec(),
    };
    let values: Vec<f32> = if blob.double_data.is_empty() {
        blob.data
    } else {
        blob.double_data.iter().map(|&value| single(value)).collect()
    };
    let refuse =
        || DataError::MeanShape { path: path.to_owned(), dims: dims.clone(), values: values.len() };
    let [1, sides @ ..] = dims.as_slice() else { return Err(refuse()) };
    let mut size = [0; 3];
    if sides.len() != size.len() {
        return Err(refuse());
    }
    for (side, &stored) in size.iter_mut().zip(sides) {
        *side = usize::try_from(stored).map_err(|_| refuse())?;
    }
    let count = size.iter().try_fold(1_usize, |count, &side| count.checked_mul(side));
    if count != Some(values.len()) {
        return Err(refuse());
    }
    Ok((size, values))
}

#[expect(clippy::cast_possible_truncation, reason = "blobs are f32; Caffe converts the same way")]
fn single(value: f64) -> f32 {
    value as f32
}

/// The mean over all records of a database, which must be of one size.
pub fn compute(
    database: &mut dyn RecordReader,
    progress: ProgressFn<'_>,
) -> Result<BlobProto, DataError> {
    let total = database.entries().unwrap_or(0);
    let (mut sums, mut size) = (Vec::new(), None);
    let (mut bytes, mut decoder) = (Vec::new(), SampleDecoder::new(Color::AsStored));
    let mut done = 0;
    while database.advance()? {
        let fail = |problem| database.bad_record(problem);
        let sample = decoder.decode(database.value(&mut bytes)?).map_err(fail)?;
        let want = *size.get_or_insert(sample.size);
        if sample.size != want {
            return Err(fail(SampleProblem::OtherSize { size: sample.size, want }));
        }
        sums.resize(want.iter().product(), 0.0);
        add(&sample, &mut sums);
        done += 1;
        progress(done, total);
    }
    let Some(size) = size else {
        return Err(DataError::NoRecords { path: database.path().to_owned() });
    };
    sums.iter_mut().for_each(|sum| *sum /= done as f32);
    let [channels, height, width] = size.map(|side| i32::try_from(side).unwrap_or(i32::MAX));
    Ok(BlobProto {
        num: Some(1),
        channels: Some(channels),
        height: Some(height),
        width: Some(width),
        data: sums,
        ..BlobProto::EMPTY
    })
}

fn add(sample: &Sample<'_>, sums: &mut [f32]) {
    let [channels, height, width] = sample.size;
    match sample.values {
        PixelValues::Planar(bytes) => {
            sums.iter_mut().zip(bytes).for_each(|(sum, &byte)| *sum += f32::from(byte));
        }
        PixelValues::Floats(floats) => sums.iter_mut().zip(floats).for_each(|(sum, x)| *sum += x),
        PixelValues::Interleaved(bytes) => {
            let area = height * width;
            for (i, pixel) in bytes.chunks_exact(channels).enumerate() {
                pixel.iter().enumerate().for_each(|(c, &x)| sums[c * area + i] += f32::from(x));
            }
        }
    }
}
