//! Set-up of a rank's replicas: what each draws and opens, in Caffe's order.

use base::Rank;
use base::random::Mt19937;
use net::{Net, ReplicaState};
use tensor::Slab;

use crate::evaluate::TestNet;
use crate::nets::NamedNet;
use crate::parallel::Dealing;
use crate::sources::FileSources;
use crate::{Config, Event, TrainError, WhichNet};

/// How a rank goes through set-up.
pub(crate) struct SetUp<'a> {
    pub(crate) config: &'a Config,
    pub(crate) dealing: Dealing,
    pub(crate) rank: Rank,
}

impl SetUp<'_> {
    /// Goes through set-up once a replica, each on its own stream, as Caffe's solvers do. The weights
    /// are replica 0's, so every rank goes through its set-up too; the test nets follow on its stream.
    pub(crate) fn run(
        &self,
        nets: &mut [Net],
        tests: &[NamedNet],
        events: &mut dyn FnMut(Event),
    ) -> Result<(Slab, Vec<ReplicaState>, Vec<TestNet>), TrainError> {
        let own = self.dealing.of_rank(self.rank);
        let (params, mut first, mut sources) = self.initialise(&mut nets[0], 0)?;
        let mut test_nets = Vec::with_capacity(tests.len());
        for (number, (test, &iterations)) in
            tests.iter().zip(&self.config.solver.test_iter).enumerate()
        {
            events(Event::TestNet { index: number, origin: test.origin.clone() });
            let workers = self.dealing.workers;
            let open = TestNet::open;
            let (train, rng, sources) = (&nets[0], &mut first.rng, &mut sources);
            test_nets
                .push(open(number, &test.net, iterations, workers, train, rng, sources, events)?);
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
        Ok((params, replicas, test_nets))
    }

    /// What replica `index` draws and opens.
    fn initialise(
        &self,
        net: &mut Net,
        index: usize,
    ) -> Result<(Slab, ReplicaState, FileSources), TrainError> {
        let seed = u32::try_from(self.config.solver.random_seed()).unwrap_or(self.config.seed);
        let rng = Mt19937::new(seed.wrapping_add(u32::try_from(index).unwrap_or(0)));
        let mut sources = FileSources::new(self.config, index, self.dealing.replicas);
        let (params, replica) = (net.initialise(rng, &mut sources))
            .map_err(|source| TrainError::Net { which: WhichNet::Train, source })?;
        Ok((params, replica, sources))
    }
}
