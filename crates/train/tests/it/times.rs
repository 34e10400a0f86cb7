//! What workers, ranks and buckets spend their time on.

use train::{Event, Job, JobConfig, NoControl};

use crate::support::{case, config, on_ranks};

/// What rank 0 is told by a run of two ranks of two workers, without `display`.
fn events_of_rank_0() -> Vec<Event> {
    let folder = tempfile::tempdir().unwrap();
    let mut config = JobConfig { workers: 2, ..config(&case("sgd_fixed"), folder.path()) };
    (config.solver.display, config.solver.max_iter) = (Some(0), Some(2));
    let mut ranks = on_ranks(2, &config, |config, ranks| {
        let mut events = Vec::new();
        let mut job = Job::join(config, ranks, &mut |_| ()).unwrap();
        job.run(&NoControl, &mut |event| events.push(event)).unwrap();
        events
    });
    ranks.swap_remove(0)
}

#[test]
fn all_workers_of_all_ranks_report_at_the_end_of_a_run_without_display() {
    let mut told = Vec::new();
    for event in events_of_rank_0() {
        match event {
            Event::WorkerTimes { rank, worker, .. } => told.push(format!("worker {rank}.{worker}")),
            Event::RankTimes { rank, .. } => told.push(format!("rank {rank}")),
            Event::Spent { .. } => told.push("spent".into()),
            _ => {}
        }
    }
    let want =
        ["worker 0.0", "worker 0.1", "rank 0", "worker 1.0", "worker 1.1", "rank 1", "spent"];
    assert_eq!(told, want);
}

#[test]
fn every_bucket_has_an_all_reduce_where_there_are_ranks() {
    let events = events_of_rank_0();
    let mut buckets = events.iter().filter_map(|event| match event {
        Event::BucketReduced { iter, bucket, all_reduce, .. } => Some((iter, bucket, all_reduce)),
        _ => None,
    });
    assert_eq!(buckets.clone().count(), 2, "one bucket in each of two iterations");
    assert!(buckets.all(|(_, _, all_reduce)| all_reduce.is_some()));
}
