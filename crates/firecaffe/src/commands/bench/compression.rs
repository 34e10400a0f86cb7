//! `firecaffe bench compression`: bytes, speed and error of every compression on a net's gradients.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use base::Clock;
use caffe_format::Phase;
use exchange::bench::compression::{
    CompressionBench, CompressionResult, check_bytes, measure, table_head, table_line,
};
use exchange::compression::{COMPRESSIONS, CompressionConfig};
use exchange::wire::WireFormat;
use serde::Serialize;
use train::BUCKET_BYTES;
use train::tools::{NetGradients, net_gradients};

use crate::clock::RealClock;
use crate::cores;
use crate::options::NetRunArgs;
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  firecaffe bench compression                                         the nets of bench/models
  firecaffe bench compression --model net.prototxt --ranks 4
  firecaffe bench compression --compression \"top-k:share=0.001;power-sgd:rank=4\" --wire f16

Ranks are threads of this process. Gradients are those of one backward, with the weights that the net's fillers
draw. `sent` is what rank 0 sends in a step after warm-up, `predicted` what its plans foretell, `error` the
length of the difference from the sum, relative to the sum, of a step without residuals. Rates are in GB/s of
gradients. Fails if a compression sent other bytes than predicted; `top-k` and `threshold`, whose plans
estimate, must send their entries, `top-k` within its bound.";

/// Nets whose gradients are measured unless others are named.
const MODELS: &str = "bench/models/alexnet_b32.prototxt,bench/models/resnet50_b8.prototxt,\
                      bench/models/lenet_b64.prototxt";

/// Options of `bench compression`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompressionArgs {
    /// Net prototxts, separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',', default_value = MODELS)]
    model: Vec<PathBuf>,
    /// Compressions as `train --compression` takes them, separated by semicolons [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ';')]
    compression: Vec<CompressionConfig>,
    /// Ranks that sum gradients
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    ranks: u32,
    /// How values travel: f32, f16 or bf16
    #[arg(long, value_name = "FORMAT", default_value = "f32")]
    wire: &'static WireFormat,
    /// Also write results as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    running: NetRunArgs,
}

/// What was measured of one net.
#[derive(Serialize)]
struct NetResults {
    model: PathBuf,
    wire: &'static str,
    results: Vec<CompressionResult>,
}

pub(crate) fn run(args: &CompressionArgs) -> Result<()> {
    let all: Vec<CompressionConfig> = match &args.compression[..] {
        [] => COMPRESSIONS.iter().map(|kind| kind.name.parse()).collect::<Result<_, _>>()?,
        named => named.to_vec(),
    };
    let (mut nets, mut wrong) = (Vec::new(), Vec::new());
    for model in &args.model {
        let config = args.running.config(model, Phase::Train)?;
        let found = net_gradients(&config, args.ranks, BUCKET_BYTES, &mut |_| ())?;
        let head = format!("# {}, wire format {}\n", model.display(), args.wire);
        print(&(head + &table_head()))?;
        let (results, of_net) = measure_net(args, &all, &found)?;
        wrong.extend(of_net.into_iter().map(|what| format!("{}: {what}", model.display())));
        nets.push(NetResults { model: model.clone(), wire: args.wire.name, results });
    }
    if let Some(path) = &args.json {
        let text = serde_json::to_string(&nets).context("numbers can be written")?;
        snapshot::atomic::write(path, text.as_bytes())?;
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("; "));
    Ok(())
}

/// Prints a line per compression. The results, and what is wrong with their bytes.
fn measure_net(
    args: &CompressionArgs,
    all: &[CompressionConfig],
    found: &NetGradients,
) -> Result<(Vec<CompressionResult>, Vec<String>)> {
    let clock: Arc<dyn Clock> = Arc::new(RealClock::start());
    let bench = CompressionBench {
        layout: found.layout.clone(),
        buckets: found.buckets.clone(),
        gradients: &found.gradients,
        wire: args.wire,
        cores: cores::available(),
    };
    let (mut results, mut wrong) = (Vec::new(), Vec::new());
    for config in all {
        let result = measure(config, &bench, &clock)?;
        print(&table_line(&result))?;
        wrong.extend(check_bytes(config, &bench, &result).err().map(|error| error.to_string()));
        results.push(result);
    }
    Ok((results, wrong))
}
