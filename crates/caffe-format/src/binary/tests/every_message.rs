//! Every message of the schema, with random values in every field, survives both formats.

use proptest::prelude::*;

use crate::message::{Enums, FieldType, FieldValues, Label, Message, SlotMut};
use crate::{MESSAGES, binary, text};

/// A stream of numbers from a seed; enough for test values.
struct ValueStream(u64);

impl ValueStream {
    fn next(&mut self) -> u64 {
        // Marsaglia 2003: any seed but zero has the full period.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn low(&mut self) -> u32 {
        u32::try_from(self.next() >> 32).unwrap()
    }

    fn text(&mut self) -> String {
        let alphabet =
            ['a', 'Z', '0', ' ', '"', '\'', '\\', '\n', '\t', '\u{7f}', '\0', 'é', '漢', '🔥'];
        let len = self.next() % 6;
        (0..len).map(|_| alphabet[usize::try_from(self.next() % 14).unwrap()]).collect()
    }

    fn float(&mut self) -> f32 {
        match self.next() % 4 {
            0 => 0.1 * self.low() as f32,
            _ => Some(f32::from_bits(self.low())).filter(|v| !v.is_nan()).unwrap_or(0.5),
        }
    }

    fn double(&mut self) -> f64 {
        Some(f64::from_bits(self.next())).filter(|v| !v.is_nan()).unwrap_or(0.5)
    }
}

/// Sets every field with probability `7/8`; repeated ones get up to three values.
fn fill(message: &mut dyn Message, from: &mut ValueStream) {
    for (index, field) in message.kind().fields.iter().enumerate() {
        let count = match field.label {
            Label::Required => 1,
            Label::Optional => u64::from(!from.next().is_multiple_of(8)),
            Label::Repeated | Label::Packed => from.next() % 4,
        };
        for _ in 0..count {
            match message.slot_mut(index) {
                SlotMut::Int32(to) => push(to, from.low().cast_signed()),
                SlotMut::Uint32(to) => push(to, from.low()),
                SlotMut::Int64(to) => push(to, from.next().cast_signed()),
                SlotMut::Float(to) => push(to, from.float()),
                SlotMut::Double(to) => push(to, from.double()),
                SlotMut::Bool(to) => push(to, from.next().is_multiple_of(2)),
                SlotMut::String(to) => push(to, from.text()),
                SlotMut::Bytes(to) => push(to, from.next().to_le_bytes().to_vec()),
                SlotMut::Enum(to) => push_enum(to, field.kind, from),
                SlotMut::Message(to) => fill(to.open(), from),
            }
        }
    }
}

fn push<T>(mut to: FieldValues<'_, T>, value: T) {
    to.push(value);
}

fn push_enum(to: &mut dyn Enums, kind: FieldType, from: &mut ValueStream) {
    let FieldType::Enum(kind) = kind else { panic!("slot and kind agree") };
    let choice = usize::try_from(from.next()).unwrap() % kind.values.len();
    assert!(to.push(kind.values[choice].1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn there_and_back(seed in 1_u64..) {
        for kind in MESSAGES {
            let mut message = (kind.new)();
            fill(&mut *message, &mut ValueStream(seed));
            let want = format!("{message:?}");

            let bytes = binary::write(&*message);
            let mut again = (kind.new)();
            binary::read_into(&bytes, &mut *again).unwrap();
            prop_assert_eq!(&format!("{again:?}"), &want, "{} in binary", kind.name);
            prop_assert_eq!(binary::write(&*again), bytes);

            let mut again = (kind.new)();
            text::read_into("t", &text::write(&*message), &mut *again).unwrap();
            prop_assert_eq!(&format!("{again:?}"), &want, "{} in text", kind.name);
        }
    }
}

#[test]
fn the_schema_is_whole() {
    // The rows of both tables, counted here on their own.
    let tables = [include_str!("../../../schema.tsv"), include_str!("../../../extensions.tsv")];
    let lines = tables.iter().flat_map(|table| table.lines().skip(1));
    let rows = lines.filter(|line| !line.starts_with('#')).map(|row| row.split('\t'));
    let fields = rows.filter(|row| row.clone().nth(1) != Some(""));
    assert_eq!(MESSAGES.iter().map(|kind| kind.fields.len()).sum::<usize>(), fields.count());
    for kind in MESSAGES {
        assert!(kind.fields.is_sorted_by_key(|field| field.number), "{}", kind.name);
    }
}
