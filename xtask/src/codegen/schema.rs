//! Turns Caffe's schema table, and ours, into `crates/caffe-format/src/schema.rs`.
//!
//! What Caffe does not have stands in a table of its own (`extensions.tsv`), so that the other
//! remains Caffe's; in messages of Caffe its numbers begin at 1001, far from where Caffe adds.
//!
//! A table (`schema.tsv`) has one row per field (message, number, name, label, type, packed,
//! default) and one row per enum (name, values); a second row of an enum adds values. Lines that
//! begin with `#` are comments. The output has one plain struct per message with
//! an accessor for every optional field, one Rust enum per enum, and for each the static
//! description that the generic text and binary codecs walk. Nothing else is generated: no code
//! that parses or prints a particular message exists.
//!
//! The output is a pure function of the tables and is laid out as a table itself (one line per
//! field), so the module is exempt from rustfmt. A table that breaks its own form is our bug and
//! panics.

use std::collections::BTreeMap;
use std::fmt::Write as _;

const HEADER: &str = "\
//! Every message of Caffe's schema. Generated from `schema.tsv` and `extensions.tsv` by `xtask
//! codegen`; do not edit.
//!
//! Fields hold what was written: `None` is absent, whatever the default. The method of the same
//! name gives the value or the schema's default.

use crate::message::{
    Enum, EnumKind, FieldType, FieldValues, Message, MessageKind, Slot, SlotMut, UnknownField,
    bad_slot, optional, packed, repeated, required,
};
";

/// Rust source of `schema.rs` for Caffe's table and the one with our fields.
pub(crate) fn generate(caffe: &str, extensions: &str) -> String {
    let schema = Schema::parse(caffe, extensions);
    let mut out = String::from(HEADER);
    for (name, values) in &schema.enums {
        write_enum(&mut out, name, values);
    }
    for (name, fields) in &schema.messages {
        write_struct(&mut out, name, fields);
        write_accessors(&mut out, name, fields, &schema);
        write_message_impl(&mut out, name, fields);
    }
    out.push_str("\n/// Every message, by name.\npub const MESSAGES: &[&MessageKind] = &[\n");
    for name in schema.messages.keys() {
        line(&mut out, &format!("    {name}::KIND,"));
    }
    out.push_str("];\n");
    out
}

struct Schema<'a> {
    /// Message to fields, in the order of their numbers.
    messages: BTreeMap<&'a str, Vec<SchemaField<'a>>>,
    /// Enum (`Message.Name` or `Name`) to values in the order of the table; the first is the
    /// default.
    enums: BTreeMap<&'a str, Vec<(&'a str, &'a str)>>,
}

struct SchemaField<'a> {
    number: u32,
    name: &'a str,
    label: &'a str,
    kind: &'a str,
    packed: bool,
    default: &'a str,
    /// From the table of extensions.
    ours: bool,
}

impl<'a> Schema<'a> {
    fn parse(caffe: &'a str, extensions: &'a str) -> Self {
        let mut schema = Self { messages: BTreeMap::new(), enums: BTreeMap::new() };
        let rows = |table: &'a str, ours| table.lines().skip(1).map(move |row| (row, ours));
        let rows = rows(caffe, false).chain(rows(extensions, true));
        for (row, ours) in rows.filter(|(row, _)| !row.is_empty() && !row.starts_with('#')) {
            let columns: Vec<&str> = row.split('\t').collect();
            let &[message, number, name, label, kind, packed, default] = columns.as_slice() else {
                panic!("schema table: want 7 columns in `{row}`");
            };
            if number.is_empty() {
                let values = default.split(' ').map(|value| {
                    value.split_once('=').expect("schema table: an enum value is NAME=number")
                });
                schema.enums.entry(message).or_default().extend(values);
            } else {
                let number = number.parse().expect("schema table: a field number is a number");
                let packed = packed == "packed";
                let field = SchemaField { number, name, label, kind, packed, default, ours };
                schema.messages.entry(message).or_default().push(field);
            }
        }
        for fields in schema.messages.values_mut() {
            fields.sort_by_key(|field| field.number);
        }
        schema
    }
}

