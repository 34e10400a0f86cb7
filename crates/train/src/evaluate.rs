//! Test nets: they share the train net's parameters and read data of their own.
//!
//! Test iteration `i` runs on worker `i mod W`. One stream feeds all of them in order, so each
//! iteration sees the records that Caffe would read; outputs are added in the order of `i`, the same
//! bits as one worker gives. A net that draws random numbers or writes runs on worker 0 alone.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use base::random::Mt19937;
use caffe_format::NetParameter;
use kernels::Cpu;
use layers::Feed;
use net::{MemoryPlan, Net, Output, Pass};
use tensor::Slab;

use crate::open::build;
use crate::run::{Control, Request};
use crate::sources::FileSources;
use crate::{Event, Job, TrainError};

/// A test net, once a worker, and what it reads.
pub(crate) struct TestNet {
    nets: Vec<Net>,
    feeds: Vec<Box<dyn Feed>>,
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
        workers: usize,
        train: &Net,
        rng: &mut Mt19937,
        sources: &mut FileSources,
        events: &mut dyn FnMut(Event),
    ) -> Result<Self, TrainError> {
        let which = format!("test net {index}");
        let adopt = |net: &mut Net| {
            net.adopt(train).map_err(|layer| {
                TrainError::Nets(format!(
                    "layer `{layer}` has other parameter shapes in the train net than in {which}"
                ))
            })
        };
        let mut net = build(&which, written, MemoryPlan::ForwardOnly, sources, events)?;
        adopt(&mut net)?;
        let alone = net.draws() || net.writes();
        let initial = (net.initialise(rng, sources))
            .map_err(|source| TrainError::Net { which: which.clone(), source })?;
        let mut nets = vec![net];
        for _ in 1..if alone { 1 } else { workers } {
            let plan = MemoryPlan::ForwardOnly;
            let mut net = build(&which, written, plan, sources, &mut |_| ())?;
            adopt(&mut net)?;
            net.copy_private(&nets[0]);
            nets.push(net);
        }
        let iterations = usize::try_from(iterations).unwrap_or(0);
        Ok(Self { nets, feeds: initial.feeds, iterations })
    }

    /// One copy of the net, and the feeds of all.
    pub(crate) fn net_and_feeds(&mut self) -> (&Net, &mut [Box<dyn Feed>]) {
        (&self.nets[0], &mut self.feeds)
    }

    /// Name and state of every feed.
    pub(crate) fn feed_states(&self) -> Vec<(String, Vec<u8>)> {
        let names = self.nets[0].feed_names().into_iter().map(String::from);
        names.zip(self.feeds.iter().map(|feed| feed.state())).collect()
    }

    /// Hands every feed with its name to `restore`.
    pub(crate) fn restore_feeds(
        &mut self,
        mut restore: impl FnMut(&str, &mut dyn Feed) -> Result<(), String>,
    ) -> Result<(), String> {
        let names: Vec<String> = self.feed_states().into_iter().map(|(name, _)| name).collect();
        let feeds = names.iter().zip(&mut self.feeds);
        feeds.into_iter().try_for_each(|(name, feed)| restore(name, feed.as_mut()))
    }
}

impl Score {
    /// Adds one forward's outputs.
    pub(crate) fn add(&mut self, outputs: Vec<Output>, loss: f32) {
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

/// Hands out the iterations' batches in order: a worker takes its turn, or learns that it is over.
struct Turns<'a> {
    state: Mutex<(usize, bool)>,
    bell: Condvar,
    feeds: Mutex<&'a mut [Box<dyn Feed>]>,
}

impl Turns<'_> {
    /// Runs `take` with the feeds when it is iteration `turn`'s turn; `None` after an end.
    fn take<T>(
        &self,
        turn: usize,
        take: impl FnOnce(&mut [Box<dyn Feed>]) -> Result<T, TrainError>,
    ) -> Result<Option<T>, TrainError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.0 < turn && !state.1 {
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.1 {
            return Ok(None);
        }
        let taken = take(&mut self.feeds.lock().unwrap_or_else(PoisonError::into_inner));
        *state = (turn + 1, taken.is_err());
        self.bell.notify_all();
        taken.map(Some)
    }

