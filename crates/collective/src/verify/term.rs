//! Symbolic sums: who was added to whom, without numbers.
//!
//! A term is a contribution of one rank or the sum of two terms. Equal terms have equal ids, so the
//! proof that a sum follows the canonical tree is one comparison. The two sides of a sum are kept
//! in order of id, because float addition does not depend on it.

use super::VerifyError;
use crate::canonical::split;
use std::collections::BTreeMap;
use std::ops::Range;

/// A term by number; comparable within one [`Terms`].
pub(super) type Term = usize;

/// What scratch holds before anything was written there.
pub(super) const NOTHING: Term = 0;

/// All terms of one proof.
pub(super) struct Terms {
    /// Contributions that exist.
    count: usize,
    /// Ids of sums, by their two sides.
    sums: BTreeMap<(Term, Term), Term>,
    /// Per term, the contributions in it, 64 to a word.
    ranks: Vec<Vec<u64>>,
}

impl Terms {
    /// Knows nothing but `count` contributions.
    pub(super) fn new(count: usize) -> Self {
        let words = 1 + count / 64;
        let mut ranks = vec![vec![0; words]];
        for rank in 0..count {
            let mut one = vec![0; words];
            one[rank / 64] = 1 << (rank % 64);
            ranks.push(one);
        }
        Self { count, sums: BTreeMap::new(), ranks }
    }

    /// Contribution number `index`.
    pub(super) fn of(&self, index: usize) -> Term {
        index + 1
    }

    /// `a + b`, unless a contribution would be counted twice or something unwritten added.
    pub(super) fn add(&mut self, a: Term, b: Term) -> Result<Term, VerifyError> {
        let key = (a.min(b), a.max(b));
        if let Some(&sum) = self.sums.get(&key) {
            return Ok(sum);
        }
        if key.0 == NOTHING {
            return Err(VerifyError::Unwritten);
        }
        let both = self.ranks[a].iter().zip(&self.ranks[b]);
        if let Some(word) = both.clone().position(|(a, b)| a & b != 0) {
            let twice = (self.ranks[a][word] & self.ranks[b][word]).trailing_zeros() as usize;
            return Err(VerifyError::CountedTwice { contribution: 64 * word + twice });
        }
        let union = both.map(|(a, b)| a | b).collect();
        self.ranks.push(union);
        self.sums.insert(key, self.ranks.len() - 1);
        Ok(self.ranks.len() - 1)
    }

    /// A contribution that is missing from `term`; `None` when it is a sum over all.
    pub(super) fn missing(&self, term: Term) -> Option<usize> {
        (0..self.count).find(|rank| self.ranks[term][rank / 64] >> (rank % 64) & 1 == 0)
    }

    /// `T(a, b)` for the ranks in `node`.
    pub(super) fn canonical(&mut self, node: Range<usize>) -> Result<Term, VerifyError> {
        if node.len() == 1 {
            return Ok(self.of(node.start));
        }
        let middle = split(&node);
        let left = self.canonical(node.start..middle)?;
        let right = self.canonical(middle..node.end)?;
        self.add(left, right)
    }
}
