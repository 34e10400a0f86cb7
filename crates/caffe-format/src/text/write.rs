//! Message to text: one function that prints any message.

use super::number::{put_double, put_float};
use super::strings::quote;
use crate::message::{FieldType, Message, Slot};

pub(super) fn root(message: &dyn Message) -> String {
    let mut out = String::new();
    write(&mut out, message, 0);
    out
}

fn write(out: &mut String, message: &dyn Message, depth: usize) {
    for (index, field) in message.kind().fields.iter().enumerate() {
        let mut line = FieldLine { out, name: field.name, depth };
        match message.slot(index) {
            Slot::Int32(values) => line.all(values, |v, out| out.push_str(&v.to_string())),
            Slot::Uint32(values) => line.all(values, |v, out| out.push_str(&v.to_string())),
            Slot::Int64(values) => line.all(values, |v, out| out.push_str(&v.to_string())),
            Slot::Float(values) => line.all(values, |v, out| put_float(*v, out)),
            Slot::Double(values) => line.all(values, |v, out| put_double(*v, out)),
            Slot::Bool(values) => line.all(values, |v, out| out.push_str(&v.to_string())),
            Slot::String(values) => line.all(values, |v, out| quote(v.as_bytes(), out)),
            Slot::Bytes(values) => line.all(values, |v, out| quote(v, out)),
            Slot::Enum(values) => {
                let numbers: Vec<i32> = (0..values.count()).map(|i| values.number(i)).collect();
                line.all(&numbers, |v, out| out.push_str(enum_name(field.kind, *v)));
            }
            Slot::Message(values) => {
                for inner in (0..values.count()).map(|i| values.get(i)) {
                    line.block(inner);
                }
            }
        }
    }
}

/// Prints the values of one field, each on a line of its own.
struct FieldLine<'a> {
    out: &'a mut String,
    name: &'static str,
    depth: usize,
}

impl FieldLine<'_> {
    fn indent(&mut self) {
        (0..self.depth).for_each(|_| self.out.push_str("  "));
    }

    fn all<T>(&mut self, values: &[T], print: impl Fn(&T, &mut String)) {
        for value in values {
            self.indent();
            self.out.push_str(self.name);
            self.out.push_str(": ");
            print(value, self.out);
            self.out.push('\n');
        }
    }

    fn block(&mut self, inner: &dyn Message) {
        self.indent();
        self.out.push_str(self.name);
        self.out.push_str(" {\n");
        write(self.out, inner, self.depth + 1);
        self.indent();
        self.out.push_str("}\n");
    }
}

fn enum_name(kind: FieldType, number: i32) -> &'static str {
    let FieldType::Enum(kind) = kind else { panic!("only enums have names of values") };
    let value = kind.values.iter().find(|value| value.1 == number);
    value.expect("an enum holds listed values only").0
}
