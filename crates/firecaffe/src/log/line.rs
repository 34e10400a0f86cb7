//! One line of the log: glog's severity, file and line number, and the text.

/// How much a line matters; glog's first letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    /// What Caffe says.
    Info,
    /// What the user should know.
    Warning,
    /// What went wrong without ending the run.
    Error,
}

impl Severity {
    pub(super) fn letter(self) -> char {
        match self {
            Self::Info => 'I',
            Self::Warning => 'W',
            Self::Error => 'E',
        }
    }
}

/// One line, without time and process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogLine {
    pub(crate) severity: Severity,
    /// The file that logs it in Caffe.
    pub(crate) file: &'static str,
    /// The line of that file.
    pub(crate) number: u32,
    pub(crate) text: String,
}

/// The file that lines of our own claim to come from.
const OURS: &str = "firecaffe";

impl LogLine {
    /// A line of our own.
    pub(crate) fn ours(text: String) -> Self {
        Self::at(OURS, 1, text)
    }

    /// A warning of our own.
    pub(crate) fn warning(text: String) -> Self {
        Self { severity: Severity::Warning, ..Self::at(OURS, 1, text) }
    }

    /// A line of Caffe's `file`.
    pub(super) fn at(file: &'static str, number: u32, text: String) -> Self {
        Self { severity: Severity::Info, file, number, text }
    }
}
