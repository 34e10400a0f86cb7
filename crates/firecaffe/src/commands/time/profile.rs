//! `time --save-profile`: how long each layer of a net takes, for emulated runs.
//!
//! Measured in whole training iterations, as `train` runs them. The file has the median of each
//! layer over the iterations: one that the machine disturbed would spoil a mean.

use std::path::Path;

use anyhow::{Context, Result};
use base::median;
use train::{
    Activity, ActivitySpan, DeviceProfile, DeviceTimes, Job, ProfiledLayer, TimelineTrack,
};

use super::TimeArgs;
use super::training::{self, JobSize};
use crate::log::Log;
use crate::machine;

/// Measures and writes the files that were asked for.
pub(super) fn run(args: &TimeArgs, file: &Path, log: &Log) -> Result<()> {
    snapshot::atomic::write(file, b"")?; // a path that cannot be written must fail first
    let threads = args.running.compute.threads();
    let size = JobSize { workers: 1, threads, timeline: true };
    let mut job = training::open(args, size, log)?;
    training::measure(&mut job, args.iterations, &mut |_| ())?;
    let tracks = job.timeline()?.context("a timeline was asked for")?;
    let profile = profile(args, &job, &tracks[0], threads)?;
    snapshot::atomic::write(file, profile.to_json().as_bytes())?;
    log.note(format!("profile of {} iterations: {}", args.iterations, file.display()));
    if let Some(file) = &args.save_gradients {
        let bytes: Vec<u8> = job.gradients().iter().flat_map(|value| value.to_ne_bytes()).collect();
        snapshot::atomic::write(file, &bytes)?;
        log.note(format!("gradients of the last step: {}", file.display()));
    }
    Ok(())
}

fn profile(
    args: &TimeArgs,
    job: &Job,
    track: &TimelineTrack,
    threads: usize,
) -> Result<DeviceProfile> {
    let times = |activity: Activity| median_ms(&track.spans, activity);
    let layer = |(index, row): (usize, &net::LayerSummary)| ProfiledLayer {
        name: row.name.clone(),
        kind: row.kind.into(),
        forward_ms: times(Activity::Forward(index)) + times(Activity::Data(index)),
        backward_ms: times(Activity::Backward(index)),
        params: row.params,
    };
    let net = job.net();
    let simd = args.running.compute.simd()?;
    Ok(DeviceProfile {
        net: net.name().into(),
        batch: net.batch_items(),
        machine: format!("{}, threads: {threads}, {simd}", machine::processor()),
        source: format!("firecaffe time, medians of {} iterations", args.iterations),
        times: DeviceTimes::Layers {
            layers: net.description().rows.iter().enumerate().map(layer).collect(),
            update_ms: times(Activity::Norms) + times(Activity::Update),
        },
    })
}

/// The median of one activity; zero if there was none. Its first span is of an iteration that is
/// not counted.
fn median_ms(spans: &[ActivitySpan], activity: Activity) -> f64 {
    let same = spans.iter().filter(|span| span.activity == activity).skip(1);
    median(same.map(|span| span.end.saturating_sub(span.begin).as_secs_f64() * 1e3).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use train::{Activity, ActivitySpan};

    use super::median_ms;

    #[test]
    fn the_first_span_is_not_counted() {
        let span = |activity, begin, end| ActivitySpan {
            activity,
            begin: Duration::from_millis(begin),
            end: Duration::from_millis(end),
        };
        let forward = Activity::Forward(0);
        let spans = [
            span(forward, 0, 100),
            span(Activity::Forward(1), 0, 7),
            span(forward, 100, 103),
            span(forward, 200, 201),
            span(forward, 300, 302),
        ];
        assert!((median_ms(&spans, forward) - 2.0).abs() < 1e-9);
        assert!(median_ms(&spans, Activity::Forward(1)).abs() < 1e-9);
    }
}
