//! Values whose sum every algorithm must give exactly, in every format.
//!
//! Small whole numbers, so small that every partial sum over any ranks is represented: then nothing
//! is rounded, and the order of additions does not matter.

use crate::wire::WireFormat;

/// Period of the values: a prime, so that no chunk starts where another did.
const PERIOD: usize = 251;

/// Fills buffers and checks sums.
pub(super) struct SumChecker {
    world: usize,
    /// Values are below this.
    end: usize,
    /// Ranks from here on contribute zeros: with more than this many ones a sum would be rounded.
    contributors: usize,
}

impl SumChecker {
    pub(super) fn new(format: &WireFormat, world: usize) -> Self {
        let limit = usize::try_from(format.integers_max).unwrap_or(usize::MAX);
        let largest = (limit / world).clamp(1, PERIOD - 1);
        Self { world, end: largest + 1, contributors: limit }
    }

    fn value(&self, rank: usize, index: usize) -> f32 {
        if rank >= self.contributors {
            return 0.0;
        }
        let value = (index + 31 * rank) % PERIOD % self.end;
        u16::try_from(value).map_or(0.0, f32::from)
    }

    /// What `rank` contributes.
    pub(super) fn fill(&self, values: &mut [f32], rank: usize) {
        let pattern: Vec<f32> = (0..PERIOD).map(|index| self.value(rank, index)).collect();
        for block in values.chunks_mut(PERIOD) {
            block.copy_from_slice(&pattern[..block.len()]);
        }
    }

    /// Values that are not the sum.
    pub(super) fn count_wrong(&self, values: &[f32]) -> u64 {
        let sum = |index| (0..self.world).map(|rank| self.value(rank, index)).sum();
        let pattern: Vec<f32> = (0..PERIOD).map(sum).collect();
        let wrong = values.chunks(PERIOD).map(|block| {
            if block == &pattern[..block.len()] {
                return 0;
            }
            block.iter().zip(&pattern).filter(|(got, want)| got != want).count()
        });
        u64::try_from(wrong.sum::<usize>()).expect("a length fits 64 bits")
    }
}

#[cfg(test)]
mod tests {
    use super::SumChecker;
    use crate::canonical::tree_sum;
    use crate::wire::{F32, WIRE_FORMATS};

    fn filled(checker: &SumChecker, world: usize, len: usize) -> Vec<Vec<f32>> {
        let fill = |rank| {
            let mut values = vec![0.0; len];
            checker.fill(&mut values, rank);
            values
        };
        (0..world).map(fill).collect()
    }

    /// Whatever the order, and also where there are more ranks than the format can count.
    #[test]
    fn sums_are_exact_in_every_format() {
        for format in WIRE_FORMATS {
            for world in [1, 2, 5, 40, 300] {
                let checker = SumChecker::new(format, world);
                let mut inputs = filled(&checker, world, 600);
                let mut sums = vec![0.0; 600];
                tree_sum(format, &inputs, 0, &mut sums);
                assert_eq!(checker.count_wrong(&sums), 0, "{format}, {world} ranks");
                assert!(sums.iter().any(|sum| *sum > 0.0), "{format}, {world} ranks");
                inputs.reverse();
                tree_sum(format, &inputs, 0, &mut sums);
                assert_eq!(checker.count_wrong(&sums), 0, "{format}, {world} ranks");
            }
        }
    }

    #[test]
    fn wrong_values_are_counted() {
        let checker = SumChecker::new(F32, 2);
        let mut sums = vec![0.0; 1000];
        tree_sum(F32, &filled(&checker, 2, 1000), 0, &mut sums);
        assert_eq!(checker.count_wrong(&sums), 0);
        sums[0] += 1.0;
        sums[999] = f32::NAN;
        assert_eq!(checker.count_wrong(&sums), 2);
        assert!(SumChecker::new(F32, 3).count_wrong(&sums) > 900);
    }
}
