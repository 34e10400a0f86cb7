//! Upgrades files of older versions of Caffe: `upgrade_net_proto_text`, `upgrade_net_proto_binary`
//! and `upgrade_solver_proto_text` in one.
//!
//! Text stays text and binary stays binary. Nothing is lost: unknown fields are kept in binary
//! files and are an error in text.

use std::fs;
use std::path::Path;

use caffe_format::message::Message;
use caffe_format::upgrade::UpgradeChange;
use caffe_format::{NetParameter, SolverParameter, binary, text, upgrade};
use snapshot::SnapshotError;

use crate::TrainError;
use crate::files::Upgrade;

/// Upgrades a net or a model in `input` to `output`; returns what was changed.
pub fn upgrade_net(input: &Path, output: &Path) -> Result<Vec<UpgradeChange>, TrainError> {
    run::<NetParameter>(input, output, "net", upgrade::net)
}

/// Upgrades a solver in `input` to `output`; returns what was changed.
pub fn upgrade_solver(input: &Path, output: &Path) -> Result<Vec<UpgradeChange>, TrainError> {
    run::<SolverParameter>(input, output, "solver", upgrade::solver)
}

fn run<M: Message + Default>(
    input: &Path,
    output: &Path,
    what: &'static str,
    upgrade: Upgrade<M>,
) -> Result<Vec<UpgradeChange>, TrainError> {
    let path = || input.to_owned();
    let bytes = fs::read(input).map_err(|source| TrainError::Read { path: path(), source })?;
    let is_text = is_text(&bytes);
    let written: M = if is_text {
        text::read_bytes(&input.display().to_string(), &bytes).map_err(TrainError::Prototxt)?
    } else {
        let wrong = |source| SnapshotError::Message { path: path(), what, source };
        binary::read(&bytes).map_err(wrong)?
    };
    let (message, changes) =
        upgrade(written).map_err(|source| TrainError::Upgrade { path: path(), source })?;
    let bytes = if is_text { text::write(&message).into_bytes() } else { binary::write(&message) };
    snapshot::atomic::write(output, &bytes).map_err(SnapshotError::Write)?;
    Ok(changes)
}

/// Text has no control characters but white space; a binary message has them in its lengths.
fn is_text(bytes: &[u8]) -> bool {
    let control = |c: char| c.is_control() && !c.is_whitespace();
    str::from_utf8(bytes).is_ok_and(|text| !text.contains(control))
}
