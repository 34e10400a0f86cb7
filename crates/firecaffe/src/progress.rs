//! A progress bar while training, on a terminal only.

use std::cell::Cell;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use train::{Display, Event};

use crate::log::speed::Speed;

/// Iterations done of all, speed, loss and the time left.
pub(crate) struct ProgressDisplay {
    bar: ProgressBar,
    /// Images in one iteration; 0 when the net has no data layer.
    images: usize,
    /// Data wait and exposed communication at the last display, in percent.
    waits: Cell<Option<[f64; 2]>>,
}

impl ProgressDisplay {
    /// A bar from `done` to `all` iterations; `None` when stderr is not a terminal.
    pub(crate) fn new(done: u64, all: u64, images: usize) -> Option<Self> {
        if !io::stderr().is_terminal() {
            return None;
        }
        let style = ProgressStyle::with_template(
            "{bar:24.cyan/blue} {pos}/{len} iterations, {msg}, {eta} left",
        )
        .expect("the template is a constant");
        let bar = ProgressBar::new(all).with_style(style).with_position(done);
        bar.reset_eta();
        Some(Self { bar, images, waits: Cell::new(None) })
    }

    /// The bar itself, for the log to step around.
    pub(crate) fn bar(&self) -> ProgressBar {
        self.bar.clone()
    }

    /// Moves on.
    pub(crate) fn event(&self, event: &Event) {
        if let Event::Displayed(display) = event {
            let Display { items, elapsed, times, .. } = *display;
            let [data, _, _, exposed, _] =
                Speed { items, elapsed, times, emulated: false }.percentages();
            self.waits.set((items > 0).then_some([data.1, exposed.1]));
        }
        if let Event::Stepped { done, loss } = event {
            self.bar.set_position(*done);
            let speed = self.bar.per_sec();
            let speed = match self.images {
                0 => format!("{speed:.1} per second"),
                images => format!("{:.0} images/s", speed * images as f64),
            };
            let waits = self.waits.get().map_or_else(String::new, |[data, exposed]| {
                format!(", data wait {data:.0} %, exposed communication {exposed:.0} %")
            });
            self.bar.set_message(format!("{speed}, loss {loss:.4}{waits}"));
        }
    }
}

/// A bar for the records of `layer`.
pub(crate) fn records_bar(layer: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(
        "{bar:24.cyan/blue} {pos}/{len} records of layer `{msg}`, {eta} left",
    )
    .expect("the template is a constant");
    ProgressBar::new(0).with_style(style).with_message(layer.to_owned())
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
