//! `caffe.Timer`.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Measures the time between `start` and `stop`.
#[pyclass(module = "caffe")]
#[derive(Default)]
pub(crate) struct Timer {
    started: Option<Instant>,
    measured: Duration,
}

#[pymethods]
impl Timer {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Begins to measure.
    #[expect(clippy::disallowed_methods, reason = "a script asks for the real time")]
    fn start(&mut self) {
        self.started = Some(Instant::now());
    }

    /// Ends the measurement.
    fn stop(&mut self) {
        if let Some(started) = self.started.take() {
            self.measured = started.elapsed();
        }
    }

    /// Milliseconds between the last `start` and the `stop` after it, or now.
    #[getter]
    fn ms(&mut self) -> f64 {
        if let Some(started) = self.started {
            self.measured = started.elapsed();
        }
        self.measured.as_secs_f64() * 1e3
    }
}
