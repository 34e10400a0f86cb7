//! `firecaffe data convert-idx`: Caffe's `convert_mnist_data`.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use caffe_format::DataParameterDb;
use flate2::read::MultiGzDecoder;
use tempfile::TempDir;

use crate::options::{BACKENDS, one_of};
use crate::output::print;

const EXAMPLES: &str = "\
Example:
  firecaffe data convert-idx train-images-idx3-ubyte.gz train-labels-idx1-ubyte.gz train_lmdb

A folder that exists is never overwritten.";

/// First bytes of a gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Options of `data convert-idx`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertIdxArgs {
    /// The file of images, plain or gzipped
    images: PathBuf,
    /// The file of labels, plain or gzipped
    labels: PathBuf,
    /// The database folder to make
    #[arg(value_name = "OUT_DB")]
    out: PathBuf,
    /// The database's format
    #[arg(long, value_name = "FORMAT", default_value = "lmdb",
          value_parser = one_of::<DataParameterDb>(BACKENDS))]
    backend: DataParameterDb,
}

pub(super) fn run(args: &ConvertIdxArgs) -> Result<()> {
    // Unpacked files keep their names, so that errors name them.
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let images = unpacked(&args.images, &folder)?;
    let labels = unpacked(&args.labels, &folder)?;
    let records = super::with_progress(|progress| {
        data::convert::idx(&images, &labels, &args.out, args.backend, progress)
    })?;
    print(&format!("{records} records in {}\n", args.out.display()))?;
    Ok(())
}

/// The file itself, or a temporary unpacked copy.
fn unpacked(path: &Path, folder: &TempDir) -> Result<PathBuf> {
    let read = || format!("cannot read {}", path.display());
    let mut packed = File::open(path).with_context(read)?;
    let mut magic = [0; GZIP_MAGIC.len()];
    let is_gzip = packed.read_exact(&mut magic).is_ok() && magic == GZIP_MAGIC;
    if !is_gzip {
        return Ok(path.to_owned());
    }
    packed.rewind().with_context(read)?;
    let name = path.file_stem().unwrap_or(path.as_os_str());
    let plain = folder.path().join(name);
    let mut out = File::create(&plain).context("cannot make a temporary file")?;
    io::copy(&mut MultiGzDecoder::new(io::BufReader::new(packed)), &mut out)
        .with_context(|| format!("cannot unpack {}", path.display()))?;
    Ok(plain)
}
