//! From a configuration to a job that can step: files are read, nets compiled, weights drawn or
//! loaded.

use std::path::Path;
use std::sync::Arc;

use caffe_format::{NetParameter, SolverParameter, text};
use net::{MemoryPlan, Net, Precision, compile};
use snapshot::{BatchMeaning, LoadedSnapshot, ResumeExactness};
use solver::Solver;

use crate::assemble::JobParts;
use crate::batches::divide_batches;
use crate::emulation::EmulatedWork;
use crate::nets::{self, SolverNets};
use crate::placement::ReplicaPlacement;
use crate::plan::{configure_sums, worker_exchanges};
use crate::ranks::Ranks;
use crate::records::RecordsRequest;
use crate::run_id::run_id;
use crate::set_up::SetUp;
use crate::sources::FileSources;
use crate::start::{compare_data, data_prints};
use crate::{
    Event, Job, JobConfig, PlacementProblem, SolverProblem, TrainError, WhichNet, matrix, memory,
    restore,
};

impl Job {
    /// Reads, checks and builds everything. Errors that can be found
    /// before the first iteration are found here.
    pub fn open(config: JobConfig, events: &mut dyn FnMut(Event)) -> Result<Self, TrainError> {
        Self::join(config, Ranks::alone(), events)
    }

    /// As [`open`](Self::open), as one of several ranks. They compare configurations before the
    /// first iteration; an error names a rank that differs.
    pub fn join(
        config: JobConfig,
        ranks: Ranks,
        events: &mut dyn FnMut(Event),
    ) -> Result<Self, TrainError> {
        let progress = ranks.progress();
        let busy = progress.busy(); // files may be slow
        configure_sums(&config, &ranks)?;
        let (mut job, nets) = Self::build(config, ranks, events)?;
        drop(busy);
        job.compare_ranks(&nets, events)?;
        job.decide_compression(events)?;
        let placement = job.shared.placement;
        events(Event::ReplicasPlaced {
            items: job.net().batch_items(),
            replicas: placement.replicas,
            workers: placement.all_workers(),
            rate: job.shared.solver.rates.at(job.iter),
            exact: placement.is_exact() && job.sums_exactly(),
        });
        job.report_wire(events);
        events(
            job.emulation_begins().unwrap_or_else(|| {
                Event::MemoryUse(job.net().memory().of_workers(job.workers.len()))
            }),
        );
        Ok(job)
    }

    fn build(
        config: JobConfig,
        ranks: Ranks,
        events: &mut dyn FnMut(Event),
    ) -> Result<(Self, SolverNets), TrainError> {
        let solver = Solver::lower(&config.solver)?;
        check_schedule(&config.solver)?;
        let emulates = config.emulation.is_some();
        if config.solver.snapshot() > 0 && ranks.rank().is_first() && !emulates {
            snapshot::check_writable(&config.snapshot_prefix())?;
        }
        let loaded = config.resume.as_deref().map(snapshot::load).transpose()?;
        let placement = place_replicas(&config, ranks.rank().world(), loaded.as_ref())?;
        events(Event::SolverInitialised { prototxt: text::write(&config.solver) });
        let mut found = nets::read(&config.solver, config.solver_root(), config.unknown, events)?;
        if config.batch == BatchMeaning::Global {
            divide_batches(&mut found.train.net, placement.replicas)?;
        }
        events(Event::TrainNet { origin: found.train.origin.clone() });
        let nets_bytes = match emulates {
            false => memory::check_job(&config, &found, placement, solver.histories())?,
            true => 0,
        };
        let data_prints = data_prints(&found.train.net, &config);
        compare_data(&ranks, &config, placement, &found, &data_prints)?;
        let (train, loaded_from) = (&found.train, loaded.as_ref());
        let records = RecordsRequest {
            config: &config,
            train,
            placement,
            ranks: &ranks,
            loaded: loaded_from,
            nets_bytes,
        };
        let records = records.open(events)?;
        let mut nets = Vec::with_capacity(placement.workers);
        for worker in 0..placement.workers {
            // Every worker has its own activations, but the net is reported once.
            let mut silent = |_: Event| ();
            let events = if worker == 0 { &mut *events } else { &mut silent };
            let mut sources = config.sources(&found.train.origin, placement.replicas, &records);
            let options = (config.memory_plan(), config.precision);
            let mut net = build(&WhichNet::Train, &found.train.net, options, &mut sources, events)?;
            if let Some(first) = nets.first() {
                net.share_description(first);
            }
            nets.push(net);
        }
        let emulated = emulated_work(&config, &ranks, &nets)?;
        if emulates {
            found.tests.clear(); // there are no weights to test
        }
        let set_up = SetUp { config: &config, placement, rank: ranks.rank(), records: &records };
        let initial = set_up.run(&mut nets, &found.tests, events)?;
        events(Event::SolverReady);
        let worker_exchanges = worker_exchanges(&config, placement);
        let run_id = run_id(&config, &found, placement);
        let parts = JobParts {
            config,
            ranks,
            placement,
            solver,
            nets,
            initial,
            worker_exchanges,
            emulated,
            run_id,
            records,
            data_prints,
        };
        let mut job = parts.assemble();
        job.start_compression()?;
        job.load_weights(events)?;
        if let Some(loaded) = loaded {
            restore::restore(&mut job, loaded, events)?;
        }
        Ok((job, found))
    }

