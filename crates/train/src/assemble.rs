//! Puts what set-up has read, compiled and drawn together into a job.

use std::sync::Arc;
use std::time::Duration;

use exchange::Exchange;
use exchange::canonical::Accumulator;
use kernels::Cpu;
use net::{Net, ParamStorage};
use solver::{ParamSlot, ParamSlots, Solver};
use tensor::{SharedSlab, Slab};

use crate::compute::{Compute, values_in};
use crate::emulation::EmulatedWork;
use crate::pace::DataPace;
use crate::ranks::Ranks;
use crate::records::TrainRecords;
use crate::set_up::InitialState;
use crate::step::{GradientScale, SharedState};
use crate::stragglers::StragglerWatch;
use crate::sync::{BucketSums, Communicator, WorkerReduction, buckets};
use crate::threads::WorkerThreads;
use crate::timeline::{SpanRecorder, spans_max};
use crate::times::TimeRecorder;
use crate::worker::Worker;
use crate::{Job, JobConfig, ReplicaPlacement};

/// Everything that set-up makes for a job.
pub(crate) struct JobParts {
    pub(crate) config: JobConfig,
    pub(crate) ranks: Ranks,
    pub(crate) placement: ReplicaPlacement,
    pub(crate) solver: Solver,
    /// The train net, one copy per worker.
    pub(crate) nets: Vec<Net>,
    pub(crate) initial: InitialState,
    /// The workers' ends of a plan between them; empty when they read each other's pools.
    pub(crate) worker_exchanges: Vec<Exchange>,
    /// What workers wait for instead of computing, in an emulated run.
    pub(crate) emulated: Option<Arc<EmulatedWork>>,
    pub(crate) run_id: u64,
    pub(crate) records: TrainRecords,
    /// Layers of the train net and fingerprints of what they read.
    pub(crate) data_prints: Vec<(String, u64)>,
}

impl JobParts {
    /// Allocates pools and history, places replicas on workers and starts their threads.
    pub(crate) fn assemble(self) -> Job {
        let Self { config, ranks, placement, solver, nets, initial, .. } = self;
        let (worker_exchanges, records) = (self.worker_exchanges, self.records);
        let (emulated, run_id) = (self.emulated, self.run_id);
        let InitialState { params, replicas, tests } = initial;
        let slab = |len: usize| SharedSlab::new(Slab::zeros(len));
        let (pool_len, workers) = (nets[0].pool_len(), nets.len());
        let shared = SharedState {
            slots: param_slots(&nets[0]),
            buckets: buckets(&nets[0], config.bucket_bytes),
            history: (0..solver.histories()).map(|_| slab(params.len())).collect(),
            rounded: config.precision.half().map(|_| slab(params.len())),
            params: Arc::new(SharedSlab::new(params)),
            pools: nets.iter().map(|_| Arc::new(slab(pool_len))).collect(),
            // With a plan every pool holds the sum in the end; a single worker's pool is the sum.
            sum: (workers > 1 && worker_exchanges.is_empty()).then(|| slab(pool_len)),
            clock: Arc::clone(&config.clock),
            ranks,
            solver,
            placement,
            config,
            record_counts: records.counts,
            data_prints: self.data_prints,
        };
        let names = nets[0].description().rows.iter().map(|row| row.name.len());
        let longest = names.max().unwrap_or(0);
        let spans_max = spans_max(&shared.config, shared.ranks.rank().world(), longest);
        let mut replicas = replicas.into_iter();
        let mut worker_exchanges = worker_exchanges.into_iter();
        let worker = |(index, net): (usize, Net)| {
            let own = placement.of_worker(shared.ranks.rank(), index);
            shared.config.cores.enter(index); // the worker's threads inherit it
            let JobConfig { threads, simd, .. } = shared.config;
            let reduction = WorkerReduction {
                replicas: Accumulator::new(shared.config.wire),
                exchange: worker_exchanges.next(),
                sums: BucketSums::default(),
                folded: Vec::new(),
            };
            let param_ranges = shared.param_ranges(index);
            let updated = values_in(&param_ranges);
            Worker {
                index,
                first_replica: own.start,
                cpu: Cpu::limited(threads, simd, shared.config.active_threads.clone()),
                net,
                compute: Compute::new(emulated.clone(), updated, pool_len),
                replicas: replicas.by_ref().take(own.len()).collect(),
                param_ranges,
                reduction: Some(reduction),
                times: TimeRecorder::new(spans_max),
            }
        };
        let workers: Vec<Worker> = nets.into_iter().enumerate().map(worker).collect();
        let several = shared.ranks.are_several();
        let scale = GradientScale::first(&shared.config);
        let own = placement.of_rank(shared.ranks.rank()).len();
        let data_pace = DataPace::new(records.monitor, &shared.config, own);
        let spans = SpanRecorder::new(spans_max);
        let mut job = Job {
            threads: WorkerThreads::new(workers.len() + usize::from(several), &shared.config.cores),
            workers,
            communicator: several.then(|| Communicator {
                sums: BucketSums::default(),
                spans,
                records: records.exchange,
            }),
            shared: Arc::new(shared),
            tests,
            iter: 0,
            run_id,
            scale,
            decision: None,
            ended: false,
            smoothed: Default::default(),
            started: Duration::ZERO,
            no_gradients: Arc::new(slab(0)),
            data_pace,
            stragglers: StragglerWatch::default(),
        };
        job.round_params();
        job
    }
}

/// Parameters with a gradient, in net order.
fn param_slots(net: &Net) -> ParamSlots {
    let slot = |param: &net::Param| {
        let gradient = param.gradient.clone().filter(|_| param.storage == ParamStorage::Slab)?;
        Some(ParamSlot {
            values: param.values.clone(),
            gradient,
            lr_mult: param.lr_mult,
            decay_mult: param.decay_mult,
        })
    };
    ParamSlots::new(net.params().iter().filter_map(slot).collect())
}
