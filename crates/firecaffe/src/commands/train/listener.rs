//! Where the events of a run go: log, progress bar, JSON.

use std::io::{self, IsTerminal};

use anyhow::Result;
use base::Clock;
use indicatif::ProgressBar;
use train::{Event, Job};

use super::emulate::{BusyCores, LoadMeter};
use crate::cores::SharedCores;
use crate::log::Log;
use crate::log::json::JsonLog;
use crate::observe::RunObserver;
use crate::progress::{ProgressDisplay, records_bar};

/// Receives every event of a run.
pub(super) struct Listener<'a> {
    log: Log,
    json: Option<JsonLog>,
    /// Record, TensorBoard and page.
    observer: Option<RunObserver>,
    progress: Option<ProgressDisplay>,
    /// While records are indexed or loaded, on a terminal.
    records: Option<ProgressBar>,
    clock: &'a dyn Clock,
    /// Watches an emulated run.
    load: Option<LoadMeter>,
    /// Watches for other programs on the cores of a real one.
    shared_cores: Option<SharedCores>,
}

impl<'a> Listener<'a> {
    pub(super) fn new(
        log: Log,
        json: Option<JsonLog>,
        observer: Option<RunObserver>,
        clock: &'a dyn Clock,
        shared_cores: Option<SharedCores>,
    ) -> Self {
        let (progress, records, load) = (None, None, None);
        Self { log, json, observer, progress, records, clock, load, shared_cores }
    }

    /// Before the first iteration of `job`.
    pub(super) fn begin(&mut self, job: &Job) -> Result<()> {
        self.observer.as_mut().map_or(Ok(()), |observer| observer.begin(job, &self.log))
    }

    /// Measures the load of the cores from now on, and withholds speeds if it is too high.
    pub(super) fn measure_load(&mut self) {
        self.load = Some(LoadMeter::default());
    }

    /// An error if a speed was withheld.
    pub(super) fn check_load(&self) -> std::result::Result<(), BusyCores> {
        self.load.as_ref().map_or(Ok(()), LoadMeter::check)
    }

    /// Shows a progress bar from now on, or none.
    pub(super) fn show(&mut self, progress: Option<ProgressDisplay>) {
        self.log.share(progress.as_ref().map(ProgressDisplay::bar));
        self.progress = progress;
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    /// Passes an event to log, progress bar and JSON log.
    pub(super) fn hear(&mut self, event: &Event) {
        if self.load.as_mut().is_some_and(|load| !load.allows(event, &self.log)) {
            return;
        }
        self.log.event(event);
        if let (Event::Displayed(_), Some(cores)) = (event, &self.shared_cores)
            && let Some(notice) = cores.notice()
        {
            self.log.warn(notice);
        }
        if let Some(progress) = &self.progress {
            progress.event(event);
        }
        if let Event::PreparingRecords { layer, done, all } = event {
            self.show_records(layer, *done, *all);
        }
        let seconds = self.clock.now().as_secs_f64();
        let written = self.json.as_mut().map(|json| json.event(event, seconds));
        if let Some(Err(error)) = written {
            self.json = None;
            self.log.warn(format!("the JSON log ends here: {error}"));
        }
        let observed = self.observer.as_mut().map(|observer| observer.hear(event, seconds));
        if let Some(Err(error)) = observed {
            self.observer = None;
            self.log.warn(format!("the record of the run ends here: {error:#}"));
        }
    }

    /// Moves the bar of `layer`'s records, which goes when they are all there.
    fn show_records(&mut self, layer: &str, done: u64, all: u64) {
        if !io::stderr().is_terminal() || self.log.is_silent() {
            return;
        }
        let bar = self.records.get_or_insert_with(|| records_bar(layer));
        bar.set_length(all.max(done));
        bar.set_position(done);
        if done == all {
            bar.finish_and_clear();
            self.records = None;
        }
    }
}
