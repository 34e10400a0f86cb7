//! What goes to the terminal besides the log: results on stdout, the reason of a failure on stderr.
//!
//! A reader that has gone (`firecaffe check net.prototxt | head`) is not an error.

use std::io::{self, Write};

use base::line_to_stderr;

/// Exit code of a command that did what it was asked.
pub(crate) const SUCCESS: u8 = 0;
/// Exit code of one that did not, or found something.
pub(crate) const FAILURE: u8 = 1;

/// Writes a result to stdout.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes several things that are wrong to stderr, before the line that says so.
pub(crate) fn complain(errors: &[String]) {
    line_to_stderr(&errors.join("\n"));
}

/// Writes why the program failed, all causes on one line, to stderr.
pub(crate) fn failure(error: &anyhow::Error) -> u8 {
    line_to_stderr(&format!("firecaffe: {error:#}"));
    FAILURE
}

/// Prints help, version, or what is wrong with the command line.
pub(crate) fn usage(error: &clap::Error) -> u8 {
    let _ = error.print();
    u8::try_from(error.exit_code()).unwrap_or(2)
}
