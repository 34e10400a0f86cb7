//! Functions of a script that are called before and after layers.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::engine::lock;

/// Which way layers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassDirection {
    Forward,
    Backward,
}

/// When a hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookTime {
    Before,
    After,
}

/// The hooks of a net, in the order they were added. The collector sees them, so that a hook which
/// refers to its net does not keep it alive.
#[derive(Default)]
pub(crate) struct LayerHooks {
    hooks: Mutex<Vec<(PassDirection, HookTime, Py<PyAny>)>>,
}

impl LayerHooks {
    pub(crate) fn add(&self, direction: PassDirection, time: HookTime, hook: Py<PyAny>) {
        lock(&self.hooks).push((direction, time, hook));
    }

    /// Shows them to Python's collector, which finds cycles.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // One that is in use now is no garbage; the collector must not wait.
        let Ok(hooks) = self.hooks.try_lock() else { return Ok(()) };
        hooks.iter().try_for_each(|(_, _, hook)| visit.call(hook))
    }

    /// Drops them all, since nobody can call them any more.
    pub(crate) fn clear(&self) {
        let hooks = std::mem::take(&mut *lock(&self.hooks));
        drop(hooks); // not while they are locked: this may run code of the script
    }

    /// Those for one direction and time.
    pub(crate) fn of(
        &self,
        py: Python<'_>,
        direction: PassDirection,
        time: HookTime,
    ) -> Vec<Py<PyAny>> {
        let hooks = lock(&self.hooks);
        let wanted = hooks.iter().filter(|hook| (hook.0, hook.1) == (direction, time));
        wanted.map(|(_, _, hook)| hook.clone_ref(py)).collect()
    }
}

/// Calls hooks with the number of a layer.
pub(crate) fn call_hooks(py: Python<'_>, hooks: &[Py<PyAny>], layer: usize) -> PyResult<()> {
    hooks.iter().try_for_each(|hook| hook.call1(py, (layer,)).map(drop))
}
