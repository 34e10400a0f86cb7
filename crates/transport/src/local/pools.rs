//! Gradient pools that workers read from each other while backward still fills them.
//!
//! A pool is filled from its start. A worker delivers a growing prefix, which it then leaves alone;
//! when all have delivered a bucket, each adds its share of it from all pools into its own:
//!
//! ```text
//!              bucket 0       bucket 1
//!   pool 0   [▓▓│  │  │  ][    │    │  ...     worker 0 adds share 0 of every pool into pool 0
//!   pool 1   [  │▓▓│  │  ][    │ ........      worker 1 adds share 1 into pool 1: nobody else
//!   pool 2   [  │  │▓▓│  ][ ........           reads or writes it there
//!             delivered ▲      ▲ still being filled, by its owner only
//! ```
//!
//! No copies and no broadcast: whoever owns a share updates the shared parameters there. Additions
//! follow the canonical tree. **Why this is sound:** a value is written by its owner before delivery,
//! read by the share's owner after all have delivered, and (in the share's owner's pool) written by it
//! alone; nobody gets its pool back before all are done.

use super::direct::sum_blocks;
use super::link::Link;
use crate::{LinkError, Transport};
use std::ops::Range;

/// Where buckets begin and end, the same on all workers: who may read and write what follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buckets {
    pub(super) ranges: Vec<Range<usize>>,
    len: usize,
}

impl Buckets {
    /// `None` unless the ranges follow each other within a pool of `len` values.
    #[must_use]
    pub fn new(ranges: Vec<Range<usize>>, len: usize) -> Option<Self> {
        let mut end = 0;
        for range in &ranges {
            if range.start < end || range.end < range.start {
                return None;
            }
            end = range.end;
        }
        (end <= len).then_some(Self { ranges, len })
    }

    /// The ranges.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }
}

/// The pools of a group, lent to each other until [`share_pools`] returns.
pub struct Pools<'a> {
    pub(super) link: &'a mut Link,
    pub(super) pools: Vec<*mut f32>,
    pub(super) buckets: &'a Buckets,
    delivered: usize,
    /// Buckets gathered, lent out and published, in order: see `gather.rs`.
    pub(super) gathered: usize,
    pub(super) lent_out: usize,
    pub(super) published: usize,
    /// Whether our part went well; if not, the others must not wait for us.
    done: bool,
}

