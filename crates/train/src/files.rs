//! Prototxt files in, current messages out.

use std::fs;
use std::path::Path;

use caffe_format::text::{self, Diagnostic, Unknown};
use caffe_format::{NetParameter, SolverParameter, upgrade};

use crate::TrainError;

/// A file as read: the message, and what the reader should be told about it.
#[derive(Debug)]
pub struct Read<M> {
    /// The message, upgraded to today's format.
    pub message: M,
    /// Upgrades made and fields skipped.
    pub notices: Vec<String>,
}

/// Reads a net prototxt of any of Caffe's generations.
pub fn read_net(path: &Path, unknown: UnknownFields) -> Result<Read<NetParameter>, TrainError> {
    let (written, mut notices) = read::<NetParameter>(path, unknown)?;
    let (message, upgrades) = upgrade::net(written)
        .map_err(|source| TrainError::Upgrade { path: path.into(), source })?;
    notices.extend(upgrades.into_iter().map(|note| format!("{}: {note}", path.display())));
    Ok(Read { message, notices })
}

/// Reads a solver prototxt of any of Caffe's generations.
pub fn read_solver(
    path: &Path,
    unknown: UnknownFields,
) -> Result<Read<SolverParameter>, TrainError> {
    let (written, mut notices) = read::<SolverParameter>(path, unknown)?;
    let (message, upgrades) = upgrade::solver(written)
        .map_err(|source| TrainError::Upgrade { path: path.into(), source })?;
    notices.extend(upgrades.into_iter().map(|note| format!("{}: {note}", path.display())));
    Ok(Read { message, notices })
}

/// What to do with fields Caffe does not have, as forks of it write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// An error with line and column.
    Reject,
    /// A warning.
    Warn,
}

fn read<M: caffe_format::message::Message + Default>(
    path: &Path,
    unknown: UnknownFields,
) -> Result<(M, Vec<String>), TrainError> {
    let bytes = fs::read(path).map_err(|source| TrainError::Read { path: path.into(), source })?;
    let name = path.display().to_string();
    if unknown == UnknownFields::Reject {
        let message = text::read_bytes(&name, &bytes).map_err(TrainError::Prototxt)?;
        return Ok((message, Vec::new()));
    }
    let mut skipped: Vec<Diagnostic> = Vec::new();
    let source = String::from_utf8_lossy(&bytes);
    let message = text::read_with(&name, &source, Unknown::Warn(&mut skipped))
        .map_err(TrainError::Prototxt)?;
    Ok((message, skipped.iter().map(ToString::to_string).collect()))
}
