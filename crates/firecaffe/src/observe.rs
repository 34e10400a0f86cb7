//! Events of a run for people to look at: the record, TensorBoard's files, the live page.
//!
//! [`EntryMaker`] turns events into the entries of a record; every sink takes the same entries. A
//! sink that fails is closed with a warning: nobody loses a run over it.

mod begin;
mod board;
mod entries;

use std::path::{Path, PathBuf};

use anyhow::Result;
use report::RunHistory;
use report::record::{RecordWriter, RunEntry};
use train::{Event, Job, JobConfig};

pub(crate) use begin::RunOrigin;
use board::Board;
use entries::EntryMaker;

use crate::log::Log;
use crate::page::{DEFAULT_ADDRESS, LivePage, RunRequests};

/// Where the run is shown.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ObserveArgs {
    /// Keep a record of the run in this folder, for `firecaffe report`; a resumed run continues it
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Also write scalars and histograms to this folder, for TensorBoard
    #[arg(long, value_name = "DIR")]
    tensorboard: Option<PathBuf>,
    /// Serve a page that shows the run while it goes on, with `/metrics` for Prometheus: at a free
    /// port of this machine, or at PORT or HOST:PORT
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS)]
    page: Option<String>,
    /// Iterations between histograms of weights and gradients for TensorBoard; 0 for none
    #[arg(long, value_name = "N", default_value_t = 100, requires = "tensorboard")]
    histograms: u64,
}

impl ObserveArgs {
    /// Asks the run for what is shown of it.
    pub(crate) fn apply(&self, config: JobConfig) -> JobConfig {
        let histogram_interval = if self.tensorboard.is_some() { self.histograms } else { 0 };
        let details = self.record.is_some() || self.page.is_some();
        JobConfig { details, histogram_interval, ..config }
    }

    /// Whether anything is shown.
    pub(crate) fn is_given(&self) -> bool {
        self.record.is_some() || self.tensorboard.is_some() || self.page.is_some()
    }
}

/// Passes what happens to every sink.
pub(crate) struct RunObserver {
    maker: EntryMaker,
    record: Option<RecordWriter>,
    board: Option<Board>,
    page: Option<LivePage>,
    tensorboard: Option<PathBuf>,
    /// What the folder of the record has from processes before this one.
    earlier: Option<RunHistory>,
}

impl RunObserver {
    /// Opens what `args` ask for.
    pub(crate) fn open(
        args: &ObserveArgs,
        origin: RunOrigin,
        requests: impl Fn() -> RunRequests,
        log: &Log,
    ) -> Result<Self> {
        let page = args.page.as_deref().map(|address| LivePage::open(address, requests()));
        let page = page.transpose()?;
        if let Some(page) = &page {
            log.note(format!("page: {}", page.url()));
            if page.is_public() {
                log.warn("the page can be reached from other machines, without encryption");
            }
        }
        let earlier = args.record.as_deref().and_then(|dir| RunHistory::read(dir).ok());
        let record = args.record.as_deref().map(RecordWriter::open).transpose()?;
        let tensorboard = args.tensorboard.clone();
        let maker = EntryMaker::new(origin);
        Ok(Self { maker, record, board: None, page, tensorboard, earlier })
    }

    /// Before the first iteration of `job`.
    pub(crate) fn begin(&mut self, job: &Job, log: &Log) -> Result<()> {
        let earlier = self.earlier.take();
        let doubt = earlier.and_then(|run| doubt(&run, job.iter()));
        doubt.into_iter().for_each(|text| log.warn(text));
        let entries = self.maker.begin(job);
        let board = |dir: &Path| Board::create(dir, job.iter());
        self.board = self.tensorboard.as_deref().map(board).transpose()?;
        self.take(&entries, 0.0)
    }

    /// Takes an event, `seconds` after the program began.
    pub(crate) fn hear(&mut self, event: &Event, seconds: f64) -> Result<()> {
        match (event, &mut self.board, &mut self.record) {
            (Event::Histograms { iter, params }, Some(board), _) => board.histograms(*iter, params),
            (Event::SnapshotBegins, _, Some(record)) => record.flush()?,
            _ => {}
        }
        let entries = self.maker.entries(event, seconds);
        self.take(&entries, seconds)
    }

    fn take(&mut self, entries: &[RunEntry], seconds: f64) -> Result<()> {
        for entry in entries {
            if let Some(record) = &mut self.record {
                record.write(entry, seconds)?;
            }
            if let Some(board) = &mut self.board {
                board.take(entry)?;
            }
            if let Some(page) = &self.page {
                page.take(entry);
            }
        }
        Ok(())
    }
}

/// What to say if the record of `earlier` is not likely to be of the run that goes on at
/// `iteration`.
fn doubt(earlier: &RunHistory, iteration: u64) -> Option<String> {
    let (dir, done) = (&earlier.name, earlier.iteration());
    if iteration == 0 {
        return (done > 0).then(|| {
            format!(
                "`--record {dir}` has a run of {done} iterations already; reports will show the \
                 new one only. To keep both, give every run a folder of its own"
            )
        });
    }
    let is_known = earlier.snapshots.iter().any(|(at, _)| *at == iteration);
    (!is_known).then(|| {
        format!(
            "the record in {dir} has no snapshot at iteration {iteration}, where this run resumes. \
             If it is of another run, give this one a folder of its own"
        )
    })
}
