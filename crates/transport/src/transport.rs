//! The border: what a way of moving bytes must be able to do.

use crate::LinkError;
use base::Rank;

/// Marks every message of one collective, so that ranks that run different ones notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Collectives this rank began before.
    pub sequence: u64,
    /// Operation, length, type and plan, in words: shown when ranks disagree.
    pub label: String,
    /// Hash of the label and of what does not fit in words.
    pub fingerprint: u64,
}

impl Stamp {
    /// Before the first collective.
    pub const NONE: Self = Self { sequence: 0, label: String::new(), fingerprint: 0 };
}

/// A message on its way, known to the transport that posted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posted {
    pub(crate) to: usize,
    pub(crate) lane: usize,
    /// Counted per channel (`local`), or the request's place (`mpi`).
    pub(crate) index: u64,
}

impl Posted {
    /// For transports outside this crate: `index` is theirs to choose.
    #[must_use]
    pub fn new(to: usize, lane: usize, index: u64) -> Self {
        Self { to, lane, index }
    }

    /// The receiving rank.
    #[must_use]
    pub fn to(&self) -> usize {
        self.to
    }

    /// What [`Posted::new`] was given.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.index
    }
}

/// Moves values between ranks, and nothing else. Threads, MPI and simulated links implement it.
///
/// Messages from one rank to another on one lane arrive in order; lanes are independent. Calls never
/// block, except [`wait`](Transport::wait), [`withdraw`](Transport::withdraw) and
/// [`all_reduce`](Transport::all_reduce).
pub trait Transport: Send {
    /// Who we are.
    fn rank(&self) -> Rank;

    /// `local`, `mpi`, …: what tables and messages call it.
    fn name(&self) -> &'static str;

    /// Marks all messages from here on.
    fn begin(&mut self, stamp: &Stamp);

    /// The collective that [`begin`](Transport::begin) named is over.
    fn end(&mut self) {}

    /// Starts a message; `None` when the channel is full and the caller should try again after
    /// [`wait`](Transport::wait). At least one untaken message fits every channel.
    ///
    /// # Safety
    ///
    /// The `len` values at `values` stay readable and unchanged until [`is_taken`](Transport::is_taken)
    /// returns true for this message or [`withdraw`](Transport::withdraw) has returned.
    unsafe fn post(
        &mut self,
        to: usize,
        lane: usize,
        values: *const f32,
        len: usize,
    ) -> Result<Option<Posted>, LinkError>;

    /// Whether the memory of a posted message is ours again. Must not be asked after a yes.
    fn is_taken(&mut self, posted: Posted) -> Result<bool, LinkError>;

    /// Says that a message of `len` values will be taken, in order of these calls per channel, so
    /// that a transport with buffers can let it in early. Once per message at most.
    fn expect(&mut self, _from: usize, _lane: usize, _len: usize) -> Result<(), LinkError> {
        Ok(())
    }

    /// Shows the oldest untaken message to `reader` if it is here. `false`: not yet.
    fn take(
        &mut self,
        from: usize,
        lane: usize,
        len: usize,
        reader: &mut dyn FnMut(&[f32]),
    ) -> Result<bool, LinkError>;

    /// Waits until something may have changed; `whom` are the ranks that could change it.
    fn wait(&mut self, whom: &[usize]) -> Result<(), LinkError>;

    /// Takes back every untaken message. When it returns nobody reads their memory any more.
    fn withdraw(&mut self);

    /// An exact algorithm that this transport runs in its own way, faster than any plan: what `auto`
    /// means here.
    fn own_exact(&self) -> Option<&'static str> {
        None
    }

    /// Runs an algorithm in its own way, if it has one: the library's for `mpi`, shared memory for
    /// `direct` on threads. The result must be what the plan of that name gives, where there is one.
    fn all_reduce(
        &mut self,
        _algorithm: &str,
        _values: &mut [f32],
    ) -> Option<Result<(), LinkError>> {
        None
    }
}
