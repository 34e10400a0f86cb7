//! Changes single values of a prototxt and leaves everything else as its author wrote it: order,
//! comments, spacing. Every changed line says in a comment what was changed and why.
//!
//! [`Outline`] finds fields and where their values are in the source; [`TextEdits`] collects
//! changes against the unchanged source and applies them at once. Both take text that
//! [`read`](super::read) has accepted.

use std::collections::BTreeMap;
use std::ops::Range;

use super::lexer::{Lexer, Token, TokenKind};

/// A field of a prototxt and where it is in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// As written; empty for the file itself.
    pub name: String,
    /// Bytes of each value: one, or those of a list `[a, b]`. Of a block, what its braces enclose.
    pub values: Vec<Range<usize>>,
    /// Fields of a block, in order.
    pub fields: Vec<Self>,
}

impl Outline {
    /// The fields of a whole file.
    #[must_use]
    pub fn of_file(source: &str) -> Self {
        let mut scanner = Scanner::new(source);
        let fields = scanner.fields();
        let whole = 0..source.len();
        Self { name: String::new(), values: Vec::from([whole]), fields }
    }

    /// The fields of this name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> + 'a {
        self.fields.iter().filter(move |field| field.name == name)
    }

    /// The first field of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Self> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// Walks over tokens; text that is not a prototxt yields fields as far as they can be told apart.
struct Scanner<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
}

impl<'a> Scanner<'a> {
    fn new(source: &'a str) -> Self {
        let mut lexer = Lexer::new(source);
        let token = lexer.next();
        Self { lexer, token }
    }

    fn advance(&mut self) -> Token<'a> {
        std::mem::replace(&mut self.token, self.lexer.next())
    }

    /// Fields up to the end of the block or file.
    fn fields(&mut self) -> Vec<Outline> {
        let mut fields = Vec::new();
        while self.token.kind != TokenKind::End && !self.token.is_any("}>") {
            let name = self.advance();
            if name.kind == TokenKind::Name {
                fields.push(self.field(name.text));
            }
        }
        fields
    }

    fn field(&mut self, name: &str) -> Outline {
        let mut outline = Outline { name: name.to_owned(), values: Vec::new(), fields: Vec::new() };
        if self.token.is(":") {
            self.advance();
        }
        if self.token.is("[") {
            self.advance();
            while self.token.kind != TokenKind::End && !self.token.is("]") {
                if self.token.is(",") {
                    self.advance();
                } else {
                    self.value(&mut outline);
                }
            }
            self.advance();
        } else {
            self.value(&mut outline);
        }
        outline
    }

    /// A block, or a scalar: a sign and a word, or strings that follow each other.
    fn value(&mut self, outline: &mut Outline) {
        let first = self.advance();
        let start = first.at;
        if first.is_any("{<") {
            let inside = start + first.text.len();
            outline.fields.extend(self.fields());
            outline.values.push(inside..self.token.at);
            self.advance();
            return;
        }
        let mut last = first;
        if first.is("-") {
            last = self.advance();
        }
        while last.kind == TokenKind::String && self.token.kind == TokenKind::String {
            last = self.advance();
        }
        outline.values.push(start..last.at + last.text.len());
    }
}

/// Changes to a source, applied at once.
#[derive(Debug)]
pub struct TextEdits<'a> {
    source: &'a str,
    replaced: BTreeMap<usize, (Range<usize>, String)>,
    /// By where the line ends: what its comment says.
    comments: BTreeMap<usize, Vec<String>>,
    /// By where they go: whole lines.
    inserted: BTreeMap<usize, Vec<String>>,
}

impl<'a> TextEdits<'a> {
    /// No changes yet.
    #[must_use]
    pub fn new(source: &'a str) -> Self {
        let (replaced, comments, inserted) = Default::default();
        Self { source, replaced, comments, inserted }
    }

