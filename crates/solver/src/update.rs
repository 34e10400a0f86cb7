//! The one pass over parameters, gradients and history.
//!
//! Block by block: prepare the gradient into a buffer of one block, look whether it is finite, apply the
//! rule. Parameters and history are read and written once, gradients read once, the buffer stays in
//! cache. Every value is updated by itself, so neither pieces nor threads change a bit.

use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use kernels::Cpu;

use crate::{
    BLOCK, HISTORIES_MAX, Run, Slots, Solver, Step,
    rules::{Block, Rule},
};

/// Values a thread takes at a time: sixteen blocks, some tens of microseconds.
const TASK: usize = 16 * BLOCK;

/// A run of blocks to update: the parts of the slabs that belong to it.
#[derive(Debug)]
pub struct Piece<'a> {
    /// Index of the parameter.
    pub slot: usize,
    /// Its values.
    pub values: &'a mut [f32],
    /// Its gradient: the sum over replicas.
    pub gradient: &'a [f32],
    /// Its histories; those beyond [`Solver::histories`] are empty.
    pub history: [&'a mut [f32]; HISTORIES_MAX],
}

/// A gradient is infinite or not a number. The blocks that hold such values were left as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the gradient of parameter {slot} is not finite")]
pub struct NotFinite {
    /// Index of the first such parameter among the pieces.
    pub slot: usize,
}

impl Solver {
    /// Updates `pieces`. With several workers each passes those of its own share.
    ///
    /// # Panics
    ///
    /// If a piece's slices differ in length: all are cut by one [`Slots`].
    pub fn update(&self, cpu: &Cpu, step: &Step, pieces: Vec<Piece<'_>>) -> Result<(), NotFinite> {
        let mut tasks: Vec<Piece<'_>> = pieces.into_iter().flat_map(Piece::into_tasks).collect();
        let worst = AtomicUsize::new(usize::MAX);
        cpu.run_chunks(&mut tasks, 1, |_, tasks| {
            for task in tasks {
                if !update_piece(cpu, self.rule, step, task) {
                    worst.fetch_min(task.slot, Ordering::Relaxed);
                }
            }
        });
        match worst.into_inner() {
            usize::MAX => Ok(()),
            slot => Err(NotFinite { slot }),
        }
    }
}

impl<'a> Piece<'a> {
    /// Cuts off what one thread does at a time, until nothing is left.
    fn into_tasks(self) -> impl Iterator<Item = Piece<'a>> {
        let Piece { slot, values, gradient, history: [first, second] } = self;
        // A history that the rule does not keep is empty, and so is every part of it.
        let parts = |history: &'a mut [f32]| {
            history.chunks_mut(TASK).map(Some).chain(std::iter::repeat_with(|| None))
        };
        let slabs = values.chunks_mut(TASK).zip(gradient.chunks(TASK));
        slabs.zip(parts(first).zip(parts(second))).map(
            move |((values, gradient), (first, second))| {
                let history = [first.unwrap_or_default(), second.unwrap_or_default()];
                Piece { slot, values, gradient, history }
            },
        )
    }
}

/// Cuts slabs that belong to the caller alone into the pieces of `runs`.
///
/// # Panics
///
/// If two runs overlap in the slab, or lie outside it.
pub fn pieces<'a>(
    slots: &Slots,
    runs: &[Run],
    values: &'a mut [f32],
    pool: &'a [f32],
    history: [&'a mut [f32]; HISTORIES_MAX],
) -> Vec<Piece<'a>> {
    let mut order: Vec<&Run> = runs.iter().collect();
    order.sort_by_key(|run| slots.in_slab(run).start);
    let mut values = Rest::new(values);
    let mut history = history.map(Rest::new);
    let piece = |run: &Run| Piece {
        slot: run.slot,
        values: values.take(slots.in_slab(run)),
        gradient: &pool[slots.in_pool(run)],
        history: history.each_mut().map(|rest| rest.take(slots.in_slab(run))),
    };
    order.into_iter().map(piece).collect()
}

/// What is left of a slab from which ranges are taken in ascending order.
struct Rest<'a> {
    values: &'a mut [f32],
    taken: usize,
    /// A history that the rule does not keep: every range of it is empty.
    absent: bool,
}

impl<'a> Rest<'a> {
    fn new(values: &'a mut [f32]) -> Self {
        let absent = values.is_empty();
        Self { values, taken: 0, absent }
    }

    fn take(&mut self, range: Range<usize>) -> &'a mut [f32] {
        if self.absent {
            return &mut [];
        }
        let rest = std::mem::take(&mut self.values);
        let (_, rest) = rest.split_at_mut(range.start - self.taken);
        let (wanted, rest) = rest.split_at_mut(range.len());
        self.values = rest;
        self.taken = range.end;
        wanted
    }
}

/// `false` if a gradient here is not finite.
fn update_piece(cpu: &Cpu, rule: &Rule, step: &Step, piece: &mut Piece<'_>) -> bool {
    let Piece { slot, values, gradient, history } = piece;
    assert_eq!(values.len(), gradient.len(), "a gradient for every value");
    for kept in &history[..rule.histories] {
        assert_eq!(values.len(), kept.len(), "a history for every value");
    }
    let (prepare, terms) = &step.factors[*slot];
    let mut buffer = [0.0; BLOCK];
    let mut finite = true;
    for start in (0..values.len()).step_by(BLOCK) {
        let block = start..values.len().min(start + BLOCK);
        let prepared = &mut buffer[..block.len()];
        let (w, g) = (&values[block.clone()], &gradient[block.clone()]);
        if kernels::vectorize!(cpu, prepare.block(w, g, prepared)) {
            let history = history.each_mut().map(|h| h.get_mut(block.clone()).unwrap_or_default());
            let values = &mut values[block];
            (rule.update)(cpu, terms, Block { values, gradient: prepared, history });
        } else {
            finite = false;
        }
    }
    finite
}
