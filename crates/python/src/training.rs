//! `caffe.train`: the command `firecaffe train` inside a Python program.
//!
//! The interpreter's lock is released. It is taken for Python layers, for callbacks, and every
//! 20 ms between iterations, for signals. What a callback raises is kept until the run has stopped.

use std::ffi::OsString;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use firecaffe::{Embedding, TrainFailure};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use train::{Control, Event, Request, chain};

use crate::engine::lock;
use crate::python_layer::{LAYERS, original};

/// How often signals are looked for, at most.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);

/// Runs `firecaffe train OPTIONS`; what came of it. `on_event` is called with every event as JSON,
/// and `stops` says whether to stop; both on the calling thread.
#[pyfunction]
pub(crate) fn _train<'py>(
    py: Python<'py>,
    options: Vec<OsString>,
    on_event: Option<Py<PyAny>>,
    stops: Py<PyAny>,
    quiet: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (raised, asked) = (Mutex::default(), Mutex::default());
    let caller = Caller { on_event, stops, raised, asked };
    let mut outcome = RunOutcome::default();
    let ended = py.detach(|| caller.train(options, quiet, &mut outcome));
    if let Some(raised) = lock(&caller.raised).take() {
        return Err(raised);
    }
    match ended {
        Ok(()) => outcome.into_dict(py),
        Err(failure) => {
            Err(original(py, &*failure)
                .unwrap_or_else(|| PyRuntimeError::new_err(chain(&*failure))))
        }
    }
}

/// The Python program that called.
struct Caller {
    on_event: Option<Py<PyAny>>,
    stops: Py<PyAny>,
    /// The first exception of one of the two, or of a signal's handler.
    raised: Mutex<Option<PyErr>>,
    /// When it was last asked.
    asked: Mutex<Option<Instant>>,
}

impl Caller {
    fn train(
        &self,
        options: Vec<OsString>,
        quiet: bool,
        outcome: &mut RunOutcome,
    ) -> Result<(), TrainFailure> {
        let mut events = |event: &Event| {
            outcome.note(event);
            if let Some(on_event) = &self.on_event {
                self.tell(on_event, event);
            }
        };
        let (added, control) = (LAYERS, self);
        firecaffe::train(options, Embedding { added, control, events: &mut events, quiet })
    }

    /// Calls back, unless an earlier call raised.
    fn tell(&self, on_event: &Py<PyAny>, event: &Event) {
        if self.has_raised() {
            return;
        }
        let json = serde_json::to_string(event).expect("all events can be serialised");
        Python::attach(|py| self.keep(on_event.call1(py, (json,)).map(drop)));
    }

    fn has_raised(&self) -> bool {
        lock(&self.raised).is_some()
    }

    fn keep(&self, result: PyResult<()>) {
        if let Err(error) = result {
            lock(&self.raised).get_or_insert(error);
        }
    }

    /// Whether a handler of a signal, or the caller, wants the run to stop.
    fn wants_stop(&self, py: Python<'_>) -> PyResult<bool> {
        py.check_signals()?;
        self.stops.call0(py)?.extract(py)
    }
}

impl Control for Caller {
    #[expect(clippy::disallowed_methods, reason = "the user who presses Ctrl-C is in real time")]
    fn request(&self) -> Request {
        if self.has_raised() {
            return Request::Stop;
        }
        let mut asked = lock(&self.asked);
        if asked.is_some_and(|at| at.elapsed() < SIGNAL_INTERVAL) {
            return Request::None;
        }
        *asked = Some(Instant::now());
        drop(asked);
        Python::attach(|py| match self.wants_stop(py) {
            Ok(true) => Request::Stop,
            Ok(false) => Request::None,
            Err(error) => {
                self.keep(Err(error));
                Request::Stop
            }
        })
    }
}

/// What a run came to, from its events.
#[derive(Default)]
struct RunOutcome {
    iterations: u64,
    loss: Option<f32>,
    hash: Option<u64>,
    model: Option<String>,
    state: Option<String>,
    stopped: bool,
}

impl RunOutcome {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Stepped { done, loss } => (self.iterations, self.loss) = (*done, Some(*loss)),
            Event::Hash { steps, hash } => (self.iterations, self.hash) = (*steps, Some(*hash)),
            Event::SnapshotWritten { model, state } => {
                self.model = Some(model.to_string_lossy().into_owned());
                self.state = Some(state.to_string_lossy().into_owned());
            }
            Event::StoppedEarly => self.stopped = true,
            _ => {}
        }
    }

    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("iterations", self.iterations)?;
        dict.set_item("loss", self.loss)?;
        dict.set_item("hash", self.hash.map(|hash| format!("{hash:016x}")))?;
        dict.set_item("model", self.model)?;
        dict.set_item("state", self.state)?;
        dict.set_item("stopped", self.stopped)?;
        Ok(dict)
    }
}
