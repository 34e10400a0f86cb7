//! A slot of memory that holds terms instead of numbers, as ranges of equal terms.
//!
//! Ranges make the proof's cost follow the number of chunks, not of elements: a buffer of 100
//! million elements in 8 chunks is 8 ranges. Every range also knows how far its elements are from
//! where they were at the start, so that a plan that puts an element in the wrong place is found.

use super::term::{NOTHING, Term};
use std::ops::Range;

/// Elements that hold one term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TermRange {
    /// Where the range ends; it starts where the one before it ends.
    pub(super) end: usize,
    pub(super) term: Term,
    /// Index at the start minus index now.
    pub(super) moved: isize,
}

impl TermRange {
    fn new(end: usize, term: Term, moved: isize) -> Self {
        Self { end, term, moved: if term == NOTHING { 0 } else { moved } }
    }
}

/// Ranges in order; the last ends at the slot's length. An empty slot has none.
#[derive(Debug, Clone)]
pub(super) struct SymbolicMemory(Vec<TermRange>);

impl SymbolicMemory {
    /// `len` elements that all hold `term`.
    pub(super) fn new(len: usize, term: Term) -> Self {
        Self(if len == 0 { Vec::new() } else { vec![TermRange::new(len, term, 0)] })
    }

    /// What `range` holds, with indices counted from its start.
    pub(super) fn read(&self, range: &Range<usize>) -> Vec<TermRange> {
        let first = self.0.partition_point(|held| held.end <= range.start);
        let shift = range.start.cast_signed();
        let mut found = Vec::new();
        for held in &self.0[first..] {
            let end = held.end.min(range.end) - range.start;
            found.push(TermRange::new(end, held.term, held.moved + shift));
            if held.end >= range.end {
                break;
            }
        }
        found
    }

    /// Replaces what `range` holds by `new`, which covers it, with indices counted from its start.
    pub(super) fn write(&mut self, range: &Range<usize>, new: &[TermRange]) {
        let first = self.0.partition_point(|held| held.end <= range.start);
        let last = self.0.partition_point(|held| held.end < range.end);
        let shift = range.start.cast_signed();
        let mut all = Vec::with_capacity(new.len() + 2);
        let begins = if first == 0 { 0 } else { self.0[first - 1].end };
        if begins < range.start {
            all.push(TermRange { end: range.start, ..self.0[first] });
        }
        for held in new {
            let end = range.start + held.end;
            push(&mut all, TermRange::new(end, held.term, held.moved - shift));
        }
        if self.0[last].end > range.end {
            push(&mut all, self.0[last]);
        }
        self.0.splice(first..=last, all);
    }
}

fn push(all: &mut Vec<TermRange>, new: TermRange) {
    match all.last_mut() {
        Some(last) if (last.term, last.moved) == (new.term, new.moved) => last.end = new.end,
        _ => all.push(new),
    }
}

#[cfg(test)]
mod tests {
    use super::{SymbolicMemory, TermRange};

    /// Against an array of (term, index at the start), for every range of a small slot.
    #[test]
    fn ranges_behave_like_an_array() {
        let mut memory = SymbolicMemory::new(7, 1);
        let mut elements = [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)];
        let flat = |read: Vec<TermRange>| -> Vec<(usize, isize)> {
            let at = |index: usize| *read.iter().find(|held| held.end > index).unwrap();
            let len = read.last().map_or(0, |held| held.end);
            (0..len).map(|i| (at(i).term, at(i).moved + i.cast_signed())).collect()
        };
        for start in 0..7_usize {
            for end in start + 1..=7 {
                // What two elements further on the left hold, under another name.
                let from = start.saturating_sub(2);
                let mut copy = memory.read(&(from..from + end - start));
                let term = 1 + start * end % 3;
                copy.iter_mut().for_each(|held| held.term = term);
                memory.write(&(start..end), &copy);
                let origins: Vec<_> = elements[from..from + end - start].to_vec();
                for (element, origin) in elements[start..end].iter_mut().zip(origins) {
                    *element = (term, origin.1);
                }
                assert_eq!(flat(memory.read(&(0..7))), elements);
                assert_eq!(flat(memory.read(&(2..5))), elements[2..5]);
            }
        }
    }
}
