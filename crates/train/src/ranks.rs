//! The other ranks of a job: the collectives that training needs. All do nothing in a world of one.
//!
//! Gradients are summed by the algorithm that was chosen; everything else (step summaries,
//! statistics) by the reduction tree in f32, whose sum is the canonical one in every world.

use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::Rank;
use collective::Algorithm;
use exchange::{Exchange, ExchangeError};
use transport::{AlignedBytes, Busy, RankProgress, StretchedWork, WorkStretch};

use crate::JobConfig;

/// Called by a rank that cannot go on while others wait for it. It should end the job.
pub type Alarm = Box<dyn Fn(&(dyn Error + 'static)) + Send + Sync>;

/// This rank, and how it reaches the others.
pub struct Ranks {
    rank: Rank,
    host: String,
    /// `None` when there are no others.
    exchange: Option<Mutex<Exchange>>,
    progress: Arc<RankProgress>,
    alarm: Alarm,
    /// Stretches what is computed between messages, in an emulated run.
    stretch: Option<Arc<WorkStretch>>,
}

impl Ranks {
    /// A world of one.
    #[must_use]
    pub fn alone() -> Self {
        Self {
            rank: Rank::ALONE,
            host: String::new(),
            exchange: None,
            progress: Arc::default(),
            alarm: Box::new(|_| ()),
            stretch: None,
        }
    }

    /// One of the ranks that `exchange` connects, on the machine called `host`. [`Job::join`] sets
    /// its algorithm, network and wire format. A failure detector reads `progress`; `alarm` is
    /// called when this rank fails while others wait for it.
    ///
    /// Two ranks as threads, over links that MPI's or a program's own [`Transport`] can replace:
    ///
    /// ```
    /// use train::files::solver_from_text;
    /// use train::{Exchange, ExchangeConfig, Job, JobConfig, NoControl, Ranks, local};
    ///
    /// let solver = r#"
    ///     base_lr: 0.1  lr_policy: "fixed"  random_seed: 1  max_iter: 3  snapshot_after_train: false
    ///     net_param {
    ///       layer { name: "x" type: "DummyData" top: "x" top: "y" dummy_data_param {
    ///               shape { dim: 2 dim: 3 } shape { dim: 2 dim: 1 } data_filler { value: 1 } } }
    ///       layer { name: "line" type: "InnerProduct" bottom: "x" top: "line"
    ///               inner_product_param { num_output: 1 } }
    ///       layer { name: "loss" type: "EuclideanLoss" bottom: "line" bottom: "y" top: "loss" }
    ///     }"#;
    /// let config = JobConfig::new(solver_from_text("solver", solver)?);
    /// let ranks = local::mesh(2, 2).into_iter().map(|link| {
    ///     let config = config.clone();
    ///     std::thread::spawn(move || -> Result<u64, train::TrainError> {
    ///         let exchange = Exchange::new(Box::new(link), ExchangeConfig::LOCAL);
    ///         let alarm = Box::new(|error: &(dyn std::error::Error + 'static)| panic!("{error}"));
    ///         let ranks = Ranks::joined(exchange, "here".into(), Default::default(), alarm);
    ///         let mut job = Job::join(config, ranks, &mut |_| {})?;
    ///         job.run(&NoControl, &mut |_| {})?;
    ///         job.hash()
    ///     })
    /// });
    /// let ranks: Vec<_> = ranks.collect();
    /// let hashes: Vec<u64> = ranks
    ///     .into_iter()
    ///     .map(|rank| rank.join().expect("no panic"))
    ///     .collect::<Result<_, _>>()?;
    /// assert_eq!(hashes[0], hashes[1]);
    /// # Ok::<(), train::TrainError>(())
    /// ```
    ///
    /// [`Job::join`]: crate::Job::join
    /// [`Transport`]: crate::Transport
    #[must_use]
    pub fn joined(
        exchange: Exchange,
        host: String,
        progress: Arc<RankProgress>,
        alarm: Alarm,
    ) -> Self {
        let rank = exchange.rank();
        let exchange = (rank.world() > 1).then(|| Mutex::new(exchange));
        Self { rank, host, exchange, progress, alarm, stretch: None }
    }

    /// The same ranks in an emulated run, whose exchange uses `stretch`:
    /// [`Exchange::stretched`].
    #[must_use]
    pub fn stretching(self, stretch: Arc<WorkStretch>) -> Self {
        Self { stretch: Some(stretch), ..self }
    }

    /// Until the guard is dropped this thread sums with other ranks, and waits for nothing but
    /// messages; an emulated run makes that last as long on its clock as it takes of the CPU.
    pub(crate) fn work(&self) -> Option<StretchedWork<'_>> {
        self.stretch.as_ref().map(|stretch| stretch.work())
    }

    /// This rank and the size of the world.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.rank
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Whether the world is larger than one.
    pub(crate) fn are_several(&self) -> bool {
        self.exchange.is_some()
    }

    /// The algorithm that sums `len` gradients; `None` in a world of one.
    pub(crate) fn algorithm(&self, len: usize) -> Option<Algorithm> {
        self.exchange().map(|mut exchange| exchange.algorithm(len))
    }

    /// Makes the exchange sum gradients as `config` says; an error if it cannot.
    pub(crate) fn configure(&self, config: &JobConfig) -> Result<(), ExchangeError> {
        let Some(mut exchange) = self.exchange() else { return Ok(()) };
        let mut exchanged = exchange.config().clone().with_wire(config.wire);
        exchanged.choice = config.allreduce.clone();
        exchanged.network = config.network.unwrap_or(exchanged.network);
        exchange.configure(exchanged);
        exchange.check()
    }

    /// Leaves the canonical sum over ranks in `values`.
    pub(crate) fn sum(&self, values: &mut [f32]) -> Result<(), ExchangeError> {
        self.exchange().map_or(Ok(()), |mut exchange| exchange.sum(values))
    }

    /// Overwrites `values` with those of rank 0.
    pub(crate) fn broadcast(&self, values: &mut [f32]) -> Result<(), ExchangeError> {
        let bytes = exchange::wire::bytes_of(values);
        self.exchange().map_or(Ok(()), |mut exchange| exchange.broadcast(0, bytes))
    }

    /// The bytes of every rank, in their order.
    pub(crate) fn gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, ExchangeError> {
        match self.exchange() {
            None => Ok(vec![bytes]),
            Some(mut exchange) => exchange.all_gather_v(&bytes),
        }
    }

    /// Leaves what every other rank has for this one in `incoming`, whose blocks have their
    /// lengths; `outgoing` is what this one has for each. `meanwhile` does some microseconds of
    /// other work while messages travel; `false` if there is none.
    pub(crate) fn swap(
        &self,
        outgoing: &mut [AlignedBytes],
        incoming: &mut [AlignedBytes],
        meanwhile: &mut dyn FnMut() -> bool,
    ) -> Result<(), ExchangeError> {
        let Some(mut exchange) = self.exchange() else { return Ok(()) };
        exchange.swap_known(outgoing, incoming, meanwhile)
    }

    /// What the failure detector looks at.
    pub(crate) fn progress(&self) -> Arc<RankProgress> {
        Arc::clone(&self.progress)
    }

    /// Tells the failure detector that this rank makes progress.
    pub(crate) fn report_progress(&self) {
        self.progress.moved();
    }

    /// Reports progress for as long as the guard lives: for long calls that cannot report it
    /// themselves, such as reading files.
    #[must_use]
    pub fn busy(&self) -> Busy<'_> {
        self.progress.busy()
    }

    /// Ends the job because this rank cannot go on, if there are others.
    pub(crate) fn alarm(&self, error: &(dyn Error + 'static)) {
        if self.are_several() {
            (self.alarm)(error);
        }
    }

    /// What sums gradients; `None` in a world of one. Others wait until it is given back.
    pub(crate) fn exchange(&self) -> Option<MutexGuard<'_, Exchange>> {
        let exchange = self.exchange.as_ref()?;
        Some(exchange.lock().unwrap_or_else(PoisonError::into_inner)) // a panic ends the job anyway
    }
}
