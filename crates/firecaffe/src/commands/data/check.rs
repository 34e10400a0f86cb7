//! `firecaffe data check`: reads and decodes every record of a database.

use anyhow::{Result, bail};

use super::DatabaseArgs;
use crate::output::{complain, print};

const EXAMPLES: &str = "\
Example:
  firecaffe data check train_lmdb

Prints how many records there are of each size and label. Records that cannot be used are listed, and
the exit code is then 1.";

/// Options of `data check`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DataCheckArgs {
    #[command(flatten)]
    input: DatabaseArgs,
}

pub(super) fn run(args: &DataCheckArgs) -> Result<()> {
    let mut database = args.input.open()?;
    let report = super::with_progress(|progress| data::check::database(&mut *database, progress))?;
    let mut text = format!("{}: {} records\n", args.input.database.display(), report.records);
    for ([channels, height, width], count) in &report.sizes {
        text += &format!("{count} of {channels}x{height}x{width} (channels, height, width)\n");
    }
    for (label, count) in &report.labels {
        text += &format!("{count} with label {label}\n");
    }
    print(&text)?;
    if report.bad > 0 {
        complain(&report.listed);
        bail!("{}: {} records cannot be used", args.input.database.display(), report.bad);
    }
    Ok(())
}
