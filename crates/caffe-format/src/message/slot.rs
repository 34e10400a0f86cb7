//! Access to the values of a field whose type is known only at run time.
//!
//! To a reader of values a field is a slice, with none or one value unless it is repeated; to a
//! writer it is a [`FieldValues`]. Enums and messages are types of their own each, so they are
//! reached through one trait object per field.

use super::{Enum, Message};

/// The values of one field, to be read: none or one unless it is repeated.
pub enum Slot<'a> {
    /// See [`FieldType::Int32`](super::FieldType::Int32).
    Int32(&'a [i32]),
    /// See [`FieldType::Uint32`](super::FieldType::Uint32).
    Uint32(&'a [u32]),
    /// See [`FieldType::Int64`](super::FieldType::Int64).
    Int64(&'a [i64]),
    /// See [`FieldType::Float`](super::FieldType::Float).
    Float(&'a [f32]),
    /// See [`FieldType::Double`](super::FieldType::Double).
    Double(&'a [f64]),
    /// See [`FieldType::Bool`](super::FieldType::Bool).
    Bool(&'a [bool]),
    /// See [`FieldType::String`](super::FieldType::String).
    String(&'a [String]),
    /// See [`FieldType::Bytes`](super::FieldType::Bytes).
    Bytes(&'a [Vec<u8>]),
    /// See [`FieldType::Enum`](super::FieldType::Enum).
    Enum(&'a dyn Enums),
    /// See [`FieldType::Message`](super::FieldType::Message).
    Message(&'a dyn Messages),
}

impl Slot<'_> {
    /// How many values there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Int32(values) => values.len(),
            Self::Uint32(values) => values.len(),
            Self::Int64(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Double(values) => values.len(),
            Self::Bool(values) => values.len(),
            Self::String(values) => values.len(),
            Self::Bytes(values) => values.len(),
            Self::Enum(values) => values.count(),
            Self::Message(values) => values.count(),
        }
    }
}

/// The place of one field, to be filled.
pub enum SlotMut<'a> {
    /// See [`FieldType::Int32`](super::FieldType::Int32).
    Int32(FieldValues<'a, i32>),
    /// See [`FieldType::Uint32`](super::FieldType::Uint32).
    Uint32(FieldValues<'a, u32>),
    /// See [`FieldType::Int64`](super::FieldType::Int64).
    Int64(FieldValues<'a, i64>),
    /// See [`FieldType::Float`](super::FieldType::Float).
    Float(FieldValues<'a, f32>),
    /// See [`FieldType::Double`](super::FieldType::Double).
    Double(FieldValues<'a, f64>),
    /// See [`FieldType::Bool`](super::FieldType::Bool).
    Bool(FieldValues<'a, bool>),
    /// See [`FieldType::String`](super::FieldType::String).
    String(FieldValues<'a, String>),
    /// See [`FieldType::Bytes`](super::FieldType::Bytes).
    Bytes(FieldValues<'a, Vec<u8>>),
    /// See [`FieldType::Enum`](super::FieldType::Enum).
    Enum(&'a mut dyn Enums),
    /// See [`FieldType::Message`](super::FieldType::Message).
    Message(&'a mut dyn Messages),
}

/// Where values of one type go.
pub enum FieldValues<'a, T> {
    /// The last value wins.
    One(&'a mut Option<T>),
    /// All values are kept.
    Many(&'a mut Vec<T>),
}

impl<T> FieldValues<'_, T> {
    /// Sets or appends.
    pub fn push(&mut self, value: T) {
        match self {
            Self::One(place) => **place = Some(value),
            Self::Many(place) => place.push(value),
        }
    }
}

/// `Option<E>` or `Vec<E>` of an enum.
pub trait Enums {
    /// How many values there are.
    fn count(&self) -> usize;
    /// The number of value `index`.
    fn number(&self, index: usize) -> i32;
    /// Sets or appends; `false`, and nothing done, for a number that the enum does not list.
    fn push(&mut self, number: i32) -> bool;
}

/// `Option<M>` or `Vec<M>` of a message.
pub trait Messages {
    /// How many messages there are.
    fn count(&self) -> usize;
    /// Message `index`.
    fn get(&self, index: usize) -> &dyn Message;
    /// Where the next message of a file goes: the one there is (protobuf merges), or a new one.
    fn open(&mut self) -> &mut dyn Message;
}

impl<E: Enum> Enums for Option<E> {
    fn count(&self) -> usize {
        usize::from(self.is_some())
    }
    fn number(&self, index: usize) -> i32 {
        self.as_slice()[index].number()
    }
    fn push(&mut self, number: i32) -> bool {
        let value = E::from_number(number);
        *self = value.or(*self);
        value.is_some()
    }
}

impl<E: Enum> Enums for Vec<E> {
    fn count(&self) -> usize {
        self.len()
    }
    fn number(&self, index: usize) -> i32 {
        self[index].number()
    }
    fn push(&mut self, number: i32) -> bool {
        let value = E::from_number(number);
        self.extend(value);
        value.is_some()
    }
}

impl<M: Message + Default> Messages for Option<M> {
    fn count(&self) -> usize {
        usize::from(self.is_some())
    }
    fn get(&self, index: usize) -> &dyn Message {
        &self.as_slice()[index]
    }
    fn open(&mut self) -> &mut dyn Message {
        self.get_or_insert_default()
    }
}

impl<M: Message + Default> Messages for Vec<M> {
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> &dyn Message {
        &self[index]
    }
    fn open(&mut self) -> &mut dyn Message {
        self.push(M::default());
        self.last_mut().expect("one was pushed on the line above")
    }
}
