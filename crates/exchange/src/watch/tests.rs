use super::Watch;
use base::{Clock, Rank};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use transport::{Progress, Pulse};

/// Time that passes only by sleeping, and lets other threads run meanwhile.
#[derive(Default)]
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.0.load(SeqCst))
    }

    fn sleep(&self, _: Duration) {
        self.0.fetch_add(1, SeqCst);
        std::thread::yield_now();
    }
}

type Inbox = Arc<Mutex<VecDeque<(usize, Vec<u8>)>>>;

/// Beats by way of memory.
struct Memory {
    rank: Rank,
    inboxes: Vec<Inbox>,
}

impl Pulse for Memory {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn send(&mut self, to: usize, beat: &[u8]) {
        self.inboxes[to].lock().unwrap().push_back((self.rank.index(), beat.to_vec()));
    }

    fn poll(&mut self) -> Option<(usize, Vec<u8>)> {
        self.inboxes[self.rank.index()].lock().unwrap().pop_front()
    }

    fn abort(&mut self, code: i32) {
        panic!("nobody is lost, but the job ends with {code}");
    }
}

#[test]
fn no_beat_is_left_when_all_have_gone() {
    let inboxes: Vec<Inbox> = (0..3).map(|_| Inbox::default()).collect();
    let watch = |index: usize| {
        let memory = Memory { rank: Rank::new(index, 3).unwrap(), inboxes: inboxes.clone() };
        let (progress, clock) = (Arc::new(Progress::default()), Arc::new(Ticks::default()));
        let silence_max = Duration::from_secs(1000);
        Watch::start(Box::new(memory), progress, clock, silence_max, Box::new(|_| ()))
    };
    let watches: Vec<Watch> = (0..3).map(watch).collect();
    std::thread::scope(|scope| {
        watches.into_iter().for_each(|watch| drop(scope.spawn(move || drop(watch))));
    });
    let left: usize = inboxes.iter().map(|inbox| inbox.lock().unwrap().len()).sum();
    assert_eq!(left, 0);
}
