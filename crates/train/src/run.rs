//! The loop around [`Job::step`]: testing, display, snapshots and stopping, in Caffe's order.

use std::time::Duration;

use crate::sync::StepSummary;
use crate::{Event, Job, PhaseTimes, TrainError};

/// Requests to a run from outside; the binary's are signals.
pub trait Control: Sync {
    /// The oldest request not yet answered; asking answers it.
    fn request(&self) -> Request;
}

/// What is asked of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Request {
    /// Go on.
    #[default]
    None,
    /// Write a snapshot and go on.
    Snapshot,
    /// Write a snapshot and stop.
    Stop,
}

base::names!(pub Request { Stop = "stop", Snapshot = "snapshot", None = "none" });

/// Never asks for anything.
pub struct NoControl;

impl Control for NoControl {
    fn request(&self) -> Request {
        Request::None
    }
}

/// Mean of the last `average_loss` losses, computed as Caffe does.
#[derive(Default)]
pub(crate) struct SmoothedLoss {
    losses: Vec<f32>,
    mean: f32,
    start: u64,
    /// When and where the last display was, and what time had been spent on.
    pub(crate) shown: Option<(Duration, u64, PhaseTimes)>,
}

impl Job {
    /// Trains until `max_iter` or a request to stop; [`Event::Finished`] or
    /// [`Event::StoppedEarly`] says which.
    pub fn run(
        &mut self,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        let policy = self.solver_param().lr_policy().to_owned();
        events(Event::Solving { net: self.net().name().to_owned(), policy });
        self.restart_loss();
        // All ranks leave this collective together: it is the zero of their timelines.
        self.shared.ranks.sum(&mut [0.0])?;
        self.started = self.now();
        let (from, spent) = (self.iter, self.times());
        let max_iter = u64::from(self.shared.config.solver.max_iter().unsigned_abs());
        let mut stopped = false;
        while self.iter < max_iter && !stopped {
            if self.tests_now()
                && (self.iter > 0 || self.shared.config.solver.test_initialization())
            {
                stopped = !self.test_all(control, events)?;
                if stopped {
                    break;
                }
            }
            let request = self.step(control, events)?.request;
            if self.snapshots_now() || request == Request::Snapshot {
                self.snapshot(events)?;
            }
            stopped = request == Request::Stop;
        }
        self.report_details(events);
        self.report_times(events)?;
        self.report_skipped(events);
        events(Event::Spent {
            elapsed: self.now().saturating_sub(self.started),
            items: self.items_per_iteration() as u64 * (self.iter - from),
            times: self.times().since(&spent),
            emulated: self.emulates(),
        });
        self.finish(stopped, control, events)
    }

    /// Begins the mean of losses, and the time since the last display, anew.
    pub fn restart_loss(&mut self) {
        self.smoothed = SmoothedLoss {
            start: self.iter,
            shown: Some((self.now(), self.iter, self.times())),
            ..Default::default()
        };
    }

    /// After the last iteration: a snapshot unless there is one, and Caffe's last look at both
    /// nets.
    pub fn finish(
        &mut self,
        stopped: bool,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        if self.emulates() {
            events(if stopped { Event::StoppedEarly } else { Event::Finished });
            return Ok(()); // there are no weights to save, hash or test
        }
        if (self.shared.config.solver.snapshot_after_train() || stopped) && !self.snapshots_now() {
            self.snapshot(events)?;
        }
        events(Event::Hash { steps: self.iter, hash: self.hash()? });
        if stopped {
            events(Event::StoppedEarly);
            return Ok(());
        }
        if self.displays() {
            let loss = self.forward_all()?;
            let average = self.shared.config.solver.average_loss();
            let loss = self.smoothed.add(loss, self.iter, average);
            events(Event::FinalLoss { iter: self.iter, loss });
        }
        if self.tests_now() {
            self.test_all(control, events)?;
        }
        self.finish_sources()?;
        events(Event::Finished);
        Ok(())
    }

    /// A forward of every replica without update, as Caffe does after the last iteration; the mean
    /// loss.
    fn forward_all(&mut self) -> Result<f32, TrainError> {
        let context = self.step_context(Request::None);
        let mut summary = StepSummary::new(self.shared.placement.replicas, 0);
        for worker in &mut self.workers {
            for index in 0..worker.replicas.len() {
                let loss = worker.forward_replica(&context, index)?;
                summary.set_row(worker.first_replica + index, loss, &[]);
            }
        }
        self.shared.ranks.sum(summary.values())?;
        if let Some(communicator) = &mut self.communicator {
            communicator.records.end_forward();
        }
        Ok(summary.mean_loss())
    }

    pub(crate) fn tests_now(&self) -> bool {
        let interval = u64::from(self.shared.config.solver.test_interval().unsigned_abs());
        interval > 0 && self.iter.is_multiple_of(interval)
    }

    pub(crate) fn snapshots_now(&self) -> bool {
        let interval = u64::from(self.shared.config.solver.snapshot().unsigned_abs());
        interval > 0 && self.iter.is_multiple_of(interval)
    }
}

impl SmoothedLoss {
    /// Counts `loss` of iteration `iter` and returns the mean.
    pub(crate) fn add(&mut self, loss: f32, iter: u64, average: i32) -> f32 {
        let window = usize::try_from(average).unwrap_or(1).max(1);
        if self.losses.len() < window {
            self.losses.push(loss);
            let size = self.losses.len() as f32;
            self.mean = (self.mean * (size - 1.0) + loss) / size;
        } else {
            let place = usize::try_from(iter - self.start).unwrap_or(0) % window;
            self.mean += (loss - self.losses[place]) / average as f32;
            self.losses[place] = loss;
        }
        self.mean
    }
}
