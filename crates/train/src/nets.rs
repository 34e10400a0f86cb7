//! Which nets a solver names, and in which state each is built. Caffe's rules.

use caffe_format::{NetParameter, NetState, Phase, SolverParameter};
use data::PathRoot;
use net::NetError;

use crate::files::{UnknownFields, read_net};
use crate::{Event, NetOrigin, SolverProblem, TrainError, WhichNet};

/// A net to build and where it comes from.
#[derive(Debug, Clone)]
pub struct NamedNet {
    /// As written, with its state merged in.
    pub net: NetParameter,
    /// Which of the solver's fields states it.
    pub origin: NetOrigin,
}

/// The train net and the test nets, with their states merged: the phase's default, then what the
/// net says, then what the solver says.
#[derive(Debug)]
pub struct SolverNets {
    /// The net that learns.
    pub train: NamedNet,
    /// The nets that score it, in the order of `test_iter`.
    pub tests: Vec<NamedNet>,
}

/// Finds and reads the nets of `solver`, whose paths start from `root`.
pub fn read(
    solver: &SolverParameter,
    root: impl Into<PathRoot>,
    unknown: UnknownFields,
    events: &mut dyn FnMut(Event),
) -> Result<SolverNets, TrainError> {
    let root = root.into();
    let mut file = |name: &str| {
        if let Some(path) = root.misplaced(name) {
            return Err(TrainError::MisplacedNet { path });
        }
        let path = root.join(name);
        let read = read_net(&path, unknown)?;
        read.notices.into_iter().for_each(|notice| events(Event::Prototxt(notice)));
        if read.message.layer.is_empty() {
            let source = NetError::NoLayers { written: 0, state: String::new() };
            return Err(TrainError::Net { which: WhichNet::File(path), source });
        }
        Ok(read.message)
    };
    let generic = match (&solver.net, &solver.net_param) {
        (Some(name), None) => Some((file(name)?, NetOrigin::Net(name.clone()))),
        (None, Some(net)) => Some((net.clone(), NetOrigin::NetParam)),
        (None, None) => None,
        (Some(_), Some(_)) => return Err(SolverProblem::NetTwice.into()),
    };
    let generic = generic.map(|(net, origin)| NamedNet { net, origin });
    let train = train_net(solver, generic.as_ref(), &mut file)?;
    let tests = test_nets(solver, generic.as_ref(), &mut file)?;
    Ok(SolverNets { train, tests })
}

/// Reads a file that a solver names.
type ReadFile<'a> = dyn FnMut(&str) -> Result<NetParameter, TrainError> + 'a;

/// The one net that learns. `generic` serves for training and testing.
fn train_net(
    solver: &SolverParameter,
    generic: Option<&NamedNet>,
    file: &mut ReadFile<'_>,
) -> Result<NamedNet, TrainError> {
    let mut train = match (&solver.train_net, &solver.train_net_param, generic) {
        (None, None, Some(generic)) => generic.clone(),
        (Some(name), None, None) => {
            NamedNet { net: file(name)?, origin: NetOrigin::TrainNet(name.clone()) }
        }
        (None, Some(net), None) => NamedNet { net: net.clone(), origin: NetOrigin::TrainNetParam },
        (None, None, None) => return Err(SolverProblem::NoTrainNet.into()),
        _ => return Err(SolverProblem::SeveralTrainNets.into()),
    };
    train.net.state = Some(state(Phase::Train, &train.net, solver.train_state.as_ref()));
    Ok(train)
}

/// The nets that score, as many as there are `test_iter`: those written for it, then `generic`.
fn test_nets(
    solver: &SolverParameter,
    generic: Option<&NamedNet>,
    file: &mut ReadFile<'_>,
) -> Result<Vec<NamedNet>, TrainError> {
    let mut tests: Vec<NamedNet> = (solver.test_net_param.iter())
        .map(|net| NamedNet { net: net.clone(), origin: NetOrigin::TestNetParam })
        .collect();
    for name in &solver.test_net {
        tests.push(NamedNet { net: file(name)?, origin: NetOrigin::TestNet(name.clone()) });
    }
    let wanted = solver.test_iter.len();
    if wanted < tests.len() || (generic.is_none() && wanted != tests.len()) {
        return Err(SolverProblem::TestIterCount { test_iter: wanted, nets: tests.len() }.into());
    }
    if let Some(generic) = generic {
        tests.resize(wanted, generic.clone());
    }
    if !solver.test_state.is_empty() && solver.test_state.len() != tests.len() {
        let test_state = solver.test_state.len();
        return Err(SolverProblem::TestStateCount { test_state, nets: tests.len() }.into());
    }
    for (index, test) in tests.iter_mut().enumerate() {
        test.net.state = Some(state(Phase::Test, &test.net, solver.test_state.get(index)));
    }
    Ok(tests)
}

/// Merges states as protobuf merges messages: later scalars win, stages add up.
fn state(phase: Phase, net: &NetParameter, solver: Option<&NetState>) -> NetState {
    let mut merged = NetState { phase: Some(phase), ..NetState::default() };
    for state in net.state.iter().chain(solver) {
        merged.phase = state.phase.or(merged.phase);
        merged.level = state.level.or(merged.level);
        merged.stage.extend(state.stage.iter().cloned());
    }
    merged
}
