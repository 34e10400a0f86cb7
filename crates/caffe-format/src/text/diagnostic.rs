//! What is wrong with a prototxt, with the place, the line itself, a caret and a hint.

use std::error::Error;
use std::fmt;

/// After so many errors the reader gives up. Nobody reads more, and a large file that is no
/// prototxt at all would otherwise make a report larger than itself.
pub const ERRORS_MAX: usize = 1000;

/// Characters of a line shown before and after the column; lines of generated files can be long.
const CONTEXT_CHARS: usize = 60;

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// As given to the reader.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// Lower case, without full stop.
    pub message: String,
    /// The line of the file; of a long line, the part around the column.
    pub source_line: String,
    /// Where in `source_line` the caret stands, in characters from 0.
    pub caret: usize,
    /// What might be meant.
    pub hint: Option<String>,
    /// How often it occurs, of which this is the first place; above 1 only for unknown fields.
    pub count: usize,
}

impl Diagnostic {
    /// The place, what is wrong and how often.
    fn headline(&self) -> String {
        let Self { file, line, column, message, count, .. } = self;
        let times = if *count > 1 { format!(" ({count} times)") } else { String::new() };
        format!("{file}:{line}:{column}: {message}{times}")
    }

    /// Everything but the line of the file, for long lists.
    #[must_use]
    pub fn in_one_line(&self) -> String {
        let hint = self.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
        self.headline() + &hint
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source_line, caret, hint, .. } = self;
        writeln!(f, "{}", self.headline())?;
        writeln!(f, "{source_line}")?;
        // Tabs stay tabs, so that the caret stands under its column however wide they are.
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let indent: String = source_line.chars().take(*caret).map(blank).collect();
        write!(f, "{indent}^")?;
        match hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong with a file, in the order of the file. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics {
    errors: Vec<Diagnostic>,
}

impl Diagnostics {
    /// At most [`ERRORS_MAX`].
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.errors.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        if self.errors.len() == ERRORS_MAX {
            write!(f, "\n(there may be more)")?;
        }
        Ok(())
    }
}

impl Error for Diagnostics {}

/// Collects what the parser finds.
pub(super) struct DiagnosticCollector<'a> {
    file: &'a str,
    source: &'a str,
    errors: Vec<Diagnostic>,
}

impl<'a> DiagnosticCollector<'a> {
    pub(super) fn new(file: &'a str, source: &'a str) -> Self {
        Self { file, source, errors: Vec::new() }
    }

    /// Reports an error at byte `at` of the source.
    pub(super) fn error(&mut self, at: usize, message: String, hint: Option<String>) {
        if !self.is_full() {
            let error = self.describe(at, message, hint);
            self.errors.push(error);
        }
    }

    /// The last error, to be counted again when it recurs.
    pub(super) fn last(&self) -> Option<usize> {
        self.errors.len().checked_sub(1)
    }

    /// Counts the error at `index` once more.
    pub(super) fn recurs(&mut self, index: usize) {
        self.errors[index].count += 1;
    }

    pub(super) fn is_full(&self) -> bool {
        self.errors.len() == ERRORS_MAX
    }

    pub(super) fn describe(&self, at: usize, message: String, hint: Option<String>) -> Diagnostic {
        let start = self.source[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let (line, column) = self.position(at);
        let skipped = (column - 1).saturating_sub(CONTEXT_CHARS);
        let text = self.source[start..].lines().next().unwrap_or("");
        let shown = 2 * CONTEXT_CHARS;
        let source_line = text.chars().skip(skipped).take(shown).map(printable).collect();
        let (file, caret) = (self.file.to_owned(), column - 1 - skipped);
        Diagnostic { file, line, column, message, source_line, caret, hint, count: 1 }
    }

    /// Line and column of byte `at`, both from 1.
    pub(super) fn position(&self, at: usize) -> (usize, usize) {
        let before = &self.source[..at];
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// `Err` with everything reported, in the order of the file.
    pub(super) fn finish(mut self) -> Result<(), Diagnostics> {
        if self.errors.is_empty() {
            return Ok(());
        }
        self.errors.sort_by_key(|error| (error.line, error.column));
        Err(Diagnostics { errors: self.errors })
    }
}

/// A terminal must not act on what a broken file holds.
fn printable(c: char) -> char {
    if c.is_control() && c != '\t' { '\u{fffd}' } else { c }
}

/// The report on a file that is not UTF-8 from byte `at` on.
pub(super) fn not_text(file: &str, bytes: &[u8], at: usize) -> Diagnostics {
    let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |i| at + i);
    let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    // What precedes `at` is valid, so its characters keep their number when the rest is replaced.
    let text = String::from_utf8_lossy(&bytes[start..end]);
    let mut diagnostics = DiagnosticCollector::new(file, &text);
    let message = format!("byte 0x{:02x} is not UTF-8 text", bytes[at]);
    let hint = "is this a binary file?".to_owned();
    diagnostics.error(at - start, message, Some(hint));
    let mut report = Diagnostics { errors: diagnostics.errors };
    report.errors[0].line = line;
    report
}
