//! Functions of a script that are called before and after layers.

use std::sync::Mutex;

use pyo3::prelude::*;

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

/// The hooks of a net, in the order they were added. A hook that refers to its net keeps it alive
/// for good, as in pycaffe.
#[derive(Default)]
pub(crate) struct LayerHooks {
    hooks: Mutex<Vec<(PassDirection, HookTime, Py<PyAny>)>>,
}

impl LayerHooks {
    pub(crate) fn add(&self, direction: PassDirection, time: HookTime, hook: Py<PyAny>) {
        lock(&self.hooks).push((direction, time, hook));
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
