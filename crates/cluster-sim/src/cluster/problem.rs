//! What is wrong with a cluster file, and where: all of it at once.

use std::fmt;
use std::ops::Range;

/// Everything that is wrong with one cluster file, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterFileError {
    /// One per mistake.
    pub problems: Vec<ClusterProblem>,
}

/// One mistake in a cluster file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterProblem {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// What to write instead.
    pub hint: String,
    /// The line, and a caret under the place.
    excerpt: String,
}

impl ClusterProblem {
    /// A problem at `span` of `text`, in bytes.
    pub(super) fn at(text: &str, span: &Range<usize>, what: String, hint: String) -> Self {
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = 1 + text[..line_start].matches('\n').count();
        let before = text[line_start..start].chars().count();
        let whole = text[line_start..].lines().next().unwrap_or_default();
        let rest = whole.chars().count().saturating_sub(before);
        let len = text.get(start..span.end).map_or(1, |spanned| spanned.chars().count());
        let carets = "^".repeat(len.clamp(1, rest.max(1)));
        let excerpt = format!("    {whole}\n    {}{carets}", " ".repeat(before));
        Self { line, column: before + 1, what, hint, excerpt }
    }
}

impl fmt::Display for ClusterProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, what, hint, excerpt } = self;
        write!(f, "{line}:{column}: {what}; {hint}\n{excerpt}")
    }
}

impl fmt::Display for ClusterFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let newline = if index > 0 { "\n" } else { "" };
            write!(f, "{newline}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ClusterFileError {}
