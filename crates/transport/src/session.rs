//! One collective's memory on one transport: safe steps that say "not yet" instead of racing.
//!
//! ```text
//!   slot 0   [ .... |=====| .... ]     ===== is posted: others read it, nobody writes it
//!   slot 1   [ ........ ]              a step that would write there returns false
//! ```

use crate::{LinkError, Posted, Transport, add_assign};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

/// A slot's memory. The session owns the right to it; `posted` says where it must not write.
#[derive(Clone, Copy)]
struct Slot {
    start: NonNull<f32>,
    len: usize,
}

/// Buffers lent to a transport for one collective.
pub struct Session<'a> {
    link: &'a mut dyn Transport,
    slots: Vec<Slot>,
    posted: Vec<(usize, Range<usize>, Posted)>,
    /// The slots are borrowed mutably for as long as the session lives.
    memory: PhantomData<&'a mut [f32]>,
}

/// Runs `body` with slot 0 = `buffer` and slots 1.. = `scratch`, and gives the memory back only when
/// nobody reads it: after the last message was taken, or withdrawn if `body` fails or panics.
pub fn session<T>(
    link: &mut dyn Transport,
    buffer: &mut [f32],
    scratch: &mut [Vec<f32>],
    body: impl FnOnce(&mut Session<'_>) -> Result<T, LinkError>,
) -> Result<T, LinkError> {
    let scratch = scratch.iter_mut().map(|slot| slot.as_mut_slice());
    let slots = [buffer].into_iter().chain(scratch).map(|slot| Slot {
        len: slot.len(),
        start: NonNull::new(slot.as_mut_ptr()).expect("slices are never null"),
    });
    // Made here and lent to `body`, so that it cannot be forgotten: its end always runs.
    let mut session =
        Session { link, slots: slots.collect(), posted: Vec::new(), memory: PhantomData };
    let result = body(&mut session)?;
    session.drain()?;
    Ok(result)
}

impl Session<'_> {
    /// Our own rank.
    #[must_use]
    pub fn me(&self) -> usize {
        self.link.rank().index()
    }

    /// Posts `range` of `slot` for `to`. `false`: the channel is full.
    pub fn send(
        &mut self,
        to: usize,
        lane: usize,
        slot: usize,
        range: Range<usize>,
    ) -> Result<bool, LinkError> {
        let start = self.at(slot, &range).as_ptr();
        // SAFETY: the range is in bounds; the session outlives the message and writes nothing there
        // until it is taken (`is_lent`), and withdraws it when it ends.
        let posted = unsafe { self.link.post(to, lane, start, range.len()) }?;
        let Some(posted) = posted else {
            return Ok(false);
        };
        self.posted.push((slot, range, posted));
        Ok(true)
    }

    /// Announces a message that [`recv_reduce`](Self::recv_reduce) or copy will take.
    pub fn expect(&mut self, from: usize, lane: usize, len: usize) -> Result<(), LinkError> {
        self.link.expect(from, lane, len)
    }

    /// Adds the next message from `from` to `range` of `slot`. `false`: not yet.
    pub fn recv_reduce(
        &mut self,
        from: usize,
        lane: usize,
        slot: usize,
        range: Range<usize>,
    ) -> Result<bool, LinkError> {
        self.recv(from, lane, slot, range, add_assign)
    }

    /// Lays the next message from `from` into `range` of `slot`. `false`: not yet.
    pub fn recv_copy(
        &mut self,
        from: usize,
        lane: usize,
        slot: usize,
        range: Range<usize>,
    ) -> Result<bool, LinkError> {
        self.recv(from, lane, slot, range, |into, values| into.copy_from_slice(values))
    }

    fn recv(
        &mut self,
        from: usize,
        lane: usize,
        slot: usize,
        range: Range<usize>,
        apply: fn(&mut [f32], &[f32]),
    ) -> Result<bool, LinkError> {
        if self.is_lent(slot, &range)?.is_some() {
            return Ok(false);
        }
        let len = range.len();
        // SAFETY: not lent, by the lines above; used in this step only.
        let into = unsafe { self.values_mut(slot, &range) };
        self.link.take(from, lane, len, &mut |values| apply(into, values))
    }

    /// Adds `from` to `into`, each a slot and a range. `false`: `into` is being sent.
    ///
    /// # Panics
    ///
    /// If the two overlap: the plan is broken.
    pub fn add(
        &mut self,
        from: (usize, Range<usize>),
        into: (usize, Range<usize>),
    ) -> Result<bool, LinkError> {
        if self.is_lent(into.0, &into.1)?.is_some() {
            return Ok(false);
        }
        let apart = from.0 != into.0 || from.1.end <= into.1.start || into.1.end <= from.1.start;
        assert!(apart, "a place is not added to itself");
        let start = self.at(from.0, &from.1).as_ptr();
        // SAFETY: in bounds and, by the line above, apart from `into`; nobody else writes our slots.
        let values = unsafe { std::slice::from_raw_parts(start, from.1.len()) };
        // SAFETY: not lent, by the lines above; used in this step only.
        let into = unsafe { self.values_mut(into.0, &into.1) };
        add_assign(into, values);
        Ok(true)
    }

    /// Whom a write to this place would have to wait for.
    pub fn is_lent(
        &mut self,
        slot: usize,
        range: &Range<usize>,
    ) -> Result<Option<usize>, LinkError> {
        let overlaps = |other: &(usize, Range<usize>, Posted)| {
            other.0 == slot && other.1.start < range.end && range.start < other.1.end
        };
        while let Some(index) = self.posted.iter().position(overlaps) {
            let posted = self.posted[index].2;
            if !self.link.is_taken(posted)? {
                return Ok(Some(posted.to));
            }
            self.posted.swap_remove(index);
        }
        Ok(None)
    }

    /// Waits until something may have changed; see [`Transport::wait`].
    pub fn wait(&mut self, whom: &[usize]) -> Result<(), LinkError> {
        self.link.wait(whom)
    }

    /// Waits until every message was taken.
    fn drain(&mut self) -> Result<(), LinkError> {
        loop {
            let mut index = 0;
            while index < self.posted.len() {
                if self.link.is_taken(self.posted[index].2)? {
                    self.posted.swap_remove(index);
                } else {
                    index += 1;
                }
            }
            if self.posted.is_empty() {
                return Ok(());
            }
            let whom: Vec<usize> = self.posted.iter().map(|(_, _, posted)| posted.to).collect();
            self.link.wait(&whom)?;
        }
    }

    /// Start of a range that is checked to lie in its slot.
    fn at(&self, slot: usize, range: &Range<usize>) -> NonNull<f32> {
        let memory = self.slots[slot];
        assert!(range.start <= range.end && range.end <= memory.len, "a plan stays in its slots");
        // SAFETY: the offset is at most the slot's length, by the assertion.
        unsafe { memory.start.add(range.start) }
    }

    /// A range to write.
    ///
    /// # Safety
    ///
    /// `is_lent` has said that nobody reads there, and the reference ends before the next step.
    unsafe fn values_mut<'s>(&self, slot: usize, range: &Range<usize>) -> &'s mut [f32] {
        let start = self.at(slot, range).as_ptr();
        // SAFETY: in bounds; the session borrows the slots mutably; the rest is the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(start, range.len()) }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.posted.is_empty() {
            self.link.withdraw();
        }
    }
}
