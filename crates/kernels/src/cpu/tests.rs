use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{ActiveThreads, Cpu};
use crate::simd::Simd;

#[test]
fn every_task_runs_once_with_any_number_of_threads() {
    for threads in 1..=4 {
        let cpu = Cpu::new(threads, Simd::Portable);
        for tasks in [0, 1, 2, 3, 7, 100] {
            for _ in 0..50 {
                let ran: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
                cpu.run(tasks, |task| {
                    ran[task].fetch_add(1, Ordering::Relaxed);
                });
                assert!(ran.iter().all(|times| times.load(Ordering::Relaxed) == 1));
            }
        }
    }
}

#[test]
fn a_limit_changes_who_runs_tasks_but_not_which_run() {
    let active = ActiveThreads::default();
    let cpu = Cpu::limited(4, Simd::Portable, active.clone());
    for round in 0..200 {
        let limit = [1, 3, 2, 0, 9][round % 5];
        active.limit(limit);
        let ran: Vec<_> = (0..50).map(|_| AtomicUsize::new(0)).collect();
        let caller = std::thread::current().id();
        cpu.run(ran.len(), |task| {
            assert!(limit > 1 || std::thread::current().id() == caller, "limited to {limit}");
            ran[task].fetch_add(1, Ordering::Relaxed);
        });
        assert!(ran.iter().all(|times| times.load(Ordering::Relaxed) == 1), "limit {limit}");
    }
}

#[test]
fn blocks_cover_the_slice() {
    let cpu = Cpu::new(2, Simd::Portable);
    for len in [0, 1, 5, 6, 7, 29] {
        let mut values = vec![0; len];
        cpu.run_blocks(&mut values, 6, |index, block| {
            for (i, value) in block.iter_mut().enumerate() {
                *value += index * 6 + i;
            }
        });
        assert_eq!(values, (0..len).collect::<Vec<_>>());
    }
}

#[test]
fn a_run_inside_a_task_completes() {
    let cpu = Cpu::new(2, Simd::Portable);
    let ran = AtomicUsize::new(0);
    cpu.run(4, |_| {
        cpu.run(3, |_| {
            ran.fetch_add(1, Ordering::Relaxed);
        });
    });
    assert_eq!(ran.into_inner(), 12);
}

#[test]
fn a_panic_reaches_the_caller_and_the_threads_live_on() {
    let cpu = Cpu::new(2, Simd::Portable);
    for _ in 0..3 {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            cpu.run(8, |task| assert!(task != 5, "task five"));
        }));
        let payload = outcome.expect_err("task 5 panics");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"task five"));
    }
    cpu.run(8, |_| ());
}

#[test]
fn levels_have_names() {
    assert_eq!("avx2".parse(), Ok(Simd::Avx2));
    assert_eq!(Simd::Portable.to_string().parse(), Ok(Simd::Portable));
    let error = "sse".parse::<Simd>().expect_err("unknown");
    assert_eq!(error.to_string(), "SIMD level `sse` is not `avx2` or `portable`");
}
