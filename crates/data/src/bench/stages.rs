//! The stages one by one, on records that were read before.

use caffe_format::{LayerParameter, Phase};
use tensor::Slab;

use super::WorkDone;
use crate::{
    DataError, FillStage, SourceOptions,
    database::{self, RecordReader},
    error::SampleProblem,
    image::DecodedImage,
    sample::{PixelValues, Sample, SampleDecoder},
    source::data::SOURCE,
    store::StoreReader,
    transform::{TransformBuffers, TransformDraw, TransformRules, Transformer},
};

/// Most records that are held, and most of their bytes: more than caches hold.
const RECORDS_MAX: usize = 1024;
const BYTES_MAX: usize = 64 << 20;
/// Records that a thread works on between two looks at the clock.
const TURN: usize = 16;

/// Records of a database in memory, with what was drawn for each.
pub(super) struct HeldRecords<'a> {
    layer: &'a LayerParameter,
    options: &'a SourceOptions,
    transformer: Transformer,
    records: Vec<(Vec<u8>, TransformDraw)>,
    /// Values of a record in a batch.
    item_len: usize,
}

/// Works on some records whenever it is called.
pub(super) type StageWork<'a> = Box<dyn FnMut() -> Result<WorkDone, DataError> + Send + 'a>;

impl<'a> HeldRecords<'a> {
    /// The first records of the database.
    pub(super) fn load(
        layer: &'a LayerParameter,
        options: &'a SourceOptions,
    ) -> Result<Self, DataError> {
        let mut reader = open(layer, options)?;
        let mut transformer =
            Transformer::new(layer.transform_param(), Phase::Train, &options.root)?;
        transformer.seed(&mut base::random::Mt19937::new(1));
        let mut decoder = SampleDecoder::new(transformer.rules().color());
        let (mut records, mut held, mut bytes) = (Vec::new(), 0, Vec::new());
        let mut item_len = 0;
        while records.len() < RECORDS_MAX && held < BYTES_MAX && reader.advance()? {
            let record = reader.value(&mut bytes)?;
            let drawn = decoder.open(record).and_then(|stored| {
                let rules = transformer.rules();
                let output = rules.output(rules.resized_size(stored.size))?;
                item_len = item_len.max(output.iter().product());
                transformer.draw(stored.size)
            });
            let drawn = drawn.map_err(|problem| reader.bad_record(problem))?;
            held += record.len();
            records.push((record.to_vec(), drawn));
        }
        if records.is_empty() {
            return Err(DataError::NoRecords { path: reader.path().to_owned() });
        }
        Ok(Self { layer, options, transformer, records, item_len })
    }

    /// What thread `thread` of `threads` does.
    pub(super) fn work(
        &'a self,
        stage: FillStage,
        (thread, threads): (usize, usize),
    ) -> Result<StageWork<'a>, DataError> {
        let first = thread * self.records.len() / threads;
        Ok(match stage {
            FillStage::Read => self.reading(first)?,
            FillStage::Decode => self.decoding(first),
            FillStage::Transform => self.transforming(first)?,
        })
    }

    fn reading(&self, first: usize) -> Result<StageWork<'a>, DataError> {
        let mut reader = open(self.layer, self.options)?;
        reader.seek(first as u64)?;
        let mut bytes = Vec::new();
        Ok(Box::new(move || {
            let mut done = WorkDone::default();
            for _ in 0..TURN {
                done.images += 1;
                done.bytes += reader.value(&mut bytes)?.len() as u64;
                if !reader.advance()? {
                    reader.rewind();
                    reader.advance()?;
                }
            }
            Ok(done)
        }))
    }

    fn decoding(&'a self, first: usize) -> StageWork<'a> {
        let rules = self.transformer.rules();
        let mut decoder = SampleDecoder::new(rules.color());
        let mut records = self.records.iter().cycle().skip(first);
        Box::new(move || {
            let mut done = WorkDone::default();
            for (record, drawn) in records.by_ref().take(TURN) {
                let stored = decoder.open(record).map_err(|problem| self.bad(problem))?;
                let sample = stored.decode(rules.decoded_region(*drawn));
                let sample = sample.map_err(|problem| self.bad(problem))?;
                done.images += 1;
                done.bytes += value_bytes(sample.values);
            }
            Ok(done)
        })
    }

    fn transforming(&'a self, first: usize) -> Result<StageWork<'a>, DataError> {
        let rules: &TransformRules = self.transformer.rules();
        // Of images few, since they are decoded.
        let samples: Vec<_> = self.records.iter().cycle().skip(first).take(4 * TURN).collect();
        let samples: Vec<HeldSample<'_>> =
            samples.into_iter().map(|(r, d)| self.held(r, *d)).collect::<Result<_, _>>()?;
        let batch_size = (self.layer.data_param().batch_size() as usize).max(1);
        let (mut values, mut at) = (Slab::zeros(batch_size * self.item_len), 0);
        let (mut buffers, mut next) = (TransformBuffers::default(), 0);
        let mut decoder = SampleDecoder::new(rules.color());
        Ok(Box::new(move || {
            let mut done = WorkDone::default();
            for _ in 0..TURN {
                let HeldSample { record, drawn, image, len } = &samples[next];
                let sample = match image {
                    Some(image) => Ok(Sample::of_image(image, 0)),
                    None => decoder.decode(record),
                };
                let item = &mut values[at * self.item_len..][..*len];
                sample
                    .and_then(|sample| rules.apply(&sample, *drawn, &mut buffers, item))
                    .map_err(|problem| self.bad(problem))?;
                done.images += 1;
                done.bytes += 4 * *len as u64;
                (next, at) = ((next + 1) % samples.len(), (at + 1) % batch_size);
            }
            Ok(done)
        }))
    }

    /// A record whose image, if it holds one, is decoded.
    fn held(&self, record: &'a [u8], drawn: TransformDraw) -> Result<HeldSample<'a>, DataError> {
        let rules = self.transformer.rules();
        let mut decoder = SampleDecoder::new(rules.color());
        let sample = decoder.decode(record).map_err(|problem| self.bad(problem))?;
        let output = rules.output(rules.resized_size(sample.size));
        let len = output.map_err(|problem| self.bad(problem))?.iter().product();
        let image = match sample.values {
            PixelValues::Interleaved(pixels) => {
                let [channels, height, width] = sample.size;
                Some(DecodedImage { channels, height, width, pixels: pixels.to_vec() })
            }
            _ => None,
        };
        Ok(HeldSample { record, drawn, image, len })
    }

    /// The error that names the database.
    fn bad(&self, problem: SampleProblem) -> DataError {
        let path = self.layer.data_param().source().into();
        DataError::Sample { path, record: "of the first ones".into(), problem }
    }
}

struct HeldSample<'a> {
    record: &'a [u8],
    drawn: TransformDraw,
    image: Option<DecodedImage>,
    /// Values in a batch.
    len: usize,
}

fn value_bytes(values: PixelValues<'_>) -> u64 {
    match values {
        PixelValues::Planar(bytes) | PixelValues::Interleaved(bytes) => bytes.len() as u64,
        PixelValues::Floats(floats) => 4 * floats.len() as u64,
    }
}

fn open(
    layer: &LayerParameter,
    options: &SourceOptions,
) -> Result<Box<dyn RecordReader>, DataError> {
    if let Some(own) = options.access.of_replica(layer, Phase::Train, options.slice) {
        return Ok(Box::new(StoreReader::new(own.store, own.order)));
    }
    let param = layer.data_param();
    database::open(&options.root.readable(param.source(), SOURCE)?, param.backend())
}
