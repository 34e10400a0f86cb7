//! `firecaffe model extract-features`: Caffe's `extract_features`.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use caffe_format::{DataParameterDb, Phase};
use train::tools::{self, Features};
use train::{NetConfig, Single};

use crate::log::Log;
use crate::options::{BACKENDS, NetRunArgs, one_of};
use crate::output::print;

const EXAMPLES: &str = "\
Example:
  firecaffe model extract-features --model net.prototxt --weights lenet_iter_10000.caffemodel \\
      --blobs ip1,prob --out ip1_lmdb,prob_lmdb --batches 100

Every item becomes a record with its values as `float_data`, under a key of ten digits, as Caffe writes it.";

/// Options of `model extract-features`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExtractFeaturesArgs {
    /// The net prototxt, with the data layer to read from
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Trained model files, separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',', required = true)]
    weights: Vec<PathBuf>,
    /// Blobs to write, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true)]
    blobs: Vec<String>,
    /// A database for each blob, separated by commas; none may exist
    #[arg(long, value_name = "DBS", value_delimiter = ',', required = true)]
    out: Vec<PathBuf>,
    /// Batches to run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    batches: u32,
    /// Format of the databases
    #[arg(long, value_name = "FORMAT", default_value = "lmdb",
          value_parser = one_of::<DataParameterDb>(BACKENDS))]
    backend: DataParameterDb,
    /// Phase to build the net in
    #[arg(long, value_name = "TRAIN|TEST", default_value = "TEST")]
    phase: Phase,
    #[command(flatten)]
    running: NetRunArgs,
}

pub(super) fn run(args: &ExtractFeaturesArgs) -> Result<()> {
    let (blobs, out) = (args.blobs.len(), args.out.len());
    ensure!(blobs == out, "{blobs} `--blobs` and {out} `--out`; give one database for each blob");
    let log = Log::new();
    let config = NetConfig {
        weights: args.weights.clone(),
        ..args.running.config(&args.model, args.phase)?
    };
    let mut single = Single::open(&config, &mut |event| log.event(&event))?;
    let features = Features {
        blobs: args.blobs.iter().cloned().zip(args.out.iter().cloned()).collect(),
        backend: args.backend,
        batches: usize::try_from(args.batches)?,
    };
    let records = tools::extract_features(&mut single, &features, &mut |_| {})?;
    for path in &args.out {
        print(&format!("{records} records in {}\n", path.display()))?;
    }
    Ok(())
}