    /// Whether nothing was changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.inserted.is_empty()
    }

    /// What is written there.
    #[must_use]
    pub fn text(&self, value: &Range<usize>) -> &'a str {
        &self.source[value.clone()]
    }

    /// Replaces a value; the line's comment says what it was, and `why` it changed.
    pub fn replace(&mut self, value: &Range<usize>, new: &str, why: &str) {
        let old = &self.source[value.clone()];
        if old == new {
            return;
        }
        let comment = format!("was {old}: {why}");
        self.replaced.insert(value.start, (value.clone(), new.to_owned()));
        self.comments.entry(self.line_end(value.end)).or_default().push(comment);
    }

    /// Adds a line to the end of a block, or of the file.
    pub fn append(&mut self, block: &Range<usize>, line: &str, why: &str) {
        let at = self.source[..block.end].trim_end().len();
        let indent = if block.end == self.source.len() { "" } else { self.inner_indent(block) };
        self.inserted.entry(at).or_default().push(format!("\n{indent}{line}  # added: {why}"));
    }

    /// The source with all changes.
    #[must_use]
    pub fn finish(self) -> String {
        let mut places: BTreeMap<usize, (usize, String)> = BTreeMap::new();
        for (start, (range, new)) in self.replaced {
            places.insert(start, (range.end, new));
        }
        for (at, comments) in self.comments {
            let comment = format!("  # {}", comments.join("; "));
            places.entry(at).or_insert((at, String::new())).1 += &comment;
        }
        for (at, lines) in self.inserted {
            // A block on one line is opened up, since a comment ends its line.
            let closes = self.source[at..].trim_start_matches([' ', '\t']).starts_with(['}', '>']);
            let end = if closes { "\n" } else { "" };
            places.entry(at).or_insert((at, String::new())).1 += &(lines.concat() + end);
        }
        let mut text = String::with_capacity(self.source.len() + 64 * places.len());
        let mut done = 0;
        for (start, (end, new)) in places {
            text += &self.source[done..start];
            text += &new;
            done = end;
        }
        text += &self.source[done..];
        text
    }

    fn line_end(&self, at: usize) -> usize {
        self.source[at..].find('\n').map_or(self.source.len(), |len| at + len)
    }

    /// How the first field of a block is indented; two spaces where it is on the brace's line.
    fn inner_indent(&self, block: &Range<usize>) -> &'a str {
        let inside = &self.source[block.clone()];
        let line = inside.split_once('\n').map_or("", |(_, rest)| rest);
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if indent == 0 { "  " } else { &line[..indent] }
    }
}

#[cfg(test)]
mod tests {
    use super::{Outline, TextEdits};

    const SOURCE: &str = "\
# a solver
base_lr: 0.01 # tuned
stepvalue: [10, -20]
layer {
  name: \"a\" 'b'
  data_param { batch_size: 64 backend: LMDB }
}
";

    fn text(outline: &Outline) -> Vec<&str> {
        outline.values.iter().map(|value| &SOURCE[value.clone()]).collect()
    }

    #[test]
    fn fields_are_found_with_their_values() {
        let file = Outline::of_file(SOURCE);
        assert_eq!(text(file.field("base_lr").unwrap()), ["0.01"]);
        assert_eq!(text(file.field("stepvalue").unwrap()), ["10", "-20"]);
        let layer = file.all("layer").next().unwrap();
        assert_eq!(text(layer.field("name").unwrap()), ["\"a\" 'b'"]);
        let batch = layer.field("data_param").and_then(|data| data.field("batch_size")).unwrap();
        assert_eq!(text(batch), ["64"]);
        assert_eq!(file.field("absent"), None);
    }

    #[test]
    fn only_what_changes_is_touched_and_each_change_says_why() {
        let file = Outline::of_file(SOURCE);
        let layer = file.field("layer").unwrap();
        let data = layer.field("data_param").unwrap();
        let mut edits = TextEdits::new(SOURCE);
        edits.replace(&file.field("base_lr").unwrap().values[0], "0.04", "times 4");
        edits.replace(&file.field("stepvalue").unwrap().values[1], "-20", "the same");
        edits.replace(&data.field("batch_size").unwrap().values[0], "256", "times 4");
        edits.append(&layer.values[0], "param { decay_mult: 0 }", "no decay");
        edits.append(&file.values[0], "warmup_iter: 5", "warm-up");
        let want = "\
# a solver
base_lr: 0.04 # tuned  # was 0.01: times 4
stepvalue: [10, -20]
layer {
  name: \"a\" 'b'
  data_param { batch_size: 256 backend: LMDB }  # was 64: times 4
  param { decay_mult: 0 }  # added: no decay
}
warmup_iter: 5  # added: warm-up
";
        assert_eq!(edits.finish(), want);
    }

    #[test]
    fn a_block_on_one_line_is_opened_up() {
        let source = "layer { name: \"a\" }\n";
        let file = Outline::of_file(source);
        let mut edits = TextEdits::new(source);
        edits.append(&file.fields[0].values[0], "x: 1", "why");
        assert_eq!(edits.finish(), "layer { name: \"a\"\n  x: 1  # added: why\n }\n");
    }

    #[test]
    fn text_that_is_no_prototxt_is_walked_over() {
        for source in ["", "}", "a", "a:", "a: [", "a {", "a: [1,,", ": : }", "a { b: \"x }"] {
            let _ = TextEdits::new(source).finish();
            let _ = Outline::of_file(source);
        }
    }
}
