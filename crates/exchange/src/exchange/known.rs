//! All-gather-v and all-to-all-v of blocks whose lengths the receivers know, in memory that the
//! caller keeps: what compression and records in memory need in every step.
//!
//! Lengths that only the sender knows travel first, by the same functions, as blocks of a fixed
//! length.

use super::Exchange;
use super::blocks::byte_elements;
use crate::ExchangeError;
use crate::execute::{Elements, execute};
use crate::stamp::CollectiveLabel;
use collective::{all_gather_v, all_to_all_v};
use transport::AlignedBytes;

impl Exchange {
    /// Leaves every rank's block in `blocks`, of which ours is filled and the others have their
    /// lengths.
    ///
    /// # Panics
    ///
    /// If there is not one for each rank: our own caller made them.
    pub(crate) fn gather_known(
        &mut self,
        blocks: &mut [AlignedBytes],
    ) -> Result<(), ExchangeError> {
        let segmentation = self.config.segmentation;
        let lens: Vec<usize> = blocks.iter().map(|block| block.len()).collect();
        let plan = all_gather_v(self.rank(), &lens, byte_elements(segmentation));
        let text = format!("all-gather-v of {} known bytes", lens.iter().sum::<usize>());
        let stamp = self.begin(&CollectiveLabel::new(&text, segmentation));
        let slots = blocks.iter_mut().map(|block| &mut block[..]);
        let done = execute(&mut *self.link, Elements::BYTES, &plan, slots, None, &mut || false);
        self.end_sent(stamp, done)
    }

    /// Leaves what every other rank has for this one in `incoming`, whose blocks have their
    /// lengths; `outgoing` is what this one has for each. What a rank has for itself stays in
    /// `outgoing`. `meanwhile` does some microseconds of other work while messages travel; `false`
    /// if there is none.
    ///
    /// # Panics
    ///
    /// If there are not two for each rank: our own caller made them.
    pub fn swap_known(
        &mut self,
        outgoing: &mut [AlignedBytes],
        incoming: &mut [AlignedBytes],
        meanwhile: &mut dyn FnMut() -> bool,
    ) -> Result<(), ExchangeError> {
        let segmentation = self.config.segmentation;
        let lens = |blocks: &[AlignedBytes]| blocks.iter().map(|b| b.len()).collect::<Vec<_>>();
        let bytes = byte_elements(segmentation);
        let plan = all_to_all_v(self.rank(), &lens(outgoing), &lens(incoming), bytes);
        // Lengths differ from rank to rank, so they cannot be in the label.
        let stamp = self.begin(&CollectiveLabel::new("all-to-all-v of known bytes", segmentation));
        let slots = outgoing.iter_mut().chain(incoming).map(|block| &mut block[..]);
        let done = execute(&mut *self.link, Elements::BYTES, &plan, slots, None, meanwhile);
        self.end_sent(stamp, done)
    }
}
