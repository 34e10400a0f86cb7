//! Work between messages, made to last as long on the clock as it took of the CPU.
//!
//! In an emulated run the clock may be slower than real time, so that many ranks can share few
//! cores: a message, which is shaped to be slower too, takes as long on that clock as it would on
//! the emulated network. Adding, encoding and decoding do not slow down by themselves. So all that
//! one thread computes between calls of its transport is measured by the thread's CPU clock, and
//! before the next call it waits until the slow clock has advanced as far:
//!
//! ```text
//!   CPU      ▇▇ add                ▇ encode
//!   clock    ▇▇▇▇▇▇▇▇ waits        ▇▇▇▇ waits
//!                     take, post …      post …
//! ```
//!
//! What the transport itself does is not stretched: that is the network's.

use crate::{LibrarySum, LinkError, Posted, SharedMemory, Stamp, Transport};
use base::{Clock, Rank};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Work that is waited for at once; less is added to what follows, since a wait costs a wake-up.
const GRAIN: Duration = Duration::from_micros(20);
/// How long a rank that waits for messages sleeps at most between looks, on a slow clock. Without
/// it the waiting of many ranks would keep the cores busy.
const PAUSE: Duration = Duration::from_micros(50);
/// The same in real time.
const PAUSE_REAL_MAX: Duration = Duration::from_millis(2);

/// Measures and stretches what one thread computes.
#[derive(Debug)]
pub struct WorkStretch {
    clock: Arc<dyn Clock>,
    /// Between looks for messages; zero on a clock that is not slow.
    pause: Duration,
    state: Mutex<StretchState>,
}

#[derive(Debug, Clone, Copy)]
enum StretchState {
    /// Nobody works.
    Off,
    /// A thread computes, since it had used so much CPU time and the clock showed `at`. The work
    /// before that would end at `due`.
    Computing { cpu: Duration, at: Duration, due: Duration },
    /// It is inside its transport.
    InTransport { due: Duration },
}

/// Work on the thread that made it, until it is dropped. It waits for nothing but its transport:
/// other waiting would count as work that the clock has seen already.
#[must_use]
pub struct StretchedWork<'a>(&'a WorkStretch);

impl WorkStretch {
    /// For a clock that runs `dilation` times slower than real time.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, dilation: u32) -> Self {
        let pause = match dilation {
            0 | 1 => Duration::ZERO,
            dilation => PAUSE.min(PAUSE_REAL_MAX / dilation),
        };
        Self { clock, pause, state: Mutex::new(StretchState::Off) }
    }

    /// All that this thread computes from now on is stretched, except inside its transport.
    pub fn work(&self) -> StretchedWork<'_> {
        self.compute_since(Duration::ZERO);
        StretchedWork(self)
    }

    fn compute_since(&self, due: Duration) {
        let (cpu, at) = (self.clock.thread_cpu(), self.clock.now());
        *self.state() = StretchState::Computing { cpu, at, due };
    }

    /// The transport's turn: waits for what was computed, unless that is less than `grain`.
    fn catch_up(&self, grain: Duration) {
        let StretchState::Computing { cpu, at, due } = *self.state() else { return };
        let computed = self.clock.thread_cpu().saturating_sub(cpu);
        let due = at.max(due) + computed;
        if due > self.clock.now() + grain {
            self.clock.sleep_until(due);
        }
        *self.state() = StretchState::InTransport { due };
    }

    /// The transport has returned.
    fn resume(&self) {
        let state = *self.state();
        if let StretchState::InTransport { due } = state {
            self.compute_since(due);
        }
    }

    fn state(&self) -> MutexGuard<'_, StretchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StretchedWork<'_> {
    fn drop(&mut self) {
        self.0.catch_up(Duration::ZERO);
        *self.0.state() = StretchState::Off;
    }
}

/// A transport whose user's work is stretched.
pub struct StretchedLink {
    inner: Box<dyn Transport>,
    stretch: Arc<WorkStretch>,
}

impl StretchedLink {
    /// Stretches the work of whoever uses `inner` through it.
    #[must_use]
    pub fn new(inner: Box<dyn Transport>, stretch: Arc<WorkStretch>) -> Self {
        Self { inner, stretch }
    }

    fn call<T>(&mut self, call: impl FnOnce(&mut dyn Transport) -> T) -> T {
        self.stretch.catch_up(GRAIN);
        let result = call(&mut *self.inner);
        self.stretch.resume();
        result
    }
}

impl Transport for StretchedLink {
    fn rank(&self) -> Rank {
        self.inner.rank()
    }

    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn begin(&mut self, stamp: &Stamp) {
        self.call(|inner| inner.begin(stamp));
    }

    fn end(&mut self) {
        self.call(|inner| inner.end());
    }

    unsafe fn post(
        &mut self,
        to: usize,
        lane: usize,
        bytes: *const u8,
        len: usize,
    ) -> Result<Option<Posted>, LinkError> {
        // SAFETY: the caller's promise is passed on unchanged.
        self.call(|inner| unsafe { inner.post(to, lane, bytes, len) })
    }

    fn is_taken(&mut self, posted: Posted) -> Result<bool, LinkError> {
        self.call(|inner| inner.is_taken(posted))
    }

    fn expect(&mut self, from: usize, lane: usize, len: usize) -> Result<(), LinkError> {
        self.call(|inner| inner.expect(from, lane, len))
    }

    fn take(
        &mut self,
        from: usize,
        lane: usize,
        len: usize,
        reader: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, LinkError> {
        let stretch = Arc::clone(&self.stretch);
        self.call(|inner| {
            inner.take(from, lane, len, &mut |bytes| {
                stretch.resume(); // what the reader does with them is work
                reader(bytes);
                stretch.catch_up(GRAIN);
            })
        })
    }

    fn wait(&mut self, whom: &[usize]) -> Result<(), LinkError> {
        let stretch = Arc::clone(&self.stretch);
        self.call(|inner| {
            let waited = inner.wait(whom);
            if !stretch.pause.is_zero() {
                stretch.clock.sleep(stretch.pause);
            }
            waited
        })
    }

    fn withdraw(&mut self) {
        self.call(|inner| inner.withdraw());
    }

    fn shared_memory(&mut self) -> Option<&mut dyn SharedMemory> {
        self.inner.shared_memory()
    }

    fn library_sum(&mut self) -> Option<&mut dyn LibrarySum> {
        self.inner.library_sum()
    }
}

#[cfg(test)]
mod tests;
