//! `firecaffe data …`: creating and inspecting databases.

mod check;
mod convert_cifar;
mod convert_idx;
mod convert_images;
mod mean;

use std::path::PathBuf;

use anyhow::Result;
use caffe_format::DataParameterDb;
use indicatif::{ProgressBar, ProgressStyle};

use crate::options::{BACKENDS, one_of};

/// One variant per file in `data/`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum DataCommand {
    /// Convert a list of image files and labels to a database
    ConvertImages(convert_images::ConvertImagesArgs),
    /// Convert MNIST's idx files (also .gz) to a database
    ConvertIdx(convert_idx::ConvertIdxArgs),
    /// Convert CIFAR-10's binary batches to two databases
    ConvertCifar(convert_cifar::ConvertCifarArgs),
    /// Compute the mean image of a database
    Mean(mean::MeanArgs),
    /// Read and decode every record of a database and summarise what it holds
    Check(check::DataCheckArgs),
}

pub(crate) fn run(command: &DataCommand) -> Result<()> {
    match command {
        DataCommand::ConvertImages(args) => convert_images::run(args),
        DataCommand::ConvertIdx(args) => convert_idx::run(args),
        DataCommand::ConvertCifar(args) => convert_cifar::run(args),
        DataCommand::Mean(args) => mean::run(args),
        DataCommand::Check(args) => check::run(args),
    }
}

/// A database to read.
#[derive(Debug, clap::Args)]
struct DatabaseArgs {
    /// The database
    #[arg(value_name = "DB")]
    database: PathBuf,
    /// The database's format
    #[arg(long, value_name = "FORMAT", default_value = "lmdb",
          value_parser = one_of::<DataParameterDb>(BACKENDS))]
    backend: DataParameterDb,
}

impl DatabaseArgs {
    fn open(&self) -> Result<Box<dyn data::database::RecordReader>> {
        Ok(data::database::open(&self.database, self.backend)?)
    }
}

/// Runs a long task behind a progress bar, which indicatif shows on terminals only.
fn with_progress<T>(task: impl FnOnce(&mut dyn FnMut(u64, u64)) -> T) -> T {
    let style = ProgressStyle::with_template("{bar:24.cyan/blue} {pos}/{len} records, {eta} left")
        .expect("the template is a constant");
    let bar = ProgressBar::new(0).with_style(style);
    let result = task(&mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    result
}
