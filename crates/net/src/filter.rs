//! Which layers belong to a net in a given state: phase, level and stages.

use caffe_format::{NetParameter, NetState, NetStateRule, Phase};

use crate::NetError;

/// Keeps the layers whose rules admit `net.state`. The second value says, in Caffe's words, why each
/// rule failed.
pub fn filter(net: &NetParameter) -> Result<(NetParameter, Vec<String>), NetError> {
    let state = net.state();
    let mut notes = Vec::new();
    let mut kept = Vec::new();
    for layer in &net.layer {
        if !layer.include.is_empty() && !layer.exclude.is_empty() {
            return Err(NetError::BothRules { layer: layer.name().into() });
        }
        let mut meets = |rule: &NetStateRule| match broken(state, rule, layer.name()) {
            None => true,
            Some(note) => {
                notes.push(note);
                false
            }
        };
        let included = if layer.include.is_empty() {
            !layer.exclude.iter().any(&mut meets)
        } else {
            layer.include.iter().any(&mut meets)
        };
        if included {
            kept.push(layer.clone());
        }
    }
    Ok((NetParameter { layer: kept, ..net.clone() }, notes))
}

/// Why `state` does not meet `rule`.
fn broken(state: &NetState, rule: &NetStateRule, layer: &str) -> Option<String> {
    let number = |phase: Phase| match phase {
        Phase::Train => 0,
        Phase::Test => 1,
    };
    if rule.phase.is_some_and(|phase| phase != state.phase()) {
        return Some(format!(
            "The NetState phase ({}) differed from the phase ({}) specified by a rule in layer {layer}",
            number(state.phase()),
            number(rule.phase()),
        ));
    }
    let level = state.level();
    if let Some(min) = rule.min_level.filter(|&min| level < min) {
        return Some(format!(
            "The NetState level ({level}) is above the min_level ({min}) specified by a rule in layer {layer}"
        ));
    }
    if let Some(max) = rule.max_level.filter(|&max| level > max) {
        return Some(format!(
            "The NetState level ({level}) is above the max_level ({max}) specified by a rule in layer {layer}"
        ));
    }
    if let Some(stage) = rule.stage.iter().find(|stage| !state.stage.contains(stage)) {
        return Some(format!(
            "The NetState did not contain stage '{stage}' specified by a rule in layer {layer}"
        ));
    }
    let forbidden = rule.not_stage.iter().find(|stage| state.stage.contains(stage))?;
    Some(format!(
        "The NetState contained a not_stage '{forbidden}' specified by a rule in layer {layer}"
    ))
}
