//! One collective's memory on one transport: safe steps that say "not yet" instead of racing.
//!
//! ```text
//!   slot 0   [ .... |=====| .... ]     ===== is posted: others read it, nobody writes it
//!   slot 1   [ ........ ]              a step that would write there returns false
//! ```

use crate::{LinkError, Posted, Transport};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

/// Adds the elements in the second slice to those in the first.
pub type AddBytes = fn(&mut [u8], &[u8]);

/// A slot's memory. The session owns the right to it; `posted` says where it must not write.
#[derive(Clone, Copy)]
struct SlotMemory {
    start: NonNull<u8>,
    len: usize,
}

/// Buffers lent to a transport for one collective. All ranges are in bytes.
pub struct Session<'a> {
    link: &'a mut dyn Transport,
    slots: Vec<SlotMemory>,
    posted: Vec<(usize, Range<usize>, Posted)>,
    add: AddBytes,
    /// The slots are borrowed mutably for as long as the session lives.
    memory: PhantomData<&'a mut [u8]>,
}

/// Runs `body` with these slots, and gives the memory back only when nobody reads it: after the
/// last message was taken, or withdrawn if `body` fails or panics. `add` is how elements are added.
pub fn session<'a, T>(
    link: &'a mut dyn Transport,
    slots: impl Iterator<Item = &'a mut [u8]>,
    add: AddBytes,
    body: impl FnOnce(&mut Session<'_>) -> Result<T, LinkError>,
) -> Result<T, LinkError> {
    let slots = slots.map(|slot| SlotMemory {
        len: slot.len(),
        start: NonNull::new(slot.as_mut_ptr()).expect("slices are never null"),
    });
    // Made here and lent to `body`, so that it cannot be forgotten: its end always runs.
    let mut session =
        Session { link, slots: slots.collect(), posted: Vec::new(), add, memory: PhantomData };
    let result = body(&mut session)?;
    session.drain()?;
    Ok(result)
}

impl Session<'_> {
    /// This rank's index.
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
        self.recv(from, lane, slot, range, self.add)
    }

    /// Copies the next message from `from` into `range` of `slot`. `false`: not yet.
    pub fn recv_copy(
        &mut self,
        from: usize,
        lane: usize,
        slot: usize,
        range: Range<usize>,
    ) -> Result<bool, LinkError> {
        self.recv(from, lane, slot, range, |into, bytes| into.copy_from_slice(bytes))
    }

    fn recv(
        &mut self,
        from: usize,
        lane: usize,
        slot: usize,
        range: Range<usize>,
        apply: AddBytes,
    ) -> Result<bool, LinkError> {
        if self.is_lent(slot, &range)?.is_some() {
            return Ok(false);
        }
        let len = range.len();
        // SAFETY: not lent, by the lines above; used in this step only.
        let into = unsafe { self.bytes_mut(slot, &range) };
        self.link.take(from, lane, len, &mut |bytes| apply(into, bytes))
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
        assert!(apart, "a range is not added to itself");
        let start = self.at(from.0, &from.1).as_ptr();
        // SAFETY: in bounds and, by the line above, apart from `into`; nobody else writes our
        // slots.
        let bytes = unsafe { std::slice::from_raw_parts(start, from.1.len()) };
        // SAFETY: not lent, by the lines above; used in this step only.
        let into = unsafe { self.bytes_mut(into.0, &into.1) };
        (self.add)(into, bytes);
        Ok(true)
    }

    /// Lets `body` write `range` of `slot`.
    ///
    /// # Panics
    ///
    /// If it is being sent: only steps may have to wait.
    pub fn write(
        &mut self,
        slot: usize,
        range: Range<usize>,
        body: impl FnOnce(&mut [u8]),
    ) -> Result<(), LinkError> {
        assert_eq!(self.is_lent(slot, &range)?, None, "nobody reads what is written");
        // SAFETY: not lent, by the line above; the reference ends with this call.
        body(unsafe { self.bytes_mut(slot, &range) });
        Ok(())
    }

    /// What `range` of `slot` holds.
    #[must_use]
    pub fn read(&self, slot: usize, range: &Range<usize>) -> &[u8] {
        let start = self.at(slot, range).as_ptr();
        // SAFETY: in bounds; nothing is written while the session is borrowed.
        unsafe { std::slice::from_raw_parts(start, range.len()) }
    }

    /// The rank that a write to this range would have to wait for.
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
    fn at(&self, slot: usize, range: &Range<usize>) -> NonNull<u8> {
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
    unsafe fn bytes_mut<'s>(&self, slot: usize, range: &Range<usize>) -> &'s mut [u8] {
        let start = self.at(slot, range).as_ptr();
        // SAFETY: in bounds; the session borrows the slots mutably; the rest is the caller's
        // promise.
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
