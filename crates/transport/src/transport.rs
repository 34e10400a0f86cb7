//! The border: what a way of moving bytes must be able to do.

use crate::LinkError;
use base::Rank;
use std::sync::Arc;

/// Marks every message of one collective, so that ranks that run different ones notice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Counts the collectives of this rank, from 1.
    pub sequence: u64,
    /// Operation, length, format and algorithm, in words: shown when ranks disagree.
    pub label: Arc<str>,
    /// Hash of the label and of what does not fit in words.
    pub fingerprint: u64,
}

/// A message on its way, known to the transport that posted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posted {
    pub(crate) to: usize,
    pub(crate) lane: usize,
    /// Counted per channel (`local`), or the request's index (`mpi`).
    pub(crate) index: u64,
}

/// Moves bytes between ranks, and nothing else. Threads and MPI implement it.
///
/// Messages from one rank to another on one lane arrive in order; lanes are independent. Calls
/// never block, except [`wait`](Transport::wait), [`withdraw`](Transport::withdraw) and the
/// capabilities that some transports have besides messages.
pub trait Transport: Send {
    /// This rank and the size of the world.
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
    /// The `len` bytes at `bytes` stay readable and unchanged until
    /// [`is_taken`](Transport::is_taken) returns true for this message or
    /// [`withdraw`](Transport::withdraw) has returned.
    unsafe fn post(
        &mut self,
        to: usize,
        lane: usize,
        bytes: *const u8,
        len: usize,
    ) -> Result<Option<Posted>, LinkError>;

    /// Whether the memory of a posted message is ours again. Must not be asked after a yes.
    fn is_taken(&mut self, posted: Posted) -> Result<bool, LinkError>;

    /// Announces that a message of `len` bytes will be taken, in order of these calls per channel,
    /// so that a transport with buffers can receive it early. At most once per message.
    fn expect(&mut self, _from: usize, _lane: usize, _len: usize) -> Result<(), LinkError> {
        Ok(())
    }

    /// Shows the oldest untaken message to `reader` if it is here. `false`: not yet.
    ///
    /// What `reader` sees is aligned as what was posted, for elements of up to eight bytes.
    fn take(
        &mut self,
        from: usize,
        lane: usize,
        len: usize,
        reader: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, LinkError>;

    /// Waits until something may have changed; `whom` are the ranks that could change it.
    fn wait(&mut self, whom: &[usize]) -> Result<(), LinkError>;

    /// Takes back every untaken message. When it returns nobody reads their memory any more.
    fn withdraw(&mut self);

    /// Where all ranks are threads of one process: their memory.
    fn shared_memory(&mut self) -> Option<&mut dyn SharedMemory> {
        None
    }

    /// Where the library underneath can sum: its sum.
    fn library_sum(&mut self) -> Option<&mut dyn LibrarySum> {
        None
    }
}

/// Ranks that can lend each other their memory.
pub trait SharedMemory {
    /// Lends `buffer` to the group, runs `body` on this rank's chunk of every rank's buffer, in
    /// order of rank, and returns when all ranks have done so. Chunks of different ranks are
    /// disjoint and consist of whole elements of `element_bytes` bytes.
    ///
    /// All ranks call this together, in a collective of one stamp, with as many bytes and the same
    /// `element_bytes`; who does not is named in everyone's error.
    fn on_own_chunk(
        &mut self,
        buffer: &mut [u8],
        element_bytes: usize,
        body: &mut dyn FnMut(&mut [&mut [u8]]),
    ) -> Result<(), LinkError>;
}

/// A datatype that the library underneath can sum. What it stands for is the caller's to know: here
/// it is a name to pass on and a number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibraryDatatype {
    /// `MPI_FLOAT`.
    Float,
}

impl LibraryDatatype {
    /// Bytes per element.
    #[must_use]
    pub fn element_bytes(self) -> usize {
        match self {
            Self::Float => 4,
        }
    }
}

/// A library that sums in its own way: fast, in an order that it does not tell.
pub trait LibrarySum {
    /// Leaves the sum over all ranks in `bytes`, which hold elements of `datatype`, aligned to
    /// their size. All ranks call this together.
    ///
    /// # Panics
    ///
    /// If the elements are not whole or not aligned.
    fn sum(&mut self, bytes: &mut [u8], datatype: LibraryDatatype) -> Result<(), LinkError>;
}
