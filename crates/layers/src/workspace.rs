//! Memory that a layer keeps from one pass to the next: masks, copies of bottoms, intermediate
//! values.
//!
//! `reshape` says how much is needed, [`Layer::allocate`](crate::Layer::allocate) provides it. In
//! between a net can be described, planned and refused, however large it is, at no cost in memory.

use std::ops::{Deref, DerefMut};

use tensor::Slab;

/// Memory of a size that is known before it is there.
///
/// Dereferences to as many values as were [declared](Self::declare); it panics before they are
/// allocated, since a layer that forgets one of its workspaces must not compute with nothing.
#[derive(Debug, Default)]
pub(crate) struct Workspace<M = Slab> {
    len: usize,
    memory: M,
}

impl<M: WorkspaceMemory> Workspace<M> {
    /// Asks for `len` values.
    pub(crate) fn declare(&mut self, len: usize) {
        self.len = len;
    }

    /// Provides the values that were asked for. Those of an earlier size stay, new ones are zero.
    pub(crate) fn allocate(&mut self) {
        self.memory.grow_to(self.len);
    }

    /// Bytes that were asked for.
    pub(crate) fn bytes(&self) -> usize {
        self.len.saturating_mul(size_of::<M::Value>())
    }
}

impl<M: WorkspaceMemory> Deref for Workspace<M> {
    type Target = [M::Value];

    fn deref(&self) -> &[M::Value] {
        &self.memory[..self.len]
    }
}

impl<M: WorkspaceMemory> DerefMut for Workspace<M> {
    fn deref_mut(&mut self) -> &mut [M::Value] {
        &mut self.memory[..self.len]
    }
}

/// What a [`Workspace`] is made of: floats on cache lines, or a mask.
pub(crate) trait WorkspaceMemory: Default + DerefMut<Target = [Self::Value]> {
    /// What it holds.
    type Value;

    /// Makes room for `len` values; new ones are zero.
    fn grow_to(&mut self, len: usize);
}

impl WorkspaceMemory for Slab {
    type Value = f32;

    fn grow_to(&mut self, len: usize) {
        self.grow(len);
    }
}

impl<T: Copy + Default> WorkspaceMemory for Vec<T> {
    type Value = T;

    fn grow_to(&mut self, len: usize) {
        if len > self.len() {
            self.resize(len, T::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Workspace;

    #[test]
    fn memory_follows_when_it_is_asked_for() {
        let mut mask = Workspace::<Vec<u32>>::default();
        mask.declare(usize::MAX);
        assert_eq!(mask.bytes(), usize::MAX);
        for len in [3, 5, 2, 0] {
            mask.declare(len);
            mask.allocate();
            assert_eq!((mask.len(), mask.bytes()), (len, 4 * len));
            mask.fill(7);
        }
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn values_that_were_not_allocated_cannot_be_used() {
        let mut values = Workspace::<tensor::Slab>::default();
        values.declare(1);
        values[0] = 1.0;
    }
}
