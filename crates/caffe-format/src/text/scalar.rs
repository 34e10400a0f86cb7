//! One value of prototxt against the type of its field.

use super::number::{decimal, integer, to_float};
use super::suggest::did_you_mean;
use crate::message::{EnumKind, Field, FieldType, SlotMut};

/// A value as written, before anybody asked what it should be.
#[derive(Debug)]
pub(super) enum Scalar<'a> {
    /// `12`, `-0.5f`, `0x1F`.
    Number { negative: bool, text: &'a str },
    /// `MAX`, `true`, `-inf`.
    Name { negative: bool, text: &'a str },
    /// One or more strings next to each other, unescaped.
    Text(Vec<u8>),
}

/// What is wrong with a value, and what might be meant.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// Puts `value` into the slot of `field`.
pub(super) fn store(field: &Field, slot: SlotMut<'_>, value: &Scalar<'_>) -> Result<(), Refusal> {
    let stored = match slot {
        SlotMut::Int32(mut to) => whole(field, value)?.map(|value| to.push(value)),
        SlotMut::Uint32(mut to) => whole(field, value)?.map(|value| to.push(value)),
        SlotMut::Int64(mut to) => whole(field, value)?.map(|value| to.push(value)),
        SlotMut::Float(mut to) => real(value).map(|value| to.push(to_float(value))),
        SlotMut::Double(mut to) => real(value).map(|value| to.push(value)),
        SlotMut::Bool(mut to) => truth(value).map(|value| to.push(value)),
        SlotMut::String(mut to) => text(field, value)?.map(|value| to.push(value)),
        SlotMut::Bytes(mut to) => raw(value).map(|value| to.push(value.to_vec())),
        SlotMut::Enum(to) => {
            let FieldType::Enum(kind) = field.kind else { panic!("slot and kind agree") };
            enum_number(kind, value)?.map(|number| assert!(to.push(number), "the enum lists it"))
        }
        SlotMut::Message(_) => None,
    };
    stored.ok_or_else(|| wrong_type(field, value))
}

/// What a field takes, as a sentence needs it.
pub(super) fn takes(kind: FieldType) -> String {
    match kind {
        FieldType::Int32 | FieldType::Uint32 | FieldType::Int64 => "a whole number".to_owned(),
        FieldType::Float | FieldType::Double => "a number".to_owned(),
        FieldType::Bool => "`true` or `false`".to_owned(),
        FieldType::String | FieldType::Bytes => "a string in quotes".to_owned(),
        FieldType::Enum(kind) => format!("a value of `{}`", kind.name),
        FieldType::Message(_) => "a block".to_owned(),
    }
}

fn wrong_type(field: &Field, value: &Scalar<'_>) -> Refusal {
    let quoted = matches!(field.kind, FieldType::String | FieldType::Bytes);
    let hint = match value {
        Scalar::Text(bytes) => unquoted(field.kind, bytes),
        Scalar::Name { text, .. } | Scalar::Number { text, .. } if quoted => {
            Some(format!("put it in quotes: \"{text}\""))
        }
        _ => None,
    };
    let message = format!("`{}` takes {}, not {}", field.name, takes(field.kind), shown(value));
    Refusal { message, hint }
}

/// "Remove the quotes", if what they enclose would do or nearly do.
fn unquoted(kind: FieldType, bytes: &[u8]) -> Option<String> {
    let text = str::from_utf8(bytes).ok()?;
    let number = Scalar::Number { negative: false, text };
    let fits = match kind {
        FieldType::Int32 | FieldType::Uint32 | FieldType::Int64 => integer(text).is_some(),
        FieldType::Float | FieldType::Double => real(&number).is_some(),
        FieldType::Bool => truth(&Scalar::Name { negative: false, text }).is_some(),
        FieldType::Enum(kind) if kind.values.iter().any(|(name, _)| *name == text) => true,
        FieldType::Enum(kind) => {
            return did_you_mean(text, kind.values.iter().map(|(name, _)| *name));
        }
        FieldType::String | FieldType::Bytes | FieldType::Message(_) => false,
    };
    fits.then(|| "remove the quotes".to_owned())
}

fn shown(value: &Scalar<'_>) -> String {
    let sign = |negative: bool| if negative { "-" } else { "" };
    match value {
        Scalar::Number { negative, text } | Scalar::Name { negative, text } => {
            format!("`{}{}`", sign(*negative), short(text))
        }
        Scalar::Text(bytes) => format!("the string {:?}", short(&String::from_utf8_lossy(bytes))),
    }
}

/// A report quotes the start of a value; the whole of it may be a megabyte.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// An integer type of the schema: where it begins and ends.
trait Whole: TryFrom<i128> {
    const RANGE: [i128; 2];
}

impl Whole for i32 {
    const RANGE: [i128; 2] = [i32::MIN as i128, i32::MAX as i128];
}

impl Whole for u32 {
    const RANGE: [i128; 2] = [u32::MIN as i128, u32::MAX as i128];
}

impl Whole for i64 {
    const RANGE: [i128; 2] = [i64::MIN as i128, i64::MAX as i128];
}

/// `None` if it is no whole number at all.
fn whole<T: Whole>(field: &Field, value: &Scalar<'_>) -> Result<Option<T>, Refusal> {
    let &Scalar::Number { negative, text } = value else { return Ok(None) };
    let Some(size) = integer(text) else { return Ok(None) };
    let size = i128::try_from(size).unwrap_or(i128::MAX);
    let signed = if negative { -size } else { size };
    T::try_from(signed).map(Some).map_err(|_| {
        let [from, to] = T::RANGE;
        let (name, value) = (field.name, shown(value));
        let message = format!("`{name}` takes a whole number from {from} to {to}, not {value}");
        Refusal { message, hint: None }
    })
}

fn real(value: &Scalar<'_>) -> Option<f64> {
    let (negative, size) = match value {
        Scalar::Number { negative, text } => (negative, decimal(text)?),
        Scalar::Name { negative, text } => (negative, not_finite(text)?),
        Scalar::Text(_) => return None,
    };
    Some(if *negative { -size } else { size })
}

fn not_finite(text: &str) -> Option<f64> {
    match text.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => Some(f64::INFINITY),
        "nan" => Some(f64::NAN),
        _ => None,
    }
}

