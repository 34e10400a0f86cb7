//! `firecaffe bench data`: how fast a database becomes batches, and what holds it up.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base::Clock;
use caffe_format::{
    DataParameter, DataParameterDb, LayerParameter, NetState, Phase, TransformationParameter, text,
};
use data::bench::{BenchStage, DataBench, DataSpeed, bottleneck};
use data::order::RunShuffle;
use data::{
    FillMonitor, OnBadSample, PathRoot, RecordAccess, RecordStores, ReplicaSlice, SourceOptions,
};
use serde::Serialize;
use train::files::{self, UnknownFields};

use crate::clock::RealClock;
use crate::commands::columns::{self, Side};
use crate::launch;
use crate::options::{BACKENDS, file_root, one_of, root, seconds};
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  firecaffe bench data --model train_val.prototxt                       its first Data layer for training
  firecaffe bench data train_lmdb --transform 'crop_size: 227 mirror: true mean_value: 117'
  firecaffe bench data train_lmdb --shuffle --threads 4 --json data.json

`reading`, `decoding` and `transforming` are measured alone, from memory, and `together` as in training. MB/s are
10^6 bytes of what each gives: records as stored, pixels, and values of batches (4 bytes each).";

/// Options of `bench data`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DataBenchArgs {
    /// The database
    #[arg(value_name = "DB", required_unless_present = "model", conflicts_with = "model")]
    database: Option<PathBuf>,
    /// Its format
    #[arg(long, value_name = "FORMAT", default_value = "lmdb",
          value_parser = one_of::<DataParameterDb>(BACKENDS))]
    backend: DataParameterDb,
    /// What is done to its records: the inside of a `transform_param`
    #[arg(long, value_name = "TEXT", default_value = "", conflicts_with = "model")]
    transform: String,
    /// Records of a batch
    #[arg(long, value_name = "N", default_value_t = 64, conflicts_with = "model",
          value_parser = clap::value_parser!(u32).range(1..=65536))]
    batch_size: u32,
    /// A net prototxt whose first Data layer of the TRAIN phase is measured
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// What to measure, separated by commas: reading, decoding, transforming, together [default:
    /// all]
    #[arg(long, value_name = "STAGES", value_delimiter = ',', value_parser = stage)]
    stages: Vec<BenchStage>,
    /// Read records in a random order
    #[arg(long)]
    shuffle: bool,
    /// Threads, besides one [default: this process's cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Duration of each measurement, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = seconds)]
    seconds: f64,
    /// Also write results as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What is written as JSON.
#[derive(Serialize)]
struct DataBenchReport<'a> {
    source: &'a str,
    results: &'a [DataSpeed],
    /// By number of threads.
    bottleneck: BTreeMap<usize, &'static str>,
}

pub(crate) fn run(args: &DataBenchArgs) -> Result<()> {
    let (layer, root) = args.layer()?;
    let options = SourceOptions {
        access: args.access(&layer, &root)?,
        root,
        slice: ReplicaSlice::ALL,
        on_bad_sample: OnBadSample::Fail,
        monitor: Arc::<FillMonitor>::default(),
    };
    let clock: Arc<dyn Clock> = Arc::new(RealClock::start());
    let time = Duration::from_secs_f64(args.seconds);
    let bench = DataBench { layer: &layer, options: &options, clock: &clock, time };
    let all = args.threads.map_or_else(launch::cores, |n| usize::try_from(n).unwrap_or(1));
    let counts = if all > 1 { vec![1, all] } else { vec![1] };
    let mut results = Vec::new();
    let mut slowest = BTreeMap::new();
    for &threads in &counts {
        let first = results.len();
        for &stage in if args.stages.is_empty() { &BenchStage::ALL[..] } else { &args.stages } {
            results.push(bench.measure(stage, threads)?);
        }
        slowest.extend(bottleneck(&results[first..]).map(|stage| (threads, stage)));
    }
    let source = layer.data_param().source();
    print(&format!("# {source}\n{}", table(&results)))?;
    for (threads, stage) in &slowest {
        let plural = if *threads == 1 { "" } else { "s" };
        print(&format!("bottleneck with {threads} thread{plural}: {stage}\n"))?;
    }
    if let Some(path) = &args.json {
        let report = DataBenchReport { source, results: &results, bottleneck: slowest };
        let text = serde_json::to_string(&report).context("numbers can be written")?;
        snapshot::atomic::write(path, text.as_bytes())?;
    }
    Ok(())
}

impl DataBenchArgs {
    /// The layer that is measured, and where its paths start.
    fn layer(&self) -> Result<(LayerParameter, PathRoot)> {
        let Some(model) = &self.model else {
            let transform: TransformationParameter = text::read("--transform", &self.transform)
                .map_err(|errors| anyhow::anyhow!("`--transform`: {errors}"))?;
            let database = self.database.as_deref().context("a database is needed")?;
            let data = DataParameter {
                source: Some(database.display().to_string()),
                backend: Some(self.backend),
                batch_size: Some(self.batch_size),
                ..DataParameter::EMPTY
            };
            let layer = LayerParameter {
                name: Some("data".into()),
                type_: Some("Data".into()),
                top: vec!["data".into(), "label".into()],
                transform_param: Some(transform),
                data_param: Some(data),
                ..LayerParameter::EMPTY
            };
            return Ok((layer, root().into()));
        };
        let net = files::read_net(model, UnknownFields::Warn)?.message;
        let state = NetState { phase: Some(Phase::Train), ..NetState::EMPTY };
        let trained = net::filter(&caffe_format::NetParameter { state: Some(state), ..net })?.0;
        match trained.layer.into_iter().find(|layer| layer.type_() == "Data") {
            Some(layer) => Ok((layer, file_root(model))),
            None => bail!("{} has no Data layer in the TRAIN phase", model.display()),
        }
    }

    fn access(&self, layer: &LayerParameter, root: &PathRoot) -> Result<RecordAccess> {
        if !self.shuffle {
            return Ok(RecordAccess::Database);
        }
        let store = data::store::open_layer(layer, root, &mut |_, _| ())?;
        let by_layer = [(layer.name().to_owned(), store)].into();
        let shuffle = Some(RunShuffle::new(NonZeroU32::MIN));
        Ok(RecordAccess::Stores(Arc::new(RecordStores { shuffle, by_layer })))
    }
}

fn stage(name: &str) -> Result<BenchStage, String> {
    let found = BenchStage::ALL.into_iter().find(|stage| stage.name() == name);
    found.ok_or_else(|| "one of reading, decoding, transforming, together".to_owned())
}

fn table(results: &[DataSpeed]) -> String {
    const COLUMNS: [(&str, Side); 4] = [
        ("stage", Side::Left),
        ("threads", Side::Right),
        ("images/s", Side::Right),
        ("MB/s", Side::Right),
    ];
    let row = |speed: &DataSpeed| {
        [
            speed.stage.to_owned(),
            speed.threads.to_string(),
            format!("{:.0}", speed.images_per_second),
            format!("{:.0}", speed.bytes_per_second / 1e6),
        ]
    };
    columns::render(COLUMNS, results.iter().map(row))
}
