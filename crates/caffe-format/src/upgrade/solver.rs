//! The solver's `solver_type: NESTEROV`, now `type: "Nesterov"`, and where its snapshots go.

use std::path::Path;

use super::{UpgradeChange, UpgradeError};
use crate::{SolverParameter, SolverParameterSolverType as Type};

/// The solver in Caffe 1.0's schema, and what was changed.
///
/// # Errors
///
/// If it has both spellings of its type.
pub fn solver(
    mut solver: SolverParameter,
) -> Result<(SolverParameter, Vec<UpgradeChange>), UpgradeError> {
    let Some(old) = solver.solver_type.take() else { return Ok((solver, Vec::new())) };
    let new = match old {
        Type::Sgd => "SGD",
        Type::Nesterov => "Nesterov",
        Type::Adagrad => "AdaGrad",
        Type::Rmsprop => "RMSProp",
        Type::Adadelta => "AdaDelta",
        Type::Adam => "Adam",
    };
    match solver.type_.replace(new.to_owned()) {
        Some(_) => Err(UpgradeError::SolverType),
        None => Ok((solver, vec![UpgradeChange::SolverType { name: new.to_owned() }])),
    }
}

/// Where the snapshots of the solver read from `file_name` go: as written; without a prefix, beside
/// the file under its name; in a directory, there under its name.
///
/// This crate opens no files, so the caller says whether [`SolverParameter::snapshot_prefix`] is a
/// directory.
pub fn snapshot_prefix(solver: &SolverParameter, file_name: &str, is_directory: bool) -> String {
    let file = Path::new(file_name);
    let prefix = match &solver.snapshot_prefix {
        None => file.with_extension(""),
        Some(directory) if is_directory => {
            Path::new(directory).join(file.file_stem().unwrap_or_default())
        }
        Some(prefix) => return prefix.clone(),
    };
    prefix.to_string_lossy().into_owned()
}
