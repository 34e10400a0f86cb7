//! Test phases whose workers fail.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use layers::{DataSource, DataSourceError, Top};

use super::ordered_queue::OrderedQueue;
use crate::files::solver_from_text;
use crate::{Job, JobConfig, NoControl};

/// Far more than any of these tests needs; a test that waits this long hangs.
const LONG: Duration = Duration::from_secs(60);

/// Runs `body` on a thread of its own; the message of its panic.
#[track_caller]
fn panic_of(body: impl FnOnce() + Send + 'static) -> String {
    let (done, result) = channel();
    thread::spawn(move || done.send(catch_unwind(AssertUnwindSafe(body))));
    let panic = result.recv_timeout(LONG).expect("nobody waits for a worker that panicked");
    panic.unwrap_err().downcast_ref::<&str>().copied().unwrap_or_default().to_owned()
}

const SOLVER: &str = r#"
    base_lr: 0.5  lr_policy: "fixed"  random_seed: 1  test_iter: 6  test_interval: 1
    net_param {
      layer { name: "points" type: "MemoryData" top: "x" top: "y"
              memory_data_param { batch_size: 1 channels: 2 height: 1 width: 1 } }
      layer { name: "line" type: "InnerProduct" bottom: "x" top: "line"
              inner_product_param { num_output: 1 } }
      layer { name: "loss" type: "EuclideanLoss" bottom: "line" bottom: "y" top: "loss" }
    }"#;

/// Panics at its second batch, which is worker 1's first.
struct PanickingSource {
    batches: usize,
}

impl DataSource for PanickingSource {
    fn next(&mut self, tops: &mut [Top<'_>]) -> Result<(), DataSourceError> {
        self.batches += 1;
        assert!(self.batches != 2, "planted");
        tops.iter_mut().for_each(|top| top.data().fill(0.0));
        Ok(())
    }

    fn record_name(&self, _: usize) -> Option<String> {
        None
    }

    fn state(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u8]) -> Result<(), DataSourceError> {
        Ok(())
    }
}

#[test]
fn a_worker_that_panics_ends_the_test_phase() {
    let panic = panic_of(|| {
        let config =
            JobConfig { workers: 3, ..JobConfig::new(solver_from_text("solver", SOLVER).unwrap()) };
        let mut job = Job::open(config, &mut |_| ()).unwrap();
        job.tests[0].sources = vec![Box::new(PanickingSource { batches: 0 })];
        drop(job.test_all(&NoControl, &mut |_| ()));
    });
    assert_eq!(panic, "planted");
}

/// The same between turns: what follows the data layers runs outside the queue.
#[test]
fn a_panic_between_turns_ends_the_queue() {
    let panic = panic_of(|| {
        let queue = OrderedQueue::new(());
        thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _guard = queue.end_on_panic();
                queue.take(0, |()| Ok(())).unwrap();
                panic!("planted");
            });
            // Turn 1 was never taken.
            assert!(queue.take(2, |()| Ok(())).unwrap().is_none());
            std::panic::resume_unwind(panics.join().unwrap_err());
        });
    });
    assert_eq!(panic, "planted");
}
