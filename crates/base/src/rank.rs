//! Which process of a job this one is.

/// A rank within a world: `index < world` always holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    index: usize,
    world: usize,
}

impl Rank {
    /// The rank of a process that is alone.
    pub const ALONE: Self = Self { index: 0, world: 1 };

    /// `None` when there is no such rank.
    #[must_use]
    pub fn new(index: usize, world: usize) -> Option<Self> {
        (index < world).then_some(Self { index, world })
    }

    /// From 0 to `world - 1`.
    #[must_use]
    pub fn index(self) -> usize {
        self.index
    }

    /// Number of ranks, at least 1.
    #[must_use]
    pub fn world(self) -> usize {
        self.world
    }

    /// Whether this is rank 0, which logs and writes for all.
    #[must_use]
    pub fn is_first(self) -> bool {
        self.index == 0
    }
}
