//! Starts examples under a launcher and waits for them, but not for ever.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A run that has not said or done by then what it should hangs. All of them take seconds, but some
/// machines are slow and busy, and waiting costs nothing when all is well.
const HANGS: Duration = Duration::from_secs(180);

/// How ranks are started.
pub(crate) struct TestLauncher {
    program: &'static str,
    /// Debian's name of what brings it.
    package: &'static str,
    flags: &'static [&'static str],
}

pub(crate) const OPEN_MPI: TestLauncher = TestLauncher {
    program: "mpirun.openmpi",
    package: "openmpi-bin",
    flags: &[
        "--allow-run-as-root",
        "--oversubscribe",
        "--bind-to",
        "none",
        "--mca",
        "mpi_yield_when_idle",
        "1",
    ],
};

pub(crate) const MPICH: TestLauncher =
    TestLauncher { program: "mpiexec.mpich", package: "mpich", flags: &[] };

/// How a run ended.
pub(crate) struct RunEnd {
    pub(crate) success: bool,
    /// Everything it wrote.
    pub(crate) text: String,
}

/// A run under way; killed when dropped.
pub(crate) struct Mpirun {
    child: Child,
    /// Where Open MPI keeps the run's own files, removed after it. In the common folder two runs
    /// that start at once can both try to make the same one, and one of them fails.
    _session: TempDir,
    text: Arc<Mutex<String>>,
    readers: Vec<JoinHandle<()>>,
}

impl Mpirun {
    /// Under Open MPI. `None`, after saying SKIPPED and why, where there is none.
    pub(crate) fn start(example: &str, ranks: usize, args: &[&str]) -> Option<Self> {
        Self::under(&OPEN_MPI, example, ranks, args)
    }

    /// Under any launcher.
    pub(crate) fn under(
        launcher: &TestLauncher,
        example: &str,
        ranks: usize,
        args: &[&str],
    ) -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&path).any(|folder| folder.join(launcher.program).is_file()) {
            let why = format!("no `{}` (Debian: {})", launcher.program, launcher.package);
            let refused = std::env::var_os("FIRECAFFE_NO_SKIP").is_some();
            assert!(!refused, "skips are refused, but: {why}");
            return skipped(&why);
        }
        let session = TempDir::new().expect("a temporary folder");
        let mut child = Command::new(launcher.program)
            .args(launcher.flags)
            .args(["-n", &ranks.to_string()])
            .arg(built(example))
            .args(args)
            .env("TMPDIR", session.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the launcher starts");
        let text = Arc::new(Mutex::new(String::new()));
        let out = child.stdout.take().expect("piped");
        let err = child.stderr.take().expect("piped");
        let readers = vec![gather(out, &text), gather(err, &text)];
        Some(Self { child, _session: session, text, readers })
    }

    /// What was written so far.
    pub(crate) fn text(&self) -> String {
        self.text.lock().expect("readers do not panic").clone()
    }

    /// Waits until `ready` finds what it looks for in the text.
    pub(crate) fn says<T>(&self, ready: impl Fn(&str) -> Option<T>) -> T {
        let found = until(HANGS, || ready(&self.text()));
        found.unwrap_or_else(|| panic!("never said in {HANGS:?}:\n{}", self.text()))
    }

    /// Waits for the end.
    pub(crate) fn end(&mut self) -> RunEnd {
        let status = until(HANGS, || self.child.try_wait().expect("our own child"));
        let status = status.unwrap_or_else(|| panic!("no end in {HANGS:?}:\n{}", self.text()));
        for reader in self.readers.drain(..) {
            reader.join().expect("readers do not panic");
        }
        RunEnd { success: status.success(), text: self.text() }
    }
}

impl Drop for Mpirun {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_some()) {
            return;
        }
        // SIGKILL to mpirun leaves its daemons to clean up; SIGTERM first lets it end its ranks.
        send("-TERM", self.child.id());
        if until(Duration::from_secs(5), || self.child.try_wait().ok().flatten()).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Cargo builds examples beside the tests.
fn built(example: &str) -> PathBuf {
    let test = std::env::current_exe().expect("we run from a file");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("target/<profile>/deps");
    let program = folder.join("examples").join(example);
    assert!(program.is_file(), "{} is missing: build the examples too", program.display());
    program
}

#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn skipped<T>(why: &str) -> Option<T> {
    println!("SKIPPED: {why}");
    None
}

/// Adds whole lines, so that those of standard output and standard error do not mix.
fn gather(from: impl Read + Send + 'static, text: &Arc<Mutex<String>>) -> JoinHandle<()> {
    let text = Arc::clone(text);
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while let Ok(1..) = from.read_until(b'\n', &mut line) {
            text.lock().expect("readers do not panic").push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
    })
}

/// Asks again and again, for at most so long.
#[expect(clippy::disallowed_methods, reason = "the test of real processes needs the real clock")]
pub(crate) fn until<T>(at_most: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let answer = ask();
        if answer.is_some() || start.elapsed() > at_most {
            return answer;
        }
        pause(Duration::from_millis(10));
    }
}

/// Sends a signal as the shell does: `kill` as a program of its own is not on every machine.
pub(crate) fn send(signal: &str, pid: u32) -> bool {
    let kill = format!("kill {signal} {pid}");
    Command::new("sh").args(["-c", &kill]).status().is_ok_and(|status| status.success())
}

#[expect(clippy::disallowed_methods, reason = "the test of real processes needs the real clock")]
pub(crate) fn pause(duration: Duration) {
    std::thread::sleep(duration);
}
