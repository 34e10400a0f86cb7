//! `Solver` and its subclasses.
//!
//! `step` runs the passes of the train net as `Net._forward` and `_backward` do, so that views,
//! hooks and callbacks see every iteration, and leaves the rest to the job: tests, update, display,
//! snapshots. The weights have the bits of `firecaffe train`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{PyTraverseError, PyVisit};
use train::{AddedLayers, Event, Job, NoControl, TrainError};

use crate::engine::{NetEngine, catch, lock};
use crate::errors::CallError;
use crate::hooks::PassDirection;
use crate::net::NetObject;
use crate::net_core::NetCore;
use crate::python_layer::LAYERS;
use crate::solver_core::SolverCore;
use crate::solver_param::SolverParameterView;
use crate::value_locks::ValueAccess;

/// A solver of any type; made by its subclasses or `get_solver`.
#[pyclass(frozen, subclass, dict, weakref, name = "Solver", module = "caffe")]
pub(crate) struct SolverObject {
    core: Arc<SolverCore>,
    train: Arc<NetCore>,
    tests: Vec<Arc<NetCore>>,
    net: Py<NetObject>,
    test_nets: Py<PyList>,
    /// What to call before the passes of an iteration and before its update.
    callbacks: Mutex<Vec<[Py<PyAny>; 2]>>,
}

impl SolverObject {
    /// Opens the solver in `file`, with update rule `rule` if that is given.
    pub(crate) fn open(py: Python<'_>, file: PathBuf, rule: Option<&str>) -> PyResult<Self> {
        let added = LAYERS;
        let (core, train, tests) = py.detach(|| catch(|| Self::open_nets(file, rule, added)))?;
        let net = Py::new(py, NetObject::of_core(py, Arc::clone(&train))?)?;
        let test_nets =
            tests.iter().map(|core| Py::new(py, NetObject::of_core(py, Arc::clone(core))?));
        let test_nets = PyList::new(py, test_nets.collect::<PyResult<Vec<_>>>()?)?.unbind();
        Ok(Self { core, train, tests, net, test_nets, callbacks: Mutex::default() })
    }

    #[expect(clippy::type_complexity, reason = "a solver, its net, and its test nets")]
    fn open_nets(
        file: PathBuf,
        rule: Option<&str>,
        added: AddedLayers,
    ) -> Result<(Arc<SolverCore>, Arc<NetCore>, Vec<Arc<NetCore>>), CallError> {
        let core = SolverCore::open(file, rule)?;
        let train = NetCore::new(NetEngine::Train(Arc::clone(&core)), added)?;
        let count = core.job()?.test_net_count();
        let test = |index| NetCore::new(NetEngine::Test(Arc::clone(&core), index), added);
        let tests = (0..count).map(test).collect::<Result<_, _>>()?;
        Ok((core, train, tests))
    }

    /// The net that learns, and those that score it.
    fn nets(&self) -> impl Iterator<Item = &Arc<NetCore>> {
        std::iter::once(&self.train).chain(&self.tests)
    }

    /// Lends the job to `run` between passes. A panic breaks the nets, and so the solver.
    fn with_job<R: Send>(
        &self,
        py: Python<'_>,
        access: ValueAccess,
        run: impl FnOnce(&mut Job) -> Result<R, TrainError> + Send,
    ) -> Result<R, CallError> {
        self.train.check()?;
        let with_job = || {
            let mut job = self.core.job()?;
            let result = run(&mut job);
            self.core.note_iter(&job);
            Ok(result?)
        };
        let result = py.detach(|| catch(|| self.core.values.hold(access, with_job)));
        self.nets().fold(result, |result, net| net.note_bug(result))
    }

    /// As `with_job`, for an update: layers written in Python see its results, and it sees what
    /// they have changed of their params.
    fn with_update<R: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Job) -> Result<R, TrainError> + Send,
    ) -> Result<R, CallError> {
        let _claim = self.core.claim()?;
        self.nets().try_for_each(|net| net.exchange_scripts())?;
        let result = self.with_job(py, ValueAccess::Write, run);
        let shown = self.nets().try_for_each(|net| net.exchange_scripts());
        result.and_then(|result| shown.map(|()| result))
    }

    /// As `with_job`, where the job runs nets itself: what scripts changed goes in before, and
    /// views show what is there after.
    fn with_nets<R: Send>(
        &self,
        py: Python<'_>,
        access: ValueAccess,
        run: impl FnOnce(&mut Job) -> Result<R, TrainError> + Send,
    ) -> Result<R, CallError> {
        let _claim = self.core.claim()?;
        self.nets().try_for_each(|net| net.bring_in())?;
        let result = self.with_job(py, access, run);
        let shown = self.nets().try_for_each(|net| net.bring_out());
        result.and_then(|result| shown.map(|()| result))
    }

    /// One iteration.
    fn step_once(&self, py: Python<'_>) -> Result<(), CallError> {
        use ValueAccess::Read;
        if self.with_job(py, Read, |job| Ok(job.tests_are_due()))? {
            self.with_nets(py, Read, |job| job.test_if_due(&NoControl, &mut report))?;
        }
        let step = self.with_job(py, Read, |job| job.begin_driven(&mut report))?;
        self.train.begin_gradients()?;
        self.call_back(py, 0)?;
        let passes = self.with_job(py, Read, |job| Ok(job.solver_param().iter_size()))?;
        let last = self.train.state().layers.len().saturating_sub(1);
        let mut loss = 0.0;
        for _ in 0..passes {
            loss += self.train.pass(py, PassDirection::Forward, 0, last)?;
            self.train.pass(py, PassDirection::Backward, last, 0)?;
        }
        #[expect(clippy::cast_precision_loss, reason = "a few batches")]
        let loss = loss / passes as f32;
        self.call_back(py, 1)?;
        self.with_update(py, |job| job.end_driven(step, loss, &mut report))?;
        self.with_job(py, Read, |job| job.snapshot_if_due(&mut report))
    }

    fn call_back(&self, py: Python<'_>, which: usize) -> Result<(), CallError> {
        let pairs = lock(&self.callbacks);
        let callbacks: Vec<_> = pairs.iter().map(|pair| pair[which].clone_ref(py)).collect();
        drop(pairs); // a callback may add another
        callbacks.iter().try_for_each(|callback| callback.call0(py).map(drop))?;
        Ok(())
    }

    fn steps(&self, py: Python<'_>, count: u64) -> Result<(), CallError> {
        for _ in 0..count {
            self.step_once(py)?;
            py.check_signals()?;
        }
        Ok(())
    }
}

