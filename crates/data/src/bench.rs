//! How fast the records of a `Data` layer become batches: reading, decoding and transforming, each
//! alone, and all together as in training.
//!
//! Each stage alone works on what the stage before would give it, from memory; so the slowest one
//! is what a faster disk, decoder or transformer would have to beat. A measurement goes on for a
//! given time and counts images.

mod stages;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use base::{Clock, random::Mt19937};
use caffe_format::{LayerParameter, Phase};
use serde::Serialize;

use crate::{DataError, FillMonitor, FillStage, SourceOptions};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum BenchStage {
    /// One stage alone.
    Alone(FillStage),
    /// From the source to finished batches.
    Together,
}

impl BenchStage {
    /// All of them, in the order of a record's way.
    pub const ALL: [Self; 4] = [
        Self::Alone(FillStage::Read),
        Self::Alone(FillStage::Decode),
        Self::Alone(FillStage::Transform),
        Self::Together,
    ];

    /// `reading`, `decoding`, `transforming` or `together`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alone(stage) => FillStage::NAMES[stage as usize],
            Self::Together => "together",
        }
    }
}

/// How fast a stage is.
#[derive(Debug, Clone, Serialize)]
pub struct DataSpeed {
    /// Of what.
    pub stage: &'static str,
    /// Threads that worked on it.
    pub threads: usize,
    /// Images per second.
    pub images_per_second: f64,
    /// Bytes that the stage gave per second: stored ones, pixels, or values of batches.
    pub bytes_per_second: f64,
}

/// What is measured, and for how long.
pub struct DataBench<'a> {
    /// A `Data` layer of a train net.
    pub layer: &'a LayerParameter,
    /// As in training; the monitor is not used.
    pub options: &'a SourceOptions,
    /// Tells when a measurement is over.
    pub clock: &'a Arc<dyn Clock>,
    /// Of each measurement.
    pub time: Duration,
}

/// Images and bytes of one thread or of all.
#[derive(Debug, Clone, Copy, Default)]
struct WorkDone {
    images: u64,
    bytes: u64,
}

impl DataBench<'_> {
    /// Measures one stage on `threads` threads.
    pub fn measure(&self, stage: BenchStage, threads: usize) -> Result<DataSpeed, DataError> {
        let (done, seconds) = match stage {
            BenchStage::Together => self.together(threads)?,
            BenchStage::Alone(stage) => self.alone(stage, threads)?,
        };
        let rate = |count: u64| count as f64 / seconds.max(f64::MIN_POSITIVE);
        Ok(DataSpeed {
            stage: stage.name(),
            threads,
            images_per_second: rate(done.images),
            bytes_per_second: rate(done.bytes),
        })
    }

    /// Batches as a net takes them. The first ones are not counted: they are prefetched, and their
    /// memory is new.
    fn together(&self, threads: usize) -> Result<(WorkDone, f64), DataError> {
        let monitor = FillMonitor::default();
        monitor.set_threads(threads);
        let options = SourceOptions { monitor: Arc::new(monitor), ..self.options.clone() };
        let mut stream = crate::open(self.layer, Phase::Train, &options, &mut Mt19937::new(1))?;
        for _ in 0..2 * crate::stream::prefetched_batches(self.layer) {
            stream.next_batch()?;
        }
        let (begin, mut done) = (self.clock.now(), WorkDone::default());
        loop {
            let shape = stream.next_batch()?.shape(0);
            let items = shape.dims().first().copied().unwrap_or(1);
            done.images += items as u64;
            done.bytes += 4 * shape.count() as u64;
            let spent = self.clock.now().saturating_sub(begin);
            if spent >= self.time {
                return Ok((done, spent.as_secs_f64()));
            }
        }
    }

    fn alone(&self, stage: FillStage, threads: usize) -> Result<(WorkDone, f64), DataError> {
        let held = stages::HeldRecords::load(self.layer, self.options)?;
        let works = (0..threads).map(|thread| held.work(stage, (thread, threads)));
        let works = works.collect::<Result<Vec<_>, _>>()?;
        let (images, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        let begin = self.clock.now();
        thread::scope(|scope| {
            let run = |mut work: stages::StageWork<'_>| {
                while self.clock.now().saturating_sub(begin) < self.time {
                    let done = work()?;
                    images.fetch_add(done.images, Relaxed);
                    bytes.fetch_add(done.bytes, Relaxed);
                }
                Ok(())
            };
            let started: Vec<_> =
                works.into_iter().map(|work| scope.spawn(move || run(work))).collect();
            let ended = started.into_iter().map(|thread| thread.join().expect("no panic here"));
            ended.collect::<Result<Vec<()>, DataError>>()
        })?;
        let seconds = self.clock.now().saturating_sub(begin).as_secs_f64();
        Ok((WorkDone { images: images.into_inner(), bytes: bytes.into_inner() }, seconds))
    }
}

/// The stage alone that is slowest of `speeds`, which were measured with the same threads.
#[must_use]
pub fn bottleneck<'a>(speeds: impl IntoIterator<Item = &'a DataSpeed>) -> Option<&'static str> {
    let alone = speeds.into_iter().filter(|speed| speed.stage != BenchStage::Together.name());
    let slowest = alone.min_by(|a, b| a.images_per_second.total_cmp(&b.images_per_second))?;
    Some(slowest.stage)
}
