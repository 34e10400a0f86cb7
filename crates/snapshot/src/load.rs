//! Reads a snapshot back, and models alone.

use std::{
    fs,
    path::{Path, PathBuf},
};

use caffe_format::{BlobProto, NetParameter, SolverState, binary, message::Message, upgrade};

use crate::{
    Hdf5Error, RunState, SnapshotError, SnapshotPaths,
    atomic::folder,
    hash::hash,
    hdf5,
    sidecar::{self, SidecarSeal},
};

/// A snapshot that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedSnapshot {
    /// Layers with their blobs; `None` when the state names no model.
    pub model: Option<NetParameter>,
    /// Iteration, history and step.
    pub state: SolverState,
    /// Whether the run continues bit for bit.
    pub resume: ResumeExactness,
}

/// Whether a run continues bit for bit.
#[derive(Debug, Clone, PartialEq)]
pub enum ResumeExactness {
    /// All three files are there and belong together: bit-exact.
    Exact(RunState),
    /// There is no sidecar: weights and history, but data and random numbers from the start, as
    /// Caffe does.
    AsCaffe {
        /// The sidecar that was looked for.
        missing: PathBuf,
    },
}

/// Reads the snapshot whose state is at `state`, Caffe's or ours.
pub fn load(state: &Path) -> Result<LoadedSnapshot, SnapshotError> {
    let bytes = read_file(state)?;
    let missing =
        SnapshotPaths::of_state(state).map_or_else(|| state.to_owned(), |names| names.sidecar);
    let sealed = match fs::read(&missing) {
        _ if missing == state => None,
        Ok(sidecar) => Some(open_sidecar(&missing, &sidecar)?),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => None,
        Err(source) => return Err(SnapshotError::Read { path: missing, source }),
    };
    let check = |path: &Path, bytes: &[u8], want: fn(&SidecarSeal) -> u64| match &sealed {
        Some((seal, _)) if hash(bytes) != want(seal) => {
            Err(SnapshotError::Checksum { path: path.to_owned(), sidecar: missing.clone() })
        }
        _ => Ok(()),
    };
    check(state, &bytes, |seal| seal.state)?;
    let message = read(state, "solver state", bytes, hdf5::read_state)?;
    let model = match &message.learned_net {
        Some(model) => {
            let path = find_model(state, model)?;
            let bytes = read_file(&path)?;
            check(&path, &bytes, |seal| seal.model)?;
            Some(read_model(&path, bytes)?)
        }
        None => None,
    };
    let resume = match sealed {
        Some((_, run)) => ResumeExactness::Exact(run),
        None => ResumeExactness::AsCaffe { missing },
    };
    Ok(LoadedSnapshot { model, state: message, resume })
}

/// Reads a model alone, of any of Caffe's formats.
pub fn load_model(path: &Path) -> Result<NetParameter, SnapshotError> {
    read_model(path, read_file(path)?)
}

/// Reads a file that holds one blob, such as the matrix of an InfogainLoss; shape and values agree.
pub fn load_blob(path: &Path) -> Result<BlobProto, SnapshotError> {
    let failed = |source| SnapshotError::Message { path: path.to_owned(), what: "blob", source };
    let message: BlobProto = binary::read(&read_file(path)?).map_err(failed)?;
    let wrong = |source| SnapshotError::Blob { path: path.to_owned(), source };
    let values = message.values().map_err(wrong)?.into_owned();
    Ok(BlobProto::from_values(&message.dims().map_err(wrong)?, values))
}

/// Caffe 1.0's form, whatever version wrote it.
fn read_model(path: &Path, bytes: Vec<u8>) -> Result<NetParameter, SnapshotError> {
    let written = read(path, "model", bytes, hdf5::read_model)?;
    let (model, _) = upgrade::net(written)
        .map_err(|source| SnapshotError::Upgrade { path: path.to_owned(), source })?;
    Ok(model)
}

/// Either form, told by the bytes.
fn read<M: Message + Default>(
    path: &Path,
    what: &'static str,
    bytes: Vec<u8>,
    from_hdf5: fn(Vec<u8>) -> Result<M, Hdf5Error>,
) -> Result<M, SnapshotError> {
    let path = path.to_owned();
    if hdf5::is_hdf5(&bytes) {
        from_hdf5(bytes).map_err(|source| SnapshotError::Hdf5 { path, what, source })
    } else {
        binary::read(&bytes).map_err(|source| SnapshotError::Message { path, what, source })
    }
}

/// The sidecar's two parts.
pub(crate) fn open_sidecar(
    path: &Path,
    bytes: &[u8],
) -> Result<(SidecarSeal, RunState), SnapshotError> {
    let sidecar = sidecar::read(bytes)
        .map_err(|source| SnapshotError::Sidecar { path: path.to_owned(), source })?;
    Ok((sidecar.seal, sidecar.run))
}

/// The model that a state names: beside the state, for snapshots that were moved, else where it
/// says.
pub(crate) fn find_model(state: &Path, model: &str) -> Result<PathBuf, SnapshotError> {
    let written = Path::new(model);
    let beside = written.file_name().map(|name| folder(state).join(name));
    let candidates = beside.into_iter().chain([written.to_owned()]);
    candidates
        .into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| SnapshotError::NoModel { state: state.to_owned(), model: model.to_owned() })
}

pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, SnapshotError> {
    fs::read(path).map_err(|source| SnapshotError::Read { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
