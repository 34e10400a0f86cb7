//! Who we are among the processes of a job.

/// A rank within a world: `index < world` always holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    index: usize,
    world: usize,
}

/// Exists only on rank 0: the proof that what takes it runs once a job.
#[derive(Debug, Clone, Copy)]
pub struct Coordinator(());

impl Rank {
    /// The rank of a process that is alone.
    pub const ALONE: Self = Self { index: 0, world: 1 };

    /// `None` when there is no such rank.
    #[must_use]
    pub fn new(index: usize, world: usize) -> Option<Self> {
        (index < world).then_some(Self { index, world })
    }

    /// Position, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.index
    }

    /// Number of ranks.
    #[must_use]
    pub fn world(self) -> usize {
        self.world
    }

    /// `Some` on rank 0.
    #[must_use]
    pub fn coordinator(self) -> Option<Coordinator> {
        (self.index == 0).then_some(Coordinator(()))
    }
}
