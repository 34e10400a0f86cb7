//! Prototxt files in, current messages out.

use std::fs;
use std::path::Path;

use caffe_format::message::Message;
pub use caffe_format::text::UnknownFields;
use caffe_format::text::{self, Diagnostic};
use caffe_format::upgrade::{self, UpgradeChange, UpgradeError};
use caffe_format::{NetParameter, SolverParameter};
use serde::{Deserialize, Serialize};

use crate::TrainError;

/// A file as read: the message, and how it differs from Caffe 1.0's format.
#[derive(Debug)]
pub struct ReadPrototxt<M> {
    /// The message, upgraded to Caffe 1.0's format.
    pub message: M,
    /// Fields skipped and upgrades made.
    pub notices: Vec<PrototxtNotice>,
}

/// How a prototxt differs from Caffe 1.0's format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PrototxtNotice {
    /// A field that Caffe does not have was skipped. Message and hint are the parser's words, which
    /// the error says too where such fields are rejected.
    UnknownField {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// In characters, counted from 1.
        column: usize,
        /// What is wrong.
        message: String,
        /// The line of the file; of a long line, the part around the column.
        source_line: String,
        /// Where in `source_line` the field stands, in characters from 0.
        caret: usize,
        /// What might be meant.
        hint: Option<String>,
        /// How often the field occurs, of which this is the first place.
        count: usize,
    },
    /// The solver does not say how snapshots are named, or says a folder.
    SnapshotPrefix {
        /// The solver's file.
        file: String,
        /// The folder, as written.
        folder: Option<String>,
        /// What their names begin with: the file's name, in its folder or in `folder`.
        prefix: String,
    },
    /// An older generation's way to write something was replaced.
    Upgraded {
        /// The file.
        file: String,
        /// What was done.
        change: UpgradeChange,
    },
}

impl From<Diagnostic> for PrototxtNotice {
    fn from(skipped: Diagnostic) -> Self {
        let Diagnostic { file, line, column, message, source_line, caret, hint, count } = skipped;
        Self::UnknownField { file, line, column, message, source_line, caret, hint, count }
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

/// Reads a solver prototxt of any of Caffe's generations. Snapshots that it does not name are named
/// after the file, as in Caffe since 2018.
pub fn read_solver(
    path: &Path,
    unknown: UnknownFields,
) -> Result<ReadPrototxt<SolverParameter>, TrainError> {
    let name = path.display().to_string();
    let mut read = upgraded(&name, parse(&name, &read(path)?, unknown)?, upgrade::solver)?;
    name_snapshots(name, &mut read);
    Ok(read)
}

/// Completes `snapshot_prefix` where it is missing or a folder.
fn name_snapshots(file: String, read: &mut ReadPrototxt<SolverParameter>) {
    let is_folder = |prefix: &&String| prefix.ends_with('/') || Path::new(prefix).is_dir();
    let written = read.message.snapshot_prefix.as_ref();
    let folder = written.filter(is_folder).cloned();
    if written.is_none() || folder.is_some() {
        let prefix = upgrade::snapshot_prefix(&read.message, &file, folder.is_some());
        read.message.snapshot_prefix = Some(prefix.clone());
        read.notices.push(PrototxtNotice::SnapshotPrefix { file, folder, prefix });
    }
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
    Ok((message, skipped.into_iter().map(PrototxtNotice::from).collect()))
}

/// An upgrade from an older form, which tells what it did.
pub(crate) type Upgrade<M> = fn(M) -> Result<(M, Vec<UpgradeChange>), UpgradeError>;

/// Caffe 1.0's form of what was parsed, with what was done to get there among the notices.
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
