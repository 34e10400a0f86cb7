//! Binary to message: one function that fills any message through its slots.

use super::wire::{Cursor, Fault, WireType};
use super::write::put_varint;
use super::{BinaryError, BinaryProblem};
use crate::STRUCT_BYTES_MAX;
use crate::message::{Enums, Field, FieldType, FieldValues, Label, Message, SlotMut, UnknownField};

pub(super) fn root(bytes: &[u8], message: &mut dyn Message) -> Result<(), BinaryError> {
    let mut reader = MessageReader { struct_bytes_left: STRUCT_BYTES_MAX };
    let kind = message.kind();
    reader.message(Cursor::new(bytes), message).map_err(|fault| fault.into_error(kind.name))
}

struct MessageReader {
    struct_bytes_left: usize,
}

impl MessageReader {
    fn message(&mut self, mut cursor: Cursor<'_>, into: &mut dyn Message) -> Result<(), Fault> {
        let kind = into.kind();
        while !cursor.is_empty() {
            let start = cursor.at();
            let (number, wire) = cursor.tag()?;
            match kind.by_number(number).filter(|(_, field)| fits(field, wire)) {
                Some((index, field)) => {
                    let tag = cursor.since(start);
                    self.field(&mut cursor, into, index, FieldRecord { field, wire, tag })?;
                }
                None => {
                    cursor.skip(number, wire)?;
                    let record = cursor.since(start).to_vec();
                    into.unknown_mut().push(UnknownField { number, record });
                }
            }
        }
        match into.missing() {
            Some(field) => Err(cursor.fault(BinaryProblem::Missing { field: field.name })),
            None => Ok(()),
        }
    }

    fn field(
        &mut self,
        cursor: &mut Cursor<'_>,
        into: &mut dyn Message,
        index: usize,
        record: FieldRecord<'_>,
    ) -> Result<(), Fault> {
        let FieldRecord { field, wire, tag } = record;
        let before = into.slot(index).count();
        let mut refused = Vec::new();
        let done = match into.slot_mut(index) {
            SlotMut::Int32(mut to) => varints(cursor, wire, |value| to.push(low_i32(value))),
            SlotMut::Uint32(mut to) => varints(cursor, wire, |value| to.push(low_u32(value))),
            SlotMut::Int64(mut to) => varints(cursor, wire, |value| to.push(value.cast_signed())),
            SlotMut::Bool(mut to) => varints(cursor, wire, |value| to.push(value != 0)),
            SlotMut::Enum(to) => enums(cursor, wire, to, &mut refused),
            SlotMut::Float(to) => fixed(cursor, wire, tag, to, f32::from_le_bytes),
            SlotMut::Double(to) => fixed(cursor, wire, tag, to, f64::from_le_bytes),
            SlotMut::String(mut to) => string(cursor).map(|text| to.push(text.to_owned())),
            SlotMut::Bytes(mut to) => cursor.block().map(|bytes| to.push(bytes.to_vec())),
            SlotMut::Message(to) => self.open(cursor, field).and_then(|inner| {
                let opened = to.open();
                self.message(inner, opened)
            }),
        };
        for number in refused {
            into.unknown_mut().push(enum_record(field.number, number));
        }
        done.map_err(|fault| fault.within(path_part(field, before)))
    }

    /// The window of a message that comes next, if there is memory for its struct.
    fn open<'a>(&mut self, cursor: &mut Cursor<'a>, field: &Field) -> Result<Cursor<'a>, Fault> {
        let size = if let FieldType::Message(kind) = field.kind { kind.size } else { 0 };
        let left = self.struct_bytes_left.checked_sub(size);
        self.struct_bytes_left = left.ok_or_else(|| cursor.fault(BinaryProblem::Count))?;
        cursor.inner()
    }
}

/// A tag that was read: whose, and as what bytes.
struct FieldRecord<'a> {
    field: &'static Field,
    wire: WireType,
    tag: &'a [u8],
}

/// Whether a record of this wire type can be a value of the field; if not, protobuf treats it as
/// one of an unknown field.
fn fits(field: &Field, wire: WireType) -> bool {
    let single = match field.kind {
        FieldType::Int32
        | FieldType::Uint32
        | FieldType::Int64
        | FieldType::Bool
        | FieldType::Enum(_) => WireType::Varint,
        FieldType::Float => WireType::Fixed32,
        FieldType::Double => WireType::Fixed64,
        FieldType::String | FieldType::Bytes | FieldType::Message(_) => WireType::Block,
    };
    let repeated = matches!(field.label, Label::Repeated | Label::Packed);
    wire == single || (wire == WireType::Block && repeated)
}

/// `data`, or `blobs[2]` for a value of which two came before.
fn path_part(field: &Field, before: usize) -> String {
    match (field.label, field.kind) {
        (Label::Repeated, FieldType::Message(_) | FieldType::String) => {
            format!("{}[{before}]", field.name)
        }
        _ => field.name.to_owned(),
    }
}

fn varints(
    cursor: &mut Cursor<'_>,
    wire: WireType,
    mut push: impl FnMut(u64),
) -> Result<(), Fault> {
    if wire != WireType::Block {
        push(cursor.varint()?);
        return Ok(());
    }
    let mut packed = cursor.inner()?;
    while !packed.is_empty() {
        push(packed.varint()?);
    }
    Ok(())
}

fn enums(
    cursor: &mut Cursor<'_>,
    wire: WireType,
    to: &mut dyn Enums,
    refused: &mut Vec<i32>,
) -> Result<(), Fault> {
    varints(cursor, wire, |value| {
        let number = low_i32(value);
        if !to.push(number) {
            refused.push(number);
        }
    })
}

/// Values of `N` bytes each: one, a packed block, or a run of records with the same tag.
pub(super) fn fixed<T, const N: usize>(
    cursor: &mut Cursor<'_>,
    wire: WireType,
    tag: &[u8],
    to: FieldValues<'_, T>,
    decode: impl Fn([u8; N]) -> T,
) -> Result<(), Fault> {
    match to {
        FieldValues::One(to) => *to = Some(decode(cursor.array()?)),
        FieldValues::Many(to) if wire == WireType::Block => {
            let block = cursor.block()?;
            let (values, rest) = block.as_chunks::<N>();
            if !rest.is_empty() {
                let problem = BinaryProblem::Packed { len: block.len(), width: N };
                return Err(Fault::new(cursor.at() - block.len(), problem));
            }
            to.extend(values.iter().map(|bytes| decode(*bytes)));
        }
        FieldValues::Many(to) => loop {
            to.push(decode(cursor.array()?));
            if !cursor.eat(tag) {
                break;
            }
        },
    }
    Ok(())
}

fn string<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, Fault> {
    let bytes = cursor.block()?;
    str::from_utf8(bytes).map_err(|_| Fault::new(cursor.at() - bytes.len(), BinaryProblem::Utf8))
}

/// The record of an enum value that the schema does not list.
fn enum_record(field_number: u32, value: i32) -> UnknownField {
    let mut record = Vec::new();
    put_varint(&mut record, u64::from(field_number) << 3);
    put_varint(&mut record, i64::from(value).cast_unsigned());
    UnknownField { number: field_number, record }
}

/// The low half: negative `int32`s are written as 64 bits.
fn low_u32(value: u64) -> u32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

pub(super) fn low_i32(value: u64) -> i32 {
    low_u32(value).cast_signed()
}
