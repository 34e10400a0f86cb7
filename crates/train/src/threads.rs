//! The threads that workers run on. They live as long as the job, so an iteration starts none.
//!
//! The calling thread is the first; every other task has a thread of its own, always the same one
//! for the same place in the list, so that a worker's memory stays near the core that uses it. A
//! task owns what it works on and hands it back with its result: nothing is borrowed across
//! threads.
//!
//! ```text
//!   caller     run ── send tasks ── own task ────────── receive results ──▶
//!   thread 1          └▶ task 1 ───────────── result ─┘
//!   thread 2          └▶ task 2 ────── result ────────┘
//! ```

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use crate::cores::WorkerCores;

/// What a thread is given to do.
type BoxedTask = Box<dyn FnOnce() + Send>;

/// Threads that wait for tasks. Dropping ends them.
pub(crate) struct WorkerThreads {
    threads: Vec<WorkerThread>,
}

struct WorkerThread {
    /// `None` once the thread has been told to end.
    tasks: Option<Sender<BoxedTask>>,
    handle: Option<JoinHandle<()>>,
}

impl WorkerThreads {
    /// Threads for `count` tasks at a time, this thread included, each on its worker's cores.
    pub(crate) fn new(count: usize, cores: &Arc<dyn WorkerCores>) -> Self {
        cores.enter(0);
        Self { threads: (1..count).map(|index| WorkerThread::start(index, cores)).collect() }
    }

    /// Runs `first` on this thread and each of `others` on a thread of its own; returns their
    /// results in order.
    ///
    /// # Panics
    ///
    /// If a task panics, with that panic; or if there are more tasks than threads.
    pub(crate) fn run<T: Send + 'static>(
        &mut self,
        first: impl FnOnce() -> T,
        others: Vec<impl FnOnce() -> T + Send + 'static>,
    ) -> Vec<T> {
        assert!(others.len() <= self.threads.len(), "every task has a thread of its own");
        let pending: Vec<Receiver<T>> =
            (self.threads.iter()).zip(others).map(|(thread, task)| thread.post(task)).collect();
        let mut results = vec![first()];
        for (index, result) in pending.into_iter().enumerate() {
            match result.recv() {
                Ok(result) => results.push(result),
                Err(_) => self.threads[index].resume_panic(),
            }
        }
        results
    }
}

impl WorkerThread {
    fn start(index: usize, cores: &Arc<dyn WorkerCores>) -> Self {
        let (tasks, inbox) = channel::<BoxedTask>();
        let cores = Arc::clone(cores);
        let run = move || {
            cores.enter(index);
            inbox.into_iter().for_each(|task| task());
        };
        let named = thread::Builder::new().name(format!("worker {index}"));
        let handle = named.spawn(run).expect("the system can start a thread");
        Self { tasks: Some(tasks), handle: Some(handle) }
    }

    /// Starts a task; its result arrives at the receiver, or nothing if it panics.
    fn post<T: Send + 'static>(&self, task: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
        let (done, result) = channel();
        // A send fails only when the thread has ended by a panic, which `run` then finds.
        let posted = self.tasks.as_ref().expect("the job lives").send(Box::new(move || {
            _ = done.send(task());
        }));
        drop(posted);
        result
    }

    /// Goes on with the panic that ended the thread.
    fn resume_panic(&mut self) -> ! {
        match self.handle.take().map(JoinHandle::join) {
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            _ => panic!("a worker's thread has ended before the job"),
        }
    }
}

impl Drop for WorkerThread {
    fn drop(&mut self) {
        self.tasks = None; // its loop ends
        if let Some(handle) = self.handle.take() {
            // A panic was reported by the step that it ended.
            _ = handle.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread::{ThreadId, current};

    use super::{Arc, WorkerCores, WorkerThreads};
    use crate::AnyCores;

    fn threads(count: usize) -> WorkerThreads {
        let cores: Arc<dyn WorkerCores> = Arc::new(AnyCores);
        WorkerThreads::new(count, &cores)
    }

    fn ids(threads: &mut WorkerThreads) -> Vec<ThreadId> {
        threads.run(|| current().id(), vec![|| current().id(); 2])
    }

    #[test]
    fn every_task_keeps_its_thread() {
        let mut threads = threads(3);
        let first = ids(&mut threads);
        assert_eq!(first[0], current().id());
        assert!(first[0] != first[1] && first[1] != first[2]);
        assert_eq!(ids(&mut threads), first);
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let mut threads = threads(2);
        let mut run = || threads.run(|| 1, vec![|| panic!("planted")]);
        let panic = catch_unwind(AssertUnwindSafe(&mut run)).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"planted"));
    }
}
