//! How many threads of a worker take part while cores are shared.
//!
//! Lost cores are those that others use while threads of ours wait for one: the lesser of the
//! threads that waited, on average, and the cores that we did not get. Threads of one process that
//! outnumber its cores wait too, but get all cores, and lose nothing. Each lost core is a thread
//! less. Now and then all threads are tried again: soon at first, then less and less often, since
//! trying costs what sharing costs.

/// What a job got of its cores in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CoreUse {
    /// Cores that its threads ran on, on average.
    pub(super) ran: f64,
    /// Threads that waited for a core, on average.
    pub(super) waited: f64,
}

/// More lost cores lower the number of threads.
const LOST_MAX: f64 = 0.5;
/// More lost cores end a trial: less than [`LOST_MAX`], since others who share have lowered theirs.
const LOST_IN_TRIAL_MAX: f64 = 0.25;
/// Windows until the first trial, and at most between two.
const TRIAL_AFTER: u32 = 4;
const TRIAL_AFTER_MAX: u32 = 64;
/// Windows without loss after which a loss counts as the first again.
const CALM: u32 = 25;

/// Decides window by window.
#[derive(Debug)]
pub(super) struct ThreadGovernor {
    threads: usize,
    workers: usize,
    cores: f64,
    active: usize,
    /// Windows in the present state.
    windows: u32,
    /// Windows until the next trial.
    trial_after: u32,
    /// Whether all threads are active on trial, and how many were before.
    trial: Option<usize>,
}

impl ThreadGovernor {
    /// For `workers` workers of `threads` threads on `cores` cores.
    pub(super) fn new(threads: usize, workers: usize, cores: usize) -> Self {
        let cores = cores.min(threads * workers) as f64;
        let (windows, trial_after, trial) = (0, TRIAL_AFTER, None);
        Self { threads, workers, cores, active: threads, windows, trial_after, trial }
    }

    /// Whether not all threads take part.
    pub(super) fn is_lowered(&self) -> bool {
        self.active < self.threads
    }

    /// The number of threads of each worker for the next window.
    pub(super) fn observe(&mut self, used: CoreUse) -> usize {
        let lost = used.waited.min(self.cores - used.ran);
        self.windows = self.windows.saturating_add(1);
        match self.trial.take() {
            Some(before) if lost > LOST_IN_TRIAL_MAX => {
                self.trial_after = (self.trial_after * 2).min(TRIAL_AFTER_MAX);
                self.enter(before);
            }
            _ if self.is_lowered() && self.windows >= self.trial_after => {
                self.trial = Some(self.active);
                self.enter(self.threads);
            }
            _ if lost > LOST_MAX && self.active > 1 => self.enter(self.less(lost)),
            _ if !self.is_lowered() && self.windows >= CALM => self.trial_after = TRIAL_AFTER,
            _ => {}
        }
        self.active
    }

    fn enter(&mut self, active: usize) {
        (self.active, self.windows) = (active, 0);
    }

    /// Threads of each worker that are left when `lost` cores are lost.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and saturating is the intent"
    )]
    fn less(&self, lost: f64) -> usize {
        let each = (lost / self.workers as f64).ceil() as usize;
        self.active.saturating_sub(each).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::{CoreUse, TRIAL_AFTER_MAX, ThreadGovernor};

    const ALONE: CoreUse = CoreUse { ran: 1.9, waited: 0.05 };
    const SHARED: CoreUse = CoreUse { ran: 1.0, waited: 0.9 };

    #[test]
    fn a_job_alone_keeps_its_threads() {
        let mut governor = ThreadGovernor::new(2, 1, 2);
        // Threads that prepare data wait for a core, too, but it is ours that they wait for; a job
        // that waits for other ranks uses few cores, but nothing of it waits for one.
        let own_data = CoreUse { ran: 2.0, waited: 1.2 };
        let waits_for_ranks = CoreUse { ran: 0.3, waited: 0.1 };
        for used in [ALONE, own_data, waits_for_ranks].repeat(100) {
            assert_eq!(governor.observe(used), 2, "{used:?}");
        }
    }

    /// How many windows of each kind a job sees that shares its cores whenever it uses both.
    #[test]
    fn trials_become_rare_and_end_with_the_sharing() {
        let mut governor = ThreadGovernor::new(2, 1, 2);
        let (mut active, mut trials, windows) = (2, 0, 1000);
        for _ in 0..windows {
            let used = if active == 2 { SHARED } else { CoreUse { ran: 1.0, waited: 0.0 } };
            active = governor.observe(used);
            trials += u32::from(active == 2);
        }
        assert!((4..40).contains(&trials), "{trials} trials in {windows} windows");
        let back = (0..=TRIAL_AFTER_MAX).find(|_| governor.observe(ALONE) == 2);
        assert!(back.is_some(), "the other program has ended");
        assert_eq!(governor.observe(ALONE), 2, "the trial was a success");
        assert_eq!(governor.observe(SHARED), 1, "it came back");
    }

    #[test]
    fn threads_go_by_lost_cores() {
        for (threads, workers, cores, used, want) in [
            (32, 1, 32, CoreUse { ran: 16.0, waited: 16.0 }, 16),
            (16, 2, 32, CoreUse { ran: 24.0, waited: 8.0 }, 12),
            (2, 1, 64, CoreUse { ran: 1.0, waited: 1.0 }, 1),
            (4, 1, 4, CoreUse { ran: 0.1, waited: 3.9 }, 1),
            (4, 1, 4, CoreUse { ran: 3.4, waited: 0.4 }, 4),
        ] {
            let mut governor = ThreadGovernor::new(threads, workers, cores);
            assert_eq!(governor.observe(used), want, "{used:?}");
        }
        let mut governor = ThreadGovernor::new(32, 1, 32);
        assert_eq!(governor.observe(CoreUse { ran: 16.0, waited: 16.0 }), 16);
        assert_eq!(governor.observe(CoreUse { ran: 10.0, waited: 6.0 }), 10, "a third job");
    }
}
