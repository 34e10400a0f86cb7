//! The last complete snapshot: what `--snapshot auto` resumes from.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    SnapshotError, SnapshotPaths,
    atomic::folder,
    hash::ByteHasher,
    load::{open_sidecar, read_file},
    names::{iteration_of, stem},
};

/// The snapshot to resume from.
#[derive(Debug)]
pub struct LatestSnapshot {
    /// Its iteration.
    pub iteration: u64,
    /// Its state, for [`load`](crate::load).
    pub state: PathBuf,
    /// Later ones that are not complete, latest first.
    pub skipped: Vec<SkippedSnapshot>,
}

/// A snapshot that is not complete, and why.
#[derive(Debug)]
pub struct SkippedSnapshot {
    /// Its state.
    pub state: PathBuf,
    /// What is missing or wrong.
    pub reason: SnapshotError,
}

/// The snapshot of `prefix` with the highest iteration whose files are all there with the right
/// hashes; `None` when there is none. Reads each candidate's files once.
pub fn find_latest(prefix: &str) -> Result<Option<LatestSnapshot>, SnapshotError> {
    let stem = stem(prefix);
    let dir = folder(Path::new(&stem));
    let file_stem = Path::new(&stem).file_name().unwrap_or_default().to_string_lossy();
    let mut found = states(dir, &file_stem)
        .map_err(|source| SnapshotError::Read { path: dir.to_owned(), source })?;
    found.sort_by(|a, b| b.cmp(a)); // highest iteration first; of one, binary after HDF5
    let mut skipped = Vec::new();
    for (iteration, state) in found {
        match verify(&state) {
            Ok(()) => return Ok(Some(LatestSnapshot { iteration, state, skipped })),
            Err(reason) => skipped.push(SkippedSnapshot { state, reason }),
        }
    }
    Ok(None)
}

fn states(dir: &Path, stem: &str) -> io::Result<Vec<(u64, PathBuf)>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut states = Vec::new();
    for entry in entries {
        let entry = entry?;
        if let Some(iteration) = entry.file_name().to_str().and_then(|n| iteration_of(n, stem)) {
            states.push((iteration, entry.path()));
        }
    }
    Ok(states)
}

/// All files are there, and the sidecar was written with the others.
fn verify(state: &Path) -> Result<(), SnapshotError> {
    let Some(names) = SnapshotPaths::of_state(state) else {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "its name is not UTF-8");
        return Err(SnapshotError::Read { path: state.to_owned(), source });
    };
    let (seal, run) = open_sidecar(&names.sidecar, &read_file(&names.sidecar)?)?;
    let world = run.residuals.hashes.len() as u64;
    let residuals = (0..world).map(|rank| names.residuals(rank, world)).zip(run.residuals.hashes);
    let mut files = vec![(names.model.clone(), seal.model), (state.to_owned(), seal.state)];
    files.extend(residuals);
    for (path, want) in files {
        match hash_file(&path) {
            Ok(got) if got == want => {}
            Ok(_) => return Err(SnapshotError::Checksum { path, sidecar: names.sidecar }),
            Err(source) => return Err(SnapshotError::Read { path, source }),
        }
    }
    Ok(())
}

fn hash_file(path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 20];
    let mut hasher = ByteHasher::new();
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finish()),
            len => hasher.write(&buffer[..len]),
        }
    }
}
