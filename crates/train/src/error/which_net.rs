//! Which of a solver's nets an error is about.

use std::fmt;
use std::path::PathBuf;

/// A net, as messages name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhichNet {
    /// The net that learns.
    Train,
    /// A test net, counted from 0.
    Test(usize),
    /// The net in this file, which no solver names.
    File(PathBuf),
}

impl fmt::Display for WhichNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Train => f.write_str("train net"),
            Self::Test(index) => write!(f, "test net {index}"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}
