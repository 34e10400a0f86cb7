//! Prototxt to message: one recursive function that fills any message through its slots.
//!
//! Inside a block the parser stands before a field, a closing brace or the end. Whatever is wrong
//! with a field is reported there and the parser moves on to the next (see `recover`). A block
//! that belongs to an enclosing message (`layer` inside `layer`) is taken as a sign of a missing
//! brace: it is reported once and the blocks in between count as closed.

use super::diagnostic::{DiagnosticCollector, Diagnostics};
use super::lexer::{Lexer, Token, TokenKind};
use super::unknown::UnknownReports;
use super::{Diagnostic, UnknownFields};
use crate::STRUCT_BYTES_MAX;
use crate::message::{Field, FieldType, Label, Message, MessageKind, SlotMut};

/// Fills `message`; the unknown fields that were skipped.
pub(super) fn root(
    file: &str,
    source: &str,
    unknown: UnknownFields,
    message: &mut dyn Message,
) -> Result<Vec<Diagnostic>, Diagnostics> {
    let mut lexer = Lexer::new(source);
    let token = lexer.next();
    let mut parser = Parser {
        lexer,
        token,
        diagnostics: DiagnosticCollector::new(file, source),
        unknown: UnknownReports::new(unknown),
        open: vec![Open { kind: message.kind(), field: "", at: 0, close: "" }],
        close_down_to: None,
        cut: false,
        struct_bytes_left: STRUCT_BYTES_MAX,
    };
    parser.fields(message);
    parser.require(message, 0);
    let Parser { diagnostics, unknown, .. } = parser;
    diagnostics.finish()?;
    Ok(unknown.into_warnings())
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token that comes next.
    pub(super) token: Token<'a>,
    pub(super) diagnostics: DiagnosticCollector<'a>,
    pub(super) unknown: UnknownReports<'a>,
    /// The blocks that are open, outermost first; the first is the file.
    pub(super) open: Vec<Open>,
    /// Set while blocks are closed that lack a brace: how many stay open.
    close_down_to: Option<usize>,
    /// The file ended within a block, which was reported.
    pub(super) cut: bool,
    struct_bytes_left: usize,
}

pub(super) struct Open {
    pub(super) kind: &'static MessageKind,
    pub(super) field: &'static str,
    pub(super) at: usize,
    pub(super) close: &'static str,
}

impl<'a> Parser<'a> {
    pub(super) fn advance(&mut self) {
        self.token = self.lexer.next();
    }

    pub(super) fn eat(&mut self, symbol: &str) -> bool {
        let next = self.token.is(symbol);
        if next {
            self.advance();
        }
        next
    }

    pub(super) fn peek(&self) -> Token<'a> {
        let mut ahead = self.lexer;
        ahead.next()
    }

    pub(super) fn error(&mut self, at: usize, message: impl Into<String>) {
        self.diagnostics.error(at, message.into(), None);
    }

    /// Reads fields up to the brace that closes the innermost block, or the end.
    fn fields(&mut self, into: &mut dyn Message) {
        let kind = into.kind();
        let mut first_at = vec![None; kind.fields.len()];
        loop {
            match self.close_down_to {
                Some(depth) if self.open.len() > depth => return,
                _ => self.close_down_to = None,
            }
            let name = self.token.kind == TokenKind::Name;
            let closes = self.open.len() > 1 && self.token.is_any("}>");
            if closes || self.token.kind == TokenKind::End || self.diagnostics.is_full() {
                return;
            } else if !name {
                self.stray();
            } else if self.belongs_outside(kind) {
                return;
            } else {
                self.field(into, &mut first_at);
            }
        }
    }

    fn field(&mut self, into: &mut dyn Message, first_at: &mut [Option<usize>]) {
        let (kind, name) = (into.kind(), self.token);
        self.advance();
        let Some((index, field)) = kind.by_name(name.text) else {
            self.unknown_field(kind, name);
            return;
        };
        if let (Some(first), Label::Optional | Label::Required) = (first_at[index], field.label) {
            let message = format!("`{}` is given twice, but takes one value", field.name);
            let (line, column) = self.diagnostics.position(first);
            let hint = format!("first given at {line}:{column}");
            self.diagnostics.error(name.at, message, Some(hint));
        }
        first_at[index].get_or_insert(name.at);
        let colon = self.eat(":");
        if self.token.is("[") {
            self.list(into, index, field);
        } else if let FieldType::Message(_) = field.kind {
            self.block(into, index, field);
        } else {
            if !colon && !self.token.is_any("{<") {
                self.error(self.token.at, format!("`:` is missing after `{}`", field.name));
            }
            self.value(into, index, field);
        }
        if self.token.is_any(",;") {
            self.advance();
        }
    }

    /// Whether the block that begins here is one of an enclosing message; reports the missing
    /// brace.
    fn belongs_outside(&mut self, kind: &MessageKind) -> bool {
        let name = self.token;
        let here = self.unknown.are_skipped() || kind.by_name(name.text).is_some();
        if here || !self.peek().is_any("{<") {
            return false;
        }
        let is_list_of_blocks = |open: &Open| {
            open.kind.by_name(name.text).is_some_and(|(_, field)| {
                field.label == Label::Repeated && matches!(field.kind, FieldType::Message(_))
            })
        };
        let Some(outer) = self.open.iter().rposition(is_list_of_blocks) else { return false };
        let message = format!("`{}` has no field `{}`", kind.name, name.text);
        let hint = self.outer_field(name.text);
        self.diagnostics.error(name.at, message, hint);
        self.close_down_to = Some(outer + 1);
        true
    }

    /// `{ .. }` or `< .. >` as the next value of field `index`.
    pub(super) fn block(&mut self, into: &mut dyn Message, index: usize, field: &'static Field) {
        let at = self.token.at;
        let FieldType::Message(kind) = field.kind else { panic!("only messages are blocks") };
        if !self.token.is_any("{<") {
            let hint = format!("write `{} {{ .. }}`", field.name);
            self.diagnostics.error(at, format!("`{}` takes a block", field.name), Some(hint));
            return self.skip_scalar();
        }
        let Some(left) = self.struct_bytes_left.checked_sub(kind.size) else {
            self.error(at, "more blocks than any net has");
            return self.skip_block();
        };
        self.struct_bytes_left = left;
        let SlotMut::Message(slot) = into.slot_mut(index) else { panic!("slot and kind agree") };
        let close = if self.token.is("{") { "}" } else { ">" };
        self.open.push(Open { kind, field: field.name, at, close });
        self.advance();
        let inner = slot.open();
        self.fields(inner);
        self.open.pop();
        self.close(field, at, close);
        self.require(inner, at);
    }

    fn require(&mut self, message: &dyn Message, at: usize) {
        if let Some(field) = message.missing().filter(|_| !self.cut) {
            let kind = message.kind().name;
            self.error(at, format!("`{kind}` lacks its required field `{}`", field.name));
        }
    }
}
