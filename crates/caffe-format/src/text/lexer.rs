//! Splits prototxt into tokens: names, numbers, strings and single characters.
//!
//! The lexer is a position in the source, so looking ahead is copying it. Every byte of the source
//! ends up in a token, white space or a comment; what is wrong inside a token is for the parser to
//! say.

/// A token with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    /// Where it begins, in bytes.
    pub(super) at: usize,
    /// Its line, from 0.
    pub(super) line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A letter or underscore, then letters, digits, underscores.
    Name,
    /// Begins with a digit, or a dot and a digit.
    Number,
    /// With its quotes.
    String,
    /// A string that its line does not close.
    OpenString,
    /// Any other character, alone.
    Symbol,
    /// The end of the source.
    End,
}

impl Token<'_> {
    pub(super) fn is(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    pub(super) fn is_any(&self, symbols: &str) -> bool {
        self.kind == TokenKind::Symbol && symbols.contains(self.text)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'a> {
    source: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        // Some editors put a byte order mark in front.
        let at = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { source, at, line: 0 }
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        self.skip_blank();
        let rest = &self.source[self.at..];
        let mut chars = rest.chars();
        let (kind, len) = match (chars.next(), chars.next()) {
            (None, _) => (TokenKind::End, 0),
            (Some('"' | '\''), _) => string(rest),
            (Some('0'..='9'), _) | (Some('.'), Some('0'..='9')) => {
                (TokenKind::Number, number(rest))
            }
            (Some(c), _) if c == '_' || c.is_ascii_alphabetic() => (TokenKind::Name, name(rest)),
            (Some(c), _) => (TokenKind::Symbol, c.len_utf8()),
        };
        let token = Token { kind, text: &rest[..len], at: self.at, line: self.line };
        self.at += len;
        token
    }

    fn skip_blank(&mut self) {
        let bytes = self.source.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
                b'#' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    continue;
                }
                _ => return,
            }
            self.at += 1;
        }
    }
}

fn name(rest: &str) -> usize {
    rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len())
}

/// Takes in whatever sticks to a number, so that `3x5` is one wrong number and not two tokens.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
    let part = |i: usize| match bytes[i] {
        b'+' | b'-' => !hexadecimal && matches!(bytes[i - 1], b'e' | b'E'),
        byte => byte == b'.' || byte == b'_' || byte.is_ascii_alphanumeric(),
    };
    (1..bytes.len()).find(|&i| !part(i)).unwrap_or(bytes.len())
}

/// Up to the same quote, or to the end of the line.
fn string(rest: &str) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    let mut i = 1;
    while i < bytes.len() && bytes[i] != b'\n' {
        match bytes[i] {
            byte if byte == bytes[0] => return (TokenKind::String, i + 1),
            b'\\' if i + 1 < bytes.len() && bytes[i + 1] != b'\n' => i += 2,
            _ => i += 1,
        }
    }
    (TokenKind::OpenString, floor_char(rest, i))
}

/// `i` may have stepped into a character that follows a backslash.
fn floor_char(text: &str, i: usize) -> usize {
    (i.min(text.len())..=text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len())
}
