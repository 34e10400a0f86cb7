//! Where the events of a run go: log, progress bar, JSON.

use base::Clock;
use train::Event;

use super::emulate::{BusyCores, LoadMeter};
use crate::log::Log;
use crate::log::json::JsonLog;
use crate::progress::ProgressDisplay;

/// Receives every event of a run.
pub(super) struct Listener<'a> {
    log: Log,
    json: Option<JsonLog>,
    progress: Option<ProgressDisplay>,
    clock: &'a dyn Clock,
    /// Watches an emulated run.
    load: Option<LoadMeter>,
}

impl<'a> Listener<'a> {
    pub(super) fn new(log: Log, json: Option<JsonLog>, clock: &'a dyn Clock) -> Self {
        Self { log, json, progress: None, clock, load: None }
    }

    /// Measures the load of the cores from now on, and withholds speeds if it is too high.
    pub(super) fn measure_load(&mut self) {
        self.load = Some(LoadMeter::default());
    }

    /// An error if a speed was withheld.
    pub(super) fn check_load(&self) -> Result<(), BusyCores> {
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
        if let Some(progress) = &self.progress {
            progress.event(event);
        }
        let seconds = self.clock.now().as_secs_f64();
        let written = self.json.as_mut().map(|json| json.event(event, seconds));
        if let Some(Err(error)) = written {
            self.json = None;
            self.log.warn(format!("the JSON log ends here: {error}"));
        }
    }
}
