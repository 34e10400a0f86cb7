//! The supervised process, and signals on their way to it.
//!
//! It gets a process group of its own: the terminal's Ctrl-C then reaches it once, through us, and
//! not twice, which would end training without a snapshot.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::flag;

/// How often a process and the flags are looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Signals that are passed on.
const PASSED_ON: [Signal; 3] = [Signal::INT, Signal::TERM, Signal::USR1];

/// Signals that arrived, as flags that handlers set.
pub(super) struct Requests {
    fresh: [Arc<AtomicBool>; PASSED_ON.len()],
    ever: Arc<AtomicBool>,
}

impl Requests {
    /// Installs the handlers for the rest of the program's life.
    pub(super) fn install() -> io::Result<Self> {
        let requests = Self { fresh: Default::default(), ever: Arc::default() };
        for (signal, fresh) in PASSED_ON.iter().zip(&requests.fresh) {
            flag::register(signal.as_raw(), Arc::clone(fresh))?;
            flag::register(signal.as_raw(), Arc::clone(&requests.ever))?;
        }
        Ok(requests)
    }

    /// Whether any has arrived since the program began.
    pub(super) fn any(&self) -> bool {
        self.ever.load(Ordering::Relaxed)
    }

    /// Waits, unless a signal arrives before; `true` when one did.
    pub(super) fn wait(&self, duration: Duration) -> bool {
        let begin = Instant::now();
        while !self.any() && begin.elapsed() < duration {
            thread::sleep(LOOK.min(duration));
        }
        self.any()
    }

    /// Passes on what has arrived. A process that has just ended does not mind.
    fn pass_on(&self, child: &Child) {
        let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
        for (signal, fresh) in PASSED_ON.iter().zip(&self.fresh) {
            if fresh.swap(false, Ordering::Relaxed) {
                let _ = kill_process(pid, *signal);
            }
        }
    }
}

/// Runs a command to its end.
pub(super) fn run(command: &[OsString], requests: &Requests) -> Result<ExitStatus> {
    let (program, args) = command.split_first().context("a command is needed")?;
    let name = program.to_string_lossy();
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    loop {
        requests.pass_on(&child);
        if let Some(status) = child.try_wait().with_context(|| format!("cannot wait for {name}"))? {
            return Ok(status);
        }
        thread::sleep(LOOK);
    }
}
