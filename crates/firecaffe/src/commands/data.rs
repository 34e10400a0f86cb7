//! `firecaffe data …`: making and looking into databases.

mod convert_idx;
mod mean;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

/// One variant a file in `data/`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Convert MNIST's idx files (also .gz) to an LMDB
    ConvertIdx(convert_idx::Args),
    /// Compute the mean image of a database
    Mean(mean::Args),
}

pub(crate) fn run(command: &Command) -> Result<()> {
    match command {
        Command::ConvertIdx(args) => convert_idx::run(args),
        Command::Mean(args) => mean::run(args),
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
