//! What a step reports to the caller: clipping, buckets, data, debug values, and at a display also
//! the times of all workers and ranks, which the end of a run reports too, and who is slow.

use std::ops::Range;
use std::time::Duration;

use net::Output;

use crate::notices::report_notices;
use crate::step::{GradientScale, StepContext, StepOutput};
use crate::wire::F32;
use crate::worker::Worker;
use crate::{Display, Event, GradientEvent, Job, PhaseTimes, TrainError};

impl Job {
    /// Before an iteration: reports a step of the learning rate that it begins with. The hash of
    /// the weights, if it is one to display, which makes this a collective.
    pub(crate) fn report_begin(
        &self,
        events: &mut dyn FnMut(Event),
    ) -> Result<Option<u64>, TrainError> {
        if let Some(step) = self.shared.solver.rates.step_begins(self.iter) {
            events(Event::RateStep { iter: self.iter, step });
        }
        self.displays().then(|| self.hash()).transpose()
    }

    /// After an iteration: reports it, and the display if it is one to show. `hash` is of the
    /// weights before its update. A collective in an iteration that is displayed.
    pub(crate) fn report(
        &mut self,
        context: &StepContext,
        output: &StepOutput,
        hash: Option<u64>,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        if let Some(clipped) = output.clipped {
            events(Event::Clipped(clipped));
        }
        self.report_buckets(output, events);
        if let Some(traffic) = output.traffic {
            events(Event::Gradients(GradientEvent::Exchanged { iter: self.iter, traffic }));
        }
        self.data_pace.adapt(&self.workers[0].times.times);
        for Worker { net, replicas, .. } in &mut self.workers {
            for replica in replicas {
                report_notices(net, &mut replica.sources, events);
            }
        }
        for value in output.replicas.iter().flat_map(|replica| &replica.debug) {
            events(Event::Debug(value.clone()));
        }
        self.report_histograms(events);
        let average = self.solver_param().average_loss();
        let loss = self.smoothed.add(output.loss, self.iter, average);
        let Some(hash) = hash else { return Ok(()) };
        let mut outputs = output.replicas[0].outputs.clone();
        context.sync.summary().mean_outputs(&mut outputs);
        let display = self.display(loss, outputs);
        let waited = self.data_pace.waited(&display.times);
        events(Event::Displayed(Display { traffic: output.traffic, ..display }));
        waited.into_iter().for_each(&mut *events);
        events(Event::Hash { steps: self.iter, hash });
        self.report_details(events);
        self.report_times(events)
    }

    /// What layers took so far, and the last iteration in detail, if that is wanted.
    pub(crate) fn report_details(&self, events: &mut dyn FnMut(Event)) {
        if !self.shared.config.details {
            return;
        }
        let times = &self.workers[0].times;
        let seconds = times.layers.iter().map(|layer| layer.map(|time| time.as_secs_f64()));
        events(Event::LayerTimes { iterations: times.iterations, seconds: seconds.collect() });
        events(Event::IterationSpans { iter: self.iter, tracks: self.iteration_tracks() });
    }

    /// Before the first iteration: how gradients travel, unless as they are.
    pub(crate) fn report_wire(&self, events: &mut dyn FnMut(Event)) {
        let wire = self.shared.config.wire;
        if *wire != *F32 {
            let scale = self.scale.map(GradientScale::factor);
            events(Event::Gradients(GradientEvent::Wire { wire: wire.name.into(), scale }));
        }
    }

    /// After the last iteration: how many steps were skipped.
    pub(crate) fn report_skipped(&self, events: &mut dyn FnMut(Event)) {
        if let Some(scale) = self.scale {
            let (skipped, done, scale) = (scale.skipped(), self.iter, scale.factor());
            events(Event::Gradients(GradientEvent::StepsSkipped { skipped, done, scale }));
        }
    }

    fn report_buckets(&self, output: &StepOutput, events: &mut dyn FnMut(Event)) {
        let took = |time: &Range<Duration>| time.end.saturating_sub(time.start);
        for (bucket, range) in self.shared.buckets.iter().enumerate() {
            events(Event::BucketReduced {
                iter: self.iter,
                bucket,
                bytes: range.len() * size_of::<f32>(),
                local_sum: took(&output.local_sums[bucket]),
                all_reduce: output.all_reduces.get(bucket).map(took),
            });
        }
    }

    /// What every worker of every rank spent its time on since the last call, and every rank. A
    /// collective: all ranks call it.
    pub(crate) fn report_times(&mut self, events: &mut dyn FnMut(Event)) -> Result<(), TrainError> {
        let own: Vec<PhaseTimes> =
            self.workers.iter_mut().map(|worker| worker.times.take_report()).collect();
        let own = serde_json::to_vec(&(self.shared.ranks.host(), own));
        let all = self.shared.ranks.gather(own.expect("a name and numbers can be written"))?;
        let mut ranks = Vec::new();
        for (rank, bytes) in all.iter().enumerate() {
            let read = serde_json::from_slice(bytes);
            let (host, workers): (String, Vec<PhaseTimes>) =
                read.map_err(|_| TrainError::State { rank })?;
            let total = workers.iter().fold(PhaseTimes::default(), |sum, times| sum.plus(times));
            for (worker, times) in workers.into_iter().enumerate() {
                events(Event::WorkerTimes { rank, worker, times });
            }
            ranks.push((host.clone(), total));
            events(Event::RankTimes { rank, host, times: total });
        }
        self.report_stragglers(&ranks, events)
    }

    /// What is shown of this iteration, and of the time since the last display.
    fn display(&mut self, loss: f32, outputs: Vec<Output>) -> Display {
        let now = (self.now(), self.iter, self.times());
        let then = self.smoothed.shown.replace(now).unwrap_or(now);
        let iterations = self.iter - then.1;
        Display {
            iter: self.iter,
            loss,
            rate: self.shared.solver.rates.at(self.iter),
            elapsed: now.0.saturating_sub(then.0),
            iterations,
            items: self.items_per_iteration() as u64 * iterations,
            times: now.2.since(&then.2),
            traffic: None,
            interval: u64::from(self.solver_param().display().unsigned_abs()),
            outputs,
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.shared.clock.now()
    }
}
