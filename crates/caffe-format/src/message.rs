//! What the codecs know about a message: a static description and one slot per field.
//!
//! Text reader, text writer, binary reader and binary writer are each one function over
//! `dyn Message`. They walk [`MessageKind::fields`] and get at the values through [`Slot`] and
//! [`SlotMut`], whose variants are whole slices, so that a blob's million floats cost one dynamic
//! call and not a million. A field is addressed by its index in `fields`, which is sorted by field
//! number: the order in which protobuf writes.

mod slot;

use std::fmt;

pub use slot::{Enums, FieldValues, Messages, Slot, SlotMut};

/// A message of the schema: a struct of `schema.rs`.
pub trait Message: fmt::Debug {
    /// Name and fields.
    fn kind(&self) -> &'static MessageKind;
    /// The values of field `index` of [`MessageKind::fields`].
    fn slot(&self, index: usize) -> Slot<'_>;
    /// The place of field `index` of [`MessageKind::fields`].
    fn slot_mut(&mut self, index: usize) -> SlotMut<'_>;
    /// Fields that the schema does not know.
    fn unknown(&self) -> &[UnknownField];
    /// Fields that the schema does not know.
    fn unknown_mut(&mut self) -> &mut Vec<UnknownField>;

    /// The first required field that is absent.
    fn missing(&self) -> Option<&'static Field> {
        let mut fields = self.kind().fields.iter().enumerate();
        let missing =
            fields.find(|(i, field)| field.label == Label::Required && self.slot(*i).count() == 0);
        missing.map(|(_, field)| field)
    }
}

/// An enum of the schema.
pub trait Enum: Copy + 'static {
    /// Name and values.
    const KIND: &'static EnumKind;
    /// The number on the wire.
    fn number(self) -> i32;
    /// `None` for a number that the schema does not list.
    fn from_number(number: i32) -> Option<Self>;
}

/// A field of a binary file that the schema does not know, kept so that writing restores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// The field's number.
    pub number: u32,
    /// The whole record as it stood in the file: tag, length and payload.
    pub record: Vec<u8>,
}

/// Name and fields of a message.
#[derive(Debug)]
pub struct MessageKind {
    /// Caffe's name: `ConvolutionParameter`.
    pub name: &'static str,
    /// Makes an empty one.
    pub new: fn() -> Box<dyn Message>,
    /// Bytes of the struct itself, without what it owns.
    pub size: usize,
    /// In the order of their numbers.
    pub fields: &'static [Field],
}

impl MessageKind {
    /// Index and description of the field called `name`.
    pub fn by_name(&self, name: &str) -> Option<(usize, &'static Field)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// Index and description of the field with this number.
    pub fn by_number(&self, number: u32) -> Option<(usize, &'static Field)> {
        let index = self.fields.binary_search_by_key(&number, |field| field.number).ok()?;
        Some((index, &self.fields[index]))
    }
}

/// One field of a message.
#[derive(Debug)]
pub struct Field {
    /// The number on the wire.
    pub number: u32,
    /// Caffe's name: `num_output`.
    pub name: &'static str,
    /// How often it may stand.
    pub label: Label,
    /// What it holds.
    pub kind: FieldType,
}

/// How often a field may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// At most once.
    Optional,
    /// Exactly once.
    Required,
    /// Any number of times; in binary, each value has a tag of its own.
    Repeated,
    /// Any number of times; in binary, all values share one tag and a length.
    Packed,
}

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub enum FieldType {
    /// `int32`.
    Int32,
    /// `uint32`.
    Uint32,
    /// `int64`.
    Int64,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `bool`.
    Bool,
    /// `string`: UTF-8.
    String,
    /// `bytes`.
    Bytes,
    /// One of a list of names.
    Enum(&'static EnumKind),
    /// A message inside the message.
    Message(&'static MessageKind),
}

/// Name and values of an enum.
#[derive(Debug)]
pub struct EnumKind {
    /// Caffe's name: `PoolingParameter.PoolMethod`.
    pub name: &'static str,
    /// Names and numbers.
    pub values: &'static [(&'static str, i32)],
}

/// A row of [`MessageKind::fields`].
pub(crate) const fn optional(number: u32, name: &'static str, kind: FieldType) -> Field {
    Field { number, name, label: Label::Optional, kind }
}

/// As [`optional`].
pub(crate) const fn required(number: u32, name: &'static str, kind: FieldType) -> Field {
    Field { number, name, label: Label::Required, kind }
}

/// As [`optional`].
pub(crate) const fn repeated(number: u32, name: &'static str, kind: FieldType) -> Field {
    Field { number, name, label: Label::Repeated, kind }
}

/// As [`optional`].
pub(crate) const fn packed(number: u32, name: &'static str, kind: FieldType) -> Field {
    Field { number, name, label: Label::Packed, kind }
}

/// Stops the program: a codec asked for a field that is not in the description it walks.
pub(crate) fn bad_slot(kind: &MessageKind, index: usize) -> ! {
    panic!("`{}` has {} fields, none is number {index}", kind.name, kind.fields.len())
}