fn write_enum(out: &mut String, name: &str, values: &[(&str, &str)]) {
    let rust = enum_name(name);
    line(out, &format!("\n/// `{name}`."));
    line(out, "#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]");
    line(out, &format!("pub enum {rust} {{"));
    for (i, (value, number)) in values.iter().enumerate() {
        let default = if i == 0 { "#[default] " } else { "" };
        line(out, &format!("    /// `{value}`."));
        line(out, &format!("    {default}{} = {number},", camel(value)));
    }
    line(out, "}\n");
    line(out, &format!("impl Enum for {rust} {{"));
    line(out, "    const KIND: &'static EnumKind = &EnumKind {");
    line(out, &format!("        name: \"{name}\","));
    let list: Vec<_> =
        values.iter().map(|(value, number)| format!("(\"{value}\", {number})")).collect();
    line(out, &format!("        values: &[{}],", list.join(", ")));
    line(out, "    };");
    line(out, "    fn number(self) -> i32 { self as i32 }");
    line(out, "    fn from_number(number: i32) -> Option<Self> {");
    line(out, "        match number {");
    for (value, number) in values {
        line(out, &format!("            {number} => Some(Self::{}),", camel(value)));
    }
    line(out, "            _ => None,\n        }\n    }\n}");
}

fn write_struct(out: &mut String, name: &str, fields: &[SchemaField<'_>]) {
    line(out, &format!("\n/// `{name}`."));
    line(out, "#[derive(Debug, Clone, PartialEq, Default)]");
    line(out, &format!("pub struct {name} {{"));
    for field in fields {
        let SchemaField { number, name, label, kind, default, ours, .. } = field;
        let default =
            if default.is_empty() { String::new() } else { format!(", `{default}` unless set") };
        let ours = if *ours { " Not in Caffe." } else { "" };
        line(out, &format!("    /// `{label} {kind} {name} = {number}`{default}.{ours}"));
        let container = if *label == "repeated" { "Vec" } else { "Option" };
        line(out, &format!("    pub {}: {container}<{}>,", ident(name), rust_type(kind)));
    }
    line(out, "    /// Fields of a binary file that the schema does not know, in file order.");
    line(out, "    pub unknown: Vec<UnknownField>,\n}");
}

fn write_accessors(out: &mut String, name: &str, fields: &[SchemaField<'_>], schema: &Schema<'_>) {
    line(out, &format!("\nimpl {name} {{"));
    line(out, "    /// Name and fields, for the codecs.");
    line(out, "    pub const KIND: &'static MessageKind = &MessageKind {");
    line(out, &format!("        name: \"{name}\","));
    line(out, &format!("        new: || Box::new({name}::EMPTY),"));
    line(out, "        size: size_of::<Self>(),");
    line(out, "        fields: &[");
    for field in fields {
        let make = if field.packed { "packed" } else { field.label };
        let SchemaField { number, name, kind, .. } = field;
        line(out, &format!("            {make}({number}, \"{name}\", {}),", kind_expr(kind)));
    }
    line(out, "        ],\n    };");
    line(out, "    /// Nothing set.");
    line(out, "    pub const EMPTY: Self = Self {");
    for field in fields {
        let empty = if field.label == "repeated" { "Vec::new()" } else { "None" };
        line(out, &format!("        {}: {empty},", ident(field.name)));
    }
    line(out, "        unknown: Vec::new(),\n    };");
    line(out, "    /// One [`Self::EMPTY`] for everybody.");
    line(
        out,
        &format!(
            "    pub fn empty() -> &'static Self {{ static EMPTY: {name} = {name}::EMPTY; &EMPTY }}"
        ),
    );
    for field in fields.iter().filter(|field| field.label != "repeated") {
        write_accessor(out, field, schema);
    }
    line(out, "}");
}

fn write_accessor(out: &mut String, field: &SchemaField<'_>, schema: &Schema<'_>) {
    let name = ident(field.name);
    let or = |zero: &str| {
        if field.default.is_empty() { zero.to_owned() } else { field.default.to_owned() }
    };
    let (result, value) = match field.kind {
        "string" => ("&str".into(), format!("as_deref().unwrap_or(\"{}\")", field.default)),
        "bytes" => ("&[u8]".into(), "as_deref().unwrap_or_default()".to_owned()),
        "bool" => ("bool".into(), format!("unwrap_or({})", or("false").to_lowercase())),
        "float" | "double" => (rust_type(field.kind), format!("unwrap_or({})", or("0.0"))),
        "int32" | "uint32" | "int64" | "uint64" => {
            (rust_type(field.kind), format!("unwrap_or({})", or("0")))
        }
        kind => match kind.strip_prefix("enum ") {
            Some(kind) => {
                let default = camel(&or(schema.enums[kind][0].0));
                (enum_name(kind), format!("unwrap_or({}::{default})", enum_name(kind)))
            }
            None => (format!("&{kind}"), format!("as_ref().unwrap_or({kind}::empty())")),
        },
    };
    line(out, &format!("    /// [`Self::{name}`] or its default."));
    line(out, &format!("    pub fn {name}(&self) -> {result} {{ self.{name}.{value} }}"));
}

fn write_message_impl(out: &mut String, name: &str, fields: &[SchemaField<'_>]) {
    line(out, &format!("\nimpl Message for {name} {{"));
    line(out, "    fn kind(&self) -> &'static MessageKind { Self::KIND }");
    line(out, "    fn slot(&self, index: usize) -> Slot<'_> {\n        match index {");
    for (i, field) in fields.iter().enumerate() {
        let (variant, name) = (variant(field.kind), ident(field.name));
        let place = match variant {
            "Enum" | "Message" => format!("&self.{name}"),
            _ => format!("self.{name}.as_slice()"),
        };
        line(out, &format!("            {i} => Slot::{variant}({place}),"));
    }
    line(out, "            _ => bad_slot(Self::KIND, index),\n        }\n    }");
    line(out, "    fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {\n        match index {");
    for (i, field) in fields.iter().enumerate() {
        let (variant, name) = (variant(field.kind), ident(field.name));
        let place = match (variant, field.label) {
            ("Enum" | "Message", _) => format!("&mut self.{name}"),
            (_, "repeated") => format!("FieldValues::Many(&mut self.{name})"),
            _ => format!("FieldValues::One(&mut self.{name})"),
        };
        line(out, &format!("            {i} => SlotMut::{variant}({place}),"));
    }
    line(out, "            _ => bad_slot(Self::KIND, index),\n        }\n    }");
    line(out, "    fn unknown(&self) -> &[UnknownField] { &self.unknown }");
    line(out, "    fn unknown_mut(&mut self) -> &mut Vec<UnknownField> { &mut self.unknown }\n}");
}

/// The variant of `Slot`, `SlotMut` and `FieldType` for a type of the table.
fn variant(kind: &str) -> &'static str {
    match kind {
        "int32" => "Int32",
        "uint32" => "Uint32",
        "int64" => "Int64",
        "float" => "Float",
        "double" => "Double",
        "bool" => "Bool",
        "string" => "String",
        "bytes" => "Bytes",
        _ if kind.starts_with("enum ") => "Enum",
        _ => "Message",
    }
}

fn kind_expr(kind: &str) -> String {
    match variant(kind) {
        "Enum" => format!("FieldType::Enum({}::KIND)", rust_type(kind)),
        "Message" => format!("FieldType::Message({kind}::KIND)"),
        variant => format!("FieldType::{variant}"),
    }
}

fn rust_type(kind: &str) -> String {
    let rust = match kind {
        "int32" => "i32",
        "uint32" => "u32",
        "int64" => "i64",
        "float" => "f32",
        "double" => "f64",
        "bool" => "bool",
        "string" => "String",
        "bytes" => "Vec<u8>",
        _ => return kind.strip_prefix("enum ").map_or_else(|| kind.to_owned(), enum_name),
    };
    rust.to_owned()
}

/// `DataParameter.DB` is `DataParameterDb`, `Phase` is `Phase`.
fn enum_name(name: &str) -> String {
    let (message, name) = name.split_once('.').unwrap_or(("", name));
    let shouting = name.chars().all(|c| !c.is_lowercase());
    format!("{message}{}", if shouting { camel(name) } else { name.to_owned() })
}

/// `FAN_IN` is `FanIn`.
fn camel(value: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..].to_lowercase();
    value.split('_').map(word).collect()
}

/// The field's name, with an underscore after a Rust keyword.
fn ident(name: &str) -> String {
    match name {
        "type" => format!("{name}_"),
        _ => name.to_owned(),
    }
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("a String accepts everything");
}
