//! `schema.tsv` and `legacy/`: messages and their older forms.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use caffe_format::message::{FieldType, Label, MessageKind};
use caffe_format::{NetParameter, SolverParameter, text, upgrade};

use super::{CaseVerdict, ending_in};

/// The one schema file, if it is there.
pub(crate) fn schema_cases(root: &Path) -> Result<Vec<PathBuf>> {
    let file = root.join("schema.tsv");
    Ok(if file.exists() { vec![file] } else { Vec::new() })
}

/// Every message and field of the recorded schema is known, with number, label, type and default.
pub(crate) fn schema(case: &Path) -> Result<CaseVerdict> {
    let recorded = fs::read_to_string(case)?;
    let ours: BTreeMap<&str, &MessageKind> =
        caffe_format::schema::MESSAGES.iter().map(|kind| (kind.name, *kind)).collect();
    let mut fields = 0;
    for line in recorded.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[message, number, field, label, kind, packed, ..] = &columns[..] else {
            bail!("the line `{line}` has too few columns");
        };
        if field == "enum" {
            continue; // values are checked where a field has the type
        }
        let kind_of = ours.get(message).with_context(|| format!("no message {message}"))?;
        let (_, found) =
            kind_of.by_name(field).with_context(|| format!("no field {message}.{field}"))?;
        let wanted = (number.parse::<u32>()?, label_of(label, packed)?);
        if (found.number, found.label) != wanted || type_name(&found.kind) != kind {
            bail!("{message}.{field} is {found:?}, recorded {number} {label} {kind}");
        }
        fields += 1;
    }
    Ok(CaseVerdict::Passed(format!("{fields} fields")))
}

fn label_of(label: &str, packed: &str) -> Result<Label> {
    Ok(match (label, packed.is_empty()) {
        ("optional", _) => Label::Optional,
        ("required", _) => Label::Required,
        ("repeated", true) => Label::Repeated,
        ("repeated", false) => Label::Packed,
        _ => bail!("label {label}"),
    })
}

fn type_name(kind: &FieldType) -> String {
    match kind {
        FieldType::Int32 => "int32".into(),
        FieldType::Uint32 => "uint32".into(),
        FieldType::Int64 => "int64".into(),
        FieldType::Float => "float".into(),
        FieldType::Double => "double".into(),
        FieldType::Bool => "bool".into(),
        FieldType::String => "string".into(),
        FieldType::Bytes => "bytes".into(),
        FieldType::Enum(kind) => format!("enum {}", kind.name),
        FieldType::Message(kind) => kind.name.into(),
    }
}

/// Old prototxts with what the reference made of them beside.
pub(crate) fn legacy_cases(root: &Path) -> Result<Vec<PathBuf>> {
    ending_in(&root.join("legacy"), ".upgraded.prototxt")
}

/// The upgraded message is the recorded one, field by field.
pub(crate) fn legacy(case: &Path) -> Result<CaseVerdict> {
    let name = case.file_name().context("a name")?.to_string_lossy().replace(".upgraded", "");
    let old = fs::read_to_string(case.with_file_name(&name))?;
    let want = fs::read_to_string(case)?;
    let same = if name.contains("solver") {
        let (got, _) = upgrade::solver(parse::<SolverParameter>(&name, &old)?)?;
        first_difference(
            &text::write(&got),
            &text::write(&parse::<SolverParameter>("recorded", &want)?),
        )
    } else {
        let (got, _) = upgrade::net(parse::<NetParameter>(&name, &old)?)?;
        first_difference(
            &text::write(&got),
            &text::write(&parse::<NetParameter>("recorded", &want)?),
        )
    };
    match same {
        None => Ok(CaseVerdict::Passed("the same message".into())),
        Some(difference) => bail!("{difference}"),
    }
}

fn parse<M: caffe_format::message::Message + Default>(name: &str, source: &str) -> Result<M> {
    text::read(name, source).map_err(|errors| anyhow::anyhow!("{errors}"))
}

fn first_difference(got: &str, want: &str) -> Option<String> {
    if got == want {
        return None;
    }
    let mut lines = got.lines().zip(want.lines()).enumerate();
    let (line, (got, want)) = lines.find(|(_, (got, want))| got != want)?;
    Some(format!("line {}: `{got}`, recorded `{want}`", line + 1))
}
