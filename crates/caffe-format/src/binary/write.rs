//! Message to binary: one function that sizes and one that writes any message.
//!
//! A message inside a message is preceded by its length, so sizes are computed first: constant time
//! for floats, and at most once per level of nesting for everything else. The output is allocated
//! once.

use crate::message::{Label, Message, Slot};

pub(super) fn root(message: &dyn Message) -> Vec<u8> {
    let mut out = Vec::with_capacity(size(message));
    write(&mut out, message);
    out
}

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const BLOCK: u32 = 2;
const FIXED32: u32 = 5;

fn write(out: &mut Vec<u8>, message: &dyn Message) {
    for (index, field) in message.kind().fields.iter().enumerate() {
        let to = FieldWriter { number: field.number, packed: field.label == Label::Packed };
        match message.slot(index) {
            Slot::Int32(values) => to.varints(out, values, |&v| i64::from(v).cast_unsigned()),
            Slot::Uint32(values) => to.varints(out, values, |&v| u64::from(v)),
            Slot::Int64(values) => to.varints(out, values, |v| v.cast_unsigned()),
            Slot::Bool(values) => to.varints(out, values, |&v| u64::from(v)),
            Slot::Float(values) => to.fixed(out, FIXED32, values, |v| v.to_le_bytes()),
            Slot::Double(values) => to.fixed(out, FIXED64, values, |v| v.to_le_bytes()),
            Slot::String(values) => values.iter().for_each(|v| to.block(out, v.as_bytes())),
            Slot::Bytes(values) => values.iter().for_each(|v| to.block(out, v)),
            Slot::Enum(values) => {
                let numbers: Vec<i32> = (0..values.count()).map(|i| values.number(i)).collect();
                to.varints(out, &numbers, |&v| i64::from(v).cast_unsigned());
            }
            Slot::Message(values) => {
                for inner in (0..values.count()).map(|i| values.get(i)) {
                    to.tag(out, BLOCK);
                    put_varint(out, size(inner) as u64);
                    write(out, inner);
                }
            }
        }
    }
    for field in message.unknown() {
        out.extend_from_slice(&field.record);
    }
}

/// The field that is written.
struct FieldWriter {
    number: u32,
    packed: bool,
}

impl FieldWriter {
    fn tag(&self, out: &mut Vec<u8>, wire: u32) {
        put_varint(out, u64::from(self.number << 3 | wire));
    }

    fn block(&self, out: &mut Vec<u8>, bytes: &[u8]) {
        self.tag(out, BLOCK);
        put_varint(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }

    fn varints<T>(&self, out: &mut Vec<u8>, values: &[T], encode: impl Fn(&T) -> u64) {
        if !self.packed {
            for value in values {
                self.tag(out, VARINT);
                put_varint(out, encode(value));
            }
        } else if !values.is_empty() {
            self.tag(out, BLOCK);
            let len: usize = values.iter().map(|value| varint_len(encode(value))).sum();
            put_varint(out, len as u64);
            values.iter().for_each(|value| put_varint(out, encode(value)));
        }
    }

    fn fixed<T, const N: usize>(
        &self,
        out: &mut Vec<u8>,
        wire: u32,
        values: &[T],
        encode: impl Fn(&T) -> [u8; N],
    ) {
        if !self.packed {
            for value in values {
                self.tag(out, wire);
                out.extend_from_slice(&encode(value));
            }
        } else if !values.is_empty() {
            self.tag(out, BLOCK);
            put_varint(out, (N * values.len()) as u64);
            // In parts that stay in the cache between being zeroed and being filled.
            for part in values.chunks(4096) {
                let start = out.len();
                out.resize(start + N * part.len(), 0);
                let (places, _) = out[start..].as_chunks_mut::<N>();
                places.iter_mut().zip(part).for_each(|(place, value)| *place = encode(value));
            }
        }
    }
}

/// Bytes that [`write`] will append.
fn size(message: &dyn Message) -> usize {
    let mut total: usize = message.unknown().iter().map(|field| field.record.len()).sum();
    for (index, field) in message.kind().fields.iter().enumerate() {
        let tag = varint_len(u64::from(field.number) << 3);
        let packed = field.label == Label::Packed;
        total += match message.slot(index) {
            Slot::Int32(values) => {
                varints_len(values, |&v| i64::from(v).cast_unsigned(), tag, packed)
            }
            Slot::Uint32(values) => varints_len(values, |&v| u64::from(v), tag, packed),
            Slot::Int64(values) => varints_len(values, |v| v.cast_unsigned(), tag, packed),
            Slot::Bool(values) => list_len(values.len(), values.len(), tag, packed),
            Slot::Float(values) => list_len(4 * values.len(), values.len(), tag, packed),
            Slot::Double(values) => list_len(8 * values.len(), values.len(), tag, packed),
            Slot::String(values) => values.iter().map(|v| tag + block_len(v.len())).sum(),
            Slot::Bytes(values) => values.iter().map(|v| tag + block_len(v.len())).sum(),
            Slot::Enum(values) => {
                let numbers: Vec<i32> = (0..values.count()).map(|i| values.number(i)).collect();
                varints_len(&numbers, |&v| i64::from(v).cast_unsigned(), tag, packed)
            }
            Slot::Message(values) => {
                (0..values.count()).map(|i| tag + block_len(size(values.get(i)))).sum()
            }
        };
    }
    total
}

fn varints_len<T>(values: &[T], encode: impl Fn(&T) -> u64, tag: usize, packed: bool) -> usize {
    let payload = values.iter().map(|value| varint_len(encode(value))).sum();
    list_len(payload, values.len(), tag, packed)
}

/// Length of a list whose values alone take `payload` bytes.
fn list_len(payload: usize, count: usize, tag: usize, packed: bool) -> usize {
    match (packed, count) {
        (_, 0) => 0,
        (true, _) => tag + block_len(payload),
        (false, _) => count * tag + payload,
    }
}

fn block_len(len: usize) -> usize {
    varint_len(len as u64) + len
}

fn varint_len(value: u64) -> usize {
    (value.max(1).ilog2() / 7 + 1) as usize
}

/// Appends `value`, seven bits per byte, low bits first.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        let [low, ..] = value.to_le_bytes();
        out.push(low | 0x80);
        value >>= 7;
    }
    let [last, ..] = value.to_le_bytes();
    out.push(last);
}
