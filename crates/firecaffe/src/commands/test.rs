//! `firecaffe test`: Caffe's `caffe test`.

use std::path::PathBuf;

use anyhow::Result;
use caffe_format::Phase;
use train::{AddedLayers, NetConfig, Single};

use crate::log::{CaffeLine, Log};
use crate::options::NetRunArgs;

const EXAMPLES: &str = "\
Example:
  firecaffe test --model examples/lenet/train_test.prototxt --weights lenet_iter_10000.caffemodel --iterations 100

Runs the net in phase TEST over that many batches and logs every output and the means.";

/// Options of `test`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TestArgs {
    /// The net prototxt
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Trained model files, separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',', required = true)]
    weights: Vec<PathBuf>,
    /// Batches to run
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    #[command(flatten)]
    running: NetRunArgs,
}

/// Scores the model.
pub(crate) fn run(args: &TestArgs, added: AddedLayers) -> Result<()> {
    let log = Log::new();
    log.caffe(CaffeLine::UseCpu);
    let net = args.running.read_net(&args.model, &log)?;
    let config = NetConfig {
        weights: args.weights.clone(),
        added_layers: added,
        ..args.running.config(&args.model, Phase::Test)?
    };
    let mut single = Single::build(&config, &net, &mut |event| log.event(&event))?;
    log.caffe(CaffeLine::RunningFor { iterations: args.iterations });
    let iterations = usize::try_from(args.iterations)?;
    let means = single.score(iterations, &mut |batch, outputs| {
        for output in outputs {
            for &value in &output.values {
                log.caffe(CaffeLine::BatchOutput { batch, output, value });
            }
        }
    })?;
    log.caffe(CaffeLine::MeanLoss(means.loss));
    for output in &means.outputs {
        for &value in &output.values {
            log.caffe(CaffeLine::MeanOutput { output, value });
        }
    }
    Ok(())
}
