//! Writes a snapshot: model, sidecar, state, in that order.
//!
//! Each file replaces its forerunner in one rename. A crash between two leaves a snapshot without a
//! state, or one whose hashes disagree, which [`find_latest`](crate::find_latest) passes over;
//! earlier iterations have other names and are not touched.

use std::path::Path;

use caffe_format::{NetParameter, binary};

use crate::{
    Hdf5Error, Snapshot, SnapshotError, SnapshotFormat, SnapshotPaths, atomic,
    hash::hash,
    hdf5,
    sidecar::{self, Sidecar, SidecarSeal},
};

/// Writes `snapshot` under Caffe's names and returns them. Missing folders are created.
///
/// # Panics
///
/// If the state's iteration is negative: it counts updates.
pub fn save(
    prefix: &str,
    format: SnapshotFormat,
    snapshot: Snapshot,
) -> Result<SnapshotPaths, SnapshotError> {
    let Snapshot { model, mut state, run } = snapshot;
    let iteration = u64::try_from(state.iter()).expect("the iteration counts updates");
    let names = SnapshotPaths::new(prefix, iteration, format);
    state.learned_net = Some(names.model.display().to_string());

    let model = match format {
        SnapshotFormat::Binaryproto => binary::write(&model),
        SnapshotFormat::Hdf5 => hdf5::write_model(&model).map_err(failed(&names.model, "model"))?,
    };
    atomic::write(&names.model, &model)?;
    let state = match format {
        SnapshotFormat::Binaryproto => binary::write(&state),
        SnapshotFormat::Hdf5 => {
            hdf5::write_state(&state).map_err(failed(&names.state, "solver state"))?
        }
    };
    let seal = SidecarSeal { iteration, model: hash(&model), state: hash(&state) };
    atomic::write(&names.sidecar, &sidecar::write(&Sidecar { seal, run }))?;
    atomic::write(&names.state, &state)?;
    Ok(names)
}

/// Writes a model alone, in one of Caffe's formats.
pub fn save_model(
    path: &Path,
    format: SnapshotFormat,
    model: &NetParameter,
) -> Result<(), SnapshotError> {
    let bytes = match format {
        SnapshotFormat::Binaryproto => binary::write(model),
        SnapshotFormat::Hdf5 => hdf5::write_model(model).map_err(failed(path, "model"))?,
    };
    Ok(atomic::write(path, &bytes)?)
}

fn failed(path: &Path, what: &'static str) -> impl FnOnce(Hdf5Error) -> SnapshotError {
    let path = path.to_owned();
    move |source| SnapshotError::Hdf5 { path, what, source }
}

/// Tries to write under `prefix`, so that a run fails before its first iteration rather than at its
/// first snapshot. Leaves nothing behind but the folder.
pub fn check_writable(prefix: &str) -> Result<(), SnapshotError> {
    let probe =
        SnapshotPaths::new(prefix, 0, SnapshotFormat::Binaryproto).state.with_extension("tempfile");
    atomic::write(&probe, &[])?;
    let gone = std::fs::remove_file(&probe);
    gone.map_err(|source| SnapshotError::Read { path: probe, source })
}

#[cfg(test)]
mod tests;
