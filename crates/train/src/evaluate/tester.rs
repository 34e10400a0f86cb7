//! One worker's part of a test phase.

use std::sync::Arc;

use base::random::Mt19937;
use net::{Net, Output, ReplicaState};
use tensor::Slab;

use super::ordered_queue::OrderedQueue;
use super::test_net::TestSources;
use crate::TrainError;
use crate::step::SharedState;
use crate::worker::Worker;

/// A worker with its copy of a test net.
pub(super) struct Tester {
    worker: Worker,
    net: Net,
    /// Running statistics are those of the train net; sources are borrowed from `queue` when it is
    /// our turn.
    state: ReplicaState,
    /// Turns of this worker and the test iterations that they are.
    turns: Vec<(usize, usize)>,
    queue: Arc<OrderedQueue<TestSources>>,
    shared: Arc<SharedState>,
}

/// What one test iteration gave.
pub(super) struct TestScore {
    pub(super) iteration: usize,
    pub(super) outputs: Vec<Output>,
    pub(super) loss: f32,
}

impl Tester {
    pub(super) fn new(
        worker: Worker,
        net: Net,
        running: Slab,
        turns: Vec<(usize, usize)>,
        queue: Arc<OrderedQueue<TestSources>>,
        shared: Arc<SharedState>,
    ) -> Self {
        // A net that draws runs on worker 0 alone, and draws from the train net's stream, as in
        // Caffe.
        let rng = match worker.index {
            0 => worker.replicas[0].rng.clone(),
            _ => Mt19937::new(0),
        };
        let (sources, carried, objects) = (Vec::new(), Vec::new(), Vec::new());
        let state = ReplicaState { running, rng, sources, carried, objects };
        Self { worker, net, state, turns, queue, shared }
    }

    /// Runs this worker's iterations while `continues`; gives back what it was lent. A panic ends
    /// the turns of all workers.
    pub(super) fn run(
        mut self,
        continues: &mut dyn FnMut() -> bool,
    ) -> (Worker, Net, Result<Vec<TestScore>, TrainError>) {
        let queue = Arc::clone(&self.queue);
        let guard = queue.end_on_panic();
        let scores = self.scores(continues);
        drop(guard);
        if self.worker.index == 0 {
            self.worker.replicas[0].rng = self.state.rng;
        }
        (self.worker, self.net, scores)
    }

    fn scores(
        &mut self,
        continues: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<TestScore>, TrainError> {
        // Data layers have no bottoms, so they can all run first, while it is our turn. A net that
        // writes has one worker, which may keep the sources throughout.
        let writes = self.net.writes();
        let (data, rest): (Vec<usize>, Vec<usize>) =
            (0..self.net.len()).partition(|&layer| self.net.is_data(layer) || writes);
        let queue = Arc::clone(&self.queue);
        let mut scores = Vec::new();
        for (turn, iteration) in std::mem::take(&mut self.turns) {
            if !continues() {
                queue.end();
                break;
            }
            let batch = queue.take(turn, |sources| {
                std::mem::swap(&mut self.state.sources, sources);
                let result = self.forward(&data);
                std::mem::swap(&mut self.state.sources, sources);
                result
            })?;
            let Some(first) = batch else { break };
            let loss = first + self.forward(&rest).inspect_err(|_| queue.end())?;
            scores.push(TestScore { iteration, outputs: self.net.outputs(&self.worker.cpu), loss });
        }
        Ok(scores)
    }

    /// Runs some of the layers; the sum of their losses.
    fn forward(&mut self, layers: &[usize]) -> Result<f32, TrainError> {
        let params = self.shared.computed_params().read();
        let mut loss = 0.0;
        for &layer in layers {
            self.shared.ranks.report_progress();
            loss += self.net.forward_layer(layer, &self.worker.cpu, &params, &mut self.state)?;
        }
        Ok(loss)
    }
}
