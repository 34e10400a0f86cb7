//! `firecaffe data check`: reads and decodes every record of a database.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::options::Backend;
use crate::output::{complain, print};

const EXAMPLES: &str = "\
Example:
  firecaffe data check train_lmdb

Prints how many records there are of each size and label. Records that cannot be used are listed, and
the exit code is then 1.";

/// Options of `data check`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The database
    #[arg(value_name = "DB")]
    database: PathBuf,
    /// The database's format
    #[arg(long, value_name = "FORMAT", default_value = "lmdb")]
    backend: Backend,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let mut database = data::database::open(&args.database, args.backend.into())?;
    let report = super::with_progress(|progress| data::check::database(&mut *database, progress))?;
    let mut text = format!("{}: {} records\n", args.database.display(), report.records);
    for ([channels, height, width], count) in &report.sizes {
        text += &format!("{count} of {channels}x{height}x{width} (channels, height, width)\n");
    }
    for (label, count) in &report.labels {
        text += &format!("{count} with label {label}\n");
    }
    print(&text)?;
    if report.bad > 0 {
        complain(&report.listed);
        bail!("{}: {} records cannot be used", args.database.display(), report.bad);
    }
    Ok(())
}
