//! Test nets: they share the train net's parameters and read data of their own.

use base::random::Mt19937;
use caffe_format::NetParameter;
use kernels::Cpu;
use layers::Feed;
use net::{MemoryPlan, Net, Output, Pass};

use crate::open::build;
use crate::run::{Control, Request};
use crate::sources::FileSources;
use crate::{Event, Job, TrainError};

/// A test net and what it reads.
pub(crate) struct TestNet {
    pub(crate) net: Net,
    pub(crate) feeds: Vec<Box<dyn Feed>>,
    /// `test_iter`.
    iterations: usize,
}

/// Sums of outputs and loss over the iterations of a test phase.
#[derive(Default)]
pub(crate) struct Score {
    outputs: Vec<Output>,
    loss: f32,
    iterations: usize,
}

impl TestNet {
    /// Builds the net on the train net's random stream, as Caffe does, and makes it use the train
    /// net's parameters.
    pub(crate) fn open(
        index: usize,
        written: &NetParameter,
        iterations: i32,
        train: &Net,
        rng: &mut Mt19937,
        sources: &mut FileSources,
        events: &mut dyn FnMut(Event),
    ) -> Result<Self, TrainError> {
        let which = format!("test net {index}");
        let mut net = build(&which, written, MemoryPlan::ForwardOnly, sources, events)?;
        net.adopt(train).map_err(|layer| {
            TrainError::Nets(format!(
                "layer `{layer}` has other parameter shapes in the train net than in {which}"
            ))
        })?;
        let initial =
            (net.initialise(rng, sources)).map_err(|source| TrainError::Net { which, source })?;
        let iterations = usize::try_from(iterations).unwrap_or(0);
        Ok(Self { net, feeds: initial.feeds, iterations })
    }
}

impl Score {
    /// Adds one forward's outputs.
    pub(crate) fn add(&mut self, net: &Net, cpu: &Cpu, loss: f32) {
        let outputs = net.outputs(cpu);
        self.loss += loss;
        self.iterations += 1;
        if self.outputs.is_empty() {
            self.outputs = outputs;
            return;
        }
        for (sum, output) in self.outputs.iter_mut().zip(outputs) {
            for (sum, value) in sum.values.iter_mut().zip(output.values) {
                *sum += value;
            }
        }
    }

    /// Means over the iterations.
    pub(crate) fn means(mut self) -> (Vec<Output>, f32) {
        let count = self.iterations as f32;
        for value in self.outputs.iter_mut().flat_map(|output| &mut output.values) {
            *value /= count;
        }
        (self.outputs, self.loss / count)
    }
}

impl Job {
    /// Runs all test nets; `false` when a request to stop cut it short.
    pub(crate) fn test_all(
        &mut self,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<bool, TrainError> {
        for index in 0..self.tests.len() {
            events(Event::Testing { iter: self.iter, net: index });
            if !self.test(index, control, events)? {
                events(Event::TestInterrupted);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn test(
        &mut self,
        index: usize,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<bool, TrainError> {
        let mut score = Score::default();
        for _ in 0..self.tests[index].iterations {
            match control.request() {
                Request::Stop => return Ok(false),
                Request::Snapshot => self.snapshot(events),
                Request::None => {}
            }
            let test = &mut self.tests[index];
            let mut pass = Pass {
                cpu: &self.worker.cpu,
                params: &self.params,
                running: &mut self.replica.running,
                rng: &mut self.replica.rng,
                feeds: &mut test.feeds,
            };
            let loss = test.net.forward(&mut pass)?;
            score.add(&test.net, &self.worker.cpu, loss);
            for notice in test.feeds.iter_mut().flat_map(|feed| feed.notices()) {
                events(Event::Note { source: "data_layer.cpp", text: notice });
            }
        }
        let (outputs, loss) = score.means();
        let loss = self.config.solver.test_compute_loss().then_some(loss);
        events(Event::Tested { outputs, loss });
        Ok(true)
    }
}
