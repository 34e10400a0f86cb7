//! What is said about a prototxt that is not quite in Caffe 1.0's format.

use train::files::PrototxtNotice;
use train::{Diagnostic, UpgradeChange};

/// A notice in words; that of an unknown field has the field's line below it.
pub(crate) fn notice(notice: &PrototxtNotice) -> String {
    in_words(notice, |field| field.to_string())
}

/// A notice on one line.
pub(crate) fn notice_in_one_line(notice: &PrototxtNotice) -> String {
    in_words(notice, Diagnostic::in_one_line)
}

fn in_words(notice: &PrototxtNotice, unknown: impl Fn(&Diagnostic) -> String) -> String {
    match notice.clone() {
        PrototxtNotice::UnknownField {
            file,
            line,
            column,
            message,
            source_line,
            caret,
            hint,
            count,
        } => unknown(&Diagnostic { file, line, column, message, source_line, caret, hint, count }),
        PrototxtNotice::SnapshotPrefix { file, folder: None, prefix } => {
            format!("{file}: no `snapshot_prefix`: snapshots are named {prefix}_iter_N")
        }
        PrototxtNotice::SnapshotPrefix { file, folder: Some(folder), prefix } => format!(
            "{file}: `snapshot_prefix` is the folder {folder}: snapshots are named {prefix}_iter_N"
        ),
        PrototxtNotice::Upgraded { file, change } => format!("{file}: {}", upgrade(&change)),
    }
}

/// What an upgrade changed.
pub(crate) fn upgrade(change: &UpgradeChange) -> String {
    match change {
        UpgradeChange::V0Layers => "upgraded V0 layers to V1".into(),
        UpgradeChange::DroppedField { layer, field, kind } => {
            format!("layer `{layer}`: dropped `{field}`, which `{kind}` has no use for")
        }
        UpgradeChange::TransformFields => {
            "moved transformation fields of data layers to `transform_param`".into()
        }
        UpgradeChange::V1Layers => "upgraded V1 layers".into(),
        UpgradeChange::InputLayer => "made the net's `input` fields an Input layer".into(),
        UpgradeChange::DroppedInputs => {
            "dropped the net's `input` fields, which have no shape".into()
        }
        UpgradeChange::BatchNormRates { layers } => {
            format!("set the rates of {layers} BatchNorm layers' `param`s to 0")
        }
        UpgradeChange::SolverType { name } => {
            format!("replaced `solver_type` by `type: \"{name}\"`")
        }
        UpgradeChange::SolverNet { field, change } => format!("`{field}`: {}", upgrade(change)),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use train::UpgradeChange;

    use super::upgrade;

    #[test]
    fn every_upgrade_has_words() {
        let text = |text: &str| text.to_owned();
        let changes = [
            UpgradeChange::V0Layers,
            UpgradeChange::DroppedField {
                layer: text("pool1"),
                field: text("num_output"),
                kind: text("pool"),
            },
            UpgradeChange::TransformFields,
            UpgradeChange::V1Layers,
            UpgradeChange::InputLayer,
            UpgradeChange::DroppedInputs,
            UpgradeChange::BatchNormRates { layers: 2 },
            UpgradeChange::SolverType { name: text("Nesterov") },
            UpgradeChange::SolverNet {
                field: text("net_param"),
                change: Box::new(UpgradeChange::V1Layers),
            },
        ];
        let lines: Vec<String> = changes.iter().map(upgrade).collect();
        expect![[r#"
            upgraded V0 layers to V1
            layer `pool1`: dropped `num_output`, which `pool` has no use for
            moved transformation fields of data layers to `transform_param`
            upgraded V1 layers
            made the net's `input` fields an Input layer
            dropped the net's `input` fields, which have no shape
            set the rates of 2 BatchNorm layers' `param`s to 0
            replaced `solver_type` by `type: "Nesterov"`
            `net_param`: upgraded V1 layers"#]]
        .assert_eq(&lines.join("\n"));
    }
}
