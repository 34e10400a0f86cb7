//! `firecaffe data convert-images`: Caffe's `convert_imageset`.

use std::path::PathBuf;

use anyhow::Result;
use caffe_format::DataParameterDb;
use data::OnBadSample;
use data::convert::images::{ImageEncoding, ImagesOptions};
use data::image::Color;
use data::image::encode::ImageFormat;

use crate::options::{BACKENDS, DEFAULT_SEED, one_of};
use crate::output::{complain, print};

const EXAMPLES: &str = "\
Example:
  firecaffe data convert-images --resize-height 256 --resize-width 256 --shuffle images/ list.txt train_lmdb

Each line of the list is a file and a label: `cats/1.jpg 3`. ROOT stands in front of every name, so a
folder needs its slash. A folder that exists is never overwritten.";

/// Options of `data convert-images`; Caffe's names and defaults.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertImagesArgs {
    /// Text in front of the names in the list
    #[arg(value_name = "ROOT/")]
    root: String,
    /// The list of files and labels
    #[arg(value_name = "LIST")]
    list: PathBuf,
    /// The database folder to make
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The database's format
    #[arg(long, value_name = "FORMAT", default_value = "lmdb",
          value_parser = one_of::<DataParameterDb>(BACKENDS))]
    backend: DataParameterDb,
    /// Height to resize to; without, each image keeps its own
    #[arg(long, value_name = "PIXELS", requires = "resize_width")]
    resize_height: Option<usize>,
    /// Width to resize to
    #[arg(long, value_name = "PIXELS", requires = "resize_height")]
    resize_width: Option<usize>,
    #[command(flatten)]
    switches: Switches,
    /// Encode records as this kind of file, whatever the list's files are
    #[arg(long, value_name = "KIND", value_parser = one_of::<ImageFormat>(ImageFormat::NAMES))]
    encode_type: Option<ImageFormat>,
    /// What to do with a file that cannot be read
    #[arg(long, value_name = "WHAT", default_value = "fail",
          value_parser = one_of::<OnBadSample>(OnBadSample::NAMES))]
    on_bad_sample: OnBadSample,
}

/// Caffe's switches. Each may be given a value, as Caffe's can: `-gray=true`.
#[derive(Debug, Clone, Copy, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "Caffe has these four switches")]
struct Switches {
    /// Convert to one grey channel
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true")]
    gray: bool,
    /// Shuffle the list, with a fixed seed
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true")]
    shuffle: bool,
    /// Keep records as image files instead of pixels
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true")]
    encoded: bool,
    /// Stop when an image is of another size than the first
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true")]
    check_size: bool,
}

pub(super) fn run(args: &ConvertImagesArgs) -> Result<()> {
    let Switches { gray, shuffle, encoded, check_size } = args.switches;
    let options = ImagesOptions {
        root: args.root.clone(),
        resize: args.resize_height.zip(args.resize_width),
        color: if gray { Color::Gray } else { Color::Bgr },
        shuffle: shuffle.then_some(DEFAULT_SEED),
        encoding: match (args.encode_type, encoded) {
            (Some(format), _) => ImageEncoding::As(format),
            (None, true) => ImageEncoding::AsNamed,
            (None, false) => ImageEncoding::Raw,
        },
        check_size,
        backend: args.backend,
        on_bad_sample: args.on_bad_sample,
    };
    let converted = super::with_progress(|progress| {
        data::convert::images(&args.list, &args.out, &options, progress)
    })?;
    if !converted.skipped.is_empty() {
        complain(&converted.skipped);
    }
    let (records, skipped) = (converted.records, converted.skipped.len());
    print(&format!("{records} records in {}, {skipped} skipped\n", args.out.display()))?;
    Ok(())
}