/// Lends `pool` to the group for the length of `body`. All workers call this together with equal
/// buckets; [`LinkError::Mismatch`] if not. Returns when all are done, so that the pool may be filled
/// anew.
///
/// # Panics
///
/// If the pool has another length than the buckets were made for.
pub fn share_pools<T>(
    link: &mut Link,
    pool: &mut [f32],
    buckets: &Buckets,
    body: impl FnOnce(&mut Pools<'_>) -> Result<T, LinkError>,
) -> Result<T, LinkError> {
    assert_eq!(pool.len(), buckets.len, "buckets are made for one pool");
    let (me, world) = (link.rank.index(), link.rank.world());
    link.group.deliver(me, 0);
    link.group.gather(me, 0);
    if me == 0 {
        link.group.publish(0);
    }
    link.group.set_buckets(me, buckets);
    link.group.lend(me, Some((pool.as_mut_ptr(), pool.len())));
    link.barrier()?;
    let pools = (0..world).map(|rank| link.group.lent(rank).0).collect();
    let mut shared = Pools {
        link,
        pools,
        buckets,
        delivered: 0,
        gathered: 0,
        lent_out: 0,
        published: 0,
        done: false,
    };
    if let Some(rank) = (0..world).find(|&rank| !shared.link.group.has_buckets(rank, buckets)) {
        return Err(shared.link.mismatch(rank));
    }
    let result = body(&mut shared)?;
    shared.done = true;
    Ok(result)
}

impl Pools<'_> {
    /// The part of our pool that is not delivered: it starts at [`delivered`](Self::delivered).
    pub fn fresh(&mut self) -> &mut [f32] {
        let own = self.pools[self.link.rank.index()];
        // SAFETY: in bounds, since `delivered` never exceeds the length.
        let start = unsafe { own.add(self.delivered) };
        // SAFETY: our own pool, borrowed for all of `share_pools`; others read only what is delivered.
        unsafe { std::slice::from_raw_parts_mut(start, self.buckets.len - self.delivered) }
    }

    /// How much of our pool is delivered.
    #[must_use]
    pub fn delivered(&self) -> usize {
        self.delivered
    }

    /// Delivers our pool up to `end`; what was delivered stays so.
    ///
    /// # Panics
    ///
    /// If `end` lies outside the pool.
    pub fn deliver(&mut self, end: usize) {
        assert!(end <= self.buckets.len, "delivers {end} of {} values", self.buckets.len);
        self.delivered = self.delivered.max(end);
        self.link.group.deliver(self.link.rank.index(), self.delivered);
    }

    /// Our share of bucket number `index`.
    ///
    /// # Panics
    ///
    /// If there is no such bucket.
    #[must_use]
    pub fn share(&self, index: usize) -> Range<usize> {
        let bucket = &self.buckets.ranges[index];
        let share = base::chunk(bucket.len(), self.pools.len(), self.link.rank.index());
        bucket.start + share.start..bucket.start + share.end
    }

    /// Adds our share of bucket `index` if all have delivered it; never waits. Once per bucket.
    ///
    /// # Panics
    ///
    /// If we have gathered the bucket: it is worker 0's then.
    pub fn try_sum(&mut self, index: usize) -> Result<bool, LinkError> {
        assert!(index >= self.gathered, "a gathered bucket is worker 0's");
        self.link.group.check()?;
        if !self.late(index).is_empty() {
            return Ok(false);
        }
        let own = self.pools[self.link.rank.index()];
        self.add_share(index, own);
        Ok(true)
    }

    /// Adds our share of a bucket that all have delivered into `pool`: ours, or worker 0's.
    pub(super) fn add_share(&mut self, index: usize, pool: *mut f32) {
        let write = |at: usize, sums: &[f32]| {
            // SAFETY: in bounds, since a delivered bucket lies in the pool.
            let into = unsafe { pool.add(at) };
            // SAFETY: our share, which in no pool anybody else reads or writes before all are done
            // with the bucket.
            unsafe { std::slice::from_raw_parts_mut(into, sums.len()) }.copy_from_slice(sums);
        };
        // SAFETY: all pools have one length; what is delivered is not written by its owners, except
        // that each writes its own share, and we read our own share only.
        unsafe { sum_blocks(&self.pools, self.share(index), write) };
    }

    /// As [`try_sum`](Self::try_sum), waiting until all have delivered.
    pub fn sum(&mut self, index: usize) -> Result<(), LinkError> {
        while !self.try_sum(index)? {
            let late = self.late(index);
            self.link.wait(&late)?;
        }
        Ok(())
    }

    /// Our share of bucket `index`: the sum, once [`sum`](Self::sum) has added it.
    ///
    /// # Panics
    ///
    /// If we have not delivered the bucket, or have gathered it.
    pub fn values(&mut self, index: usize) -> &mut [f32] {
        assert!(index >= self.gathered, "a gathered bucket is worker 0's");
        let end = self.buckets.ranges[index].end;
        assert!(end <= self.delivered, "a bucket is delivered before it is summed");
        let share = self.share(index);
        let own = self.pools[self.link.rank.index()];
        // SAFETY: in bounds, since what is delivered is.
        let start = unsafe { own.add(share.start) };
        // SAFETY: our share of our own pool, which nobody else reads or writes.
        unsafe { std::slice::from_raw_parts_mut(start, share.len()) }
    }

    /// Who has not delivered bucket `index`.
    pub(super) fn late(&self, index: usize) -> Vec<usize> {
        let (group, end) = (&self.link.group, self.buckets.ranges[index].end);
        (0..self.pools.len()).filter(|&rank| group.delivered(rank) < end).collect()
    }
}

impl Drop for Pools<'_> {
    fn drop(&mut self) {
        if !self.done {
            // The first failure stays: this only speaks when it was our own.
            let rank = self.link.rank.index();
            self.link.group.fail(LinkError::Left { rank, waiting: rank });
        }
        self.link.barrier_at_last();
        let me = self.link.rank.index();
        self.link.group.lend(me, None);
    }
}
