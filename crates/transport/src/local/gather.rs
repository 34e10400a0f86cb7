//! Pools between processes: workers add into worker 0's pool, which then travels.
//!
//! ```text
//!   pool 0  [▓▓│▓▓│▓▓│▓▓]  ◀── every worker adds its share of all pools here     (gather)
//!              │ all shares there: worker 0 takes the bucket, exchanges it with other ranks,
//!              ▼ and gives it back final                                     (take, publish)
//!   everyone reads the final sum where it lies                                     (result)
//! ```
//!
//! Buckets go through in order. A taken bucket is a plain `&mut [f32]`: it may be sent to a
//! communication thread that lives within the body of [`share_pools`](super::share_pools).
//!
//! **Why this is sound.** Until all have gathered a bucket, each worker reads and writes its own share
//! of pool 0 only, and none after it has gathered. Then worker 0 alone has it, once, until it gives the very slice back; after that
//! it is only read, by all.

use super::pools::Pools;
use crate::{LinkError, Transport};

impl<'a> Pools<'a> {
    /// Adds our share of the next bucket into worker 0's pool if all have delivered it; never
    /// waits. Returns the bucket's number, or `None` when it is not ready or there is no next.
    pub fn try_gather(&mut self) -> Result<Option<usize>, LinkError> {
        self.link.group.check()?;
        let index = self.gathered;
        if index == self.buckets.ranges.len() || !self.late(index).is_empty() {
            return Ok(None);
        }
        let first = self.pools[0];
        self.add_share(index, first);
        self.gathered += 1;
        self.link.group.gather(self.link.rank.index(), self.gathered);
        Ok(Some(index))
    }

    /// On worker 0: the next bucket that all have gathered, to exchange with other ranks.
    pub fn take(&mut self) -> Option<(usize, &'a mut [f32])> {
        let index = self.lent_out;
        let all = (0..self.pools.len()).all(|rank| self.link.group.gathered(rank) > index);
        if self.link.rank.index() != 0 || index == self.buckets.ranges.len() || !all {
            return None;
        }
        self.lent_out += 1;
        let range = self.buckets.ranges[index].clone();
        // SAFETY: in bounds, since buckets lie in the pool.
        let start = unsafe { self.pools[0].add(range.start) };
        // SAFETY: all are done with this bucket of pool 0; it is taken once; `fresh` starts after it
        // and `result` waits for `publish`. The pool itself is borrowed for all of `'a`.
        Some((index, unsafe { std::slice::from_raw_parts_mut(start, range.len()) }))
    }

    /// On worker 0: gives back the oldest taken bucket, final.
    ///
    /// # Panics
    ///
    /// If it is not that bucket.
    pub fn publish(&mut self, bucket: &'a mut [f32]) {
        let range = self.buckets.ranges[self.published].clone();
        // SAFETY: in bounds, since buckets lie in the pool.
        let start = unsafe { self.pools[0].add(range.start) };
        let same = self.link.rank.index() == 0 && self.published < self.lent_out;
        let same = same && bucket.len() == range.len() && bucket.as_mut_ptr() == start;
        assert!(same, "buckets are given back as they were taken, in order");
        self.published += 1;
        self.link.group.publish(self.published);
    }

    /// The final sum of bucket `index`, on every worker; waits until it is published.
    ///
    /// # Panics
    ///
    /// If there is no such bucket, or on worker 0 if it has not published it.
    pub fn result(&mut self, index: usize) -> Result<&[f32], LinkError> {
        let range = self.buckets.ranges[index].clone();
        assert!(self.link.rank.index() != 0 || self.published > index, "worker 0 publishes");
        while self.link.group.published() <= index {
            self.link.wait(&[0])?;
        }
        // SAFETY: in bounds, since buckets lie in the pool.
        let start = unsafe { self.pools[0].add(range.start) };
        // SAFETY: published buckets are only read.
        Ok(unsafe { std::slice::from_raw_parts(start, range.len()) })
    }
}
