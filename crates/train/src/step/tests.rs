//! The order of events of one step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base::Clock;
use expect_test::{Expect, expect};
use net::Net;

use crate::files::solver_from_text;
use crate::{
    Activity, Event, Job, JobConfig, NoControl, Overlap, PhaseTimes, StepError, TrainError,
};

/// Every reading is a microsecond later than the one before.
#[derive(Debug, Default)]
struct TickingClock(AtomicU64);

impl Clock for TickingClock {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn sleep(&self, _: Duration) {}
}

const SOLVER: &str = r#"
    base_lr: 0.5  lr_policy: "fixed"  momentum: 0.9  random_seed: 1  display: 1  clip_gradients: 1e-3
    net_param {
      layer { name: "data" type: "DummyData" top: "x" top: "y"
              dummy_data_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 2 }
              data_filler { value: 1 } data_filler { value: 1 } } }
      layer { name: "hidden" type: "InnerProduct" bottom: "x" top: "h" inner_product_param { num_output: 5
              weight_filler { type: "xavier" } } }
      layer { name: "line" type: "InnerProduct" bottom: "h" top: "line" inner_product_param { num_output: 2 } }
      layer { name: "loss" type: "EuclideanLoss" bottom: "line" bottom: "y" top: "loss" }
    }"#;

fn job(change: impl FnOnce(&mut JobConfig)) -> Job {
    let mut config = JobConfig::new(solver_from_text("solver", SOLVER).unwrap());
    (config.timeline, config.clock) = (true, Arc::new(TickingClock::default()));
    config.bucket_bytes = 0; // every layer's gradients are a bucket
    change(&mut config);
    Job::open(config, &mut |_| ()).unwrap()
}

#[track_caller]
fn check(change: impl FnOnce(&mut JobConfig), want: Expect) {
    let mut job = job(change);
    job.step(&NoControl, &mut |_| ()).unwrap();
    let mut spans = job.workers[0].times.spans.since(Duration::ZERO);
    spans.sort_by_key(|span| span.begin);
    let lines: Vec<String> = spans.iter().map(|span| line(span.activity, job.net())).collect();
    want.assert_eq(&lines.join("\n"));
}

fn line(activity: Activity, net: &Net) -> String {
    match activity {
        Activity::Data(layer) => format!("data: {}", net.layer_name(layer)),
        Activity::Forward(layer) => format!("forward: {}", net.layer_name(layer)),
        Activity::Backward(layer) => format!("backward: {}", net.layer_name(layer)),
        other => format!("{other:?}"),
    }
}

#[test]
fn ready_ranges_are_reduced_during_the_last_backward() {
    check(
        |config| config.replicas = Some(2),
        expect![[r#"
        forward: data
        forward: hidden
        forward: line
        forward: loss
        backward: loss
        backward: line
        backward: hidden
        backward: data
        forward: data
        forward: hidden
        forward: line
        forward: loss
        backward: loss
        backward: line
        LocalSum(0)
        backward: hidden
        LocalSum(1)
        backward: data
        ExposedCommunication
        Norms
        Barrier
        Update"#]],
    );
}

#[test]
fn without_overlap_all_buckets_follow_backward() {
    check(
        |config| config.overlap = Overlap::AfterBackward,
        expect![[r#"
        forward: data
        forward: hidden
        forward: line
        forward: loss
        backward: loss
        backward: line
        backward: hidden
        backward: data
        LocalSum(0)
        LocalSum(1)
        ExposedCommunication
        Norms
        Barrier
        Update"#]],
    );
}

/// Set-up apart, what a caller is told of one displayed step.
#[test]
fn a_step_reports_its_events_in_order() {
    let mut job = job(|config| config.replicas = Some(2));
    let mut names = Vec::new();
    job.step(&NoControl, &mut |event: Event| {
        let text = format!("{event:?}");
        names.push(text.split([' ', '(', '{']).next().unwrap_or_default().to_owned());
    })
    .unwrap();
    expect!["Clipped BucketReduced BucketReduced Displayed Hash WorkerTimes RankTimes Stepped"]
        .assert_eq(&names.join(" "));
}

/// The loss is finite, the gradient of the weight overflows, that of the bias does not.
const OVERFLOW: &str = r#"
    base_lr: 0.5  lr_policy: "fixed"  random_seed: 1
    net_param {
      layer { name: "data" type: "DummyData" top: "x" top: "y"
              dummy_data_param { shape { dim: 1 dim: 1 } shape { dim: 1 dim: 1 }
              data_filler { value: 1e20 } data_filler { value: 1e19 } } }
      layer { name: "line" type: "InnerProduct" bottom: "x" top: "line" inner_product_param { num_output: 1 } }
      layer { name: "loss" type: "EuclideanLoss" bottom: "line" bottom: "y" top: "loss" }
    }"#;

/// Also where norms are needed, which are then the check; with two workers, of which each has one
/// of the two parameters; and with a plan between them.
#[test]
fn a_gradient_that_is_not_finite_keeps_all_workers_from_writing() {
    for clip in [None, Some(1.0)] {
        for (workers, allreduce) in [(1, "auto"), (2, "auto"), (2, "ring")] {
            let mut solver = solver_from_text("solver", OVERFLOW).unwrap();
            solver.clip_gradients = clip;
            let allreduce = allreduce.parse().unwrap();
            let config = JobConfig { workers, allreduce, ..JobConfig::new(solver) };
            let mut job = Job::open(config, &mut |_| ()).unwrap();
            let before = job.hash().unwrap();
            let error = job.step(&NoControl, &mut |_| ()).unwrap_err().to_string();
            assert!(error.starts_with("iteration 0: the gradient of param 0 of layer `line`"));
            assert_eq!(job.hash().unwrap(), before, "{workers} workers, clip {clip:?}");
            let again = job.step(&NoControl, &mut |_| ()).unwrap_err();
            assert!(matches!(again, TrainError::Step(StepError::Ended)), "{again}");
        }
    }
}

/// Times are those of the run, not of the job: a second one has nothing left to do.
#[test]
fn a_second_run_has_spent_nothing() {
    let mut job = job(|config| {
        config.solver.max_iter = Some(2);
        config.solver.snapshot_after_train = Some(false);
    });
    let spent = |job: &mut Job| {
        let mut spent = None;
        let mut listen = |event: Event| {
            if let Event::Spent { items, times, .. } = event {
                spent = Some((items, times));
            }
        };
        job.run(&NoControl, &mut listen).unwrap();
        spent.unwrap()
    };
    let (items, times) = spent(&mut job);
    assert_eq!(items, 2 * 4, "two iterations, four items each");
    assert!(times.total() > Duration::ZERO);
    assert_eq!(spent(&mut job), (0, PhaseTimes::default()));
}
