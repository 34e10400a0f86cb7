//! Lines on standard error that stay whole.
//!
//! Ranks write to one standard error, that of `mpirun`. `writeln!` calls `write` for every fragment
//! of its format, so lines of two ranks mix. A single call for the whole line keeps it together.

use std::io::{self, Write};

/// Writes `line` and a line feed in one call. Errors are ignored: there is nowhere to report them.
pub fn line_to_stderr(line: &str) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
