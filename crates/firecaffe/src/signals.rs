//! Signals as requests to a run: Ctrl-C, SIGTERM and SIGUSR1 snapshot and stop, SIGHUP snapshots.
//!
//! Handlers only set flags; the run asks between iterations. A second Ctrl-C after one that asked
//! to stop ends the program at once with code 130, for a run whose iterations are long. Under
//! `mpirun` SIGTERM means that the job is over (see `commands/train/ranks.rs`); SIGUSR1, which it
//! forwards, is the way to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;
use train::{Control, Request};

use crate::page::RunRequests;

/// Exit code of a program ended by Ctrl-C: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// Flags that handlers set and the run takes.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    stop: Arc<AtomicBool>,
    snapshot: Arc<AtomicBool>,
    /// Requests that `none` throws away.
    ignored: Arc<AtomicBool>,
}

impl Signals {
    /// Installs the handlers, with what Ctrl-C and SIGHUP ask for, for the rest of the program's
    /// life. `launched`: SIGTERM is the launcher's, and ends a rank.
    pub(crate) fn install(sigint: Request, sighup: Request, launched: bool) -> io::Result<Self> {
        let signals = Self::default();
        if sigint == Request::Stop {
            let second = Arc::new(AtomicBool::new(false));
            // In this order: the first Ctrl-C finds `second` unset and sets it.
            flag::register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(&second))?;
            flag::register(SIGINT, second)?;
        }
        flag::register(SIGINT, signals.flag(sigint))?;
        flag::register(SIGHUP, signals.flag(sighup))?;
        flag::register(SIGUSR1, signals.flag(Request::Stop))?;
        if !launched {
            flag::register(SIGTERM, signals.flag(Request::Stop))?;
        }
        Ok(signals)
    }

    /// The flags themselves, for requests that come in another way.
    pub(crate) fn requests(&self) -> RunRequests {
        RunRequests { stop: Arc::clone(&self.stop), snapshot: Arc::clone(&self.snapshot) }
    }

    fn flag(&self, effect: Request) -> Arc<AtomicBool> {
        Arc::clone(match effect {
            Request::Stop => &self.stop,
            Request::Snapshot => &self.snapshot,
            Request::None => &self.ignored,
        })
    }
}

/// Requests to a run from all sides: the program around it, if there is one, then signals and the
/// live page.
pub(crate) struct RunControl<'a> {
    pub(crate) signals: Signals,
    pub(crate) program: Option<&'a dyn Control>,
}

impl Control for RunControl<'_> {
    fn request(&self) -> Request {
        match self.program.map_or(Request::None, Control::request) {
            Request::None => self.signals.request(),
            request => request,
        }
    }
}

impl Control for Signals {
    fn request(&self) -> Request {
        if self.stop.swap(false, Ordering::Relaxed) {
            Request::Stop
        } else if self.snapshot.swap(false, Ordering::Relaxed) {
            Request::Snapshot
        } else {
            Request::None
        }
    }
}
