//! The end of a step: a look at the summed gradients, and the update rule on a worker's own chunks.

use std::borrow::Cow;
use std::ops::Range;

use exchange::compression::Applied;
use kernels::Cpu;
use solver::{
    BlockSums, Clipped, HISTORIES_MAX, ParamRange, UpdateGradient, UpdateSlice, all_finite,
    block_sums,
};
use tensor::{SharedSlab, SlabReadGuard, SlabWriteGuard};

use super::{GradientScale, StepContext};

/// A range of the summed gradients during the update.
enum GradientGuard<'a> {
    Read(SlabReadGuard<'a>),
    /// It becomes the update's value.
    Write(SlabWriteGuard<'a>),
}

impl<'a> GradientGuard<'a> {
    fn new(sum: &'a SharedSlab, range: Range<usize>, replace: bool) -> Self {
        match replace {
            true => Self::Write(sum.write(range)),
            false => Self::Read(sum.read_range(range)),
        }
    }

    fn lend(&mut self) -> UpdateGradient<'_> {
        match self {
            Self::Read(gradient) => UpdateGradient::Kept(gradient),
            Self::Write(gradient) => UpdateGradient::Replaced(gradient),
        }
    }
}

impl StepContext {
    /// What every sum is multiplied by: the pool holds a sum of scaled gradients over replicas, the
    /// rule takes the mean of what they were.
    fn mean_scale(&self) -> f32 {
        let scale = self.scale.map_or(1.0, GradientScale::factor);
        1.0 / self.shared.placement.replicas as f32 / scale
    }

    /// The parts of a worker's `ranges` where the update applies. Elsewhere weights and history
    /// stay as they are, and no norm counts.
    pub(super) fn applied_ranges<'a>(
        &self,
        ranges: &'a [ParamRange],
        applied: &Applied,
    ) -> Cow<'a, [ParamRange]> {
        match applied {
            Applied::Everything => Cow::Borrowed(ranges),
            Applied::Ranges(applied) => Cow::Owned(self.shared.slots.within(ranges, applied)),
        }
    }

    /// Looks at the summed gradients of `ranges` before any weight is written: adds up the squares
    /// that clipping and LARS need, and tells everybody of a gradient that is not finite, unless
    /// the local sum has done so.
    pub(crate) fn inspect_gradients(&self, cpu: &Cpu, ranges: &[ParamRange], sum: &SharedSlab) {
        let needs_norms = self.shared.solver.needs_norms();
        if !needs_norms && self.shared.local_sums_are_final() {
            return;
        }
        for range in ranges {
            let gradient = sum.read_range(self.shared.slots.in_pool(range));
            let finite = match needs_norms {
                true => self.add_norms(range, &gradient),
                false => all_finite(cpu, &gradient),
            };
            if !finite {
                self.sync.announce_not_finite(range.slot);
            }
        }
    }

    /// Adds up the squares of one range; whether its gradients are finite.
    fn add_norms(&self, range: &ParamRange, gradient: &[f32]) -> bool {
        let values = self.shared.params.read_range(self.shared.slots.in_slab(range));
        let blocks = self.shared.slots.blocks_in(range);
        let mut sums = vec![BlockSums::default(); blocks.len()];
        block_sums(self.mean_scale(), &values, gradient, &mut sums);
        self.sync.norms()[blocks].copy_from_slice(&sums);
        sums.iter().all(BlockSums::is_finite)
    }

    /// Applies the update rule to the parameters in `ranges`, and rounds them in mixed precision.
    pub(crate) fn update(
        &self,
        cpu: &Cpu,
        ranges: &[ParamRange],
        sum: &SharedSlab,
    ) -> Option<Clipped> {
        let (solver, slots) = (&self.shared.solver, &self.shared.slots);
        let step = {
            let norms = self.sync.norms(); // none, if the solver needs none
            let skipped = self.scale.map_or(0, GradientScale::skipped_last);
            solver.step(self.iter, skipped, self.mean_scale(), slots, &norms)
        };
        let keeps_diffs = self.shared.config.keep_diffs;
        let mut guards: Vec<_> = (ranges.iter())
            .map(|range| {
                let slab = slots.in_slab(range);
                let history = self.shared.history.iter().map(|history| history.write(slab.clone()));
                let history: Vec<_> = history.collect();
                let gradient = GradientGuard::new(sum, slots.in_pool(range), keeps_diffs);
                (range.slot, self.shared.params.write(slab), gradient, history)
            })
            .collect();
        let slices = (guards.iter_mut())
            .map(|(slot, values, gradient, history)| {
                let mut history = history.iter_mut().map(|history| &mut history[..]);
                let history: [_; HISTORIES_MAX] =
                    std::array::from_fn(|_| history.next().unwrap_or_default());
                UpdateSlice {
                    slot: *slot,
                    values: &mut values[..],
                    gradient: gradient.lend(),
                    history,
                }
            })
            .collect();
        solver.update(cpu, &step, slices);
        if let Some(rounded) = &self.shared.rounded {
            for (range, (_, values, ..)) in ranges.iter().zip(&guards) {
                let mut rounded = rounded.write(slots.in_slab(range));
                self.shared.config.precision.round_params(cpu, values, &mut rounded);
            }
        }
        step.clipped
    }
}