    fn end(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.bell.notify_all();
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
            let Some((outputs, loss)) = self.test(index, control, events)? else {
                events(Event::TestInterrupted);
                return Ok(false);
            };
            let loss = self.config.solver.test_compute_loss().then_some(loss);
            events(Event::Tested { outputs, loss });
        }
        Ok(true)
    }

    /// Mean outputs and loss of one test net; `None` when a request to stop came in between.
    fn test(
        &mut self,
        index: usize,
        control: &dyn Control,
        events: &mut dyn FnMut(Event),
    ) -> Result<Option<(Vec<Output>, f32)>, TrainError> {
        let running = self.running();
        let params = self.shared.params.read();
        let TestNet { nets, feeds, iterations } = &mut self.tests[index];
        let (workers, iterations) = (nets.len(), *iterations);
        let feeds = Mutex::new(&mut feeds[..]);
        let turns = Turns { state: Mutex::new((0, false)), bell: Condvar::new(), feeds };
        let mut rng = self.replicas[0].rng.clone();
        let mut snapshot_asked = false;
        let results = thread::scope(|scope| {
            let mut others = Vec::new();
            let mut first = None;
            for (number, (net, worker)) in nets.iter_mut().zip(&self.workers).enumerate() {
                let tester =
                    Tester { net, cpu: &worker.cpu, params: &params, running: running.clone() };
                let turns = &turns;
                let range = (number..iterations).step_by(workers);
                if number == 0 {
                    first = Some((tester, range));
                } else {
                    others.push(scope.spawn(move || {
                        let mut rng = Mt19937::new(0); // this net draws nothing
                        tester.run(turns, range, &mut rng, &mut || true)
                    }));
                }
            }
            let (tester, range) = first.expect("there is at least one worker");
            let mut go_on = || match control.request() {
                Request::Stop => false,
                Request::Snapshot => {
                    snapshot_asked = true;
                    true
                }
                Request::None => true,
            };
            let mut results = vec![tester.run(&turns, range, &mut rng, &mut go_on)];
            let join = |other: thread::ScopedJoinHandle<'_, _>| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            results.extend(others.into_iter().map(join));
            results
        });
        drop(params);
        self.replicas[0].rng = rng;
        for notice in self.tests[index].feeds.iter_mut().flat_map(|feed| feed.notices()) {
            events(Event::Note { source: "data_layer.cpp", text: notice });
        }
        if snapshot_asked {
            self.snapshot(events);
        }
        let mut scored = results.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        scored.sort_by_key(|(iteration, ..)| *iteration);
        if scored.len() < iterations {
            return Ok(None);
        }
        let mut score = Score::default();
        scored.into_iter().for_each(|(_, outputs, loss)| score.add(outputs, loss));
        Ok(Some(score.means()))
    }
}

/// One worker's part of a test phase.
struct Tester<'a> {
    net: &'a mut Net,
    cpu: &'a Cpu,
    params: &'a [f32],
    running: Slab,
}

impl Tester<'_> {
    /// Runs the iterations in `range`; each with its number, outputs and loss.
    fn run(
        mut self,
        turns: &Turns<'_>,
        range: impl Iterator<Item = usize>,
        rng: &mut Mt19937,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<(usize, Vec<Output>, f32)>, TrainError> {
        let mut scored = Vec::new();
        for iteration in range {
            if !go_on() {
                turns.end();
                break;
            }
            // Data layers have no bottoms, so they can all run first, while it is our turn. A net that
            // writes has one worker, which may keep the feeds throughout.
            let (data, rest): (Vec<usize>, Vec<usize>) =
                (0..self.net.len()).partition(|&l| self.net.is_data(l) || self.net.writes());
            let fed = turns.take(iteration, |feeds| self.layers(&data, rng, feeds))?;
            if fed.is_none() {
                break;
            }
            let loss = self.layers(&rest, rng, &mut []).inspect_err(|_| turns.end())?;
            scored.push((iteration, self.net.outputs(self.cpu), loss));
        }
        Ok(scored)
    }

    fn layers(
        &mut self,
        layers: &[usize],
        rng: &mut Mt19937,
        feeds: &mut [Box<dyn Feed>],
    ) -> Result<f32, TrainError> {
        let (cpu, params, running) = (self.cpu, self.params, &mut self.running[..]);
        let mut pass = Pass { cpu, params, running, rng, feeds };
        let forward = |loss, &layer: &usize| Ok(loss + self.net.forward_layer(layer, &mut pass)?);
        layers.iter().try_fold(0.0, forward)
    }
}
