//! The thread that talks to other ranks during an iteration, while workers compute.
//!
//! ```text
//!   workers   backward ─ bucket 0 summed ─ bucket 1 summed ─ .. ─ news told ┐ wait ┐ update
//!   this           all-reduce 0 ──▶ all-reduce 1 ──▶ .. ──▶ news ──▶ exchanged ┘
//! ```
//!
//! Buckets go in order, so all ranks run the same collectives whatever their workers' pace.

use exchange::ExchangeError;

use crate::stage::{Stage, Undone};
use crate::timeline::{Span, Spans, What};

/// What a step's communication did.
pub(crate) struct Communicated {
    pub(crate) spans: Vec<Span>,
}

impl Stage<'_> {
    /// Sums every bucket and the news over ranks as soon as this rank has them.
    pub(crate) fn communicate(&self) -> Result<Communicated, Undone> {
        let _watch = self.board.watch();
        let mut spans = Spans::new(self.config.timeline);
        let result = self.communicate_all(&mut spans);
        if result.is_err() {
            self.board.fail();
        }
        result.map(|()| Communicated { spans: spans.take() })
    }

    fn communicate_all(&self, spans: &mut Spans) -> Result<(), Undone> {
        let sum = self.shared.sum();
        for (index, bucket) in self.buckets.iter().enumerate() {
            self.board.wait_summed(index + 1)?;
            let mut values = sum.write(bucket.clone());
            let begin = self.clock.now();
            self.ranks.all_reduce(&mut values)?;
            spans.add(What::Bucket(index), begin, self.clock.now());
        }
        self.board.wait_told()?;
        let begin = self.clock.now();
        self.ranks.sum(self.news().values())?;
        spans.add(What::News, begin, self.clock.now());
        self.board.exchange();
        Ok(())
    }
}

impl From<ExchangeError> for Undone {
    fn from(error: ExchangeError) -> Self {
        Self::Exchange(error)
    }
}
