//! In which states a net is checked that no solver names: each phase without a stage, and with
//! every set of stages that a rule for that phase names.
//!
//! Not all of them are meant. BVLC's `mnist_autoencoder.prototxt` has data for phase TEST in two
//! stages only. A state whose layers do not connect is excused if what they miss is left out by a
//! rule, as long as its phase is checked in another state, and its stages in another phase.

use caffe_format::{LayerParameter, NetParameter, NetState, NetStateRule, Phase};
use net::filter::state_in_words;
use net::{NetDescription, NetError};
use train::AddedLayers;

use super::CheckArgs;
use super::findings::{Findings, build};
use crate::options::LayerSelectionArgs;

/// A net in one state.
struct CheckedState {
    state: NetState,
    result: Result<NetDescription, Vec<NetError>>,
}

/// Checks `net` of the file in all states that make sense.
pub(super) fn check(
    net: &NetParameter,
    args: &CheckArgs,
    added: AddedLayers,
    findings: &mut Findings,
) {
    let mut all = Vec::new();
    for state in states(net, &args.selection) {
        let written = NetParameter { state: Some(state.clone()), ..net.clone() };
        match build(&written, &args.file, args.rounding.precision, added) {
            Ok(result) => all.push(CheckedState { state, result }),
            Err(error) => return findings.error(*error),
        }
    }
    let mut shown: Option<Vec<String>> = None;
    for checked in &all {
        let name = state_in_words(&checked.state);
        match &checked.result {
            Ok(net) => {
                // A net without rules is the same in both phases; once is enough.
                let layers: Vec<_> = net.rows.iter().map(|row| row.name.clone()).collect();
                if shown.as_ref() != Some(&layers) {
                    findings.table(&name, net);
                }
                shown = Some(layers);
                findings.checked(name);
            }
            Err(errors) if is_excused(checked, &all, &net.layer) => {
                let first = train::chain(&errors[0]);
                findings.note(format!("{name} is not meant to be built: {first}"));
            }
            Err(errors) => findings.net_errors(&name, errors),
        }
    }
}

/// Phases and stages to check; only what was asked for if stages were.
fn states(net: &NetParameter, selection: &LayerSelectionArgs) -> Vec<NetState> {
    let mut states = Vec::new();
    for phase in [Phase::Train, Phase::Test] {
        let asked = selection.state(phase);
        let named = if asked.stage.is_empty() { named_stages(net, phase) } else { Vec::new() };
        states.push(asked.clone());
        states.extend(named.into_iter().map(|stage| NetState { stage, ..asked.clone() }));
    }
    states
}

/// The sets of stages that rules for `phase` name, in the order of the file.
fn named_stages(net: &NetParameter, phase: Phase) -> Vec<Vec<String>> {
    let rules = net.layer.iter().flat_map(|layer| layer.include.iter().chain(&layer.exclude));
    let mut sets: Vec<Vec<String>> = Vec::new();
    for NetStateRule { stage, not_stage, .. } in
        rules.filter(|rule| rule.phase.is_none_or(|of| of == phase))
    {
        let excluded = not_stage.iter().map(|stage| vec![stage.clone()]);
        for set in std::iter::once(stage.clone()).chain(excluded) {
            if !set.is_empty() && !sets.contains(&set) {
                sets.push(set);
            }
        }
    }
    sets
}

/// Whether a state that cannot be built need not be: its phase, and its stages if it has any, are
/// checked in other states.
fn is_excused(checked: &CheckedState, all: &[CheckedState], layers: &[LayerParameter]) -> bool {
    let connects = |other: &&CheckedState| !other.lacks_layers(layers);
    let mut others = all.iter().filter(connects);
    let in_phase = others.clone().any(|other| other.state.phase() == checked.state.phase());
    let stages = &checked.state.stage;
    let with_stages = stages.is_empty() || others.any(|other| other.state.stage == *stages);
    checked.lacks_layers(layers) && in_phase && with_stages
}

impl CheckedState {
    /// Whether rules leave out layers that others need, or let in two that exclude each other.
    fn lacks_layers(&self, layers: &[LayerParameter]) -> bool {
        let is_top = |blob: &String| layers.iter().any(|layer| layer.top.contains(blob));
        let by_rules = |error: &NetError| match error {
            NetError::NoLayers { written, .. } => *written > 0,
            NetError::UnknownBottom { blob, .. } => is_top(blob),
            NetError::DuplicateTop { .. } => true,
            _ => false,
        };
        self.result.as_ref().is_err_and(|errors| errors.iter().all(by_rules))
    }
}
