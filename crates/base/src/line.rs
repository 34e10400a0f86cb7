//! Lines on standard error that stay whole.
//!
//! Ranks share `mpirun`'s standard error, which takes what each writes piece by piece. `writeln!`
//! there writes every part of a format by itself, so lines of two ranks mix; one write for a line
//! keeps it together.

use std::io::{self, Write};

/// Writes `line` and its end in one piece. When standard error is gone nobody is left to tell.
pub fn line_to_stderr(line: &str) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
