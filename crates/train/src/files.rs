//! Prototxt files in, current messages out.

use std::fmt;
use std::fs;
use std::path::Path;

use caffe_format::message::Message;
pub use caffe_format::text::UnknownFields;
use caffe_format::text::{self, Diagnostic};
use caffe_format::upgrade::{self, UpgradeError};
use caffe_format::{NetParameter, SolverParameter};
use serde::{Deserialize, Serialize};

use crate::TrainError;

/// A file as read: the message, and how it differs from what today's format would say.
#[derive(Debug)]
pub struct ReadPrototxt<M> {
    /// The message, upgraded to today's format.
    pub message: M,
    /// Fields skipped and upgrades made.
    pub notices: Vec<PrototxtNotice>,
}

/// How a prototxt is not quite in today's format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PrototxtNotice {
    /// A field that Caffe does not have was skipped.
    UnknownField {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// In characters, counted from 1.
        column: usize,
        /// What is wrong, with the line of the file and a hint below it.
        report: String,
    },
    /// An older generation's way to write something was replaced.
    Upgraded {
        /// The file.
        file: String,
        /// What was done.
        change: String,
    },
}

impl fmt::Display for PrototxtNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField { report, .. } => f.write_str(report),
            Self::Upgraded { file, change } => write!(f, "{file}: {change}"),
        }
    }
}

impl From<&Diagnostic> for PrototxtNotice {
    fn from(skipped: &Diagnostic) -> Self {
        let (file, report) = (skipped.file.clone(), skipped.to_string());
        Self::UnknownField { file, line: skipped.line, column: skipped.column, report }
    }
}

/// Reads a net prototxt of any of Caffe's generations.
pub fn read_net(
    path: &Path,
    unknown: UnknownFields,
) -> Result<ReadPrototxt<NetParameter>, TrainError> {
    let name = path.display().to_string();
    upgraded(&name, parse(&name, &read(path)?, unknown)?, upgrade::net)
}

/// A net from the text of a prototxt; `name` stands for the file in errors.
pub fn net_from_text(name: &str, text: &str) -> Result<NetParameter, TrainError> {
    let parsed = parse(name, text.as_bytes(), UnknownFields::Reject)?;
    Ok(upgraded(name, parsed, upgrade::net)?.message)
}

/// Reads a solver prototxt of any of Caffe's generations.
pub fn read_solver(
    path: &Path,
    unknown: UnknownFields,
) -> Result<ReadPrototxt<SolverParameter>, TrainError> {
    let name = path.display().to_string();
    upgraded(&name, parse(&name, &read(path)?, unknown)?, upgrade::solver)
}

/// A solver from the text of a prototxt; `name` stands for the file in errors.
pub fn solver_from_text(name: &str, text: &str) -> Result<SolverParameter, TrainError> {
    let parsed = parse(name, text.as_bytes(), UnknownFields::Reject)?;
    Ok(upgraded(name, parsed, upgrade::solver)?.message)
}

fn read(path: &Path) -> Result<Vec<u8>, TrainError> {
    fs::read(path).map_err(|source| TrainError::Read { path: path.into(), source })
}

/// The message as written, and the fields that were skipped.
fn parse<M: Message + Default>(
    name: &str,
    bytes: &[u8],
    unknown: UnknownFields,
) -> Result<(M, Vec<PrototxtNotice>), TrainError> {
    if unknown == UnknownFields::Reject {
        let message = text::read_bytes(name, bytes).map_err(TrainError::Prototxt)?;
        return Ok((message, Vec::new()));
    }
    let source = String::from_utf8_lossy(bytes);
    let (message, skipped) =
        text::read_with(name, &source, unknown).map_err(TrainError::Prototxt)?;
    Ok((message, skipped.iter().map(PrototxtNotice::from).collect()))
}

/// A way from an older form to today's, which tells what it did.
pub(crate) type Upgrade<M> = fn(M) -> Result<(M, Vec<String>), UpgradeError>;

/// Today's form of what was parsed, with what was done to get there among the notices.
fn upgraded<M>(
    name: &str,
    (written, mut notices): (M, Vec<PrototxtNotice>),
    upgrade: Upgrade<M>,
) -> Result<ReadPrototxt<M>, TrainError> {
    let (message, changes) =
        upgrade(written).map_err(|source| TrainError::Upgrade { path: name.into(), source })?;
    let notice = |change| PrototxtNotice::Upgraded { file: name.into(), change };
    notices.extend(changes.into_iter().map(notice));
    Ok(ReadPrototxt { message, notices })
}
