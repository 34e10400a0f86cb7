//! The solver's `solver_type: NESTEROV`, now `type: "Nesterov"`, the nets inside it, and where its
//! snapshots go.

use std::path::Path;

use super::{UpgradeChange, UpgradeError};
use crate::{NetParameter, SolverParameter, SolverParameterSolverType as Type};

/// The solver in Caffe 1.0's schema, its nets too, and what was changed. Caffe leaves the nets
/// inside a solver as they are; one of old layers then has no layers at all.
///
/// # Errors
///
/// If it has both spellings of its type, or one of its nets cannot be understood.
pub fn solver(
    mut solver: SolverParameter,
) -> Result<(SolverParameter, Vec<UpgradeChange>), UpgradeError> {
    let mut changes = Vec::new();
    solver_type(&mut solver, &mut changes)?;
    let one =
        [("net_param", &mut solver.net_param), ("train_net_param", &mut solver.train_net_param)];
    let one = one.into_iter().filter_map(|(field, net)| Some((field, net.as_mut()?)));
    let tests = solver.test_net_param.iter_mut().map(|net| ("test_net_param", net));
    for (field, net) in one.chain(tests) {
        let (upgraded, inside) = super::net(std::mem::replace(net, NetParameter::EMPTY))?;
        *net = upgraded;
        changes.extend(inside.into_iter().map(|change| UpgradeChange::SolverNet {
            field: field.to_owned(),
            change: Box::new(change),
        }));
    }
    Ok((solver, changes))
}

fn solver_type(
    solver: &mut SolverParameter,
    changes: &mut Vec<UpgradeChange>,
) -> Result<(), UpgradeError> {
    let Some(old) = solver.solver_type.take() else { return Ok(()) };
    let new = match old {
        Type::Sgd => "SGD",
        Type::Nesterov => "Nesterov",
        Type::Adagrad => "AdaGrad",
        Type::Rmsprop => "RMSProp",
        Type::Adadelta => "AdaDelta",
        Type::Adam => "Adam",
    };
    if solver.type_.replace(new.to_owned()).is_some() {
        return Err(UpgradeError::SolverType);
    }
    changes.push(UpgradeChange::SolverType { name: new.to_owned() });
    Ok(())
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
