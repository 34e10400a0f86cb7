//! The other processes of a job: what training needs of them, or nothing when it is alone.
//!
//! Gradients go by the algorithm that was chosen; everything else (news, statistics, states) goes by
//! the reduction tree, whose sum is the canonical one and exact in every world.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::Rank;
use exchange::{Exchange, ExchangeError};
use transport::{Busy, RankProgress};

use crate::TrainError;

/// What a rank says when it cannot go on while others wait for it. It should end the job.
pub type Alarm = Box<dyn Fn(&TrainError) + Send + Sync>;

/// Who the ranks of a job are, and how this one reaches the others.
pub struct Ranks {
    rank: Rank,
    host: String,
    /// `None` when there are no others.
    exchange: Option<Mutex<Exchange>>,
    progress: Arc<RankProgress>,
    alarm: Alarm,
}

impl Ranks {
    /// One process.
    #[must_use]
    pub fn alone() -> Self {
        Self {
            rank: Rank::ALONE,
            host: String::new(),
            exchange: None,
            progress: Arc::default(),
            alarm: Box::new(|_| ()),
        }
    }

    /// One of the ranks that `exchange` connects, on the machine called `host`. `progress` is where a
    /// watch sees that this rank works; `alarm` is called when it fails while others wait for it.
    #[must_use]
    pub fn joined(
        exchange: Exchange,
        host: String,
        progress: Arc<RankProgress>,
        alarm: Alarm,
    ) -> Self {
        let rank = exchange.rank();
        let exchange = (rank.world() > 1).then(|| Mutex::new(exchange));
        Self { rank, host, exchange, progress, alarm }
    }

    /// Who we are.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.rank
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Whether there are others.
    pub(crate) fn are_several(&self) -> bool {
        self.exchange.is_some()
    }

    /// Leaves the sum over ranks in `gradients`, by the algorithm chosen for this size.
    pub(crate) fn all_reduce(&self, gradients: &mut [f32]) -> Result<(), ExchangeError> {
        self.exchange().map_or(Ok(()), |mut exchange| exchange.all_reduce(gradients).map(drop))
    }

    /// Leaves the canonical sum over ranks in `values`.
    pub(crate) fn sum(&self, values: &mut [f32]) -> Result<(), ExchangeError> {
        self.exchange().map_or(Ok(()), |mut exchange| exchange.sum(values))
    }

    /// Leaves rank 0's values on all.
    pub(crate) fn broadcast(&self, values: &mut [f32]) -> Result<(), ExchangeError> {
        let bytes = exchange::wire::bytes_of(values);
        self.exchange().map_or(Ok(()), |mut exchange| exchange.broadcast(0, bytes))
    }

    /// What every rank gives, in their order.
    pub(crate) fn gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, ExchangeError> {
        match self.exchange() {
            None => Ok(vec![bytes]),
            Some(mut exchange) => exchange.all_gather_v(&bytes),
        }
    }

    /// Where the watch sees what this rank does.
    pub(crate) fn progress(&self) -> Arc<RankProgress> {
        Arc::clone(&self.progress)
    }

    /// Tells the watch that this rank works.
    pub(crate) fn moved(&self) {
        self.progress.moved();
    }

    /// Tells it for as long as the guard lives: for long calls that cannot say how far they are, such as
    /// reading files.
    #[must_use]
    pub fn busy(&self) -> Busy<'_> {
        self.progress.busy()
    }

    /// Says that this rank cannot go on, if others wait for it.
    pub(crate) fn alarm(&self, error: &TrainError) {
        if self.are_several() {
            (self.alarm)(error);
        }
    }

    fn exchange(&self) -> Option<MutexGuard<'_, Exchange>> {
        let exchange = self.exchange.as_ref()?;
        Some(exchange.lock().unwrap_or_else(PoisonError::into_inner)) // a panic ends the job anyway
    }
}
