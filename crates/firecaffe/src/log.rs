//! The log: Caffe's lines in glog's form, on stderr, around the progress bar if there is one.
//!
//! ```text
//! I1115 13:39:22.381027 25210 solver.cpp:239] Iteration 100 (1000 iter/s, 0.1s/100 iters), loss = 0.5
//! ```
//!
//! Caffe's `parse_log.py` and `plot_training_log` read this form; they count a new row at every
//! "Iteration", so no line of our own contains the word.

mod caffe_line;
mod gradient_line;
pub(crate) mod json;
mod line;
mod lines;
mod own_line;
pub(crate) mod prototxt;
mod set_up;
pub(crate) mod speed;
pub(crate) mod timeline;

use std::io::{self, Write};

use chrono::{DateTime, Local, TimeZone};
use indicatif::ProgressBar;
use train::Event;

pub(crate) use caffe_line::CaffeLine;
use line::{LogLine, Severity};
pub(crate) use own_line::{counted, memory_plan};

/// Where log lines go.
pub(crate) struct Log {
    pid: u32,
    /// Drawn on the same terminal, so it is hidden while a line is written.
    bar: Option<ProgressBar>,
    /// Writes nothing: another rank logs, or nobody.
    silent: bool,
}

impl Log {
    /// A log without a progress bar.
    pub(crate) fn new() -> Self {
        Self { pid: std::process::id(), bar: None, silent: false }
    }

    /// The log of `rank`: only rank 0 writes.
    pub(crate) fn of_rank(rank: base::Rank) -> Self {
        Self { silent: !rank.is_first(), ..Self::new() }
    }

    /// A log that nobody wants.
    pub(crate) fn silent() -> Self {
        Self { silent: true, ..Self::new() }
    }

    /// Whether nothing is written.
    pub(crate) fn is_silent(&self) -> bool {
        self.silent
    }

    /// Lets `bar` share the terminal from now on.
    pub(crate) fn share(&mut self, bar: Option<ProgressBar>) {
        self.bar = bar;
    }

    /// Writes what Caffe logs about an event.
    pub(crate) fn event(&self, event: &Event) {
        lines::of(event).iter().for_each(|line| self.line(line));
    }

    /// Writes a line that Caffe's command logs too.
    pub(crate) fn caffe(&self, line: CaffeLine<'_>) {
        self.line(&line.logged());
    }

    /// Writes a line of our own.
    pub(crate) fn note(&self, text: impl Into<String>) {
        self.line(&LogLine::ours(text.into()));
    }

    /// Writes a warning of our own.
    pub(crate) fn warn(&self, text: impl Into<String>) {
        self.line(&LogLine::warning(text.into()));
    }

    fn line(&self, line: &LogLine) {
        if self.silent {
            return;
        }
        let text = render(line, &Local::now(), self.pid);
        // A log that cannot be written must not stop a run of days.
        let write = || drop(io::stderr().write_all(text.as_bytes()));
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

/// What the log warns of at an event: texts, for whoever shows them in another way.
pub fn warnings(event: &Event) -> impl Iterator<Item = String> {
    let lines = lines::of(event).into_iter();
    lines.filter(|line| line.severity != Severity::Info).map(|line| line.text)
}

/// A line as glog writes it; only the first of several gets the prefix, as there.
fn render<Tz: TimeZone>(line: &LogLine, now: &DateTime<Tz>, pid: u32) -> String
where
    Tz::Offset: std::fmt::Display,
{
    let LogLine { severity, file, number, text } = line;
    let letter = severity.letter();
    let stamp = now.format("%m%d %H:%M:%S%.6f");
    format!("{letter}{stamp} {pid:5} {file}:{number}] {text}\n")
}

#[cfg(test)]
mod tests;