fn truth(value: &Scalar<'_>) -> Option<bool> {
    match value {
        Scalar::Name { negative: false, text: "true" | "True" | "t" } => Some(true),
        Scalar::Name { negative: false, text: "false" | "False" | "f" } => Some(false),
        Scalar::Number { negative: false, text } => match integer(text)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
        _ => None,
    }
}

fn raw<'a>(value: &'a Scalar<'_>) -> Option<&'a [u8]> {
    if let Scalar::Text(bytes) = value { Some(bytes) } else { None }
}

/// `None` if it is no string.
fn text(field: &Field, value: &Scalar<'_>) -> Result<Option<String>, Refusal> {
    let Some(bytes) = raw(value) else { return Ok(None) };
    String::from_utf8(bytes.to_vec()).map(Some).map_err(|_| {
        let message = format!("the escapes in `{}` do not make UTF-8 text", field.name);
        Refusal { message, hint: None }
    })
}

/// The number of a value written by name or by number; `None` if it is neither.
fn enum_number(kind: &EnumKind, value: &Scalar<'_>) -> Result<Option<i32>, Refusal> {
    let found = match value {
        Scalar::Name { negative: false, text } => kind.values.iter().find(|(name, _)| name == text),
        Scalar::Number { negative, text } => {
            let Some(size) = integer(text) else { return Ok(None) };
            let number = i32::try_from(size).ok().filter(|_| !negative);
            kind.values.iter().find(|value| Some(value.1) == number)
        }
        _ => return Ok(None),
    };
    match found {
        Some((_, number)) => Ok(Some(*number)),
        None => Err(not_listed(kind, value)),
    }
}

fn not_listed(kind: &EnumKind, value: &Scalar<'_>) -> Refusal {
    let names = || kind.values.iter().map(|(name, _)| *name);
    let near = match value {
        Scalar::Name { text, .. } => did_you_mean(text, names()),
        _ => None,
    };
    let list = || format!("one of `{}`", names().collect::<Vec<_>>().join("`, `"));
    let message = format!("{} is not a value of `{}`", shown(value), kind.name);
    Refusal { message, hint: near.or_else(|| Some(list())) }
}