    fn load_weights(&mut self, events: &mut dyn FnMut(Event)) -> Result<(), TrainError> {
        let written = self.shared.config.solver.weights.iter().flat_map(|list| list.split(','));
        let files = match (&self.shared.config.weights, &self.shared.config.resume) {
            (_, Some(_)) => Vec::new(),
            (given, _) if !given.is_empty() => given.clone(),
            _ => written.map(|name| self.shared.config.root.join(name.trim())).collect(),
        };
        for file in files {
            events(Event::FineTuning { model: file.clone() });
            let model = snapshot::load_model(&file)?;
            self.use_model(&file, &model, events)?;
        }
        Ok(())
    }

    /// Copies the params of `model` into the layers of the same name.
    pub(crate) fn use_model(
        &mut self,
        file: &Path,
        model: &NetParameter,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        let mut running = self.first_replica().running.clone();
        let mut params = self.shared.params.write(0..self.shared.params.len());
        let ignored = crate::weights::copy(&self.workers[0].net, model, &mut params, &mut running)
            .map_err(|source| TrainError::Weights { path: file.into(), source })?;
        drop(params);
        for replica in self.replicas_mut() {
            replica.running.copy_from_slice(&running);
        }
        ignored.into_iter().for_each(|layer| events(Event::LayerIgnored { layer }));
        self.round_params();
        Ok(())
    }

    /// Rounds all params that layers compute with, after they were set as a whole.
    pub(crate) fn round_params(&mut self) {
        let shared = Arc::get_mut(&mut self.shared).expect("no step is running");
        if let Some(rounded) = &mut shared.rounded {
            let (cpu, precision) = (&self.workers[0].cpu, shared.config.precision);
            precision.round_params(cpu, &shared.params.read(), rounded.get_mut());
        }
    }
}

/// What the workers of an emulated run wait for, once it is certain that their machines have the
/// memory. A collective if the run is emulated.
fn emulated_work(
    config: &JobConfig,
    ranks: &Ranks,
    nets: &[Net],
) -> Result<Option<Arc<EmulatedWork>>, TrainError> {
    let Some(emulation) = &config.emulation else { return Ok(None) };
    let work = emulation.open(&nets[0])?;
    let sums = nets.len() + usize::from(nets.len() > 1);
    let compressors = if ranks.are_several() { 1 } else { nets.len() };
    let kept = config.compression.as_ref().map_or(0, |config| config.kind().state_vectors);
    let vectors = sums + compressors * kept;
    emulation.check_memory(ranks, (size_of::<f32>() * nets[0].pool_len() * vectors) as u64)?;
    Ok(Some(work))
}

/// How many replicas, and who runs them. A snapshot knows how many there were.
fn place_replicas(
    config: &JobConfig,
    ranks: usize,
    loaded: Option<&LoadedSnapshot>,
) -> Result<ReplicaPlacement, PlacementProblem> {
    let saved = match loaded.map(|loaded| &loaded.resume) {
        Some(ResumeExactness::Exact(run)) => Some(run.replicas.len()),
        _ => None,
    };
    let replicas = match (config.replicas, saved) {
        (Some(asked), Some(saved)) if asked != saved => {
            return Err(PlacementProblem::SnapshotReplicas { saved, asked });
        }
        (asked, saved) => saved.or(asked).unwrap_or(config.workers * ranks),
    };
    ReplicaPlacement::new(replicas, config.workers, ranks, config.inexact)
}

/// Compiles a net and reports what it consists of.
pub(crate) fn build(
    which: &WhichNet,
    written: &NetParameter,
    (plan, precision): (MemoryPlan, Precision),
    sources: &mut FileSources,
    events: &mut dyn FnMut(Event),
) -> Result<Net, TrainError> {
    let with_files = matrix::attach_matrices(written, sources.root().clone())?;
    let (net, filtered) = compile(&with_files, sources, plan, precision)
        .map_err(|source| TrainError::Net { which: which.clone(), source })?;
    filtered.unmet.into_iter().for_each(|rule| events(Event::UnmetRule(rule)));
    let mut shown = NetParameter { layer: filtered.layers, ..written.clone() };
    shown.layer.iter_mut().for_each(|layer| layer.blobs.clear());
    events(Event::NetCompiled {
        prototxt: text::write(&shown),
        report: net.description().report.clone(),
    });
    Ok(net)
}

/// Checks a solver's own options: rates, rule and schedule. Opens no file.
pub fn check_solver(solver: &SolverParameter) -> Result<(), TrainError> {
    Solver::lower(solver)?;
    Ok(check_schedule(solver)?)
}

/// What the loop needs of the solver's schedule.
fn check_schedule(solver: &SolverParameter) -> Result<(), SolverProblem> {
    let fields = [
        ("average_loss", solver.average_loss(), 1),
        ("max_iter", solver.max_iter(), 0),
        ("snapshot", solver.snapshot(), 0),
        ("display", solver.display(), 0),
    ];
    let tests = solver.test_iter.iter().map(|&iterations| ("test_iter", iterations, 0));
    for (field, value, least) in fields.into_iter().chain(tests) {
        if value < least {
            return Err(SolverProblem::SolverField { field, value, least });
        }
    }
    if !solver.test_iter.is_empty() && solver.test_interval() <= 0 {
        return Err(SolverProblem::NoTestInterval);
    }
    if solver.snapshot() > 0 && solver.snapshot_prefix.is_none() {
        return Err(SolverProblem::NoSnapshotPrefix);
    }
    Ok(())
}
