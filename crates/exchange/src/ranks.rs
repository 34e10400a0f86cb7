//! Many ranks in one process, with the real code: for tests, benches and `--workers`.

use crate::{Exchange, ExchangeConfig};
use std::thread;
use transport::local::mesh;

/// Runs `body` once per rank, each on its own thread with an exchange over `local`, and collects
/// results in rank order.
///
/// # Panics
///
/// If a rank panics: with that rank's message, after the others have ended.
pub fn spawn_ranks<T: Send>(
    world: usize,
    cores: usize,
    config: &ExchangeConfig,
    body: impl Fn(&mut Exchange) -> T + Sync,
) -> Vec<T> {
    thread::scope(|scope| {
        let body = &body;
        let ranks: Vec<_> = mesh(world, cores)
            .into_iter()
            .map(|link| {
                let config = config.clone();
                scope.spawn(move || body(&mut Exchange::new(Box::new(link), config)))
            })
            .collect();
        let ends: Vec<_> = ranks.into_iter().map(thread::ScopedJoinHandle::join).collect();
        ends.into_iter()
            .map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
