//! A net behind its Python objects: engine, homes of touched blobs, hooks. Blobs and layers hold it
//! too, so it lives as long as any of them.

use std::sync::{Arc, Mutex, MutexGuard};

use pyo3::prelude::*;
use train::{AddedLayers, BlobPart, LayerStructure, LentNet, MemoryPlan, RunError, Shape};

use crate::core_state::CoreState;
use crate::engine::{NetEngine, ThreadClaim, catch, lock};
use crate::errors::CallError;
use crate::hooks::{HookTime, LayerHooks, PassDirection, call_hooks};
use crate::value_locks::{ValueAccess, ValueLocks};
use crate::view::View;

/// A net and what scripts have of it.
pub(crate) struct NetCore {
    pub(crate) engine: NetEngine,
    state: Mutex<CoreState>,
    pub(crate) hooks: LayerHooks,
    added: AddedLayers,
    /// The process that made it, if it has threads of its own.
    process: Option<u32>,
}

impl NetCore {
    /// Takes over an engine.
    pub(crate) fn new(engine: NetEngine, added: AddedLayers) -> Result<Arc<Self>, CallError> {
        let (mut state, threads) = engine.with(|lent| {
            let threads = lent.cpu.threads() > 1 || !lent.replica.sources.is_empty();
            (CoreState::new(lent), threads)
        })?;
        let process = (threads || engine.solver().is_some()).then(std::process::id);
        state.values = match engine.solver() {
            Some(solver) => solver.values.clone(),
            None => ValueLocks::new(),
        };
        let (state, hooks) = (Mutex::new(state), LayerHooks::default());
        Ok(Arc::new(Self { engine, state, hooks, added, process }))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, CoreState> {
        lock(&self.state)
    }

    /// Lends the engine to `run` between passes. A panic breaks the net.
    pub(crate) fn with<R>(
        &self,
        run: impl FnOnce(&mut LentNet<'_>, &mut CoreState) -> Result<R, CallError>,
    ) -> Result<R, CallError> {
        self.check()?;
        let result = catch(|| self.engine.with(|lent| run(lent, &mut self.state()))?);
        self.note_bug(result)
    }

    /// As `with`, for a call that reads or changes learned values, which other nets may use too.
    /// What layers written in Python have changed of theirs is among the values, and they see the
    /// others.
    pub(crate) fn with_values<R>(
        &self,
        access: ValueAccess,
        run: impl FnOnce(&mut LentNet<'_>, &mut CoreState) -> Result<R, CallError>,
    ) -> Result<R, CallError> {
        let values = self.state().values.clone();
        values.hold(access, || {
            self.with(|lent, state| {
                state.homes.exchange_all(lent);
                let result = run(lent, state);
                state.homes.exchange_all(lent);
                result
            })
        })
    }

    /// Runs layers `first` to `last`, both included; backward runs them in the order given too, so
    /// `first` is the later one. The sum of their losses.
    pub(crate) fn pass(
        &self,
        py: Python<'_>,
        direction: PassDirection,
        first: usize,
        last: usize,
    ) -> Result<f32, CallError> {
        self.check()?;
        let _running = RunningPass::begin(self)?; // other threads stay out between hooks too
        let [before, after] =
            [HookTime::Before, HookTime::After].map(|time| self.hooks.of(py, direction, time));
        let order: Vec<usize> = match direction {
            PassDirection::Forward => (first..=last).collect(),
            PassDirection::Backward => (last..=first).rev().collect(),
        };
        if before.is_empty() && after.is_empty() {
            return py.detach(|| self.segment(direction, &order));
        }
        let mut loss = 0.0;
        for &layer in &order {
            call_hooks(py, &before, layer)?;
            loss += py.detach(|| self.segment(direction, &[layer]))?;
            call_hooks(py, &after, layer)?;
        }
        Ok(loss)
    }

    /// Runs layers while the script has no control.
    fn segment(&self, direction: PassDirection, order: &[usize]) -> Result<f32, CallError> {
        let run = || {
            self.engine.with(|lent| {
                let result = self.run_layers(lent, direction, order);
                let mut state = self.state();
                state.homes.release(lent);
                state.note_shapes(lent);
                result
            })?
        };
        let values = self.state().values.clone();
        let result = catch(|| values.hold(ValueAccess::Read, run));
        self.note_bug(result)
    }

    fn run_layers(
        &self,
        lent: &mut LentNet<'_>,
        direction: PassDirection,
        order: &[usize],
    ) -> Result<f32, CallError> {
        self.follow_shapes(lent, order)?;
        let layers = Arc::clone(&self.state().layers);
        let mut loss = 0.0;
        match direction {
            PassDirection::Forward => {
                for position in order.iter().flat_map(|&layer| layers[layer].runs.clone()) {
                    loss += self.forward_at(lent, position)?;
                }
            }
            PassDirection::Backward => {
                self.begin_backward(lent, &layers, order)?;
                for position in order.iter().flat_map(|&layer| layers[layer].runs.clone().rev()) {
                    self.state().homes.before_backward(lent, position)?;
                    let params = lent.params.read();
                    lent.net.backward_layer(position, lent.cpu, &params, lent.pool, 1.0)?;
                    drop(params);
                    self.state().homes.after_backward(lent, position);
                }
            }
        }
        Ok(loss)
    }

    fn forward_at(&self, lent: &mut LentNet<'_>, position: usize) -> Result<f32, CallError> {
        self.state().homes.before_forward(lent, position)?;
        let params = lent.params.read();
        let loss = lent.net.forward_layer(position, lent.cpu, &params, lent.replica)?;
        drop(params);
        self.state().homes.after_forward(lent, position);
        Ok(loss)
    }

    /// Backward reads what forward wrote: values that a script changed since, their copies in other
    /// memory orders, and param diffs that it changed, to which layers add.
    fn begin_backward(
        &self,
        lent: &mut LentNet<'_>,
        layers: &[LayerStructure],
        order: &[usize],
    ) -> Result<(), CallError> {
        let mut state = self.state();
        if !std::mem::take(&mut state.fresh_gradients) {
            state.viewed_diffs.iter().for_each(|&param| lent.net.add_to_gradient(param));
        }
        let changed = state.homes.bring_all_in(lent, &[BlobPart::Data])?;
        drop(state);
        if changed {
            for position in order.iter().rev().flat_map(|&layer| layers[layer].runs.clone()) {
                if lent.net.is_hidden(position) {
                    self.forward_at(lent, position)?;
                }
            }
        }
        Ok(())
    }

    /// Lets layers follow shapes that a script changed; compiles the net again where memory orders
    /// no longer fit.
    fn follow_shapes(&self, lent: &mut LentNet<'_>, order: &[usize]) -> Result<(), CallError> {
        if !self.state().reshaped {
            return Ok(());
        }
        let layers = Arc::clone(&self.state().layers);
        let mut followed = order.to_vec();
        followed.sort_unstable();
        let mut positions = followed.iter().map(|&layer| layers[layer].runs.clone());
        match positions.try_for_each(|range| lent.net.reshape_layers(range)) {
            Err(RunError::Layout { .. }) => self.recompile(lent)?,
            result => result?,
        }
        let mut state = self.state();
        state.note_shapes(lent);
        state.reshaped = order.len() < state.layers.len();
        Ok(())
    }

    fn recompile(&self, lent: &mut LentNet<'_>) -> Result<(), CallError> {
        *lent.net = lent.net.recompile(MemoryPlan::KeepDiffs, self.added)?;
        self.state().note_structure(lent);
        Ok(())
    }

    /// `net.reshape()`.
    pub(crate) fn reshape(&self) -> Result<(), CallError> {
        self.check()?;
        let all: Vec<usize> = (0..self.state().layers.len()).collect();
        let follow = |lent: &mut LentNet<'_>| {
            self.state().reshaped = true;
            self.follow_shapes(lent, &all)
        };
        let result = catch(|| self.engine.with(follow)?);
        self.note_bug(result)
    }

    /// `blob.reshape()`: in force at once for this blob.
    pub(crate) fn reshape_blob(&self, blob: usize, shape: &Shape) -> Result<(), CallError> {
        self.with(|lent, state| {
            lent.net.reshape_at(blob, shape);
            state.shapes[blob].clone_from(shape);
            state.reshaped = true;
            Ok(())
        })
    }

    /// The memory that shows part of a blob.
    pub(crate) fn blob_view(&self, blob: usize, part: BlobPart) -> Result<View, CallError> {
        if let Some(view) = self.state().blob_view(blob, part) {
            return Ok(view);
        }
        self.with(|lent, state| {
            let loss_weight = state.loss_weight(blob);
            let native = crate::functions::layout_is_native();
            state.homes.make(lent, (blob, part), native, loss_weight);
            state.blob_view(blob, part).ok_or_else(|| RunError::NoDiffs.into())
        })
    }

    /// Before the engine runs layers that nobody tells the homes about: what scripts changed goes
    /// in.
    pub(crate) fn bring_in(&self) -> Result<(), CallError> {
        self.with_values(ValueAccess::Read, |lent, state| {
            state.homes.bring_all_in(lent, &[BlobPart::Data, BlobPart::Diff])?;
            Ok(())
        })
    }

    /// After it did: homes show what is there now.
    pub(crate) fn bring_out(&self) -> Result<(), CallError> {
        self.with_values(ValueAccess::Read, |lent, state| {
            state.homes.mark_all_stale();
            state.homes.release(lent);
            state.note_shapes(lent);
            Ok(())
        })
    }

    /// Whether a call may begin.
    pub(crate) fn check(&self) -> Result<(), CallError> {
        if self.process.is_some_and(|process| process != std::process::id()) {
            return Err(CallError::Forked);
        }
        match &self.state().broken {
            Some(cause) => Err(CallError::Broken { cause: cause.clone() }),
            None => Ok(()),
        }
    }

    /// A panic breaks the net: what it has changed is unknown.
    pub(crate) fn note_bug<R>(&self, result: Result<R, CallError>) -> Result<R, CallError> {
        if let Err(CallError::Bug { message }) = &result {
            self.state().broken = Some(message.clone());
        }
        result
    }
}

/// A pass that is under way; it ends when this is dropped.
struct RunningPass<'a> {
    core: &'a NetCore,
    _claim: ThreadClaim<'a>,
}

impl<'a> RunningPass<'a> {
    fn begin(core: &'a NetCore) -> Result<Self, CallError> {
        let claim = core.engine.claim()?;
        match std::mem::replace(&mut core.state().running, true) {
            true => Err(CallError::Busy),
            false => Ok(Self { core, _claim: claim }),
        }
    }
}

impl Drop for RunningPass<'_> {
    fn drop(&mut self) {
        self.core.state().running = false;
    }
}
