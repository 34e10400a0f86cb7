//! What `check` has found, and how it is shown: errors on stderr, all else on stdout.

use std::fmt::Write;
use std::path::Path;

use caffe_format::{NetParameter, Phase};
use net::{MemoryPlan, NetDescription, NetError, Precision, describe};
use train::files::PrototxtNotice;
use train::{AddedLayers, FileSources, OnBadSample, TrainError};

use crate::commands::table;
use crate::log::prototxt;
use crate::options::file_root;

/// Most lines that a list of errors or notices takes. Nobody reads more.
const LINES_MAX: usize = 49;

/// What was found: text for stdout, and errors.
#[derive(Default)]
pub(super) struct Findings {
    text: String,
    errors: Vec<FoundEntry>,
    /// States in which a net without a solver was built.
    states: Vec<String>,
}

/// An error or a notice.
struct FoundEntry {
    /// With the line of the file, where there is one.
    full: String,
    /// On one line.
    short: String,
}

impl FoundEntry {
    fn one_line(text: String) -> Self {
        Self { short: text.clone(), full: text }
    }
}

impl Findings {
    /// Notices about how the file is written.
    pub(super) fn notices(&mut self, notices: &[PrototxtNotice]) {
        let entry = |notice| FoundEntry {
            full: prototxt::notice(notice),
            short: prototxt::notice_in_one_line(notice),
        };
        let entries: Vec<_> = notices.iter().map(entry).collect();
        self.text += &list(&entries);
    }

    /// Something the reader should know that is not wrong.
    pub(super) fn note(&mut self, text: String) {
        self.text += &(text + "\n");
    }

    /// Adds what is wrong, a prototxt's errors one by one.
    pub(super) fn error(&mut self, error: TrainError) {
        match error {
            TrainError::Prototxt(all) => {
                self.errors.extend(all.errors().iter().map(|error| FoundEntry {
                    full: error.to_string(),
                    short: error.in_one_line(),
                }))
            }
            error => self.errors.push(FoundEntry::one_line(train::chain(&error))),
        }
    }

    /// Adds what is wrong with a net; what is wrong in several states counts once.
    pub(super) fn net_errors(&mut self, name: &str, errors: &[NetError]) {
        for text in errors.iter().map(|error| train::chain(error)) {
            if !self.errors.iter().any(|known| known.full.ends_with(&text)) {
                self.errors.push(FoundEntry::one_line(format!("{name}: {text}")));
            }
        }
    }

    pub(super) fn table(&mut self, name: &str, net: &NetDescription) {
        self.text += &format!("{} ({name})\n{}\n", net.name, table::render(net));
    }

    /// A net without a solver is fine in this state.
    pub(super) fn checked(&mut self, state: String) {
        self.states.push(state);
    }

    /// The report on `file` for stdout; or how many errors there are, and all of them.
    pub(super) fn verdict(self, file: &Path) -> Result<String, (usize, String)> {
        if !self.errors.is_empty() {
            return Err((self.errors.len(), list(&self.errors).trim_end().to_owned()));
        }
        let states = match &self.states[..] {
            [] => String::new(),
            states => format!(" in {}", states.join("; ")),
        };
        Ok(self.text + &format!("{}: no errors{states}\n", file.display()))
    }
}

/// All entries if there is room for them, else one line each, as many as there is room for.
fn list(entries: &[FoundEntry]) -> String {
    let full: String = entries.iter().map(|entry| format!("{}\n", entry.full)).collect();
    if full.lines().count() <= LINES_MAX {
        return full;
    }
    let room = if entries.len() <= LINES_MAX { LINES_MAX } else { LINES_MAX - 1 };
    let mut short: String =
        entries.iter().take(room).map(|entry| format!("{}\n", entry.short)).collect();
    if entries.len() > room {
        let _ = writeln!(short, "and {} more", entries.len() - room);
    }
    short
}

/// Compiles a net of `file` without allocating its blobs; or what is wrong with it, and with the
/// files that it needs before it is compiled.
pub(crate) fn build(
    written: &NetParameter,
    file: &Path,
    precision: Precision,
    added: AddedLayers,
) -> Result<Result<NetDescription, Vec<NetError>>, Box<TrainError>> {
    let mut sources = FileSources::alone(file_root(file), OnBadSample::Fail).with_layers(added);
    let plan = match written.state().phase() {
        Phase::Train => MemoryPlan::ShareDiffs,
        Phase::Test => MemoryPlan::ForwardOnly,
    };
    let written = train::attach_matrices(written, file_root(file))?;
    Ok(match describe(&written, &mut sources, plan, precision) {
        Ok((net, _)) => Ok(net),
        Err(NetError::Several(errors)) => Err(errors),
        Err(error) => Err(vec![error]),
    })
}
