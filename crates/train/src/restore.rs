//! From a snapshot back to a job.

use std::path::Path;

use base::random::Mt19937;
use caffe_format::SolverState;
use net::Home;
use snapshot::{Resume, RunState};

use crate::catch_up::catch_up;
use crate::save::test_feed_name;
use crate::{Event, Job, ResumeData, TrainError};

/// Sets `job` to the state in the file `state`, to the bit if its sidecar is there.
pub(crate) fn restore(
    job: &mut Job,
    state: &Path,
    events: &mut dyn FnMut(Event),
) -> Result<(), TrainError> {
    let text = format!("Restoring previous solver status from {}", state.display());
    events(Event::Note { source: "solver.cpp", text });
    let loaded = snapshot::load(state)?;
    if let Some(model) = &loaded.model {
        job.use_model(state, model, events)?;
    }
    let wrong = |reason: String| TrainError::Resume { path: state.into(), reason };
    restore_history(job, &loaded.state).map_err(wrong)?;
    job.iter = u64::try_from(loaded.state.iter())
        .map_err(|_| wrong(format!("its iteration is {}", loaded.state.iter())))?;
    match loaded.resume {
        Resume::Exact(run) => restore_replica(job, &run).map_err(wrong),
        Resume::AsCaffe { missing } => {
            let how = match job.config.resume_data {
                ResumeData::Start => "data and random numbers begin anew, as in Caffe",
                ResumeData::Continue => {
                    catch_up(job)?;
                    "data goes on where the iterations so far have read to, random numbers of layers \
                     begin anew"
                }
            };
            events(Event::Warning(format!("{} is not there: {how}", missing.display())));
            Ok(())
        }
    }
}

fn restore_history(job: &mut Job, state: &SolverState) -> Result<(), String> {
    let params = job.worker.net.params();
    let want = params.len() * job.history.len();
    if state.history.len() != want {
        let rule = job.solver.rule().name;
        let got = state.history.len();
        return Err(format!("it has {got} history blobs, rule {rule} needs {want} for this net"));
    }
    let mut blobs = state.history.iter();
    for slab in &mut job.history {
        for param in params {
            let blob = blobs.next().expect("counted above");
            let values = snapshot::blob::values(blob).map_err(|e| crate::chain(&e))?;
            if values.len() != param.values.len() {
                let (layer, got, want) = (&param.layer, values.len(), param.values.len());
                return Err(format!(
                    "history of layer `{layer}` has {got} values, expected {want}"
                ));
            }
            if param.home == Home::Slab {
                slab[param.values.clone()].copy_from_slice(&values);
            }
        }
    }
    Ok(())
}

fn restore_replica(job: &mut Job, run: &RunState) -> Result<(), String> {
    let [saved] = &run.replicas[..] else {
        return Err(format!("it was written by {} replicas, this run has 1", run.replicas.len()));
    };
    job.replica.rng = Mt19937::from_state(&saved.random).map_err(|e| e.to_string())?;
    for blob in &saved.statistics {
        let found = job.worker.net.params().iter().find(|p| {
            p.layer == blob.layer
                && u32::try_from(p.index) == Ok(blob.blob)
                && p.home == Home::Running
        });
        let found = found.filter(|param| param.values.len() == blob.values.len());
        let param = found.ok_or_else(|| {
            format!("it has statistics of layer `{}` that do not fit this net", blob.layer)
        })?;
        job.replica.running[param.values.clone()].copy_from_slice(&blob.values);
    }
    if job.config.resume_data == ResumeData::Start {
        return Ok(());
    }
    let names = job.worker.net.feed_names().into_iter().map(String::from).collect::<Vec<_>>();
    let mut feeds: Vec<_> = names.into_iter().zip(&mut job.replica.feeds).collect();
    for (index, test) in job.tests.iter_mut().enumerate() {
        let names = test.net.feed_names();
        let named = names.into_iter().map(|name| test_feed_name(index, name)).collect::<Vec<_>>();
        feeds.extend(named.into_iter().zip(&mut test.feeds));
    }
    for (name, feed) in feeds {
        let Some((_, state)) = saved.feeds.iter().find(|(saved, _)| *saved == name) else {
            return Err(format!("it has no position for data layer `{name}`"));
        };
        feed.restore(state).map_err(|e| format!("data layer `{name}`: {}", crate::chain(&e)))?;
    }
    Ok(())
}
