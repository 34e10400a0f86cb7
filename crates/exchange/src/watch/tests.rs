use super::FailureWatch;
use base::{Clock, Rank};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use transport::{HeartbeatChannel, RankProgress};

/// Time that passes only by sleeping, and lets other threads run meanwhile.
#[derive(Debug, Default)]
struct SleepClock(AtomicU64);

impl Clock for SleepClock {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.0.load(SeqCst))
    }

    fn sleep(&self, _: Duration) {
        self.0.fetch_add(1, SeqCst);
        std::thread::yield_now();
    }
}

type Inbox = Arc<Mutex<VecDeque<(usize, Vec<u8>)>>>;

/// Heartbeats through memory.
struct MemoryHeartbeats {
    rank: Rank,
    inboxes: Vec<Inbox>,
}

impl HeartbeatChannel for MemoryHeartbeats {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn send(&mut self, to: usize, heartbeat: &[u8]) {
        self.inboxes[to].lock().unwrap().push_back((self.rank.index(), heartbeat.to_vec()));
    }

    fn poll(&mut self) -> Option<(usize, Vec<u8>)> {
        self.inboxes[self.rank.index()].lock().unwrap().pop_front()
    }

    fn abort(&mut self, code: i32) {
        panic!("nobody is lost, but the job ends with {code}");
    }
}

#[test]
fn no_heartbeat_is_left_when_all_have_gone() {
    let inboxes: Vec<Inbox> = (0..3).map(|_| Inbox::default()).collect();
    let watch = |index: usize| {
        let memory =
            MemoryHeartbeats { rank: Rank::new(index, 3).unwrap(), inboxes: inboxes.clone() };
        let (progress, clock) =
            (Arc::new(RankProgress::default()), Arc::new(SleepClock::default()));
        let silence_max = Duration::from_secs(1000);
        FailureWatch::start(Box::new(memory), progress, clock, silence_max, Box::new(|_| ()))
    };
    let watches: Vec<FailureWatch> = (0..3).map(watch).collect();
    std::thread::scope(|scope| {
        watches.into_iter().for_each(|watch| drop(scope.spawn(move || drop(watch))));
    });
    let left: usize = inboxes.iter().map(|inbox| inbox.lock().unwrap().len()).sum();
    assert_eq!(left, 0);
}
