//! Tells apart two copies of what a data layer reads, in milliseconds: ranks compare theirs at
//! start.
//!
//! Names, lengths and some blocks of every file are hashed, not all bytes: another data set, a copy
//! cut short or one made at another time differs in these. Lock and log files, which readers write,
//! do not count.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use base::Fingerprint;
use caffe_format::LayerParameter;

/// Blocks of each file that are looked at, from its first to its last.
const BLOCKS: u64 = 16;
const BLOCK_BYTES: u64 = 4096;

/// A fingerprint of the database, list or file that `layer` reads; `None` if it reads none.
pub fn fingerprint(layer: &LayerParameter, root: &Path) -> Option<io::Result<u64>> {
    let written = [
        layer.data_param.as_ref().map(|p| p.source()),
        layer.image_data_param.as_ref().map(|p| p.source()),
        layer.hdf5_data_param.as_ref().map(|p| p.source()),
        layer.window_data_param.as_ref().map(|p| p.source()),
    ];
    let source = written.into_iter().flatten().next()?;
    Some(of_path(&root.join(source)))
}

fn of_path(path: &Path) -> io::Result<u64> {
    if !path.is_dir() {
        return Ok(add_file(Fingerprint::EMPTY, path)?.value());
    }
    let entries: io::Result<Vec<PathBuf>> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut files: Vec<PathBuf> = entries?.into_iter().filter(|path| is_data(path)).collect();
    files.sort();
    let mut print = Fingerprint::EMPTY;
    for file in files {
        print = print.and(file.file_name().unwrap_or_default().as_encoded_bytes());
        print = add_file(print, &file)?;
    }
    Ok(print.value())
}

fn is_data(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.is_file() && name != "lock.mdb" && name != "LOCK" && !name.starts_with("LOG")
}

fn add_file(print: Fingerprint, path: &Path) -> io::Result<Fingerprint> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    let mut print = print.and(&len.to_le_bytes());
    let last = len.saturating_sub(BLOCK_BYTES);
    for block in 0..BLOCKS.min(len.div_ceil(BLOCK_BYTES)) {
        file.seek(SeekFrom::Start(last.saturating_mul(block) / (BLOCKS - 1)))?;
        let mut bytes = Vec::new();
        file.by_ref().take(BLOCK_BYTES).read_to_end(&mut bytes)?;
        print = print.and(&bytes);
    }
    Ok(print)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::of_path;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "files are made in a temporary folder")]
    fn other_contents_lengths_and_names_differ_and_locks_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, file: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join(file), bytes).unwrap();
            path
        };
        let bytes = vec![7; 100_000];
        let of = |path: &Path| of_path(path).unwrap();
        let one = of(&make("one", "data.mdb", &bytes));
        assert_eq!(of(&make("two", "data.mdb", &bytes)), one);
        make("two", "lock.mdb", b"in use");
        assert_eq!(of(&folder.path().join("two")), one);
        let mut other = bytes.clone();
        *other.last_mut().unwrap() = 8;
        for (name, file, bytes) in [
            ("end", "data.mdb", &other[..]),
            ("short", "data.mdb", &bytes[1..]),
            ("name", "other.mdb", &bytes[..]),
        ] {
            assert_ne!(of(&make(name, file, bytes)), one, "{name}");
        }
        assert!(of_path(&folder.path().join("absent")).is_err());
    }
}
