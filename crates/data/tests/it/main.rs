//! Streams against what Caffe's data layers handed out, and against damaged files.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests; files are made in temporary folders"
)]

mod convert;
mod golden;
mod hdf5;
mod images;
mod memory;
mod shuffle;
mod stream;
mod threads;
mod windows;

/// Values of a top of a batch.
fn values(batch: &mut data::SampleBatch, top: usize) -> Vec<f32> {
    let (shape, buffer) = batch.buffer(top);
    buffer[..shape.count()].to_vec()
}
