//! A test net: one copy per worker, and the data sources that all copies read from in turn.

use base::Rank;
use base::random::Mt19937;
use caffe_format::NetParameter;
use layers::DataSource;
use net::{MemoryPlan, Net};

use crate::open::build;
use crate::sources::FileSources;
use crate::{Event, ResumeProblem, SolverProblem, TrainError, WhichNet};

/// The data sources of one test net, in the order of its data layers.
pub(super) type TestSources = Vec<Box<dyn DataSource>>;

/// A test net, one copy per worker, and what it reads.
pub(crate) struct TestNet {
    pub(super) nets: Vec<Net>,
    pub(super) sources: TestSources,
    /// `test_iter`.
    pub(super) iterations: usize,
    /// Whether it draws, writes or continues from the batch before, so that one worker must run it.
    alone: bool,
}

/// The test iterations of one rank: `first`, `first + every`, … below `end`.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestIterations {
    first: usize,
    every: usize,
    end: usize,
}

impl TestIterations {
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        (self.first..self.end).step_by(self.every)
    }
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
    pub(crate) plan: MemoryPlan,
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
        let TestNetConfig { index, written, iterations, workers, train, plan } = *config;
        let options = (plan, train.precision());
        let which = WhichNet::Test(index);
        let adopt = |net: &mut Net| {
            net.adopt(train)
                .map_err(|layer| SolverProblem::TestShapes { layer, which: which.clone() })
        };
        let mut net = build(&which, written, options, sources, events)?;
        adopt(&mut net)?;
        let remembers = net.remembering().next().is_some();
        let alone = net.draws() || net.writes() || net.carries() || remembers;
        let (_, state) = (net.initialise(rng.clone(), sources))
            .map_err(|source| TrainError::Net { which: which.clone(), source })?;
        *rng = state.rng;
        let mut nets = vec![net];
        for _ in 1..if alone { 1 } else { workers } {
            let mut net = build(&which, written, options, sources, &mut |_| ())?;
            adopt(&mut net)?;
            net.share_description(&nets[0]);
            net.copy_private(&nets[0]);
            nets.push(net);
        }
        let iterations = usize::try_from(iterations).unwrap_or(0);
        Ok(Self { nets, sources: state.sources, iterations, alone })
    }

    /// One copy of the net, and the sources of all.
    pub(crate) fn net_and_sources(&mut self) -> (&Net, &mut TestSources) {
        (&self.nets[0], &mut self.sources)
    }

    /// As [`net_and_sources`](Self::net_and_sources), to run the net.
    pub(crate) fn net_and_sources_mut(&mut self) -> (&mut Net, &mut TestSources) {
        (&mut self.nets[0], &mut self.sources)
    }

    /// The iterations that `rank` runs.
    pub(super) fn iterations_of(&self, rank: Rank) -> TestIterations {
        let end = self.iterations;
        match self.alone {
            true if rank.index() > 0 => TestIterations { first: end, every: 1, end },
            true => TestIterations { first: 0, every: 1, end },
            false => TestIterations { first: rank.index().min(end), every: rank.world(), end },
        }
    }

    /// Makes the sources deliver the batches of `own` only.
    pub(super) fn skip_others(&mut self, own: TestIterations) -> Result<(), TrainError> {
        if own.every > 1 { self.skip(own.first, own.every - 1) } else { Ok(()) }
    }

    /// Sends the sources to where all iterations leave them, after `batches` batches of `own`.
    pub(super) fn skip_rest(
        &mut self,
        own: TestIterations,
        batches: usize,
    ) -> Result<(), TrainError> {
        if own.every == 1 {
            return Ok(());
        }
        let position = match batches {
            0 => own.first,
            _ => own.first + (batches - 1) * own.every + 1,
        };
        self.skip(own.end - position, 0)
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
