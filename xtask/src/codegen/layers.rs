//! `docs/layers.md`: the layer table for people, with the options of each from the schema tables.

use std::collections::BTreeSet;

use layers::{Arity, InPlace, LAYERS, LayerKind};

const HEAD: &str = "\
# Layers

Every layer type, from the `LAYERS` table; written by `cargo xtask codegen`. Options and defaults
are Caffe's; a type that only a fork of Caffe has is followed by the fork's name. `x` is a bottom,
`y` a top.

| type | computes | bottoms | tops | in place | options |
|---|---|---|---|---|---|
";

const OPTIONS: &str = "
# Options

Field, type, and the default where there is one. A `*` marks fields that may be given several times.
";

/// The page, for the rows `schema` of both schema tables.
pub(super) fn markdown(schema: &str) -> String {
    let rows: String = LAYERS.iter().map(row).collect();
    let used: BTreeSet<&str> = LAYERS.iter().flat_map(options).collect();
    let sections: String = used.iter().map(|field| section(schema, field)).collect();
    format!("{HEAD}{rows}{OPTIONS}{sections}")
}

fn row(kind: &LayerKind) -> String {
    let links: Vec<_> = options(kind).map(|field| format!("[`{field}`](#{field})")).collect();
    let tops = if kind.tops_equal_bottoms { "as bottoms".into() } else { arity(kind.tops) };
    let in_place = match kind.in_place {
        InPlace::Never | InPlace::ReadsOverwritten => "",
        InPlace::First => "yes",
    };
    let formula = kind.formula.replace('|', "\\|");
    let (bottoms, links) = (arity(kind.bottoms), links.join(", "));
    let fork = if kind.fork.is_empty() { String::new() } else { format!(" ({})", kind.fork) };
    let name = format!("`{}`{fork}", kind.name);
    format!("| {name} | {formula} | {bottoms} | {tops} | {in_place} | {links} |\n")
}

/// The fields of `layer { .. }` that hold its options.
fn options(kind: &LayerKind) -> impl Iterator<Item = &'static str> {
    kind.options.split(", ").filter(|field| !field.is_empty())
}

fn arity(arity: Arity) -> String {
    if arity == Arity::at_least(0) { "any".into() } else { arity.to_string() }
}

/// The fields of one options message.
fn section(schema: &str, field: &str) -> String {
    let rows = || schema.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let layer = rows().find(|row| row[0] == "LayerParameter" && row.get(2) == Some(&field));
    let message = layer.map_or("", |row| row[4]);
    let mut text = format!("\n## `{field}`\n\n");
    for row in rows().filter(|row| row[0] == message && !row[1].is_empty()) {
        let [_, _, name, label, kind, _, default] = row[..] else { continue };
        let star = if label == "repeated" { "*" } else { "" };
        let kind = match kind.strip_prefix("enum ") {
            Some(name) => values(schema, name),
            None => kind.to_owned(),
        };
        let default =
            if default.is_empty() { String::new() } else { format!(", default {default}") };
        text += &format!("- `{name}`{star} {kind}{default}\n");
    }
    text
}

/// The names of an enum's values.
fn values(schema: &str, name: &str) -> String {
    let rows = schema.lines().filter(|line| line.split('\t').next() == Some(name));
    let values = rows.filter_map(|row| row.split('\t').next_back()).flat_map(|row| row.split(' '));
    let names: Vec<_> = values.filter_map(|value| value.split('=').next()).collect();
    names.join(" or ")
}