fn report(event: Event) {
    crate::report::report(&event);
}

#[pymethods]
impl SolverObject {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.net)?;
        visit.call(&self.test_nets)?;
        // Callbacks that are in use now are no garbage; the collector must not wait.
        let Ok(callbacks) = self.callbacks.try_lock() else { return Ok(()) };
        callbacks.iter().flatten().try_for_each(|callback| visit.call(callback))
    }

    fn __clear__(&self) {
        let callbacks = std::mem::take(&mut *lock(&self.callbacks));
        drop(callbacks); // not while they are locked: this may run code of the script
    }

    /// The net that learns.
    #[getter]
    fn net(&self, py: Python<'_>) -> Py<NetObject> {
        self.net.clone_ref(py)
    }

    /// The nets that score it.
    #[getter]
    fn test_nets(&self, py: Python<'_>) -> Py<PyList> {
        self.test_nets.clone_ref(py)
    }

    /// Iterations done.
    #[getter]
    fn iter(&self) -> u64 {
        self.core.iter()
    }

    /// The learning rate of the next iteration.
    #[getter]
    fn lr(&self) -> PyResult<f32> {
        Ok(self.core.job()?.rate())
    }

    /// Some fields of the solver's prototxt.
    #[getter]
    fn param(&self) -> SolverParameterView {
        SolverParameterView::new(Arc::clone(&self.core))
    }

    /// Calls `on_start` before every iteration's passes and `on_gradients_ready` before its update.
    #[pyo3(signature = (on_start, on_gradients_ready = None))]
    fn add_callback(
        &self,
        on_start: &Bound<'_, PyAny>,
        on_gradients_ready: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let Some(ready) = on_gradients_ready else { return Err(CallError::Nccl.into()) };
        for callback in [on_start, ready] {
            if !callback.is_callable() {
                let got = callback.get_type().to_string();
                let (argument, want) = ("a callback", "a function");
                return Err(CallError::Argument { argument, got, want }.into());
            }
        }
        let pair = [on_start.clone().unbind(), ready.clone().unbind()];
        lock(&self.callbacks).push(pair);
        Ok(())
    }

    /// Trains for so many iterations.
    fn step(&self, py: Python<'_>, iters: u64) -> PyResult<()> {
        let _stepping = self.core.begin()?;
        Ok(self.steps(py, iters)?)
    }

    /// Trains until `max_iter`, from a solver state if one is given.
    #[pyo3(signature = (resume_file = None))]
    fn solve(&self, py: Python<'_>, resume_file: Option<PathBuf>) -> PyResult<()> {
        if let Some(state) = resume_file {
            self.restore(py, state)?;
        }
        let _stepping = self.core.begin()?;
        let left = self.with_job(py, ValueAccess::Read, |job| {
            job.restart_loss();
            let max_iter = u64::try_from(job.solver_param().max_iter()).unwrap_or(0);
            Ok(max_iter.saturating_sub(job.iter()))
        })?;
        self.steps(py, left)?;
        let finish = |job: &mut Job| job.finish_driven(&NoControl, &mut report);
        self.with_nets(py, ValueAccess::Read, finish)?;
        Ok(())
    }

    /// Goes on from a solver state.
    fn restore(&self, py: Python<'_>, state_file: PathBuf) -> PyResult<()> {
        let restore = |job: &mut Job| job.restore_driven(&state_file, &mut report);
        self.with_nets(py, ValueAccess::Write, restore)?;
        Ok(())
    }

    /// Writes a snapshot.
    fn snapshot(&self, py: Python<'_>) -> PyResult<()> {
        let mut failed = None;
        self.with_nets(py, ValueAccess::Read, |job| {
            job.snapshot_driven(&mut |event| match event {
                Event::SnapshotFailed { causes } => failed = Some(causes.join(": ")),
                event => report(event),
            })
        })?;
        match failed {
            Some(causes) => Err(CallError::Snapshot { causes }.into()),
            None => Ok(()),
        }
    }

    /// Lets another net use the weights of this solver's net.
    fn share_weights(&self, net: &Bound<'_, NetObject>) -> PyResult<()> {
        Ok(net.get().core()?.share_with(&self.train)?)
    }

    /// Updates the weights by what the params' diffs hold.
    fn apply_update(&self, py: Python<'_>) -> PyResult<()> {
        Ok(self.with_update(py, |job| job.apply_update())?)
    }
}

/// Opens a solver of the type that its prototxt names.
#[pyfunction]
pub(crate) fn get_solver(py: Python<'_>, filename: PathBuf) -> PyResult<Py<PyAny>> {
    let solver = SolverObject::open(py, filename, None)?;
    let rule = solver.core.job()?.solver_param().type_().to_owned();
    crate::solver_types::of_rule(py, &rule, solver)
}
