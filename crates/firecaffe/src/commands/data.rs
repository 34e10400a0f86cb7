//! `firecaffe data …`: making and looking into databases.

mod check;
mod convert_cifar;
mod convert_idx;
mod convert_images;
mod mean;

use std::path::PathBuf;

use anyhow::Result;
use caffe_format::DataParameterDb;
use indicatif::{ProgressBar, ProgressStyle};

use crate::options::backend;

/// One variant a file in `data/`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Convert a list of image files and labels to a database
    ConvertImages(convert_images::Args),
    /// Convert MNIST's idx files (also .gz) to a database
    ConvertIdx(convert_idx::Args),
    /// Convert CIFAR-10's binary batches to two databases
    ConvertCifar(convert_cifar::Args),
    /// Compute the mean image of a database
    Mean(mean::Args),
    /// Read and decode every record of a database and say what it holds
    Check(check::Args),
}

pub(crate) fn run(command: &Command) -> Result<()> {
    match command {
        Command::ConvertImages(args) => convert_images::run(args),
        Command::ConvertIdx(args) => convert_idx::run(args),
        Command::ConvertCifar(args) => convert_cifar::run(args),
        Command::Mean(args) => mean::run(args),
        Command::Check(args) => check::run(args),
    }
}

/// A database to read.
#[derive(Debug, clap::Args)]
struct Database {
    /// The database
    #[arg(value_name = "DB")]
    database: PathBuf,
    /// The database's format
    #[arg(long, value_name = "FORMAT", default_value = "lmdb", value_parser = backend())]
    backend: DataParameterDb,
}

impl Database {
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
