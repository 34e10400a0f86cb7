//! An examination in a process of its own.
//!
//! An MPI library that cannot reach a host ends its process without asking us, or waits for ever,
//! and so does a file system. So the process that was started starts another, which examines, and
//! says what became of it.

use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use exchange::watch;
use signal_hook::consts::SIGTERM;

use super::findings::Finding;
use super::hosts::own_program;
use crate::launch;

/// How long an examination may take.
pub(super) const END: Duration = Duration::from_secs(27);
/// How long a process may live on that the launcher has told to end.
const GRACE: Duration = Duration::from_millis(500);
/// How often is looked.
const LOOK: Duration = Duration::from_millis(20);

/// How the examining process ended.
pub(super) enum ExaminationEnd {
    /// By itself, and it has said all there is to say.
    Code(u8),
    /// Otherwise, and this is why.
    Found(Finding),
}

/// What an examination that takes too long waits for, and what to do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Overdue {
    pub(super) problem: &'static str,
    pub(super) remedy: &'static str,
}

/// Of ranks.
pub(super) const RANKS: Overdue =
    Overdue { problem: "MPI has not connected the ranks", remedy: INTERFACE };
/// Of hosts, by logins.
pub(super) const HOSTS: Overdue = Overdue {
    problem: "the hosts have not been examined",
    remedy: "look at fewer of them at a time, and with `--rsh` at one by hand",
};
/// Of this machine.
pub(super) const MACHINE: Overdue = Overdue {
    problem: "this machine has not been examined",
    remedy: "a file system may not answer: look at the folders of solver, nets, data and snapshots",
};

/// Starts this command again with `more`, and waits for it.
pub(super) fn run(more: &str, overdue: Overdue) -> Result<ExaminationEnd> {
    let told = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, Arc::clone(&told)).context("cannot handle signals")?;
    let mut child = Command::new(own_program())
        .args(std::env::args_os().skip(1))
        .arg(more)
        .spawn()
        .context("cannot start the process that examines")?;
    let end = wait(&mut child, &told, overdue, END);
    _ = child.kill(); // it may have ended
    _ = child.wait();
    end
}

fn wait(
    child: &mut Child,
    told: &AtomicBool,
    overdue: Overdue,
    patience: Duration,
) -> Result<ExaminationEnd> {
    let begin = Instant::now();
    let mut told_at = None;
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the examination")? {
            return Ok(outcome(status, &launch::host()));
        }
        if begin.elapsed() > patience {
            let problem = format!("{} within {} s", overdue.problem, patience.as_secs());
            let finding = Finding::new(launch::host(), problem, overdue.remedy);
            return Ok(ExaminationEnd::Found(finding));
        }
        if told.load(Ordering::Relaxed)
            && *told_at.get_or_insert_with(Instant::now) + GRACE < Instant::now()
        {
            return Ok(ExaminationEnd::Code(1)); // another rank has said why
        }
        thread::sleep(LOOK);
    }
}

const INTERFACE: &str = "a rank may not have started, or the interface that MPI chose leads \
                         nowhere: docs/cluster.md, Interfaces; `doctor --hosts` looks without MPI";

fn outcome(status: ExitStatus, host: &str) -> ExaminationEnd {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    let lost = u8::try_from(watch::EXIT_CODE).unwrap_or(1);
    match code {
        Some(code) if code <= 1 || code == lost => ExaminationEnd::Code(code),
        None if ended_by_launcher(status) => ExaminationEnd::Code(1),
        _ => {
            let problem = format!("MPI ended the process while it connected the ranks ({status})");
            ExaminationEnd::Found(Finding::new(host, problem, INTERFACE))
        }
    }
}

/// Whether a signal ended it that launchers send to all ranks when one has failed.
fn ended_by_launcher(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const SIGKILL: i32 = 9;
    matches!(status.signal(), Some(SIGTERM | SIGKILL))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use std::process::{Command, Stdio};
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::{ExaminationEnd, HOSTS, outcome, wait};

    #[test]
    fn an_examination_that_does_not_end_is_named() {
        // Ends with its input, which we keep.
        let mut child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let end = wait(&mut child, &AtomicBool::new(false), HOSTS, Duration::ZERO).unwrap();
        let ExaminationEnd::Found(finding) = end else { panic!("it has not ended") };
        assert!(finding.in_words().contains("the hosts have not been examined"), "{finding:?}");
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn who_was_ended_by_its_library_is_told_apart() {
        for (raw, code) in
            [(0, Some(0)), (1 << 8, Some(1)), (75 << 8, Some(75)), (15, Some(1)), (9, Some(1))]
        {
            match outcome(ExitStatus::from_raw(raw), "a") {
                ExaminationEnd::Code(got) => assert_eq!(Some(got), code, "{raw}"),
                ExaminationEnd::Found(finding) => panic!("{raw}: {finding:?}"),
            }
        }
        for raw in [255 << 8, 6, 14 << 8] {
            let ExaminationEnd::Found(finding) = outcome(ExitStatus::from_raw(raw), "a") else {
                panic!("{raw}")
            };
            assert!(finding.in_words().starts_with("a: MPI ended the process"), "{finding:?}");
        }
    }
}
