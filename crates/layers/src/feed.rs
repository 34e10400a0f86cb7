//! What fills the tops of a data layer. `layers` knows no files; whoever runs the net brings feeds.

use crate::Top;

/// Why a feed could not deliver; the source's own error, with the record it is about.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct FeedError(pub Box<dyn std::error::Error + Send + Sync>);

/// The source of one data layer of one replica.
pub trait Feed: Send {
    /// Writes the next batch into the tops, row-major, resizing them when the batch has another shape.
    fn next(&mut self, tops: &mut [Top<'_>]) -> Result<(), FeedError>;

    /// The name of record `item` of the batch last delivered, to name a culprit.
    fn record_name(&self, item: usize) -> Option<String>;

    /// Where the stream is after the batches delivered so far, for a snapshot; opaque to all but
    /// [`Feed::restore`].
    fn state(&self) -> Vec<u8>;

    /// Goes on from a state of the same source.
    fn restore(&mut self, state: &[u8]) -> Result<(), FeedError>;

    /// What happened since the last call that a log should say, such as a restart from the first record.
    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }
}
