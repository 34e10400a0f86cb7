//! A slot of memory that holds terms instead of numbers, as runs of equal terms.
//!
//! Runs make the proof's cost follow the number of chunks, not of values: a buffer of 100 million
//! values in 8 chunks is 8 runs.

use super::term::Term;
use std::ops::Range;

/// A run of values that hold one term: where it ends, and the term.
pub(super) type Run = (usize, Term);

/// Runs in order; the last ends at the slot's length. An empty slot has none.
#[derive(Debug, Clone)]
pub(super) struct Memory(Vec<Run>);

impl Memory {
    /// `len` values that all hold `term`.
    pub(super) fn new(len: usize, term: Term) -> Self {
        Self(if len == 0 { Vec::new() } else { vec![(len, term)] })
    }

    /// The runs in `range`, with ends counted from its start.
    pub(super) fn read(&self, range: &Range<usize>) -> Vec<Run> {
        let first = self.0.partition_point(|run| run.0 <= range.start);
        let mut runs = Vec::new();
        for &(end, term) in &self.0[first..] {
            runs.push((end.min(range.end) - range.start, term));
            if end >= range.end {
                break;
            }
        }
        runs
    }

    /// Replaces what `range` holds by `runs`, which cover it.
    pub(super) fn write(&mut self, range: &Range<usize>, runs: &[Run]) {
        let first = self.0.partition_point(|run| run.0 <= range.start);
        let last = self.0.partition_point(|run| run.0 < range.end);
        let mut new = Vec::with_capacity(runs.len() + 2);
        let begins = if first == 0 { 0 } else { self.0[first - 1].0 };
        if begins < range.start {
            new.push((range.start, self.0[first].1));
        }
        for &(end, term) in runs {
            push(&mut new, (range.start + end, term));
        }
        if self.0[last].0 > range.end {
            push(&mut new, self.0[last]);
        }
        self.0.splice(first..=last, new);
    }
}

fn push(runs: &mut Vec<Run>, run: Run) {
    match runs.last_mut() {
        Some(last) if last.1 == run.1 => last.0 = run.0,
        _ => runs.push(run),
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;

    /// Against an array of values, for every range of a small slot.
    #[test]
    fn runs_behave_like_an_array() {
        let mut memory = Memory::new(7, 0);
        let mut values = [0; 7];
        for start in 0..7 {
            for end in start + 1..=7 {
                let term = 1 + start * end % 3;
                memory.write(&(start..end), &[(end - start, term)]);
                values[start..end].fill(term);
                let read = memory.read(&(0..7));
                let flat: Vec<_> =
                    (0..7).map(|at| read.iter().find(|run| run.0 > at).unwrap().1).collect();
                assert_eq!(flat, values);
                let part = memory.read(&(2..5));
                let flat: Vec<_> =
                    (0..3).map(|at| part.iter().find(|run| run.0 > at).unwrap().1).collect();
                assert_eq!(flat, values[2..5]);
            }
        }
    }
}
