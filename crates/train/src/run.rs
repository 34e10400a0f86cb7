//! The loop around [`Job::step`]: testing, display, snapshots and stopping, in Caffe's order.

use std::time::Duration;

use base::Clock;

use crate::news::News;
use crate::notices::report_notices;
use crate::times::Times;
use crate::worker::{Found, Task};
use crate::{Display, Event, Job, TrainError};

/// What someone outside asks of a run: signals, for the binary.
pub trait Control: Sync {
    /// The oldest request not yet answered; asking answers it.
    fn request(&self) -> Request;
}

/// A request to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Nothing.
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

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// `max_iter` was reached.
    Finished,
    /// A request stopped it.
    Stopped,
}

/// Mean of the last `average_loss` losses, computed as Caffe does.
#[derive(Default)]
pub(crate) struct SmoothedLoss {
    losses: Vec<f32>,
    mean: f32,
    start: u64,
    /// When and where the last display was, and what time had been spent on.
    shown: Option<(Duration, u64, Times)>,
}

impl Job {
    /// Trains until `max_iter` or a request to stop.
    pub fn run(
        &mut self,
        clock: &dyn Clock,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<Ending, TrainError> {
        let policy = self.config.solver.lr_policy().to_owned();
        events(Event::Solving { net: self.net().name().to_owned(), policy });
        self.smoothed = SmoothedLoss {
            start: self.iter,
            shown: Some((clock.now(), self.iter, self.times())),
            ..Default::default()
        };
        self.ranks.sum(&mut [0.0])?; // all leave here together: the zero of their timelines
        self.zero = clock.now();
        let (begin, from) = (self.zero, self.iter);
        let max_iter = u64::from(self.config.solver.max_iter().unsigned_abs());
        let mut stopped = false;
        while self.iter < max_iter && !stopped {
            if self.tests_now() && (self.iter > 0 || self.config.solver.test_initialization()) {
                stopped = !self.test_all(control, events)?;
                if stopped {
                    break;
                }
            }
            let (_, request) = self.step_or_stop(clock, control, events)?;
            if self.snapshots_now() || request == Request::Snapshot {
                self.snapshot(events)?;
            }
            stopped = request == Request::Stop;
        }
        events(Event::Spent {
            elapsed: clock.now().saturating_sub(begin),
            items: self.items_per_iteration() as u64 * (self.iter - from),
            times: self.times(),
        });
        self.finish(stopped, clock, control, events)
    }

    /// After the last iteration: a snapshot unless there is one, and Caffe's last look at both nets.
    fn finish(
        &mut self,
        stopped: bool,
        clock: &dyn Clock,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<Ending, TrainError> {
        if (self.config.solver.snapshot_after_train() || stopped) && !self.snapshots_now() {
            self.snapshot(events)?;
        }
        events(Event::Hash { steps: self.iter, hash: self.hash()? });
        if stopped {
            events(Event::StoppedEarly);
            return Ok(Ending::Stopped);
        }
        if self.displays() {
            let loss = self.forward_all(clock)?;
            let average = self.config.solver.average_loss();
            let loss = self.smoothed.add(loss, self.iter, average);
            events(Event::FinalLoss { iter: self.iter, loss });
        }
        if self.tests_now() {
            self.test_all(control, events)?;
        }
        self.finish_sources()?;
        events(Event::Finished);
        Ok(Ending::Finished)
    }

    /// Reports an iteration: what data layers and `debug_info` say, and the display if it is one
    /// to show. Its loss counts in the mean either way.
    pub(crate) fn report(
        &mut self,
        mut found: Vec<Found>,
        news: &News,
        hash: Option<u64>,
        clock: &dyn Clock,
        events: &mut dyn FnMut(Event),
    ) {
        for replica in &mut self.replicas {
            report_notices(&self.workers[0].net, &mut replica.sources, events);
        }
        found
            .iter_mut()
            .flat_map(|found| found.debug.drain(..))
            .for_each(|value| events(Event::Debug(value)));
        let average = self.config.solver.average_loss();
        let loss = self.smoothed.add(news.mean_loss(), self.iter, average);
        let Some(hash) = hash else { return };
        let mut outputs = std::mem::take(&mut found[0].outputs);
        news.mean_outputs(&mut outputs);
        let now = (clock.now(), self.iter, self.times());
        let then = self.smoothed.shown.replace(now).unwrap_or(now);
        events(Event::Displayed(Display {
            iter: self.iter,
            loss,
            rate: self.solver.rates.at(self.iter),
            elapsed: now.0.saturating_sub(then.0),
            iterations: self.iter - then.1,
            items: self.items_per_iteration() as u64 * (self.iter - then.1),
            times: now.2.since(&then.2),
            interval: u64::from(self.config.solver.display().unsigned_abs()),
            outputs,
        }));
        events(Event::Hash { steps: self.iter, hash });
    }

    /// A forward of every replica, without update; the mean loss.
    fn forward_all(&mut self, clock: &dyn Clock) -> Result<f32, TrainError> {
        let params = self.shared.params.read();
        let rank = self.ranks.rank();
        let mut news = News::new(self.dealing.replicas, 0);
        for (index, replica) in self.dealing.of_rank(rank).zip(&mut self.replicas) {
            let runs = |&worker: &usize| self.dealing.of_worker(rank, worker).contains(&index);
            let worker = (0..self.dealing.workers).find(runs).expect("every replica is dealt");
            let task = Task {
                clock,
                passes: 1,
                overlap: self.config.overlap,
                params: &params,
                pool: &self.shared.pools[worker],
                ranks: &self.ranks,
                shows: false,
                debug: false,
            };
            let worker = &mut self.workers[worker];
            worker.net.swap_carried(&mut replica.carried);
            let loss = worker.forward(&task, replica, false, &mut Vec::new())?;
            worker.net.swap_carried(&mut replica.carried);
            news.tell(index, loss, &[]);
        }
        self.ranks.sum(news.values())?;
        Ok(news.mean_loss())
    }

    fn tests_now(&self) -> bool {
        let interval = u64::from(self.config.solver.test_interval().unsigned_abs());
        interval > 0 && self.iter.is_multiple_of(interval)
    }

    fn snapshots_now(&self) -> bool {
        let interval = u64::from(self.config.solver.snapshot().unsigned_abs());
        interval > 0 && self.iter.is_multiple_of(interval)
    }
}

impl SmoothedLoss {
    /// Counts `loss` of iteration `iter` and returns the mean.
    fn add(&mut self, loss: f32, iter: u64, average: i32) -> f32 {
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
