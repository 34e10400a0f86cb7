//! From a snapshot back to a job.

use std::path::Path;
use std::sync::Arc;

use base::random::Mt19937;
use caffe_format::SolverState;
use layers::DataSource;
use net::{Param, ParamStorage, Precision, ReplicaState};
use snapshot::{LoadedSnapshot, ResumeExactness, RunState, SavedReplica, SidecarSection};

use crate::catch_up::catch_up;
use crate::compression::{CompressionDecision, restore_residuals};
use crate::save::{
    CARRIED, DATA_PRINTS, PRECISION, RECORD_COUNTS, WIRE, read_carried, read_numbers,
    test_source_name,
};
use crate::step::GradientScale;
use crate::{
    Event, GradientEvent, Job, PlacementProblem, ResumeData, ResumeGap, ResumeProblem, TrainError,
};

/// Sets a job that is open to the snapshot with this state file.
pub(crate) fn restore_from(
    job: &mut Job,
    state: &Path,
    events: &mut dyn FnMut(Event),
) -> Result<(), TrainError> {
    let loaded = snapshot::load(state)?;
    if let ResumeExactness::Exact(run) = &loaded.resume {
        let (saved, asked) = (run.replicas.len(), job.shared.placement.replicas);
        if saved != asked {
            return Err(PlacementProblem::SnapshotReplicas { saved, asked }.into());
        }
    }
    let shared = Arc::get_mut(&mut job.shared).expect("no step is running");
    shared.config.resume = Some(state.into());
    restore(job, loaded, events)
}

/// Sets `job` to a snapshot, to the bit if its sidecar is there.
pub(crate) fn restore(
    job: &mut Job,
    loaded: LoadedSnapshot,
    events: &mut dyn FnMut(Event),
) -> Result<(), TrainError> {
    let state = job.shared.config.resume.clone().unwrap_or_default();
    let state: &Path = &state;
    events(Event::Restoring { state: state.into() });
    if let Some(model) = &loaded.model {
        job.use_model(state, model, events)?;
    }
    let wrong = |source| TrainError::Resume { path: state.into(), source };
    restore_history(job, &loaded.state).map_err(wrong)?;
    job.iter = u64::try_from(loaded.state.iter())
        .map_err(|_| wrong(ResumeProblem::Iteration { iter: loaded.state.iter() }))?;
    let layers: Vec<_> = job.net().remembering().map(String::from).collect();
    if !layers.is_empty() {
        events(Event::LayersBeginAnew { layers });
    }
    match loaded.resume {
        ResumeExactness::Exact(run) => {
            check_precision(job.shared.config.precision, &run).map_err(wrong)?;
            job.run_id = run.run_id;
            let scale = restore_sums(job, &run.extra, events).map_err(wrong)?;
            restore_replicas(job, &run).map_err(wrong)?;
            restore_residuals(job, state, &run.residuals, scale, events)
        }
        ResumeExactness::AsCaffe { missing } => {
            let data = job.shared.config.resume_data;
            if data == ResumeData::Continue {
                catch_up(job)?;
            }
            events(Event::ResumeGap(ResumeGap { missing, data }));
            Ok(())
        }
    }
}

fn restore_history(job: &mut Job, state: &SolverState) -> Result<(), ResumeProblem> {
    let params = job.workers[0].net.params();
    let want = params.len() * job.shared.history.len();
    if state.history.len() != want {
        let rule = job.shared.solver.rule().name;
        let got = state.history.len();
        return Err(ResumeProblem::HistoryCount { got, rule, want });
    }
    let mut blobs = state.history.iter();
    let shared = Arc::get_mut(&mut job.shared).expect("no step is running");
    for slab in &mut shared.history {
        for param in params {
            let blob = blobs.next().expect("counted above");
            let values = blob.values()?;
            if values.len() != param.values.len() {
                return Err(ResumeProblem::HistoryLength {
                    layer: param.layer.clone(),
                    got: values.len(),
                    want: param.values.len(),
                });
            }
            if param.storage == ParamStorage::Slab {
                slab.get_mut()[param.values.clone()].copy_from_slice(&values);
            }
        }
    }
    Ok(())
}

