//! What the files of a snapshot are called: Caffe's names, and the sidecar's beside them.

use std::path::{Path, PathBuf};

use crate::{SnapshotFormat, sidecar};

/// Endings of a state, the longer first.
const STATE_ENDINGS: [(&str, SnapshotFormat); 2] =
    [(".solverstate.h5", SnapshotFormat::Hdf5), (".solverstate", SnapshotFormat::Binaryproto)];

/// The three files of one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotPaths {
    /// Layers and weights.
    pub model: PathBuf,
    /// What only we have.
    pub sidecar: PathBuf,
    /// Iteration and history; what `--snapshot` is given.
    pub state: PathBuf,
    /// Told by the state's ending.
    pub format: SnapshotFormat,
}

impl SnapshotPaths {
    /// The files that iteration `iteration` is saved in. `prefix` is put before, letter for letter.
    #[must_use]
    pub fn new(prefix: &str, iteration: u64, format: SnapshotFormat) -> Self {
        Self::from_stem(&format!("{}{iteration}", stem(prefix)), format)
    }

    /// The files that belong to a state; `None` when the path does not end as a state's does.
    #[must_use]
    pub fn of_state(state: &Path) -> Option<Self> {
        let path = state.to_str()?;
        STATE_ENDINGS
            .iter()
            .find_map(|&(end, format)| Some(Self::from_stem(path.strip_suffix(end)?, format)))
    }

    /// Whether these files exist and are not of the run that `run_id` tells: the sidecar says
    /// another, or there is none that can be read.
    #[must_use]
    pub fn belong_to_another(&self, run_id: u64) -> bool {
        let owner = || {
            let bytes = std::fs::read(&self.sidecar).ok()?;
            Some(sidecar::read(&bytes).ok()?.run.run_id)
        };
        let exist = [&self.model, &self.state].into_iter().any(|file| file.exists());
        exist && owner() != Some(run_id)
    }

    /// The residuals of one rank, or worker, of `world`.
    #[must_use]
    pub fn residuals(&self, rank: u64, world: u64) -> PathBuf {
        self.sidecar.with_extension(format!("residuals.{rank}-of-{world}"))
    }

    fn from_stem(stem: &str, format: SnapshotFormat) -> Self {
        let h5 = if format == SnapshotFormat::Hdf5 { ".h5" } else { "" };
        Self {
            model: format!("{stem}.caffemodel{h5}").into(),
            sidecar: format!("{stem}.firecaffe").into(),
            state: format!("{stem}.solverstate{h5}").into(),
            format,
        }
    }
}

/// What stands before the number in the names of every snapshot of `prefix`.
pub(crate) fn stem(prefix: &str) -> String {
    format!("{prefix}_iter_")
}

/// The iteration in a state's file name that begins with `stem`; `None` for any other file.
pub(crate) fn iteration_of(file_name: &str, stem: &str) -> Option<u64> {
    let rest = file_name.strip_prefix(stem)?;
    let digits = STATE_ENDINGS.iter().find_map(|(end, _)| rest.strip_suffix(end))?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests;
