//! Params of a net: the memory that shows them, their gradients, and weights that nets share.

use std::sync::Arc;

use train::{BlobPart, LentNet, Shape};

use crate::blob::PartMemory;
use crate::core_state::CoreState;
use crate::engine::NetEngine;
use crate::errors::CallError;
use crate::net_core::NetCore;
use crate::value_locks::ValueAccess;
use crate::view::{View, fill};

impl NetCore {
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

    /// Memory of its own for param `number` of a layer written in Python: values and diff. What is
    /// written into it is exchanged with the net's around passes and updates.
    pub(crate) fn script_memory(
        &self,
        number: usize,
        shape: &Shape,
    ) -> Result<[PartMemory; 2], CallError> {
        let memory = |part| -> Result<PartMemory, CallError> {
            let view = self.param_view(number, part, shape)?;
            let shown = (view.slab, view.start);
            let copy = self.with(|lent, state| Ok(state.homes.make_script(lent, number, part)))?;
            Ok(copy.map_or(shown, |slab| (slab, 0)))
        };
        Ok([memory(BlobPart::Data)?, memory(BlobPart::Diff)?])
    }

    /// Exchanges params of layers written in Python with the engine.
    pub(crate) fn exchange_scripts(&self) -> Result<(), CallError> {
        if !self.state().homes.has_scripts() {
            return Ok(());
        }
        self.with_values(ValueAccess::Read, |_, _| Ok(()))
    }

    /// Begins an iteration of a solver: diffs of params are zero, and the next backward overwrites
    /// them, which rounds as without views.
    pub(crate) fn begin_gradients(&self) -> Result<(), CallError> {
        self.clear_param_diffs()?;
        self.state().fresh_gradients = true;
        Ok(())
    }

    /// Zeros the diffs of all params; those that nobody looks at when they are written next.
    pub(crate) fn clear_param_diffs(&self) -> Result<(), CallError> {
        self.with(|lent, state| {
            for &param in &state.viewed_diffs {
                if let Some(gradient) = lent.net.params()[param].gradient.clone() {
                    fill(lent.pool, gradient, 0.0);
                }
            }
            lent.net.clear_gradients();
            state.homes.clear_script_gradients();
            for slab in state.no_gradients.iter().flatten() {
                fill(slab, 0..slab.len(), 0.0);
            }
            Ok(())
        })
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
        let others = other.state().values.clone();
        let share = |lent: &mut LentNet<'_>, state: &mut CoreState| {
            other.engine.with(|theirs| {
                let shapes = |layer| CallError::SharedShapes { layer };
                let slabs = [lent.params, theirs.params];
                lent.net.share_values(theirs.net, slabs).map_err(shapes)?;
                lent.copy_running(theirs);
                state.params = lent.net.params().to_vec();
                state.values.add(&others);
                state.homes.mark_params_stale();
                state.homes.release(lent);
                Ok(())
            })?
        };
        others.hold(ValueAccess::Read, || self.with_values(ValueAccess::Read, share))
    }

    /// Whether this is a test net of the solver that trains `other`, so that it shares its weights.
    fn is_test_net_of(&self, other: &Self) -> bool {
        match (&self.engine, &other.engine) {
            (NetEngine::Test(solver, _), NetEngine::Train(of)) => Arc::ptr_eq(solver, of),
            _ => false,
        }
    }
}
