//! Tells apart two copies of what a data layer reads, well below a second: ranks compare theirs at
//! start, and a resumed run compares its own with the snapshot's.
//!
//! | what is read | what counts |
//! |---|---|
//! | a database of at most 256 MB | keys and values of all records, in key order |
//! | a larger one | names and lengths of its files, their first 8 KiB, 512 blocks of 4 KiB |
//! | a list or another file | the same; up to 256 MB all its bytes |
//!
//! So of a small database no record can change unnoticed, and a copy that another program has
//! opened, compacted or written again is the same. Of a large one a copy cut short, made at another
//! time or of another data set is told apart. Files that readers write do not count: locks, and all
//! of a LevelDB but its tables and logs with records. The first 8 KiB are both meta pages of an
//! LMDB, which every change writes.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use base::Fingerprint;
use caffe_format::{DataParameterDb, LayerParameter};

use crate::{DataError, database};

/// What is not larger is read as a whole: 0.1 s from memory, and a net is about to read it anyway.
const WHOLE_BYTES: u64 = 256 << 20;
/// Both meta pages of an LMDB.
const HEAD_BYTES: u64 = 8 << 10;
/// Of larger data, blocks of all files together that are looked at.
const BLOCKS: u64 = 512;
const BLOCK_BYTES: u64 = 4096;
/// What is read at a time of a file that is read as a whole.
const CHUNK_BYTES: u64 = 1 << 20;

/// A fingerprint of the database, list or file that `layer` reads; `None` if it reads none.
pub fn fingerprint(layer: &LayerParameter, root: &Path) -> Option<Result<u64, DataError>> {
    if let Some(param) = &layer.data_param {
        return Some(of_database(&root.join(param.source()), param.backend(), WHOLE_BYTES));
    }
    let written = [
        layer.image_data_param.as_ref().map(|p| p.source()),
        layer.hdf5_data_param.as_ref().map(|p| p.source()),
        layer.window_data_param.as_ref().map(|p| p.source()),
    ];
    let source = written.into_iter().flatten().next()?;
    Some(of_files(&root.join(source), WHOLE_BYTES))
}

fn of_database(path: &Path, backend: DataParameterDb, whole_bytes: u64) -> Result<u64, DataError> {
    let files = data_files(path)?;
    if files.iter().map(|(_, len)| len).sum::<u64>() > whole_bytes {
        return of_files(path, whole_bytes);
    }
    let mut reader = database::open(path, backend)?;
    let (mut print, mut buffer) = (Fingerprint::EMPTY, Vec::new());
    while reader.advance()? {
        print = and_bytes(print, reader.record_name().as_bytes());
        print = and_bytes(print, reader.value(&mut buffer)?);
    }
    Ok(print.value())
}

fn of_files(path: &Path, whole_bytes: u64) -> Result<u64, DataError> {
    let files = data_files(path)?;
    let all: u64 = files.iter().map(|(_, len)| len).sum();
    let mut print = Fingerprint::EMPTY;
    for (file, len) in files {
        if file != path {
            print = and_bytes(print, file.file_name().unwrap_or_default().as_encoded_bytes());
        }
        print = print.and(&len.to_le_bytes());
        let read = |source| DataError::Read { path: file.clone(), source };
        let opened = File::open(&file).map_err(read)?;
        print = match all > whole_bytes {
            true => and_blocks(print, &opened, len, BLOCKS * len / all),
            false => and_whole(print, opened),
        }
        .map_err(read)?;
    }
    Ok(print.value())
}

/// The files that hold records, in order of their names, with their lengths.
fn data_files(path: &Path) -> Result<Vec<(PathBuf, u64)>, DataError> {
    let read = |source| DataError::Read { path: path.to_owned(), source };
    let len = |path: &Path| fs::metadata(path).map(|metadata| metadata.len());
    if !path.is_dir() {
        return Ok(vec![(path.to_owned(), len(path).map_err(read)?)]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(read)? {
        let file = entry.map_err(read)?.path();
        if file.is_file() && holds_records(&file) {
            let len = len(&file).map_err(read)?;
            files.push((file, len));
        }
    }
    files.retain(|(_, len)| *len > 0); // such as the log that a LevelDB gets when it is opened
    files.sort();
    Ok(files)
}

fn holds_records(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let written_by_readers = ["lock.mdb", "LOCK", "CURRENT"].contains(&&*name);
    !written_by_readers && !name.starts_with("LOG") && !name.starts_with("MANIFEST-")
}

/// The length, and a checksum that is fast: the fingerprint alone takes a byte at a time.
fn and_bytes(print: Fingerprint, bytes: &[u8]) -> Fingerprint {
    print.and(&(bytes.len() as u64).to_le_bytes()).and(&crc32c::crc32c(bytes).to_le_bytes())
}

fn and_whole(mut print: Fingerprint, mut file: File) -> io::Result<Fingerprint> {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match file.by_ref().take(CHUNK_BYTES).read_to_end(&mut bytes)? {
            0 => return Ok(print),
            _ => print = and_bytes(print, &bytes),
        }
    }
}

/// The head, and `blocks` blocks from the first to the last.
fn and_blocks(print: Fingerprint, file: &File, len: u64, blocks: u64) -> io::Result<Fingerprint> {
    let mut bytes = Vec::new();
    let mut and = |print, start: u64, end: u64| {
        bytes.resize(usize::try_from(end - start).unwrap_or(0), 0);
        file.read_exact_at(&mut bytes, start).map(|()| and_bytes(print, &bytes))
    };
    let mut print = and(print, 0, HEAD_BYTES.min(len))?;
    let last = len.saturating_sub(BLOCK_BYTES);
    for block in 1..=blocks.max(1) {
        // In 128 bits: a file may be of any length.
        let start = u128::from(last) * u128::from(block) / u128::from(blocks.max(1));
        let start = u64::try_from(start).unwrap_or(last);
        print = and(print, start, (start + BLOCK_BYTES).min(len))?;
    }
    Ok(print)
}

#[cfg(test)]
mod tests;
