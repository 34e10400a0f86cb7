//! Access to the pool while other threads write other ranges of it.

use std::cell::RefCell;
use std::ops::Range;

/// Ranges of the pool for as long as a call lasts. Other threads use other ranges meanwhile.
pub trait PoolAccess {
    /// Lends the values in `range` for reading.
    fn read(&self, range: Range<usize>, body: &mut dyn FnMut(&[f32]));
    /// Lends the values in `range` for writing.
    fn write(&self, range: Range<usize>, body: &mut dyn FnMut(&mut [f32]));
}

/// Lends a range for writing and returns what `body` does.
pub(super) fn with_range<T>(
    pool: &dyn PoolAccess,
    range: Range<usize>,
    body: impl FnOnce(&mut [f32]) -> T,
) -> T {
    let mut body = Some(body);
    let mut result = None;
    pool.write(range, &mut |values| {
        result = body.take().map(|body| body(values));
    });
    result.expect("a pool lends the range once")
}

/// A pool of one thread: for benches and tests.
#[derive(Debug, Default)]
pub struct OwnedPool(RefCell<Vec<f32>>);

impl OwnedPool {
    /// Holds these values.
    #[must_use]
    pub fn new(values: Vec<f32>) -> Self {
        Self(RefCell::new(values))
    }

    /// The values.
    #[must_use]
    pub fn into_values(self) -> Vec<f32> {
        self.0.into_inner()
    }

    /// A copy of the values.
    #[must_use]
    pub fn values(&self) -> Vec<f32> {
        self.0.borrow().clone()
    }

    /// Overwrites the values.
    ///
    /// # Panics
    ///
    /// If there are not as many.
    pub fn fill_from(&mut self, values: &[f32]) {
        self.0.get_mut().copy_from_slice(values);
    }
}

impl PoolAccess for OwnedPool {
    fn read(&self, range: Range<usize>, body: &mut dyn FnMut(&[f32])) {
        body(&self.0.borrow()[range]);
    }

    fn write(&self, range: Range<usize>, body: &mut dyn FnMut(&mut [f32])) {
        body(&mut self.0.borrow_mut()[range]);
    }
}
