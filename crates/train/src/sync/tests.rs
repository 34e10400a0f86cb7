//! Who waits for whom, and who is woken.

use std::thread;

use super::{StepSummary, StepSync};
use crate::StepError;

fn sync(workers: usize) -> StepSync {
    StepSync::with(workers, 0, StepSummary::new(workers, 0))
}

#[test]
fn all_pools_are_ready_as_far_as_the_slowest() {
    let sync = sync(2);
    assert_eq!(sync.announce_ready(0, 10), 0);
    assert_eq!(sync.announce_ready(1, 4), 4);
    assert!(sync.wait_ready(4).is_ok());
}

#[test]
fn a_barrier_lets_all_pass_together_and_again() {
    let sync = sync(3);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| (0..100).for_each(|_| sync.barrier().unwrap()));
        }
    });
    assert_eq!(sync.lock().passed, 100);
}

#[test]
fn a_member_that_panics_wakes_those_who_wait() {
    let sync = sync(2);
    thread::scope(|scope| {
        let waits = scope.spawn(|| sync.barrier());
        let panics = scope.spawn(|| {
            let _guard = sync.fail_on_panic();
            panic!("planted");
        });
        assert!(panics.join().is_err());
        assert!(matches!(waits.join().unwrap(), Err(StepError::OtherWorker)));
    });
    assert!(matches!(sync.wait_ready(0), Err(StepError::OtherWorker)));
}
