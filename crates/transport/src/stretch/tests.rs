//! The clock of these tests stands still but for sleeping; CPU time passes by hand.

use super::{StretchedLink, WorkStretch};
use crate::{Transport, conformance, local};
use base::Clock;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Debug, Default)]
struct HandClock {
    now: AtomicU64,
    cpu: AtomicU64,
    slept: Mutex<Vec<u64>>,
}

impl Clock for HandClock {
    fn now(&self) -> Duration {
        Duration::from_millis(self.now.load(SeqCst))
    }

    fn sleep(&self, duration: Duration) {
        let milliseconds = u64::try_from(duration.as_millis()).unwrap();
        self.slept.lock().unwrap().push(milliseconds);
        self.now.fetch_add(milliseconds, SeqCst);
    }

    fn thread_cpu(&self) -> Duration {
        Duration::from_millis(self.cpu.load(SeqCst))
    }
}

#[test]
fn work_between_calls_lasts_as_long_on_the_clock_as_it_took_of_the_cpu() {
    let clock = Arc::new(HandClock::default());
    let stretch = Arc::new(WorkStretch::new(clock.clone(), 1));
    let mut ends = local::mesh(2, 1).into_iter();
    let mut sender = ends.next().unwrap();
    let mut link = StretchedLink::new(Box::new(ends.next().unwrap()), Arc::clone(&stretch));
    let compute = |milliseconds| {
        clock.cpu.fetch_add(milliseconds, SeqCst);
    };
    let slept = || std::mem::take(&mut *clock.slept.lock().unwrap());

    compute(5);
    link.expect(0, 0, 4).unwrap();
    assert_eq!(slept(), [0_u64; 0], "nobody has begun to work");

    let work = stretch.work();
    compute(3);
    clock.now.fetch_add(1, SeqCst); // the clock has advanced by one of the three already
    link.end();
    assert_eq!(slept(), [2]);

    let bytes = [1_u8; 4];
    // SAFETY: the bytes live until they are taken, below.
    let posted = unsafe { sender.post(1, 0, bytes.as_ptr(), bytes.len()) }.unwrap();
    assert!(posted.is_some());
    let taken = link.take(0, 0, 4, &mut |_| compute(7)).unwrap();
    assert!(taken);
    assert_eq!(slept(), [7], "what is done with a message is work");

    compute(4);
    drop(work);
    assert_eq!(slept(), [4], "the work after the last call counts");
    compute(9);
    link.end();
    assert_eq!(slept(), [0_u64; 0]);
}

#[test]
fn a_stretched_link_is_a_transport() {
    let clock: Arc<dyn Clock> = Arc::new(HandClock::default());
    std::thread::scope(|scope| {
        for link in local::mesh(3, 3) {
            let stretch = Arc::new(WorkStretch::new(Arc::clone(&clock), 1000));
            let mut link = StretchedLink::new(Box::new(link), stretch);
            scope.spawn(move || conformance::run_all(&mut link).unwrap());
        }
    });
}
