//! Test nets: they share the train net's parameters and read data of their own.
//!
//! Test iteration `i` runs once: on rank `i mod N`, there by its workers in turn. Each rank's stream
//! passes over what others run, so each iteration sees the records that Caffe would read; outputs are
//! added in the order of `i`, the same bits as one worker gives. A net that draws random numbers,
//! writes, or goes on from the batch before runs on worker 0 of rank 0 alone.

use std::thread;

use base::random::Mt19937;
use caffe_format::NetParameter;
use kernels::Cpu;
use layers::DataSource;
use net::{MemoryPlan, Net, Output, ReplicaState};

use crate::job::join;
use crate::news::News;
use crate::notices::report_notices;
use crate::open::build;
use crate::ranks::Ranks;
use crate::run::{Control, Request};
use crate::sources::FileSources;
use crate::turns::Turns;
use crate::{Event, Job, ResumeProblem, TrainError, WhichNet};

/// A test net, once a worker, and what it reads.
pub(crate) struct TestNet {
    nets: Vec<Net>,
    sources: Vec<Box<dyn DataSource>>,
    /// `test_iter`.
    iterations: usize,
    /// Whether it draws or writes, so that one worker must run it.
    alone: bool,
}

/// Which test net to build.
pub(crate) struct TestNetConfig<'a> {
    /// Counted from 0.
    pub(crate) index: usize,
    pub(crate) written: &'a NetParameter,
    /// `test_iter`.
    pub(crate) iterations: i32,
    /// Workers that run it.
    pub(crate) workers: usize,
    /// The net whose parameters it uses.
    pub(crate) train: &'a Net,
}

impl TestNet {
    /// Builds the net on the train net's random stream, as Caffe does, and makes it use the train
    /// net's parameters.
    pub(crate) fn open(
        config: &TestNetConfig<'_>,
        rng: &mut Mt19937,
        sources: &mut FileSources,
        events: &mut dyn FnMut(Event),
    ) -> Result<Self, TrainError> {
        let TestNetConfig { index, written, iterations, workers, train } = *config;
        let which = WhichNet::Test(index);
        let adopt = |net: &mut Net| {
            net.adopt(train).map_err(|layer| TrainError::TestShapes { layer, which: which.clone() })
        };
        let mut net = build(&which, written, MemoryPlan::ForwardOnly, sources, events)?;
        adopt(&mut net)?;
        let alone = net.draws() || net.writes() || net.carries();
        let (_, set_up) = (net.initialise(rng.clone(), sources))
            .map_err(|source| TrainError::Net { which: which.clone(), source })?;
        *rng = set_up.rng;
        let mut nets = vec![net];
        for _ in 1..if alone { 1 } else { workers } {
            let plan = MemoryPlan::ForwardOnly;
            let mut net = build(&which, written, plan, sources, &mut |_| ())?;
            adopt(&mut net)?;
            net.copy_private(&nets[0]);
            nets.push(net);
        }
        let iterations = usize::try_from(iterations).unwrap_or(0);
        Ok(Self { nets, sources: set_up.sources, iterations, alone })
    }

    /// One copy of the net, and the sources of all.
    pub(crate) fn net_and_sources(&mut self) -> (&Net, &mut [Box<dyn DataSource>]) {
        (&self.nets[0], &mut self.sources)
    }

    /// Lets the sources hand out the batches of iterations `first`, `first + every`, … only.
    fn deal(&mut self, first: usize, every: usize) -> Result<(), TrainError> {
        if every > 1 {
            self.skip(first.min(self.iterations), every - 1)?;
        }
        Ok(())
    }

    /// Sends the sources to where all iterations leave them, after `taken` batches of those dealt.
    fn deal_back(&mut self, first: usize, every: usize, taken: usize) -> Result<(), TrainError> {
        if every == 1 {
            return Ok(());
        }
        let first = first.min(self.iterations);
        let position = if taken == 0 { first } else { first + (taken - 1) * every + 1 };
        self.skip(self.iterations - position, 0)
    }

    fn skip(&mut self, batches: usize, between: usize) -> Result<(), TrainError> {
        for (name, source) in self.nets[0].source_names().into_iter().zip(&mut self.sources) {
            source
                .skip(batches as u64, between as u64)
                .map_err(|source| TrainError::Source { layer: name.into(), source })?;
        }
        Ok(())
    }

    /// Name and state of every source.
    pub(crate) fn source_states(&self) -> Vec<(String, Vec<u8>)> {
        let names = self.nets[0].source_names().into_iter().map(String::from);
        names.zip(self.sources.iter().map(|source| source.state())).collect()
    }

