//! From a configuration to a job that can step: files are read, nets compiled, weights drawn or loaded.

use std::path::Path;

use base::random::Mt19937;
use caffe_format::{NetParameter, SolverParameter, text};
use kernels::Cpu;
use net::{Home, MemoryPlan, Net, build_log, compile};
use solver::{Extensions, ParamSlot, Slots, Solver};
use tensor::Slab;

use crate::evaluate::TestNet;
use crate::job::{Replica, Worker};
use crate::sources::FileSources;
use crate::times::Times;
use crate::{Config, Event, Job, TrainError, matrix, nets, restore};

impl Job {
    /// Reads, checks and builds everything. What can be known to be wrong is found here, before the
    /// first iteration.
    pub fn open(config: Config, events: &mut dyn FnMut(Event)) -> Result<Self, TrainError> {
        let solver = Solver::lower(&config.solver, &Extensions::lower(&config.solver)?)?;
        check_schedule(&config.solver)?;
        if config.solver.snapshot() > 0 {
            snapshot::check_writable(config.solver.snapshot_prefix())?;
        }
        let text = format!(
            "Initializing solver from parameters: \n{}",
            text::write(&config.solver).trim_end()
        );
        events(Event::Note { source: "solver.cpp", text });
        let found = nets::read(&config.solver, &config.root, config.unknown, events)?;
        let seed = u32::try_from(config.solver.random_seed()).unwrap_or(config.seed);
        let mut rng = Mt19937::new(seed);

        events(Event::Note { source: "solver.cpp", text: found.train.origin });
        let mut sources = FileSources::new(&config);
        let mut net =
            build("train net", &found.train.net, MemoryPlan::KeepDiffs, &mut sources, events)?;
        let initial = (net.initialise(&mut rng, &mut sources))
            .map_err(|source| TrainError::Net { which: "train net".into(), source })?;
        let mut tests = Vec::with_capacity(found.tests.len());
        for (index, (test, &iterations)) in
            found.tests.iter().zip(&config.solver.test_iter).enumerate()
        {
            let text = format!("Creating test net (#{index}) specified by {}", test.origin);
            events(Event::Note { source: "solver.cpp", text });
            let test =
                TestNet::open(index, &test.net, iterations, &net, &mut rng, &mut sources, events)?;
            tests.push(test);
        }
        sources.notices().into_iter().for_each(|notice| events(Event::Warning(notice)));
        events(Event::Note { source: "solver.cpp", text: "Solver scaffolding done.".into() });

        let slots = slots(&net);
        let mut job = Self {
            history: vec![Slab::zeros(initial.params.len()); solver.histories()],
            params: initial.params,
            slots,
            worker: Worker {
                cpu: Cpu::new(config.threads, config.simd),
                pool: Slab::zeros(net.pool_len()),
                net,
            },
            replica: Replica { rng, running: initial.running, feeds: initial.feeds },
            tests,
            iter: 0,
            times: Times::default(),
            smoothed: Default::default(),
            solver,
            config,
        };
        job.load_weights(events)?;
        if let Some(state) = job.config.resume.clone() {
            restore::restore(&mut job, &state, events)?;
        }
        events(Event::MemoryPlan(job.worker.net.memory()));
        Ok(job)
    }

    fn load_weights(&mut self, events: &mut dyn FnMut(Event)) -> Result<(), TrainError> {
        let written = self.config.solver.weights.iter().flat_map(|list| list.split(','));
        let files = match (&self.config.weights, &self.config.resume) {
            (_, Some(_)) => Vec::new(),
            (given, _) if !given.is_empty() => given.clone(),
            _ => written.map(|name| self.config.root.join(name.trim())).collect(),
        };
        for file in files {
            let text = format!("Finetuning from {}", file.display());
            events(Event::Note { source: "solver.cpp", text });
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
        let (params, running) = (&mut self.params, &mut self.replica.running);
        let ignored = crate::weights::copy(&self.worker.net, model, params, running)
            .map_err(|source| TrainError::Weights { path: file.into(), source })?;
        for layer in ignored {
            let text = format!("Ignoring source layer {layer}");
            events(Event::Note { source: "net.cpp", text });
        }
        Ok(())
    }
}

/// Compiles a net and reports what Caffe logs about it.
pub(crate) fn build(
    which: &str,
    written: &NetParameter,
    plan: MemoryPlan,
    sources: &mut FileSources,
    events: &mut dyn FnMut(Event),
) -> Result<Net, TrainError> {
    let mut note = |text: String| events(Event::Note { source: "net.cpp", text });
    let with_files = matrix::attach_matrices(written, sources.root())?;
    let (net, notes) = compile(&with_files, sources, plan)
        .map_err(|source| TrainError::Net { which: which.into(), source })?;
    notes.into_iter().for_each(&mut note);
    let mut shown = NetParameter { layer: net.filtered(), ..written.clone() };
    shown.layer.iter_mut().for_each(|layer| layer.blobs.clear());
    note(format!("Initializing net from parameters: \n{}", text::write(&shown).trim_end()));
    build_log(&net).into_iter().for_each(&mut note);
    Ok(net)
}

/// Params with a gradient, in net order.
fn slots(net: &Net) -> Slots {
    let slot = |param: &net::Param| {
        let gradient = param.gradient.clone().filter(|_| param.home == Home::Slab)?;
        Some(ParamSlot {
            values: param.values.clone(),
            gradient,
            lr_mult: param.lr_mult,
            decay_mult: param.decay_mult,
        })
    };
    Slots::new(net.params().iter().filter_map(slot).collect())
}

/// Checks a solver's own options: rates, rule and schedule. Opens no file.
pub fn check_solver(solver: &SolverParameter) -> Result<(), TrainError> {
    Solver::lower(solver, &Extensions::lower(solver)?)?;
    check_schedule(solver)
}

/// What the loop needs of the solver's schedule.
fn check_schedule(solver: &SolverParameter) -> Result<(), TrainError> {
    let wrong = |reason: &str| Err(TrainError::Nets(reason.into()));
    if solver.average_loss() < 1 {
        return wrong("`average_loss` must be 1 or more");
    }
    if solver.max_iter() < 0 || solver.snapshot() < 0 || solver.display() < 0 {
        return wrong("`max_iter`, `snapshot` and `display` must not be negative");
    }
    if !solver.test_iter.is_empty() && solver.test_interval() <= 0 {
        return wrong("`test_iter` without a positive `test_interval`");
    }
    if solver.test_iter.iter().any(|&iterations| iterations < 0) {
        return wrong("`test_iter` must not be negative");
    }
    if solver.snapshot() > 0 && solver.snapshot_prefix.is_none() {
        return wrong("`snapshot` without `snapshot_prefix`");
    }
    Ok(())
}
