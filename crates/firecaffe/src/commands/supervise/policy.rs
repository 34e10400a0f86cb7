//! When to run a command again. Knows no processes and no clock: endings and durations go in.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// The exit code of a job that the watch ended.
const LOST_RANK: i32 = exchange::watch::EXIT_CODE;
/// What shells and mpirun add to the number of the signal that killed a program.
const SIGNAL_BASE: i32 = 128;
const SIGNALS: std::ops::RangeInclusive<i32> = 1..=64;
const SIGINT: i32 = 2;
/// Quick failures in a row after which it is the command's fault.
const QUICK_MAX: u32 = 3;
const WAIT_MAX: Duration = Duration::from_secs(60);

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandEnding {
    Code(i32),
    Signal(i32),
}

impl CommandEnding {
    pub(super) fn of(status: ExitStatus) -> Self {
        let signal = || Self::Signal(status.signal().unwrap_or(0));
        status.code().map_or_else(signal, Self::Code)
    }

    /// Whether a rank was lost, so that another run may get further. `also` are codes that mean so
    /// here.
    pub(super) fn is_loss(self, also: &[i32]) -> bool {
        let fatal = |signal: i32| SIGNALS.contains(&signal) && signal != SIGINT;
        match self {
            Self::Code(code) => {
                code == LOST_RANK || fatal(code - SIGNAL_BASE) || also.contains(&code)
            }
            Self::Signal(signal) => fatal(signal),
        }
    }

    /// The same ending as a code of ours.
    pub(super) fn exit_code(self) -> u8 {
        let code = match self {
            Self::Code(code) => code,
            Self::Signal(signal) => SIGNAL_BASE + signal,
        };
        u8::try_from(code).unwrap_or(1)
    }
}

impl fmt::Display for CommandEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(LOST_RANK) => write!(f, "the command lost a rank (exit code {LOST_RANK})"),
            Self::Code(code) => write!(f, "the command ended with exit code {code}"),
            Self::Signal(signal) => write!(f, "the command was killed by signal {signal}"),
        }
    }
}

/// What to do after a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RestartDecision {
    /// Run again after `wait`, for the `count`-th time.
    Restart { count: u32, wait: Duration },
    /// Leave it, and why.
    GiveUp(&'static str),
}

/// The losses so far.
#[derive(Debug)]
pub(super) struct RestartHistory {
    restarts_max: u32,
    wait: Duration,
    quick: Duration,
    count: u32,
    quick_in_a_row: u32,
}

impl RestartHistory {
    pub(super) fn new(restarts_max: u32, wait: Duration, quick: Duration) -> Self {
        Self { restarts_max, wait, quick, count: 0, quick_in_a_row: 0 }
    }

    /// Decides what to do after a command that lost a rank had run for `length`.
    pub(super) fn after(&mut self, length: Duration) -> RestartDecision {
        self.quick_in_a_row = if length < self.quick { self.quick_in_a_row + 1 } else { 0 };
        if self.quick_in_a_row == QUICK_MAX {
            return RestartDecision::GiveUp("it failed at once three times in a row");
        }
        if self.count == self.restarts_max {
            return RestartDecision::GiveUp("all restarts are used");
        }
        self.count += 1;
        let doublings = self.quick_in_a_row.saturating_sub(1);
        let wait = self.wait.saturating_mul(1 << doublings).min(WAIT_MAX);
        RestartDecision::Restart { count: self.count, wait }
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandEnding, Duration, RestartDecision, RestartHistory};

    #[test]
    fn only_lost_ranks_are_worth_another_run() {
        let losses = [75, 134, 137, 139, 143, 129];
        losses.iter().for_each(|&code| assert!(CommandEnding::Code(code).is_loss(&[]), "{code}"));
        let final_ones = [0, 1, 2, 64, 126, 127, 128, 130, 255];
        final_ones
            .iter()
            .for_each(|&code| assert!(!CommandEnding::Code(code).is_loss(&[]), "{code}"));
        assert!(CommandEnding::Code(1).is_loss(&[1]));
        assert!(CommandEnding::Signal(9).is_loss(&[]) && !CommandEnding::Signal(2).is_loss(&[]));
    }

    #[test]
    fn quick_failures_wait_longer_and_end_it() {
        let second = Duration::from_secs(1);
        let mut history = RestartHistory::new(9, second, 5 * second);
        let again = |count, seconds| RestartDecision::Restart { count, wait: seconds * second };
        assert_eq!(history.after(second), again(1, 1));
        assert_eq!(history.after(second), again(2, 2));
        assert_eq!(history.after(9 * second), again(3, 1), "a long run was progress");
        assert_eq!(history.after(second), again(4, 1));
        assert_eq!(history.after(second), again(5, 2));
        assert!(
            matches!(history.after(second), RestartDecision::GiveUp(why) if why.contains("at once"))
        );
    }

    #[test]
    fn restarts_run_out() {
        let second = Duration::from_secs(1);
        let mut history = RestartHistory::new(1, second, second);
        assert!(matches!(history.after(second), RestartDecision::Restart { count: 1, .. }));
        assert!(
            matches!(history.after(second), RestartDecision::GiveUp(why) if why.contains("restarts"))
        );
    }
}
