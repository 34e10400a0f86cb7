//! Files of residuals: what a compression keeps on one rank (or worker), in a file of its own.
//!
//! ```text
//! file    "FIRERESI"  version u32  iteration u64  rank u64  world u64  compression text
//!         number of vectors u64  vector*
//! vector  name text  bytes per number u8 (4: f32, 8: u64)  count u64  numbers
//! text    length u64  UTF-8
//! ```
//!
//! All numbers are little-endian. The sidecar holds a hash of every file, so a snapshot is complete
//! only with all of them. Files are written and read in one pass; they are as long as the pool, and
//! nobody gathers them. The bytes may be anything: lengths are checked before they are used.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::atomic::write_with;
use crate::hash::{ByteHasher, hash};
use crate::load::read_file;
use crate::{SnapshotError, SnapshotPaths};

const MAGIC: &[u8; 8] = b"FIRERESI";
const VERSION: u32 = 1;

/// Numbers that are converted at a time.
const BLOCK: usize = 4096;

/// What one rank or worker keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidualFile<'a> {
    /// Iterations done.
    pub iteration: u64,
    /// Whose residuals they are.
    pub rank: u64,
    /// Number of ranks or workers.
    pub world: u64,
    /// The compression with its options.
    pub compression: String,
    /// Each with its name.
    pub vectors: Vec<(String, ResidualNumbers<'a>)>,
}

/// The numbers of a vector.
#[derive(Debug, Clone, PartialEq)]
pub enum ResidualNumbers<'a> {
    /// Values of gradients.
    F32(Cow<'a, [f32]>),
    /// Counts, indices, flags.
    U64(Cow<'a, [u64]>),
}

/// Writes the file that belongs to the snapshot `names`; its hash, for the sidecar.
pub fn save_residuals(
    names: &SnapshotPaths,
    file: &ResidualFile<'_>,
) -> Result<u64, SnapshotError> {
    let mut hasher = ByteHasher::new();
    write_with(&names.residuals(file.rank, file.world), |out| {
        let mut out = HashedWrite { out, hasher: &mut hasher };
        write(&mut out, file)
    })?;
    Ok(hasher.finish())
}

/// Reads the file of `rank` of the snapshot `names`, of which `hashes` are those in the sidecar. It
/// was written after `iteration` iterations.
///
/// # Panics
///
/// If there is no such rank.
pub fn load_residuals(
    names: &SnapshotPaths,
    hashes: &[u64],
    rank: usize,
    iteration: u64,
) -> Result<ResidualFile<'static>, SnapshotError> {
    let path = names.residuals(rank as u64, hashes.len() as u64);
    let bytes = read_file(&path)?;
    if hash(&bytes) != hashes[rank] {
        return Err(SnapshotError::Checksum { path, sidecar: names.sidecar.clone() });
    }
    let file = read(&bytes).filter(|file| file.iteration == iteration);
    file.ok_or(SnapshotError::Residuals { path })
}

/// Hashes what passes through.
struct HashedWrite<'a> {
    out: &'a mut dyn Write,
    hasher: &'a mut ByteHasher,
}

impl HashedWrite<'_> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.write(bytes);
        self.out.write_all(bytes)
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.put(&(text.len() as u64).to_le_bytes())?;
        self.put(text.as_bytes())
    }

    /// The numbers of a vector, of `N` bytes each.
    fn numbers<T: Copy, const N: usize>(
        &mut self,
        numbers: &[T],
        bytes_of: fn(T) -> [u8; N],
    ) -> io::Result<()> {
        self.put(&[u8::try_from(N).expect("4 or 8")])?;
        self.put(&(numbers.len() as u64).to_le_bytes())?;
        let mut buffer = Vec::with_capacity(N * BLOCK);
        for block in numbers.chunks(BLOCK) {
            buffer.clear();
            buffer.extend(block.iter().flat_map(|&number| bytes_of(number)));
            self.put(&buffer)?;
        }
        Ok(())
    }
}

fn write(out: &mut HashedWrite<'_>, file: &ResidualFile<'_>) -> io::Result<()> {
    out.put(MAGIC)?;
    out.put(&VERSION.to_le_bytes())?;
    for number in [file.iteration, file.rank, file.world] {
        out.put(&number.to_le_bytes())?;
    }
    out.text(&file.compression)?;
    out.put(&(file.vectors.len() as u64).to_le_bytes())?;
    for (name, numbers) in &file.vectors {
        out.text(name)?;
        match numbers {
            ResidualNumbers::F32(values) => out.numbers(values, f32::to_le_bytes)?,
            ResidualNumbers::U64(values) => out.numbers(values, u64::to_le_bytes)?,
        }
    }
    Ok(())
}

/// `None` if the bytes are not such a file.
fn read(bytes: &[u8]) -> Option<ResidualFile<'static>> {
    let mut input = bytes.strip_prefix(MAGIC)?;
    if u32::from_le_bytes(array(&mut input)?) != VERSION {
        return None;
    }
    let [iteration, rank, world] = [number(&mut input)?, number(&mut input)?, number(&mut input)?];
    let compression = text(&mut input)?;
    let mut vectors = Vec::new();
    for _ in 0..number(&mut input)? {
        let name = text(&mut input)?;
        let [width] = array(&mut input)?;
        let count = usize::try_from(number(&mut input)?).ok()?;
        let numbers = take(&mut input, count.checked_mul(width.into())?)?;
        vectors.push((
            name,
            match width {
                4 => ResidualNumbers::F32(
                    numbers.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
                ),
                8 => ResidualNumbers::U64(
                    numbers.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect(),
                ),
                _ => return None,
            },
        ));
    }
    let file = ResidualFile { iteration, rank, world, compression, vectors };
    input.is_empty().then_some(file)
}

fn take<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(len)?;
    *input = rest;
    Some(taken)
}

fn array<const N: usize>(input: &mut &[u8]) -> Option<[u8; N]> {
    take(input, N)?.try_into().ok()
}

fn number(input: &mut &[u8]) -> Option<u64> {
    array(input).map(u64::from_le_bytes)
}

fn text(input: &mut &[u8]) -> Option<String> {
    let len = usize::try_from(number(input)?).ok()?;
    String::from_utf8(take(input, len)?.to_vec()).ok()
}

#[cfg(test)]
mod tests;
