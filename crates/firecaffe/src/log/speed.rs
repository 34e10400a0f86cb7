//! How fast a run is and where its time goes, in words and numbers.

use std::time::Duration;

use train::PhaseTimes;

/// Items in a time, and what worker 0 spent that time on.
pub(crate) struct Speed {
    pub(crate) items: u64,
    pub(crate) elapsed: Duration,
    pub(crate) times: PhaseTimes,
    /// Whether computation was waited for.
    pub(crate) emulated: bool,
}

impl Speed {
    /// Items per second; `None` before any time has passed.
    pub(crate) fn per_second(&self) -> Option<f64> {
        let seconds = self.elapsed.as_secs_f64();
        (seconds > 0.0 && self.items > 0).then(|| self.items as f64 / seconds)
    }

    /// Every kind of work and its percentage of the time.
    pub(crate) fn percentages(&self) -> [(&'static str, f64); 5] {
        let PhaseTimes { data, forward, backward, exposed_communication, update } = self.times;
        let total = self.times.total().as_secs_f64().max(f64::MIN_POSITIVE);
        let percentage = |time: Duration| 100.0 * time.as_secs_f64() / total;
        [
            ("data wait", percentage(data)),
            ("forward", percentage(forward)),
            ("backward", percentage(backward)),
            ("exposed communication", percentage(exposed_communication)),
            ("update", percentage(update)),
        ]
    }

    /// `27.5 images/s; data wait 0.1 %, forward 30.2 %, …`, or `27.5 images/s emulated; …`; nothing
    /// before any time has passed.
    pub(crate) fn in_words(&self) -> Option<String> {
        let speed = self.per_second()?;
        let decimals = if speed < 100.0 { 2 } else { 0 };
        let parts =
            self.percentages().map(|(what, percentage)| format!("{what} {percentage:.1} %"));
        let emulated = if self.emulated { " emulated" } else { "" };
        Some(format!("{speed:.decimals$} images/s{emulated}; {}", parts.join(", ")))
    }
}
