//! The scale of gradients: a power of two that keeps them within the exponents of `f16`.
//!
//! `f16` overflows beyond 65504 and vanishes below 6e-8, and the pool holds a sum over R replicas.
//! So every gradient is multiplied by the scale before it is first rounded, and the update divides
//! by it. Multiplying by a power of two loses no bit. With blobs in `f16` the loss is multiplied,
//! otherwise a replica's gradient when it enters the sum.
//!
//! ```text
//!   a sum overflows            the step is skipped: weights and history stay, the scale is halved
//!   2,000 steps without        the scale is doubled
//!   a sum overflows at scale 1 the run ends, as it does without a scale
//! ```
//!
//! All workers and ranks look at the same sums before any of them writes a weight, so all skip the
//! same step. A skipped step advances iteration, data and running statistics. The scale is in the
//! sidecar, so that a resumed run goes on to the bit.

use snapshot::SidecarSection;

use super::StepOutput;
use crate::{Event, GradientEvent, Job, JobConfig, ResumeProblem};

/// Steps without overflow after which the scale is doubled.
const CLEAN_STEPS: u32 = 2000;

/// The exponent of the first scale: gradients up to 64 do not overflow.
const FIRST_EXPONENT: u32 = 10;

/// The exponent of the last scale: gradients of 4e-15 are still represented, and `f32` is far from
/// its own end.
const EXPONENT_MAX: u32 = 24;

/// The scale and what has happened to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GradientScale {
    exponent: u32,
    /// Steps without overflow since the scale last changed.
    clean_steps: u32,
    /// Steps that were skipped since the run's first iteration.
    skipped: u64,
    /// Steps that were skipped since the last one that updated weights.
    skipped_last: u64,
}

impl GradientScale {
    /// The tag of its section in the sidecar.
    const TAG: [u8; 4] = *b"SCAL";

    /// That of a run's first iteration; `None` where blobs and gradients have all exponents.
    pub(crate) fn first(config: &JobConfig) -> Option<Self> {
        let first = Self { exponent: FIRST_EXPONENT, clean_steps: 0, skipped: 0, skipped_last: 0 };
        (config.wire.is_narrow || config.precision.is_narrow()).then_some(first)
    }

    /// The scale.
    pub(crate) fn factor(self) -> f32 {
        (1_u32 << self.exponent) as f32
    }

    /// Steps that were skipped so far.
    pub(crate) fn skipped(self) -> u64 {
        self.skipped
    }

    /// Steps that were skipped since the last one that updated weights: its rate is in the history.
    pub(crate) fn skipped_last(self) -> u64 {
        self.skipped_last
    }

    /// Whether a step that overflows may be skipped: at scale 1 overflow is divergence.
    pub(crate) fn can_skip(self) -> bool {
        self.exponent > 0
    }

    /// Counts a step; what the scale was multiplied by.
    fn count(&mut self, skipped: bool) -> f32 {
        if skipped {
            self.skipped += 1;
            self.skipped_last += 1;
            self.clean_steps = 0;
            self.exponent -= 1; // only where `can_skip` said so
            return 0.5;
        }
        self.skipped_last = 0;
        self.clean_steps += 1;
        if self.clean_steps < CLEAN_STEPS {
            return 1.0;
        }
        self.clean_steps = 0;
        if self.exponent == EXPONENT_MAX {
            return 1.0;
        }
        self.exponent += 1;
        2.0
    }

    /// As the sidecar holds it.
    pub(crate) fn section(self) -> SidecarSection {
        let Self { exponent, clean_steps, skipped, skipped_last } = self;
        let small = [exponent, clean_steps].map(u32::to_le_bytes).concat();
        let large = [skipped, skipped_last].map(u64::to_le_bytes).concat();
        SidecarSection { tag: Self::TAG, bytes: [small, large].concat() }
    }

