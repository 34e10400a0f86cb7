//! Getting past what is wrong in a prototxt, so that the next error is a new one.

use super::lexer::TokenKind;
use super::parser::Parser;
use crate::DEPTH_MAX;
use crate::message::Field;

impl Parser<'_> {
    /// Whether the name that comes next begins a field.
    pub(super) fn at_field(&self) -> bool {
        self.token.kind == TokenKind::Name && self.peek().is_any(":{<")
    }

    /// Reports a token that begins no field, and moves on.
    pub(super) fn stray(&mut self) {
        let token = self.token;
        if token.is_any("{<[") {
            self.error(token.at, format!("`{}` without a field's name before it", token.text));
            return self.skip_block();
        }
        match token.kind {
            TokenKind::OpenString => self.error(token.at, "the string is not closed on its line"),
            _ if token.is_any("}>") => {
                self.error(token.at, format!("`{}` closes nothing: no block is open", token.text));
                return self.advance();
            }
            _ => {
                let shown: String = token.text.chars().take(40).collect();
                self.error(token.at, format!("stray `{}`", shown.escape_debug()));
            }
        }
        self.advance();
        self.skip_line(token.line);
    }

    /// Moves on to a field, a brace, a separator or the next line.
    pub(super) fn skip_line(&mut self, line: usize) {
        while self.token.line == line
            && self.token.kind != TokenKind::End
            && !self.at_field()
            && !self.token.is_any("{<[]>},;")
        {
            self.advance();
        }
    }

    /// Moves past the value of an unknown field.
    pub(super) fn skip_value(&mut self) {
        let colon = self.eat(":");
        if self.token.is_any("{<[") {
            self.skip_block();
        } else if colon || !matches!(self.token.kind, TokenKind::Name | TokenKind::Symbol) {
            self.skip_scalar();
        }
        if self.token.is_any(",;") {
            self.advance();
        }
    }

    /// Moves past a number, name or strings, if they come next.
    pub(super) fn skip_scalar(&mut self) {
        self.eat("-");
        match self.token.kind {
            TokenKind::Number => self.advance(),
            TokenKind::Name if !self.at_field() => self.advance(),
            _ => {
                while matches!(self.token.kind, TokenKind::String | TokenKind::OpenString) {
                    if self.token.kind == TokenKind::OpenString {
                        self.error(self.token.at, "the string is not closed on its line");
                    }
                    self.advance();
                }
            }
        }
    }

    /// Moves past the bracket of a list, if it is closed before the next field or brace.
    pub(super) fn skip_list_rest(&mut self) {
        while self.token.kind != TokenKind::End && !self.at_field() && !self.token.is_any("}>") {
            if self.eat("]") {
                return;
            }
            self.advance();
        }
    }

    /// Moves past a block or list, whatever it holds, counting braces of all kinds.
    pub(super) fn skip_block(&mut self) {
        let at = self.token.at;
        let mut depth = 0_usize;
        loop {
            if self.token.is_any("{<[") {
                depth += 1;
                if depth == DEPTH_MAX {
                    self.error(self.token.at, format!("blocks are nested deeper than {DEPTH_MAX}"));
                }
            } else if self.token.is_any("}>]") {
                depth -= 1;
            } else if self.token.kind == TokenKind::End {
                return self.report_cut(at, "the block");
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Moves past the brace that closes the block opened at `at`, or reports that it is missing.
    pub(super) fn close(&mut self, field: &Field, at: usize, close: &'static str) {
        if self.eat(close) {
        } else if self.token.is_any("}>") {
            let (line, column) = self.diagnostics.position(at);
            let (wrong, name) = (self.token.text, field.name);
            let message = format!("`{wrong}` cannot close `{name}`, opened at {line}:{column}");
            self.diagnostics.error(self.token.at, message, Some(format!("write `{close}`")));
            self.advance();
        } else if self.token.kind == TokenKind::End {
            self.report_cut(at, &format!("`{}`", field.name));
        }
    }

    /// The file ended within the block opened at `at`; said of the innermost only.
    fn report_cut(&mut self, at: usize, what: &str) {
        if !self.cut {
            let (line, _) = self.diagnostics.position(self.token.at);
            let message = format!(
                "{what}, opened here, is not closed before the end of the file, line {line}"
            );
            self.error(at, message);
            self.cut = true;
        }
    }
}
