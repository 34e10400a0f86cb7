//! Blocks of bytes that travel between ranks, seen as words and values, and counts that travel
//! before them.

use crate::{Exchange, ExchangeError};
use transport::AlignedBytes;
use zerocopy::FromBytes;

/// Bytes of an index, a count or an `f32`.
pub(super) const WORD_BYTES: usize = 4;

/// `bytes` as words. They start aligned and are a whole number of words: our own rows made them.
pub(super) fn words(bytes: &[u8]) -> &[u32] {
    <[u32]>::ref_from_bytes(bytes).expect("whole words, aligned")
}

/// As [`words`], to write.
pub(super) fn words_mut(bytes: &mut [u8]) -> &mut [u32] {
    <[u32]>::mut_from_bytes(bytes).expect("whole words, aligned")
}

/// As [`words`], for values.
pub(super) fn floats(bytes: &[u8]) -> &[f32] {
    <[f32]>::ref_from_bytes(bytes).expect("whole values, aligned")
}

/// As [`words_mut`], for values.
pub(super) fn floats_mut(bytes: &mut [u8]) -> &mut [f32] {
    <[f32]>::mut_from_bytes(bytes).expect("whole values, aligned")
}

/// An index or count of a bucket, which has fewer than 2^31 values.
pub(super) fn word(number: usize) -> u32 {
    u32::try_from(number).expect("buckets have fewer than 2^31 values")
}

/// One empty block per rank.
pub(super) fn blocks(world: usize) -> Vec<AlignedBytes> {
    vec![AlignedBytes::default(); world]
}

/// Two words from every rank to every rank: [`GatheredCounts::BYTES`] per rank.
pub(super) struct GatheredCounts(Vec<AlignedBytes>);

impl GatheredCounts {
    /// Bytes of a block.
    pub(super) const BYTES: usize = 2 * WORD_BYTES;

    pub(super) fn new(world: usize) -> Self {
        let mut blocks = blocks(world);
        blocks.iter_mut().for_each(|block| block.resize(Self::BYTES));
        Self(blocks)
    }

    /// Leaves every rank's counts in [`of`](Self::of).
    pub(super) fn gather(
        &mut self,
        exchange: &mut Exchange,
        ours: [u32; 2],
    ) -> Result<(), ExchangeError> {
        words_mut(&mut self.0[exchange.rank().index()]).copy_from_slice(&ours);
        exchange.gather_known(&mut self.0)
    }

    /// What rank `rank` said.
    pub(super) fn of(&self, rank: usize) -> [usize; 2] {
        let counts = words(&self.0[rank]);
        [counts[0] as usize, counts[1] as usize]
    }
}

/// One word from every rank for every rank, in blocks of [`SwappedCounts::BYTES`].
pub(super) struct SwappedCounts {
    outgoing: Vec<AlignedBytes>,
    incoming: Vec<AlignedBytes>,
}

impl SwappedCounts {
    /// Bytes of a block.
    pub(super) const BYTES: usize = WORD_BYTES;

    pub(super) fn new(world: usize) -> Self {
        let mut outgoing = blocks(world);
        outgoing.iter_mut().for_each(|block| block.resize(Self::BYTES));
        Self { incoming: outgoing.clone(), outgoing }
    }

    /// Tells every rank its count, and leaves theirs for this one in [`from`](Self::from).
    pub(super) fn swap(
        &mut self,
        exchange: &mut Exchange,
        counts: impl Fn(usize) -> usize,
    ) -> Result<(), ExchangeError> {
        for (rank, block) in self.outgoing.iter_mut().enumerate() {
            words_mut(block)[0] = word(counts(rank));
        }
        exchange.swap_known(&mut self.outgoing, &mut self.incoming, &mut || false)
    }

    /// What rank `rank` has for this one; nothing travels to oneself.
    pub(super) fn from(&self, rank: usize) -> usize {
        words(&self.incoming[rank])[0] as usize
    }
}
