//! Set-up of a rank's replicas: weights, random streams and data sources, in Caffe's order.

use base::Rank;
use base::random::Mt19937;
use data::ReplicaSlice;
use net::{MemoryPlan, Net, ReplicaState};
use tensor::Slab;

use crate::evaluate::{TestNet, TestNetConfig};
use crate::nets::NamedNet;
use crate::placement::ReplicaPlacement;
use crate::records::TrainRecords;
use crate::sources::FileSources;
use crate::{Event, JobConfig, TrainError, WhichNet};

/// What the set-up of a rank depends on.
pub(crate) struct SetUp<'a> {
    pub(crate) config: &'a JobConfig,
    pub(crate) placement: ReplicaPlacement,
    pub(crate) rank: Rank,
    /// Where the train net finds its records.
    pub(crate) records: &'a TrainRecords,
}

/// What a job starts from.
pub(crate) struct InitialState {
    /// All learned values, drawn on replica 0's stream; none in an emulated run.
    pub(crate) params: Slab,
    /// Those of this rank.
    pub(crate) replicas: Vec<ReplicaState>,
    pub(crate) tests: Vec<TestNet>,
}

impl SetUp<'_> {
    /// Goes through set-up once per replica, each on its own stream, as Caffe's solvers do. The
    /// weights are replica 0's, so every rank goes through its set-up too; the test nets follow on
    /// its stream.
    pub(crate) fn run(
        &self,
        nets: &mut [Net],
        tests: &[NamedNet],
        events: &mut dyn FnMut(Event),
    ) -> Result<InitialState, TrainError> {
        let own = self.placement.of_rank(self.rank);
        let (params, mut first, mut sources) = self.initialise(&mut nets[0], 0)?;
        let mut test_nets = Vec::with_capacity(tests.len());
        let iterations = &self.config.solver.test_iter;
        for (index, (test, &iterations)) in tests.iter().zip(iterations).enumerate() {
            events(Event::TestNet { index, origin: test.origin.clone() });
            if let Some(file) = self.config.net_file(&test.origin) {
                sources = sources.of_file(&file);
            }
            let (written, workers, train) = (&test.net, self.placement.workers, &nets[0]);
            let keep_diffs = self.config.keep_diffs;
            let plan = if keep_diffs { MemoryPlan::KeepDiffs } else { MemoryPlan::ForwardOnly };
            let config = TestNetConfig { index, written, iterations, workers, train, plan };
            test_nets.push(TestNet::open(&config, &mut first.rng, &mut sources, events)?);
        }
        sources.notices().into_iter().for_each(&mut *events);
        let mut replicas = Vec::with_capacity(own.len());
        if own.start == 0 {
            replicas.push(first);
        }
        for index in own.start.max(1)..own.end {
            let (_, replica, _) = self.initialise(&mut nets[0], index)?;
            replicas.push(replica);
        }
        Ok(InitialState { params, replicas, tests: test_nets })
    }

    /// What replica `index` draws and opens.
    fn initialise(
        &self,
        net: &mut Net,
        index: usize,
    ) -> Result<(Slab, ReplicaState, FileSources), TrainError> {
        let seed = self.config.random_seed();
        let rng = Mt19937::new(seed.wrapping_add(u32::try_from(index).unwrap_or(0)));
        let slice = ReplicaSlice { replica: index, replicas: self.placement.replicas };
        let mut sources = FileSources::new(self.config, slice, self.records);
        let initialised = match self.config.emulation {
            None => net.initialise(rng, &mut sources),
            Some(_) => net.open_sources(rng, &mut sources).map(|state| (Slab::default(), state)),
        };
        let (params, replica) =
            initialised.map_err(|source| TrainError::Net { which: WhichNet::Train, source })?;
        Ok((params, replica, sources))
    }
}
