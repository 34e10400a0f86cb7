//! A net behind its Python objects: engine, homes of touched blobs, hooks. Blobs and layers hold it
//! too, so it lives as long as any of them.

use std::sync::{Arc, Mutex, MutexGuard};

use pyo3::prelude::*;
use train::{AddedLayers, BlobPart, LayerStructure, LentNet, MemoryPlan, RunError, Shape};

use crate::core_state::CoreState;
use crate::engine::{NetEngine, catch, lock};
use crate::errors::CallError;
use crate::hooks::{HookTime, LayerHooks, PassDirection, call_hooks};
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
        let (state, threads) = engine.with(|lent| {
            let threads = lent.cpu.threads() > 1 || !lent.replica.sources.is_empty();
            (CoreState::new(lent), threads)
        })?;
        let process = (threads || engine.solver().is_some()).then(std::process::id);
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
        let _running = RunningPass::begin(self)?;
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
        let result = catch(|| {
            self.engine.with(|lent| {
                let result = self.run_layers(lent, direction, order);
                let mut state = self.state();
                state.homes.release(lent);
                state.note_shapes(lent);
                result
            })?
        });
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
                    self.state().homes.after_backward(lent.net, position);
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
        self.state().homes.after_forward(lent.net, position);
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
        self.state().reshaped = true;
        let result = catch(|| self.engine.with(|lent| self.follow_shapes(lent, &all))?);
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

    /// The memory that shows part of param `number`, which a layer declares with `shape`.
    pub(crate) fn param_view(
        &self,
        number: usize,
        part: BlobPart,
        shape: &Shape,
    ) -> Result<View, CallError> {
        if let Some(view) = self.state().param_view(number, part, shape) {
            return Ok(view);
        }
        self.with(|lent, state| {
            let values = lent.net.running_values(number, &lent.replica.running);
            state.homes.make_param(number, values.unwrap_or_default());
            let view = state.param_view(number, part, shape);
            Ok(view.expect("its home was just made"))
        })
    }

    /// Says that a layer written in Python changes this param itself, in the memory of its view.
    pub(crate) fn leave_to_script(&self, param: usize) {
        self.state().homes.leave_to_script(param);
    }

    /// Begins an iteration of a solver: diffs of params are zero, and the next backward overwrites
    /// them, which rounds as without views.
    pub(crate) fn begin_gradients(&self) -> Result<(), CallError> {
        self.clear_param_diffs()?;
        self.state().fresh_gradients = true;
        Ok(())
    }

    /// Uses the learned params of `other` from now on, in layers of the same name, and takes over
    /// its running statistics as they are.
    pub(crate) fn share_with(&self, other: &Self) -> Result<(), CallError> {
        if std::ptr::eq(self, other) || self.is_test_net_of(other) {
            return Ok(());
        }
        if self.engine.solver().is_some() {
            return Err(CallError::TrainNetShares);
        }
        other.check()?;
        self.with(|lent, state| {
            other.engine.with(|theirs| {
                let shapes = |layer| CallError::SharedShapes { layer };
                let slabs = [lent.params, theirs.params];
                lent.net.share_values(theirs.net, slabs).map_err(shapes)?;
                lent.copy_running(theirs);
                state.params = lent.net.params().to_vec();
                state.homes.mark_params_stale();
                state.homes.release(lent);
                Ok(())
            })?
        })
    }

    /// Whether this is a test net of the solver that trains `other`, so that it shares its weights.
    fn is_test_net_of(&self, other: &Self) -> bool {
        match (&self.engine, &other.engine) {
            (NetEngine::Test(solver, _), NetEngine::Train(of)) => Arc::ptr_eq(solver, of),
            _ => false,
        }
    }

    /// Zeros the diffs of all params; those that nobody looks at when they are written next.
    pub(crate) fn clear_param_diffs(&self) -> Result<(), CallError> {
        self.with(|lent, state| {
            for &param in &state.viewed_diffs {
                if let Some(gradient) = lent.net.params()[param].gradient.clone() {
                    lent.pool.write(gradient).fill(0.0);
                }
            }
            lent.net.clear_gradients();
            for slab in state.no_gradients.iter().flatten() {
                slab.write(0..slab.len()).fill(0.0);
            }
            Ok(())
        })
    }

    /// Before the engine runs layers that nobody tells the homes about: what scripts changed goes
    /// in.
    pub(crate) fn bring_in(&self) -> Result<(), CallError> {
        self.with(|lent, state| {
            state.homes.bring_all_in(lent, &[BlobPart::Data, BlobPart::Diff])?;
            Ok(())
        })
    }

    /// After it did: homes show what is there now.
    pub(crate) fn bring_out(&self) -> Result<(), CallError> {
        self.with(|lent, state| {
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

    fn note_bug<R>(&self, result: Result<R, CallError>) -> Result<R, CallError> {
        if let Err(CallError::Bug { message }) = &result {
            self.state().broken = Some(message.clone());
        }
        result
    }
}

/// A pass that is under way; it ends when this is dropped.
struct RunningPass<'a>(&'a NetCore);

impl<'a> RunningPass<'a> {
    fn begin(core: &'a NetCore) -> Result<Self, CallError> {
        if core.engine.solver().is_some_and(|solver| solver.is_stepped_by_another_thread()) {
            return Err(CallError::Busy);
        }
        match std::mem::replace(&mut core.state().running, true) {
            true => Err(CallError::Busy),
            false => Ok(Self(core)),
        }
    }
}

impl Drop for RunningPass<'_> {
    fn drop(&mut self) {
        self.0.state().running = false;
    }
}
