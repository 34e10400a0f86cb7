//! Which layers belong to a net in a given state: phase, level and stages.

use caffe_format::{NetParameter, NetState, NetStateRule, Phase};
use serde::{Deserialize, Serialize};

use crate::NetError;

/// A rule of a layer that the net's state does not meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnmetRule {
    /// The layer whose rule it is. An unmet `include` leaves the layer out, an unmet `exclude`
    /// keeps it.
    pub layer: String,
    /// What differs.
    pub mismatch: Mismatch,
}

/// How a net's state differs from a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mismatch {
    /// Another phase.
    Phase {
        /// The net's.
        #[serde(with = "PhaseName")]
        state: Phase,
        /// The rule's.
        #[serde(with = "PhaseName")]
        rule: Phase,
    },
    /// A level below `min_level`.
    LevelBelow {
        /// The net's.
        level: i32,
        /// The rule's.
        min: i32,
    },
    /// A level above `max_level`.
    LevelAbove {
        /// The net's.
        level: i32,
        /// The rule's.
        max: i32,
    },
    /// The net is not in a stage that the rule names.
    StageMissing {
        /// The stage.
        stage: String,
    },
    /// The net is in a stage that the rule excludes (`not_stage`).
    StageForbidden {
        /// The stage.
        stage: String,
    },
}

/// Keeps the layers whose rules admit `net.state`; also returns every rule that it does not meet.
pub fn filter(net: &NetParameter) -> Result<(NetParameter, Vec<UnmetRule>), NetError> {
    let state = net.state();
    let mut unmet = Vec::new();
    let mut kept = Vec::new();
    for layer in &net.layer {
        if !layer.include.is_empty() && !layer.exclude.is_empty() {
            return Err(NetError::BothRules { layer: layer.name().into() });
        }
        let mut meets = |rule: &NetStateRule| {
            let mismatch = mismatch(state, rule);
            let met = mismatch.is_none();
            unmet.extend(mismatch.map(|m| UnmetRule { layer: layer.name().into(), mismatch: m }));
            met
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
    Ok((NetParameter { layer: kept, ..net.clone() }, unmet))
}

/// Phase, level and stages in words: `phase TEST, level 1, stages a and b`. Level 0 is not named.
#[must_use]
pub fn state_in_words(state: &NetState) -> String {
    let phase = match state.phase() {
        Phase::Train => "phase TRAIN",
        Phase::Test => "phase TEST",
    };
    let level = match state.level() {
        0 => String::new(),
        level => format!(", level {level}"),
    };
    let stages = match &state.stage[..] {
        [] => String::new(),
        [stage] => format!(", stage {stage}"),
        [first @ .., last] => format!(", stages {} and {last}", first.join(", ")),
    };
    format!("{phase}{level}{stages}")
}

/// Why `state` does not meet `rule`.
fn mismatch(state: &NetState, rule: &NetStateRule) -> Option<Mismatch> {
    if rule.phase.is_some_and(|phase| phase != state.phase()) {
        return Some(Mismatch::Phase { state: state.phase(), rule: rule.phase() });
    }
    let level = state.level();
    if let Some(min) = rule.min_level.filter(|&min| level < min) {
        return Some(Mismatch::LevelBelow { level, min });
    }
    if let Some(max) = rule.max_level.filter(|&max| level > max) {
        return Some(Mismatch::LevelAbove { level, max });
    }
    if let Some(stage) = rule.stage.iter().find(|stage| !state.stage.contains(stage)) {
        return Some(Mismatch::StageMissing { stage: stage.clone() });
    }
    let forbidden = rule.not_stage.iter().find(|stage| state.stage.contains(stage))?;
    Some(Mismatch::StageForbidden { stage: forbidden.clone() })
}

/// How serde writes Caffe's phases: `TRAIN`, `TEST`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Phase", rename_all = "UPPERCASE")]
enum PhaseName {
    Train,
    Test,
}