/// The scale of gradients goes on where it was, and what was decided about compression is known;
/// another wire format is told. The scale that was saved.
fn restore_sums(
    job: &mut Job,
    sections: &[SidecarSection],
    events: &mut dyn FnMut(Event),
) -> Result<Option<GradientScale>, ResumeProblem> {
    let scale = GradientScale::of_sections(sections)?;
    job.scale = job.scale.map(|first| scale.unwrap_or(first));
    job.decision = CompressionDecision::of_sections(sections)?;
    let wire = sections.iter().find(|section| section.tag == WIRE);
    let saved = wire.map(|section| String::from_utf8_lossy(&section.bytes).into_owned());
    let now = job.shared.config.wire.name;
    if let Some(saved) = saved.filter(|saved| saved != now) {
        events(Event::Gradients(GradientEvent::WireChanged { saved, now: now.into() }));
    }
    Ok(scale)
}

/// Other roundings would give other weights without a word.
fn check_precision(asked: Precision, run: &RunState) -> Result<(), ResumeProblem> {
    let section = run.extra.iter().find(|section| section.tag == PRECISION);
    let saved = match section {
        Some(section) => String::from_utf8_lossy(&section.bytes).into_owned(),
        None => Precision::F32.to_string(),
    };
    match saved == asked.to_string() {
        true => Ok(()),
        false => Err(ResumeProblem::Precision { saved, asked }),
    }
}

fn restore_replicas(job: &mut Job, run: &RunState) -> Result<(), ResumeProblem> {
    let continues = job.shared.config.resume_data == ResumeData::Continue;
    if continues {
        check_data(&job.shared.record_counts, &job.shared.data_prints, run)?;
    }
    let names: Vec<String> = job.net().source_names().into_iter().map(String::from).collect();
    let numbers = job.shared.placement.of_rank(job.rank());
    let params = job.net().params().to_vec();
    for (number, replica) in numbers.zip(job.replicas_mut()) {
        let saved = &run.replicas[number]; // their number was taken from here
        restore_statistics(&params, replica, saved)?;
        replica.rng = Mt19937::from_state(&saved.random)?;
        if let Some(section) = saved.extra.iter().find(|section| section.tag == CARRIED) {
            replica.carried =
                read_carried(&section.bytes).ok_or(ResumeProblem::Carried { replica: number })?;
        }
        if continues {
            for (name, source) in names.iter().zip(&mut replica.sources) {
                restore_source(source.as_mut(), name, saved)?;
            }
        }
    }
    for (index, test) in job.tests.iter_mut().enumerate().filter(|_| continues) {
        test.restore_sources(|name, source| {
            restore_source(source, &test_source_name(index, name), &run.replicas[0])
        })?;
    }
    Ok(())
}

/// What was read must not have changed: the order of records depends on their number, and the
/// weights on what is in them.
fn check_data(
    counts: &[(String, u64)],
    prints: &[(String, u64)],
    run: &RunState,
) -> Result<(), ResumeProblem> {
    let saved = |tag| read_numbers(tag, &run.extra).ok_or(ResumeProblem::DataDescription);
    let (saved_counts, saved_prints) = (saved(RECORD_COUNTS)?, saved(DATA_PRINTS)?);
    for (layer, now) in counts {
        if let Some(saved) = saved_counts.get(layer).filter(|saved| *saved != now) {
            let (layer, saved, now) = (layer.clone(), *saved, *now);
            return Err(ResumeProblem::RecordCount { layer, saved, now });
        }
    }
    for (layer, now) in prints {
        if saved_prints.get(layer).is_some_and(|saved| saved != now) {
            return Err(ResumeProblem::DataChanged { layer: layer.clone() });
        }
    }
    Ok(())
}

fn restore_statistics(
    params: &[Param],
    replica: &mut ReplicaState,
    saved: &SavedReplica,
) -> Result<(), ResumeProblem> {
    for blob in &saved.statistics {
        let found = params.iter().find(|p| {
            p.layer == blob.layer
                && u32::try_from(p.index) == Ok(blob.blob)
                && p.storage == ParamStorage::Running
        });
        let found = found.filter(|param| param.values.len() == blob.values.len());
        let param = found.ok_or_else(|| ResumeProblem::Statistics { layer: blob.layer.clone() })?;
        replica.running[param.values.clone()].copy_from_slice(&blob.values);
    }
    Ok(())
}

fn restore_source(
    source: &mut dyn DataSource,
    name: &str,
    saved: &SavedReplica,
) -> Result<(), ResumeProblem> {
    let Some((_, state)) = saved.sources.iter().find(|(saved, _)| *saved == name) else {
        return Err(ResumeProblem::NoPosition { layer: name.into() });
    };
    (source.restore(state)).map_err(|source| ResumeProblem::Position { layer: name.into(), source })
}
