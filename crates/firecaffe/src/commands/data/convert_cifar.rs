//! `firecaffe data convert-cifar`: Caffe's `convert_cifar_data`.

use std::path::PathBuf;

use anyhow::Result;
use caffe_format::DataParameterDb;

use crate::options::{BACKENDS, one_of};
use crate::output::print;

const EXAMPLES: &str = "\
Example:
  firecaffe data convert-cifar cifar-10-batches-bin examples/cifar10_quick

IN holds `data_batch_1.bin` to `data_batch_5.bin` and `test_batch.bin`; in OUT, `cifar10_train_lmdb` and
`cifar10_test_lmdb` are made. Folders that exist are never overwritten.";

/// Options of `data convert-cifar`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertCifarArgs {
    /// The folder with CIFAR-10's binary batches
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The folder to make the databases in
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The databases' format
    #[arg(long, value_name = "FORMAT", default_value = "lmdb",
          value_parser = one_of::<DataParameterDb>(BACKENDS))]
    backend: DataParameterDb,
}

pub(super) fn run(args: &ConvertCifarArgs) -> Result<()> {
    let [train, test] = super::with_progress(|progress| {
        data::convert::cifar(&args.input, &args.output, args.backend, progress)
    })?;
    print(&format!("{train} training and {test} test records in {}\n", args.output.display()))?;
    Ok(())
}
