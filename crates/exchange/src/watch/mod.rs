//! Finds the rank that holds all others up, names it, and ends the job.
//!
//! MPI tells survivors nothing about a stopped rank or a dead link, so every rank has a watch
//! thread. It sends heartbeats (collectives begun, whom it waits for), and a failure detector reads
//! those of the others:
//!
//! ```text
//!   rank 0 ── heartbeat ──▶ all   diverged same number, other fingerprint     at once
//!   rank 1 ── heartbeat ──▶ all   silent   no heartbeat for `silence_max`
//!   rank 2    (stopped)           late     we wait that long; it waits for nobody, does not move
//! ```
//!
//! Inside the MPI library's own collective nobody can say how far it is: while all ranks are there,
//! only silence counts.
//!
//! The finder prints one line and ends the job; others hold back a little, so that it is one line.
//! The cost is a thread that wakes forty times per `silence_max`, but at least four times a second,
//! and then sends a few hundred bytes to each rank.

mod detector;
mod heartbeat;

pub use detector::RankFailure;

use base::Clock;
use detector::{FailureDetector, OwnState};
use heartbeat::Heartbeat;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use transport::{HeartbeatChannel, RankProgress};

/// How long a rank may be silent, unless told otherwise.
pub const SILENCE_MAX: Duration = Duration::from_secs(10);

/// The exit code of a job that a watch ended.
pub const EXIT_CODE: i32 = 75;

/// Heartbeats in `silence_max`.
const HEARTBEATS: u32 = 40;

/// The longest time between heartbeats: whoever ends waits for the next.
const PERIOD_MAX: Duration = Duration::from_millis(250);

/// Between checks for the last heartbeats of others.
const PAUSE: Duration = Duration::from_millis(1);

/// Where the line goes: standard error in the binary, a `Vec` in tests.
pub type ReportLine = Box<dyn FnMut(&str) + Send>;

/// The watch thread of one rank. Dropping it says goodbye to the others and waits for theirs;
/// during a panic it ends the job.
pub struct FailureWatch {
    shared: Arc<WatchState>,
    progress: Arc<RankProgress>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct WatchState {
    stop: AtomicBool,
    /// A line to print before the job is ended from here, and its exit code.
    last_words: Mutex<Option<(String, i32)>>,
}

impl FailureWatch {
    /// Starts to watch.
    #[must_use]
    pub fn start(
        channel: Box<dyn HeartbeatChannel>,
        progress: Arc<RankProgress>,
        clock: Arc<dyn Clock>,
        silence_max: Duration,
        report: ReportLine,
    ) -> Self {
        let shared = Arc::new(WatchState::default());
        let mut watcher = WatchThread {
            detector: FailureDetector::new(channel.rank(), silence_max, clock.now()),
            period: PERIOD_MAX.min(silence_max / HEARTBEATS),
            channel,
            progress: Arc::clone(&progress),
            clock,
            report,
            shared: Arc::clone(&shared),
        };
        Self { shared, progress, thread: Some(std::thread::spawn(move || watcher.run())) }
    }

    /// What this rank does, which the others are told: say there when it works without exchanging.
    #[must_use]
    pub fn progress(&self) -> Arc<RankProgress> {
        Arc::clone(&self.progress)
    }

    /// Ends the job with `line`, naming what this rank found, and an exit code. Returns only if
    /// that is impossible.
    pub fn abort(mut self, line: &str, code: i32) {
        self.say(line, code);
        self.join();
    }

    fn say(&self, line: &str, code: i32) {
        let mut words = self.shared.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        words.get_or_insert_with(|| (line.to_owned(), code));
    }

    fn join(&mut self) {
        self.shared.stop.store(true, SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Drop for FailureWatch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.say("this rank panicked", EXIT_CODE);
        }
        self.join();
    }
}

/// What the thread owns.
struct WatchThread {
    detector: FailureDetector,
    period: Duration,
    channel: Box<dyn HeartbeatChannel>,
    progress: Arc<RankProgress>,
    clock: Arc<dyn Clock>,
    report: ReportLine,
    shared: Arc<WatchState>,
}

impl WatchThread {
    fn run(&mut self) {
        loop {
            let stop = self.shared.stop.load(SeqCst);
            let words =
                self.shared.last_words.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((words, code)) = words {
                let line = format!("rank {}: {words}", self.channel.rank().index());
                (self.report)(&line);
                self.channel.abort(code);
                return;
            }
            self.send_heartbeats(stop);
            if stop {
                return self.take_goodbyes();
            }
            self.listen();
            let own = OwnState {
                waiting: self.progress.waiting(),
                moves: self.progress.moves(),
                begun: self.progress.begun(),
            };
            if let Some(failure) = self.detector.detect(self.clock.now(), own) {
                // The first to speak ends the job; the others wait for that, each a little longer.
                let turn = self.detector.turn(&failure);
                self.clock.sleep(self.period * turn * 2);
                (self.report)(&failure.to_string());
                self.channel.abort(EXIT_CODE);
                return;
            }
            self.clock.sleep(self.period);
        }
    }

    /// Stays until nobody sends any more: MPI must not end while heartbeats are on their way to us.
    fn take_goodbyes(&mut self) {
        self.listen();
        while self.detector.awaits_goodbye(self.clock.now()) {
            self.clock.sleep(PAUSE);
            self.listen();
        }
    }

    /// Takes the heartbeats that have arrived.
    fn listen(&mut self) {
        while let Some((from, bytes)) = self.channel.poll() {
            if let Some(heartbeat) = Heartbeat::decode(&bytes) {
                self.detector.hear(self.clock.now(), from, heartbeat);
            }
        }
    }

    /// Tells everyone how far we are.
    fn send_heartbeats(&mut self, leaving: bool) {
        let Self { progress, .. } = self;
        let (waiting, moves, begun) = (progress.waiting(), progress.moves(), progress.begun());
        let heartbeat = Heartbeat { leaving, waiting, moves, begun };
        let (bytes, rank) = (heartbeat.encode(), self.channel.rank());
        for other in (0..rank.world()).filter(|&other| other != rank.index()) {
            self.channel.send(other, &bytes);
        }
    }
}

#[cfg(test)]
mod tests;
