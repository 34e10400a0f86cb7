//! Training processes that take turns on the machine.
//!
//! A shared machine changes its speed from one second to the next, often by more than the
//! difference looked for. So the programs to compare stay alive together, and turns of about a
//! second alternate: all but one are stopped (`SIGSTOP`), and a turn ends when the running one
//! reports its next display.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};

use crate::shell::{command, root, target_dir};

/// Writes a solver that trains a net of `bench/models` for ever and displays every `iterations`;
/// its path. Weights hardly move, so that no run diverges.
pub(super) fn write_solver(net: &str, iterations: usize) -> Result<PathBuf> {
    let solver = target_dir().join(format!("turns-{net}.prototxt"));
    let model = root().join(format!("bench/models/{net}.prototxt"));
    let text = format!(
        "net: \"{}\" base_lr: 1e-6 lr_policy: \"fixed\" momentum: 0.9 weight_decay: 0.0005 \
         max_iter: 1000000 display: {iterations} snapshot_after_train: false",
        model.display()
    );
    std::fs::write(&solver, text).context("cannot write the solver")?;
    Ok(solver)
}

/// A training process between turns: stopped, its set-up and first turn done.
pub(super) struct TrainingProcess {
    child: Child,
    log: BufReader<ChildStderr>,
}

impl TrainingProcess {
    /// Starts `program train` with these flags and lets it run to its second display, when memory
    /// and caches are as they stay.
    pub(super) fn start(program: &Path, solver: &Path, flags: &[&str]) -> Result<Self> {
        let solver = solver.to_string_lossy();
        let mut child = command(&program.to_string_lossy(), &["train", "--solver", &solver])
            .args(flags)
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let log = child.stderr.take().context("stderr is piped")?;
        let mut process = Self { child, log: BufReader::new(log) };
        process.wait_for_display()?;
        process.wait_for_display()?;
        process.signal(Signal::STOP)?;
        Ok(process)
    }

    /// Lets it run to its next display; seconds.
    pub(super) fn turn(&mut self) -> Result<f64> {
        let begin = Instant::now();
        self.signal(Signal::CONT)?;
        self.wait_for_display()?;
        let took = begin.elapsed();
        self.signal(Signal::STOP)?;
        Ok(took.as_secs_f64())
    }

    /// Lets it run for `seconds` after `settle` that do not count; displays per second.
    pub(super) fn rate(&mut self, settle: f64, seconds: f64) -> Result<f64> {
        let begin = Instant::now();
        self.signal(Signal::CONT)?;
        while begin.elapsed().as_secs_f64() < settle {
            self.wait_for_display()?;
        }
        let (begin, mut displays) = (Instant::now(), 0.0);
        while begin.elapsed().as_secs_f64() < seconds {
            self.wait_for_display()?;
            displays += 1.0;
        }
        let took = begin.elapsed();
        self.signal(Signal::STOP)?;
        Ok(displays / took.as_secs_f64())
    }

    /// Memory that it holds, in 10^6 bytes.
    pub(super) fn resident_mb(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        Ok(kib.context("no `VmRSS` among the process's status")? * 1024.0 / 1e6)
    }

    fn wait_for_display(&mut self) -> Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.log.read_line(&mut line)? > 0, "training ended before its turn did");
            if line.contains("] weights after ") {
                return Ok(());
            }
        }
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).context("cannot signal the training process")
    }
}

impl Drop for TrainingProcess {
    fn drop(&mut self) {
        // Also ends a stopped process. One that has ended already is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
