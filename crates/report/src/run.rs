//! A run as its record, or a log of Caffe's, shows it: what charts and tables are made of.
//!
//! [`RunHistory::add`] takes entries one by one, so that the same type follows a run that goes on;
//! it holds the newest iterations whole and older ones in bins, in bounded memory.

use std::path::Path;

use crate::ReportError;
use crate::caffe_log;
use crate::record::{
    DisplayEntry, IterationBin, LayersEntry, MemoryEntry, RunBegin, RunEntry, SlowLink, SpansEntry,
    TestEntry, TimesEntry, is_record, read_segments,
};

/// Bins and displays that are held; when there are more, older ones are joined.
const HELD_MAX: usize = 40_000;
/// Those that stay as they are: at least as many as a record has whole.
const HELD_WHOLE: usize = 20_000;
/// Entries of times that are held.
const TIMES_MAX: usize = 4_000;
/// Warnings that are held: the first ones, which name causes rather than consequences.
const WARNINGS_MAX: usize = 1_000;

/// Everything that is known of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunHistory {
    /// How it is called: its folder or file.
    pub name: String,
    /// Its processes: one, and one for every resume.
    pub begins: Vec<RunBegin>,
    /// Settings by name; a later process overrides.
    pub settings: Vec<(String, String)>,
    /// Iterations in order.
    pub steps: Vec<IterationBin>,
    /// Displayed iterations in order.
    pub displays: Vec<DisplayEntry>,
    /// Times of ranks in order.
    pub times: Vec<TimesEntry>,
    /// Times of layers, the latest.
    pub layers: Option<LayersEntry>,
    /// One iteration in detail, the latest.
    pub spans: Option<SpansEntry>,
    /// Memory, the latest.
    pub memory: Option<MemoryEntry>,
    /// Tests in order.
    pub tests: Vec<TestEntry>,
    /// Snapshots: iteration and model.
    pub snapshots: Vec<(u64, String)>,
    /// Warnings: iteration and text.
    pub warnings: Vec<(u64, String)>,
    /// Slow links, the latest measurement of each.
    pub slow_links: Vec<SlowLink>,
    /// Warnings that were not held.
    pub warnings_left_out: usize,
    /// The latest hash of the weights and its iteration.
    pub hash: Option<(u64, String)>,
    /// How it ended, if it did so in order.
    pub end: Option<String>,
    /// Lines that could not be read.
    pub damaged: usize,
}

impl RunHistory {
    /// Reads the folder of a record, or a file with Caffe's log.
    pub fn read(path: &Path) -> Result<Self, ReportError> {
        let mut run = Self { name: path.display().to_string(), ..Self::default() };
        if path.is_dir() || is_record(path) {
            let damaged = read_segments(path, &mut |entry| run.add(entry))?;
            run.damaged = damaged;
            return Ok(run);
        }
        caffe_log::read(path, &mut |entry| run.add(entry))?;
        Ok(run)
    }

    /// Takes the next entry.
    pub fn add(&mut self, entry: RunEntry) {
        match entry {
            RunEntry::Begin(begin) => self.begin(*begin),
            RunEntry::Steps(bin) => {
                self.steps.push(bin);
                self.bound();
            }
            RunEntry::Display(display) => {
                self.displays.push(display);
                if self.displays.len() > HELD_MAX {
                    halve(&mut self.displays, |first, _| first.clone());
                }
            }
            RunEntry::Times(times) => {
                self.times.push(times);
                if self.times.len() > TIMES_MAX {
                    halve(&mut self.times, |first, second| {
                        let mut sum = first.clone();
                        sum.add(second);
                        sum
                    });
                }
            }
            RunEntry::Layers(layers) => self.layers = Some(layers),
            RunEntry::Spans(spans) => self.spans = Some(spans),
            RunEntry::Memory(memory) => self.memory = Some(memory),
            RunEntry::Test(test) => {
                let same =
                    |known: &TestEntry| (known.iteration, known.net) == (test.iteration, test.net);
                self.tests.retain(|known| !same(known));
                self.tests.push(test);
            }
            RunEntry::Snapshot { iteration, model } => self.snapshots.push((iteration, model)),
            RunEntry::Warning { iteration, text } => match self.warnings.len() < WARNINGS_MAX {
                true => self.warnings.push((iteration, text)),
                false => self.warnings_left_out += 1,
            },
            RunEntry::SlowLink(link) => {
                self.slow_links.retain(|known| known.hosts != link.hosts);
                self.slow_links.push(link);
            }
            RunEntry::Setting { name, value } => self.set(name, value),
            RunEntry::Hash { iteration, hash } => self.hash = Some((iteration, hash)),
            RunEntry::End { how, .. } => self.end = Some(how),
        }
    }

    /// A process begins: what was recorded from its first iteration on is done anew.
    fn begin(&mut self, begin: RunBegin) {
        let from = begin.iteration;
        self.steps.retain(|bin| bin.last < from);
        self.displays.retain(|display| display.iteration < from);
        self.times.retain(|times| times.iteration <= from);
        self.tests.retain(|test| test.iteration < from || test.iteration == from && from > 0);
        self.snapshots.retain(|(iteration, _)| *iteration <= from && from > 0);
        if from == 0 {
            (self.warnings, self.layers, self.spans) = (Vec::new(), None, None);
            self.begins.clear();
            self.settings.clear();
        }
        (self.end, self.hash) = (None, None);
        begin.settings.iter().for_each(|(name, value)| self.set(name.clone(), value.clone()));
        self.begins.push(begin);
    }

    fn set(&mut self, name: String, value: String) {
        match self.settings.iter_mut().find(|known| known.0 == name) {
            Some(known) => known.1 = value,
            None => self.settings.push((name, value)),
        }
    }

    fn bound(&mut self) {
        if self.steps.len() > HELD_MAX {
            halve(&mut self.steps, IterationBin::joined);
        }
    }

    /// Iterations done.
    #[must_use]
    pub fn iteration(&self) -> u64 {
        let steps = self.steps.last().map_or(0, |bin| bin.last + 1);
        let displays = self.displays.last().map_or(0, |display| display.iteration);
        steps.max(displays).max(self.begins.last().map_or(0, |begin| begin.iteration))
    }

    /// Images a second over the latest iterations; `None` before there are two.
    #[must_use]
    pub fn images_per_s(&self) -> Option<f64> {
        let images = self.begins.last()?.images as f64;
        let last = self.steps.last()?;
        let recent =
            self.steps.iter().rev().take(100).take_while(|bin| bin.seconds <= last.seconds);
        let first = recent.last()?;
        let iterations = last.last.checked_sub(first.last)? as f64;
        let seconds = last.seconds - first.seconds;
        (seconds > 0.0).then(|| images * iterations / seconds)
    }

    /// The command that repeats the run: that of its first process.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        self.begins.first().map(|begin| &*begin.command).filter(|command| !command.is_empty())
    }
}

/// Joins pairs among all but the newest.
fn halve<T: Clone>(held: &mut Vec<T>, join: impl Fn(&T, &T) -> T) {
    let old = held.len().saturating_sub(HELD_WHOLE.min(held.len() / 2));
    let mut joined: Vec<T> = Vec::with_capacity(held.len());
    joined.extend(held[..old].chunks(2).map(|pair| match pair {
        [first, second] => join(first, second),
        _ => pair[0].clone(),
    }));
    joined.extend_from_slice(&held[old..]);
    *held = joined;
}

#[cfg(test)]
mod tests;
