//! How fast a run is and where its time goes, in words and numbers.

use std::time::Duration;

use train::PhaseTimes;

/// Items in a time, and what worker 0 spent that time on.
pub(crate) struct Speed {
    pub(crate) items: u64,
    pub(crate) elapsed: Duration,
    pub(crate) times: PhaseTimes,
}

impl Speed {
    /// Items a second; `None` before any time has passed.
    pub(crate) fn per_second(&self) -> Option<f64> {
        let seconds = self.elapsed.as_secs_f64();
        (seconds > 0.0 && self.items > 0).then(|| self.items as f64 / seconds)
    }

    /// Every kind of work and its share of the time, in percent.
    pub(crate) fn shares(&self) -> [(&'static str, f64); 5] {
        let PhaseTimes { data, forward, backward, exposed_communication, update } = self.times;
        let total = self.times.total().as_secs_f64().max(f64::MIN_POSITIVE);
        let share = |time: Duration| 100.0 * time.as_secs_f64() / total;
        [
            ("data wait", share(data)),
            ("forward", share(forward)),
            ("backward", share(backward)),
            ("exposed communication", share(exposed_communication)),
            ("update", share(update)),
        ]
    }

    /// `27.5 images/s; data wait 0.1 %, forward 30.2 %, …`; nothing before any time has passed.
    pub(crate) fn in_words(&self) -> Option<String> {
        let speed = self.per_second()?;
        let decimals = if speed < 100.0 { 2 } else { 0 };
        let shares = self.shares().map(|(what, share)| format!("{what} {share:.1} %"));
        Some(format!("{speed:.decimals$} images/s; {}", shares.join(", ")))
    }
}