    /// What a sidecar holds; `None` if it was written without a scale.
    pub(crate) fn of_sections(sections: &[SidecarSection]) -> Result<Option<Self>, ResumeProblem> {
        let found = sections.iter().find(|section| section.tag == Self::TAG);
        found.map(|section| Self::read(&section.bytes).ok_or(ResumeProblem::Scale)).transpose()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (&exponent, bytes) = bytes.split_first_chunk()?;
        let (&clean_steps, bytes) = bytes.split_first_chunk()?;
        let (&skipped, bytes) = bytes.split_first_chunk()?;
        let [skipped, skipped_last] = [skipped, bytes.try_into().ok()?].map(u64::from_le_bytes);
        let [exponent, clean_steps] = [exponent, clean_steps].map(u32::from_le_bytes);
        let is_valid = exponent <= EXPONENT_MAX && clean_steps < CLEAN_STEPS;
        is_valid.then_some(Self { exponent, clean_steps, skipped, skipped_last })
    }
}

impl Job {
    /// Counts a step and changes the scale by it, and what compressions keep with the scale.
    pub(super) fn adapt_scale(&mut self, output: &StepOutput, events: &mut dyn FnMut(Event)) {
        let Some(scale) = &mut self.scale else { return self.update_residuals(false, 1.0) };
        let changed = scale.count(output.skipped);
        let (iter, scale) = (self.iter, scale.factor());
        self.update_residuals(output.skipped, changed);
        if output.skipped {
            events(Event::Gradients(GradientEvent::StepSkipped { iter, scale }));
        } else if changed > 1.0 {
            events(Event::Gradients(GradientEvent::ScaleDoubled { iter, scale }));
        }
    }
}

#[cfg(test)]
mod tests {
    use snapshot::SidecarSection;

    use super::{CLEAN_STEPS, EXPONENT_MAX, FIRST_EXPONENT, GradientScale};

    fn scale(exponent: u32) -> GradientScale {
        GradientScale { exponent, clean_steps: 0, skipped: 0, skipped_last: 0 }
    }

    #[test]
    fn overflow_halves_and_two_thousand_clean_steps_double() {
        let mut scale = scale(FIRST_EXPONENT);
        assert_eq!(scale.count(true), 0.5);
        assert_eq!((scale.factor(), scale.skipped(), scale.skipped_last()), (512.0, 1, 1));
        let clean = |scale: &mut GradientScale, steps: u32| -> f32 {
            (0..steps).map(|_| scale.count(false)).product()
        };
        assert_eq!(clean(&mut scale, CLEAN_STEPS - 1), 1.0);
        assert_eq!(scale.count(true), 0.5, "steps are counted anew");
        assert_eq!(clean(&mut scale, CLEAN_STEPS), 2.0);
        assert_eq!((scale.factor(), scale.skipped(), scale.skipped_last()), (512.0, 2, 0));
        assert_eq!(clean(&mut scale, 2 * CLEAN_STEPS), 4.0);
    }

    #[test]
    fn it_has_a_lower_and_an_upper_end() {
        assert!(scale(1).can_skip() && !scale(0).can_skip());
        let mut highest = scale(EXPONENT_MAX);
        (0..2 * CLEAN_STEPS).for_each(|_| assert_eq!(highest.count(false), 1.0));
        assert_eq!(highest, scale(EXPONENT_MAX));
    }

    #[test]
    fn a_sidecar_gives_it_back_or_says_that_it_is_damaged() {
        let mut scale = scale(3);
        scale.count(false);
        scale.count(true);
        let section = scale.section();
        let read =
            |section: &SidecarSection| GradientScale::of_sections(std::slice::from_ref(section));
        assert_eq!(read(&section).unwrap(), Some(scale));
        assert_eq!(GradientScale::of_sections(&[]).unwrap(), None);
        for len in 0..section.bytes.len() {
            let mut short = section.clone();
            short.bytes.truncate(len);
            assert!(read(&short).is_err(), "{len} bytes");
        }
        let mut high = section;
        high.bytes[0] = 200;
        assert!(read(&high).is_err());
    }
}
