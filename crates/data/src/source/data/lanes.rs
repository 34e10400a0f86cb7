//! Decoding and transforming on several threads, with the bits of one.
//!
//! ```text
//!  prefetching thread   reads k records, in order   draws for each, in order
//!  all threads                                decode                        transform
//! ```
//!
//! Threads are started for each step of each k records, which costs some 20 µs: little beside
//! decoding k images, and nothing where one thread keeps up.

use std::thread;

use super::super::batch_builder::BatchBuilder;
use crate::{
    batch::SampleBatch,
    error::SampleProblem,
    image::{Color, DecodedImage},
    monitor::{FillMonitor, FillStage},
    sample::{Sample, SampleDecoder},
    transform::{CropMirror, Transformer},
};

/// Records per thread that are worked on at a time.
const RECORDS_PER_THREAD: usize = 8;

/// The records that are worked on at a time.
#[derive(Default)]
pub(super) struct FillLanes {
    lanes: Vec<FillLane>,
    /// How many hold a record.
    taken: usize,
}

/// One record on its way into a batch.
struct FillLane {
    record: u64,
    bytes: Vec<u8>,
    decoder: SampleDecoder,
    resized: DecodedImage,
}

impl FillLanes {
    /// Records to read for `missing` items on `threads` threads; all lanes are free then.
    pub(super) fn begin(&mut self, missing: usize, threads: usize) -> usize {
        self.taken = 0;
        missing.min(threads * RECORDS_PER_THREAD)
    }

    /// Takes the bytes of the next record.
    pub(super) fn push(&mut self, record: u64, bytes: &[u8], color: Color) {
        if self.taken == self.lanes.len() {
            let (decoder, resized) = (SampleDecoder::new(color), DecodedImage::default());
            self.lanes.push(FillLane { record, bytes: Vec::new(), decoder, resized });
        }
        let lane = &mut self.lanes[self.taken];
        lane.record = record;
        lane.bytes.clear();
        lane.bytes.extend_from_slice(bytes);
        self.taken += 1;
    }

    /// Makes items of all records that were taken. The first that cannot be used ends it: its
    /// number and what is wrong.
    pub(super) fn put(
        &mut self,
        builder: &mut BatchBuilder,
        batch: &mut SampleBatch,
        monitor: &FillMonitor,
    ) -> Result<(), (u64, SampleProblem)> {
        let (threads, lanes) = (monitor.threads(), &mut self.lanes[..self.taken]);
        let numbers: Vec<u64> = lanes.iter().map(|lane| lane.record).collect();
        let mut decoded: Vec<Option<DecodedSample<'_>>> = lanes.iter().map(|_| None).collect();
        let transformer = &builder.transformer;
        in_parallel(threads, lanes.iter_mut().zip(&mut decoded).collect(), |(lane, decoded)| {
            let begin = monitor.now();
            *decoded = Some(lane.decode(transformer));
            monitor.add(FillStage::Decode, begin);
        });
        let first = builder.items();
        let mut drawn: Vec<(Sample<'_>, CropMirror)> = Vec::with_capacity(numbers.len());
        for (record, decoded) in numbers.into_iter().zip(decoded) {
            let sample = decoded.expect("every lane was decoded").map_err(|e| (record, e))?;
            let crop = builder.draw(&sample, batch).map_err(|e| (record, e))?;
            builder.add_item(batch, record);
            drawn.push((sample, crop));
        }
        let transformer = &builder.transformer;
        let items = builder.values(batch, first);
        in_parallel(threads, drawn.into_iter().zip(items).collect(), |((sample, crop), item)| {
            let begin = monitor.now();
            transformer.apply(&sample, crop, item);
            monitor.add(FillStage::Transform, begin);
        });
        Ok(())
    }
}

type DecodedSample<'a> = Result<Sample<'a>, SampleProblem>;

impl FillLane {
    fn decode(&mut self, transformer: &Transformer) -> DecodedSample<'_> {
        let Self { bytes, decoder, resized, .. } = self;
        let sample = decoder.decode(bytes)?;
        transformer.resize(&sample, resized)
    }
}

/// Does `work` on all items: as many on each of `threads` threads, of which the caller is one.
fn in_parallel<T: Send>(threads: usize, mut items: Vec<T>, work: impl Fn(T) + Sync) {
    let each = items.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        while items.len() > each {
            let others = items.split_off(items.len() - each);
            scope.spawn(|| others.into_iter().for_each(&work));
        }
        items.into_iter().for_each(&work);
    });
}
