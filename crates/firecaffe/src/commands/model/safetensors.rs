//! `firecaffe model to-safetensors` and `from-safetensors`.

use std::path::PathBuf;

use anyhow::Result;
use train::tools;

const TO_EXAMPLES: &str = "\
Example:
  firecaffe model to-safetensors lenet_iter_10000.caffemodel lenet.safetensors

Blob i of a layer becomes the tensor `<layer>/<i>`; the net goes along as metadata.";

const FROM_EXAMPLES: &str = "\
Example:
  firecaffe model from-safetensors lenet.safetensors lenet.caffemodel

Tensors are called `<layer>/<i>` and hold F32, F64 or BF16. Without the net among the metadata the
model has names and blobs only, which is what `--weights` needs.";

/// Options of `model to-safetensors`.
#[derive(Debug, clap::Args)]
#[command(after_help = TO_EXAMPLES)]
pub(crate) struct ToSafetensorsArgs {
    /// The model: `.caffemodel` or `.caffemodel.h5`
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT.safetensors")]
    out: PathBuf,
}

/// Options of `model from-safetensors`.
#[derive(Debug, clap::Args)]
#[command(after_help = FROM_EXAMPLES)]
pub(crate) struct FromSafetensorsArgs {
    /// The tensors
    #[arg(value_name = "IN.safetensors")]
    tensors: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT.caffemodel")]
    out: PathBuf,
}

pub(super) fn to(args: &ToSafetensorsArgs) -> Result<()> {
    Ok(tools::to_safetensors(&args.model, &args.out)?)
}

pub(super) fn from(args: &FromSafetensorsArgs) -> Result<()> {
    Ok(tools::from_safetensors(&args.tensors, &args.out)?)
}
