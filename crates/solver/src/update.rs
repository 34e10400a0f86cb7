//! One pass over parameters, gradients and history.
//!
//! Block by block: prepare the gradient into a buffer of one block, apply the rule. Parameters and
//! history are read and written once, gradients are read once, and the buffer stays in the
//! first-level cache. Every value is updated independently of the others, so neither the division
//! between workers nor the number of threads changes a bit.

use kernels::Cpu;

use crate::{
    BLOCK, HISTORIES_MAX, Solver, UpdateStep,
    rules::{DecayMode, ParamBlock, UpdateRule},
};

/// Values a thread takes at a time: sixteen blocks, some tens of microseconds.
const TASK: usize = 16 * BLOCK;

/// A gradient, and what becomes of its memory.
#[derive(Debug)]
pub enum UpdateGradient<'a> {
    /// It stays.
    Kept(&'a [f32]),
    /// It becomes what the update subtracts from the values, as a param's diff does in Caffe. The
    /// values get the same bits.
    Replaced(&'a mut [f32]),
}

impl UpdateGradient<'_> {
    fn values(&self) -> &[f32] {
        match self {
            Self::Kept(values) => values,
            Self::Replaced(values) => values,
        }
    }
}

impl<'a> UpdateGradient<'a> {
    /// Parts of this length; the last may be shorter.
    fn into_chunks(self, len: usize) -> Vec<Self> {
        match self {
            Self::Kept(values) => values.chunks(len).map(Self::Kept).collect(),
            Self::Replaced(values) => values.chunks_mut(len).map(Self::Replaced).collect(),
        }
    }
}

/// The slices of the slabs that belong to one [`ParamRange`](crate::ParamRange).
#[derive(Debug)]
pub struct UpdateSlice<'a> {
    /// Index of the parameter.
    pub slot: usize,
    /// Its values.
    pub values: &'a mut [f32],
    /// Its gradient: the sum over replicas.
    pub gradient: UpdateGradient<'a>,
    /// Its histories; those beyond [`Solver::histories`] are empty.
    pub history: [&'a mut [f32]; HISTORIES_MAX],
}

impl Solver {
    /// Updates `slices`. With several workers each passes the slices of its own chunk. The caller
    /// has seen that all gradients are finite.
    ///
    /// # Panics
    ///
    /// If the values, gradient and histories of one [`UpdateSlice`] differ in length: all come from
    /// one [`ParamSlots`](crate::ParamSlots).
    pub fn update(&self, cpu: &Cpu, step: &UpdateStep, slices: Vec<UpdateSlice<'_>>) {
        let mut tasks: Vec<UpdateSlice<'_>> =
            slices.into_iter().flat_map(UpdateSlice::into_tasks).collect();
        cpu.run_blocks(&mut tasks, 1, |_, tasks| {
            tasks.iter_mut().for_each(|task| update_slice(cpu, self.rule, step, task));
        });
    }
}

impl<'a> UpdateSlice<'a> {
    /// Divides the slice into what one thread does at a time.
    fn into_tasks(self) -> impl Iterator<Item = UpdateSlice<'a>> {
        let UpdateSlice { slot, values, gradient, history: [first, second] } = self;
        // A history that the rule does not keep is empty in every task.
        let tasks = |history: &'a mut [f32]| {
            history.chunks_mut(TASK).map(Some).chain(std::iter::repeat_with(|| None))
        };
        let slabs = values.chunks_mut(TASK).zip(gradient.into_chunks(TASK));
        slabs.zip(tasks(first).zip(tasks(second))).map(
            move |((values, gradient), (first, second))| {
                let history = [first.unwrap_or_default(), second.unwrap_or_default()];
                UpdateSlice { slot, values, gradient, history }
            },
        )
    }
}

fn update_slice(cpu: &Cpu, rule: &UpdateRule, step: &UpdateStep, slice: &mut UpdateSlice<'_>) {
    let UpdateSlice { slot, values, gradient, history } = slice;
    assert_eq!(values.len(), gradient.values().len(), "a gradient for every value");
    for kept in &history[..rule.histories] {
        assert_eq!(values.len(), kept.len(), "a history for every value");
    }
    let (preparation, terms) = &step.factors[*slot];
    let mut buffer = [0.0; BLOCK];
    for start in (0..values.len()).step_by(BLOCK) {
        let block = start..values.len().min(start + BLOCK);
        let prepared = &mut buffer[..block.len()];
        let (w, g) = (&values[block.clone()], &gradient.values()[block.clone()]);
        kernels::vectorize!(cpu, preparation.block(w, g, prepared));
        let history = history.each_mut().map(|h| h.get_mut(block.clone()).unwrap_or_default());
        let update = match gradient {
            UpdateGradient::Kept(_) => None,
            UpdateGradient::Replaced(update) => Some(&mut update[block.clone()]),
        };
        let values = &mut values[block];
        match update {
            None => (rule.update)(cpu, terms, ParamBlock { values, gradient: prepared, history }),
            Some(update) => {
                let apply = |values: &mut [f32]| {
                    (rule.update)(cpu, terms, ParamBlock { values, gradient: prepared, history });
                };
                update_visibly(rule, values, update, apply);
            }
        }
    }
}

/// Updates one block and leaves in `update` what was subtracted. Rules end in `w -= u`, so applied
/// to zeros they give `-u`, and adding that gives the same bits. Where the decay is the rule's own,
/// `u` depends on the weight, and the difference stands for it.
fn update_visibly(
    rule: &UpdateRule,
    values: &mut [f32],
    update: &mut [f32],
    apply: impl FnOnce(&mut [f32]),
) {
    if rule.decay == DecayMode::Decoupled {
        update.copy_from_slice(values);
        apply(values);
        update.iter_mut().zip(&*values).for_each(|(u, w)| *u -= w);
        return;
    }
    update.fill(0.0);
    apply(update);
    for (w, u) in values.iter_mut().zip(update) {
        *w += *u;
        *u = -*u;
    }
}

#[cfg(test)]
mod tests;
