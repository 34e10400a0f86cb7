//! Test phases: test nets share the train net's parameters and read their own data.
//!
//! Test iteration `i` runs once, on rank `i mod N`, there on its workers in turn. Each rank's
//! sources skip what others run, so every iteration sees the records that Caffe would read. Outputs
//! are added in the order of `i`, so the bits do not depend on who ran what. A net that draws
//! random numbers, writes, or continues from the batch before runs on worker 0 of rank 0 alone.

mod ordered_queue;
mod test_net;
mod tester;

use std::sync::Arc;

use net::Output;

use crate::notices::report_notices;
use crate::sync::StepSummary;
use crate::{Control, Event, Job, Request, TrainError};
use ordered_queue::OrderedQueue;
use test_net::TestIterations;
pub(crate) use test_net::{TestNet, TestNetConfig};
use tester::{TestScore, Tester};

impl Job {
    /// Runs all test nets; `false` if a request to stop interrupted it.
    pub(crate) fn test_all(
        &mut self,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<bool, TrainError> {
        for index in 0..self.tests.len() {
            events(Event::Testing { iter: self.iter, net: index });
            let Some((outputs, loss)) = self.test(index, control, events)? else {
                events(Event::TestInterrupted);
                return Ok(false);
            };
            let loss = self.solver_param().test_compute_loss().then_some(loss);
            events(Event::Tested { outputs, loss });
        }
        Ok(true)
    }

    /// Mean outputs and loss of one test net; `None` if a request to stop interrupted it.
    fn test(
        &mut self,
        index: usize,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<Option<(Vec<Output>, f32)>, TrainError> {
        let own = self.tests[index].iterations_of(self.rank());
        let mut outputs = self.tests[index].nets[0].outputs(&self.workers[0].cpu);
        let values = outputs.iter().map(|output| output.values.len()).sum();
        let mut summary = StepSummary::new(self.tests[index].iterations, values);
        self.tests[index].skip_others(own)?;
        let (batches, scores) = self.test_own(index, own, &mut summary, control)?;
        self.tests[index].skip_rest(own, batches)?;
        let (net, sources) = self.tests[index].net_and_sources();
        report_notices(net, sources, events);
        for score in scores {
            summary.set_row(score.iteration, score.loss, &score.outputs);
        }
        self.shared.ranks.sum(summary.values())?;
        match summary.request() {
            Request::Stop => return Ok(None),
            Request::Snapshot => self.snapshot(events)?,
            Request::None => {}
        }
        summary.mean_outputs(&mut outputs);
        Ok(Some((outputs, summary.mean_loss())))
    }

    /// Runs this rank's iterations on its workers; how many batches were read, and what each
    /// iteration gave.
    fn test_own(
        &mut self,
        index: usize,
        own: TestIterations,
        summary: &mut StepSummary,
        control: &dyn Control,
    ) -> Result<(usize, Vec<TestScore>), TrainError> {
        let running = self.running()?;
        let test = &mut self.tests[index];
        let queue = Arc::new(OrderedQueue::new(std::mem::take(&mut test.sources)));
        let nets = std::mem::take(&mut test.nets);
        let count = nets.len();
        let mut testers =
            self.workers.drain(..count).zip(nets).enumerate().map(|(number, (worker, net))| {
                // Turns are counted within this rank.
                let turns = own.iter().enumerate().skip(number).step_by(count).collect();
                Tester::new(
                    worker,
                    net,
                    running.clone(),
                    turns,
                    Arc::clone(&queue),
                    Arc::clone(&self.shared),
                )
            });
        let first = testers.next().expect("there is at least one worker");
        let others: Vec<_> = testers.map(|tester| move || tester.run(&mut || true)).collect();
        let mut continues = || {
            let request = control.request();
            summary.add_request(request);
            request != Request::Stop
        };
        let results = self.threads.run(|| first.run(&mut continues), others);
        let mut all = Ok(Vec::new());
        for (number, (worker, net, scores)) in results.into_iter().enumerate() {
            self.workers.insert(number, worker);
            self.tests[index].nets.push(net);
            match (&mut all, scores) {
                (Ok(all), Ok(mut scores)) => all.append(&mut scores),
                (Ok(_), Err(error)) => all = Err(error),
                (Err(_), _) => {}
            }
        }
        let queue = Arc::into_inner(queue).expect("testers have given it back");
        let (sources, batches) = queue.into_inner();
        self.tests[index].sources = sources;
        let scores = all.inspect_err(|error| self.shared.ranks.alarm(error))?;
        Ok((batches, scores))
    }
}

#[cfg(test)]
mod tests;