    /// Hands every source with its name to `restore`.
    pub(crate) fn restore_sources(
        &mut self,
        mut restore: impl FnMut(&str, &mut dyn DataSource) -> Result<(), ResumeProblem>,
    ) -> Result<(), ResumeProblem> {
        let names: Vec<String> = self.source_states().into_iter().map(|(name, _)| name).collect();
        let sources = names.iter().zip(&mut self.sources);
        sources.into_iter().try_for_each(|(name, source)| restore(name, source.as_mut()))
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
        let rank = self.rank();
        let (first, every) = match self.tests[index].alone {
            true if rank.index() > 0 => (usize::MAX, 1),
            true => (0, 1),
            false => (rank.index(), rank.world()),
        };
        let mut outputs = self.tests[index].nets[0].outputs(&self.workers[0].cpu);
        let values = outputs.iter().map(|output| output.values.len()).sum();
        let mut news = News::new(self.tests[index].iterations, values);
        self.tests[index].deal(first, every)?;
        let (taken, scored) = self.test_own(index, (first, every), &mut news, control)?;
        self.tests[index].deal_back(first, every, taken)?;
        let (net, sources) = self.tests[index].net_and_sources();
        report_notices(net, sources, events);
        for (iteration, outputs, loss) in scored {
            news.tell(iteration, loss, &outputs);
        }
        self.ranks.sum(news.values())?;
        match news.request() {
            Request::Stop => return Ok(None),
            Request::Snapshot => self.snapshot(events)?,
            Request::None => {}
        }
        news.mean_outputs(&mut outputs);
        Ok(Some((outputs, news.mean_loss())))
    }

    /// Runs this rank's iterations `first`, `first + every`, …; how many got a batch, and what each gave.
    fn test_own(
        &mut self,
        index: usize,
        (first, every): (usize, usize),
        news: &mut News,
        control: &dyn Control,
    ) -> Result<(usize, Vec<Scored>), TrainError> {
        let running = self.running()?;
        let params = self.shared.params.read();
        let ranks = &self.ranks;
        let TestNet { nets, sources, iterations, .. } = &mut self.tests[index];
        let (workers, iterations) = (nets.len(), *iterations);
        let turns = Turns::new(sources);
        let state = |rng: Mt19937| ReplicaState {
            running: running.clone(),
            rng,
            sources: Vec::new(),
            carried: Vec::new(),
        };
        let mut replica_0 = state(self.replicas[0].rng.clone());
        let own: Vec<usize> = (first..iterations).step_by(every).collect();
        let results = thread::scope(|scope| {
            let mut others = Vec::new();
            let mut tester_0 = None;
            for (number, (net, worker)) in nets.iter_mut().zip(&self.workers).enumerate() {
                let tester = Tester { net, cpu: &worker.cpu, params: &params, ranks };
                // Turns are counted within this rank.
                let mine = own.iter().copied().enumerate().skip(number).step_by(workers);
                if number == 0 {
                    tester_0 = Some((tester, mine));
                } else {
                    let turns = &turns;
                    let mut replica = state(Mt19937::new(0)); // this net draws nothing
                    others.push(
                        scope.spawn(move || tester.run(turns, mine, &mut replica, &mut || true)),
                    );
                }
            }
            let (tester, mine) = tester_0.expect("there is at least one worker");
            let mut go_on = || {
                let request = control.request();
                news.ask(request);
                request != Request::Stop
            };
            let mut results = vec![tester.run(&turns, mine, &mut replica_0, &mut go_on)];
            results.extend(others.into_iter().map(join));
            results
        });
        let taken = turns.taken();
        drop(params);
        self.replicas[0].rng = replica_0.rng;
        let scored = results.into_iter().collect::<Result<Vec<_>, _>>();
        let scored = scored.inspect_err(|error| self.ranks.alarm(error))?;
        Ok((taken, scored.concat()))
    }
}

/// An iteration's number, outputs and loss.
type Scored = (usize, Vec<Output>, f32);

/// One worker's part of a test phase.
struct Tester<'a> {
    net: &'a mut Net,
    cpu: &'a Cpu,
    params: &'a [f32],
    /// Who is told that this rank works.
    ranks: &'a Ranks,
}

impl Tester<'_> {
    /// Runs the iterations in `range`, each with its turn. `replica` has the sources for its turn only.
    fn run(
        mut self,
        turns: &Turns<'_>,
        range: impl Iterator<Item = (usize, usize)>,
        replica: &mut ReplicaState,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Scored>, TrainError> {
        let mut scored = Vec::new();
        for (turn, iteration) in range {
            if !go_on() {
                turns.end();
                break;
            }
            // Data layers have no bottoms, so they can all run first, while it is our turn. A net that
            // writes has one worker, which may keep the sources throughout.
            let (data, rest): (Vec<usize>, Vec<usize>) =
                (0..self.net.len()).partition(|&l| self.net.is_data(l) || self.net.writes());
            let loaded = turns.take(turn, |sources| {
                std::mem::swap(sources, &mut replica.sources);
                let loss = self.layers(&data, replica);
                std::mem::swap(sources, &mut replica.sources);
                loss
            })?;
            if loaded.is_none() {
                break;
            }
            let loss = self.layers(&rest, replica).inspect_err(|_| turns.end())?;
            scored.push((iteration, self.net.outputs(self.cpu), loss));
        }
        Ok(scored)
    }

    fn layers(&mut self, layers: &[usize], replica: &mut ReplicaState) -> Result<f32, TrainError> {
        let forward = |loss, &layer: &usize| {
            self.ranks.moved();
            Ok(loss + self.net.forward_layer(layer, self.cpu, self.params, replica)?)
        };
        layers.iter().try_fold(0.0, forward)
    }
}
