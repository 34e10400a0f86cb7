//! What stands after a field's name: a list, a number, a name or strings.

use super::lexer::{Token, TokenKind};
use super::parser::Parser;
use super::scalar::{self, Scalar};
use super::strings;
use crate::forks;
use crate::message::{Field, FieldType, Label, Message};

impl<'a> Parser<'a> {
    /// `[ .. ]` as the next values of field `index`.
    pub(super) fn list(&mut self, into: &mut dyn Message, index: usize, field: &'static Field) {
        let at = self.token.at;
        let repeated = matches!(field.label, Label::Repeated | Label::Packed);
        if !repeated && !forks::writes_list(into.kind().name, field.name) {
            self.error(at, format!("`{}` takes one value, not a list", field.name));
            return self.skip_block();
        }
        self.advance();
        while !self.eat("]") {
            let before = self.token.at;
            match field.kind {
                FieldType::Message(_) => self.block(into, index, field),
                _ => self.value(into, index, field),
            }
            if self.token.at == before {
                return; // no value, which is reported
            }
            if !self.eat(",") && !self.token.is("]") {
                let name = field.name;
                self.error(self.token.at, format!("`,` or `]` is missing in the list `{name}`"));
                return self.skip_list_rest();
            }
        }
    }

    /// A number, name or string as the next value of field `index`.
    pub(super) fn value(&mut self, into: &mut dyn Message, index: usize, field: &'static Field) {
        let at = self.token.at;
        if self.token.is_any("{<") {
            let takes = scalar::takes(field.kind);
            self.error(at, format!("`{}` takes {takes}, not a block", field.name));
            return self.skip_block();
        }
        let Some(value) = self.scalar(field) else { return };
        if let Err(refusal) = scalar::store(field, into.slot_mut(index), &value) {
            self.diagnostics.error(at, refusal.message, refusal.hint);
        }
    }

    /// `None` if there is none or its strings are broken, which is then reported.
    fn scalar(&mut self, field: &Field) -> Option<Scalar<'a>> {
        let at = self.token.at;
        let negative = self.eat("-");
        let token = self.token;
        match token.kind {
            TokenKind::Number => {
                self.advance();
                Some(Scalar::Number { negative, text: token.text })
            }
            TokenKind::Name if !self.at_field() => {
                self.advance();
                Some(Scalar::Name { negative, text: token.text })
            }
            TokenKind::String | TokenKind::OpenString if !negative => self.strings(),
            _ => {
                self.error(at, format!("`{}` has no value", field.name));
                self.skip_line(token.line);
                None
            }
        }
    }

    /// Strings next to each other are one.
    fn strings(&mut self) -> Option<Scalar<'a>> {
        let (mut bytes, mut broken) = (Vec::new(), false);
        loop {
            let Token { kind, text, at, .. } = self.token;
            match kind {
                TokenKind::OpenString => {
                    self.error(at, "the string is not closed on its line");
                    broken = true;
                }
                TokenKind::String => {
                    if let Err((offset, escape)) = strings::unescape(text, &mut bytes) {
                        self.error(at + offset, format!("`{escape}` is no escape"));
                        broken = true;
                    }
                }
                _ => return (!broken).then_some(Scalar::Text(bytes)),
            }
            self.advance();
        }
    }
}
