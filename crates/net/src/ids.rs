//! Ids of blobs and params, and lists that only the right id can index.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A blob of a net.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlobId(usize);

/// A param of a net, shared ones counted once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ParamId(usize);

/// A position in an [`IdVec`].
pub(crate) trait ListId: Copy {
    fn new(index: usize) -> Self;
    fn index(self) -> usize;
}

impl ListId for BlobId {
    fn new(index: usize) -> Self {
        Self(index)
    }

    fn index(self) -> usize {
        self.0
    }
}

impl ListId for ParamId {
    fn new(index: usize) -> Self {
        Self(index)
    }

    fn index(self) -> usize {
        self.0
    }
}

/// A list of `T`, one per id.
pub(crate) struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<I>,
}

impl<I: ListId, T> IdVec<I, T> {
    /// One item per blob or param of another list.
    pub(crate) fn like<U>(other: &IdVec<I, U>, item: T) -> Self
    where
        T: Clone,
    {
        vec![item; other.items.len()].into()
    }

    /// Adds an item; its id.
    pub(crate) fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// The id that the next [`push`](Self::push) gives.
    pub(crate) fn next_id(&self) -> I {
        I::new(self.items.len())
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The same ids with other items.
    pub(crate) fn map<U>(self, map: impl FnMut(T) -> U) -> IdVec<I, U> {
        self.items.into_iter().map(map).collect::<Vec<_>>().into()
    }
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, id: PhantomData }
    }
}

impl<I: ListId, T> Index<I> for IdVec<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: ListId, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
