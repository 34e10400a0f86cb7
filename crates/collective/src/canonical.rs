//! The canonical tree `T(a, b)`: the order of additions that makes a sum independent of the world.
//!
//! `T(a, a+1)` is rank a's value, `T(a, b) = T(a, m) + T(m, b)` with `m = a +` the largest power of
//! two below `b - a`. For six ranks:
//!
//! ```text
//!                 ┌──────── + ────────┐
//!            ┌─── + ───┐          ┌── + ──┐
//!          ┌ + ┐     ┌ + ┐        4       5
//!          0   1     2   3
//! ```
//!
//! Addition of two floats does not depend on their order, only the shape of the tree counts. So an
//! owner may take arrivals in any order, as long as it adds only siblings: [`Fold`] does that with
//! as much scratch as there are unfinished subtrees, at most about `2 log2 p`.

use crate::reducing::{ReduceStep, SumLocation};
use std::ops::Range;

/// Leaves of the left child of a node with `leaves` leaves: the largest power of two below. The
/// only place that says where the tree splits.
///
/// # Panics
///
/// If there are fewer than two: a leaf does not split.
#[must_use]
pub fn tree_split(leaves: usize) -> usize {
    assert!(leaves >= 2, "a leaf does not split");
    1 << (leaves - 1).ilog2()
}

/// Where `T(a, b)` splits.
pub(crate) fn split(node: &Range<usize>) -> usize {
    node.start + tree_split(node.len())
}

/// The other child of `node`'s parent, and the parent, in the tree over `0..world`.
fn sibling(world: usize, node: &Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let mut parent = 0..world;
    while parent.len() > node.len() {
        let middle = split(&parent);
        let (left, right) = (parent.start..middle, middle..parent.end);
        if *node == left {
            return Some((right, parent));
        }
        if *node == right {
            return Some((left, parent));
        }
        parent = if node.start < middle { left } else { right };
    }
    None
}

/// Turns arrivals in any order into receives and additions that follow the canonical tree.
pub(crate) struct Fold {
    world: usize,
    range: Range<usize>,
    /// Finished subtrees and where they are.
    done: Vec<(Range<usize>, SumLocation)>,
    /// Scratch that is free again.
    free: Vec<usize>,
    /// Scratch used at most.
    used: usize,
}

impl Fold {
    /// Starts with rank `own`'s values, in place.
    pub(crate) fn new(world: usize, own: usize, range: Range<usize>) -> Self {
        Self {
            world,
            range,
            done: vec![(own..own + 1, SumLocation::Buffer)],
            free: Vec::new(),
            used: 0,
        }
    }

    /// Adds the steps that take the values of rank `from` and whatever sums they complete.
    pub(crate) fn arrive(&mut self, from: usize, steps: &mut Vec<ReduceStep>) {
        let range = self.range.clone();
        let leaf = from..from + 1;
        let (mut node, mut at) = match self.take_sibling(&leaf) {
            Some((parent, at)) => {
                steps.push(ReduceStep::Recv { from, range, at, reduce: true });
                (parent, at)
            }
            None => {
                let at = self.fresh();
                steps.push(ReduceStep::Recv { from, range, at, reduce: false });
                (leaf, at)
            }
        };
        while let Some((parent, other)) = self.take_sibling(&node) {
            // The sum that holds our own values stays in the buffer.
            let (kept, added) =
                if other == SumLocation::Buffer { (other, at) } else { (at, other) };
            steps.push(ReduceStep::Add { range: self.range.clone(), from: added, into: kept });
            if let SumLocation::Scratch(index) = added {
                self.free.push(index);
            }
            (node, at) = (parent, kept);
        }
        self.done.push((node, at));
    }

    fn take_sibling(&mut self, node: &Range<usize>) -> Option<(Range<usize>, SumLocation)> {
        let (sibling, parent) = sibling(self.world, node)?;
        let index = self.done.iter().position(|(done, _)| *done == sibling)?;
        Some((parent, self.done.swap_remove(index).1))
    }

    fn fresh(&mut self) -> SumLocation {
        let index = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        SumLocation::Scratch(index)
    }
}

#[cfg(test)]
mod tests {
    use super::{sibling, split};

    #[test]
    fn splits_at_the_largest_power_of_two_below() {
        let splits: Vec<_> = (2..=9).map(|world| split(&(0..world))).collect();
        assert_eq!(splits, [1, 2, 2, 4, 4, 4, 4, 8]);
        assert_eq!(split(&(4..7)), 6);
    }

    #[test]
    fn siblings_of_six() {
        assert_eq!(sibling(6, &(4..5)), Some((5..6, 4..6)));
        assert_eq!(sibling(6, &(4..6)), Some((0..4, 0..6)));
        assert_eq!(sibling(6, &(2..3)), Some((3..4, 2..4)));
        assert_eq!(sibling(6, &(0..6)), None);
    }
}
