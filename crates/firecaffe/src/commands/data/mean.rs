//! `firecaffe data mean`: Caffe's `compute_image_mean`.

use std::path::PathBuf;

use anyhow::Result;
use caffe_format::binary;

use super::DatabaseArgs;
use crate::output::print;

const EXAMPLES: &str = "\
Example:
  firecaffe data mean train_lmdb mean.binaryproto

The file is what Caffe writes, byte for byte; name it as `mean_file` in `transform_param`.";

/// Options of `data mean`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MeanArgs {
    #[command(flatten)]
    input: DatabaseArgs,
    /// The file to write
    #[arg(value_name = "OUT.binaryproto")]
    out: PathBuf,
}

pub(super) fn run(args: &MeanArgs) -> Result<()> {
    let mut database = args.input.open()?;
    let mean = super::with_progress(|progress| data::mean::compute(&mut *database, progress))?;
    snapshot::atomic::write(&args.out, &binary::write(&mean))?;
    let (channels, area) = (mean.channels(), mean.height() * mean.width());
    let mut text = String::new();
    for (channel, values) in mean.data.chunks(usize::try_from(area)?.max(1)).enumerate() {
        let sum: f64 = values.iter().map(|&value| f64::from(value)).sum();
        let value = base::general(sum / values.len() as f64);
        text += &format!("mean_value channel [{channel}]: {value}\n");
    }
    text += &format!("mean of {channels} channels in {}\n", args.out.display());
    print(&text)?;
    Ok(())
}
