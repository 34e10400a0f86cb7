//! A permutation of any number of records that is computed, not stored.
//!
//! A Feistel network permutes the numbers of `b` bits, `2^b` being the next power of two: in each
//! round one half of the bits is changed by a keyed hash of the other half, which can be undone.
//! Results beyond the number of records are permuted again until one is within ("cycle walking"),
//! fewer than two times on average.

/// Four suffice in theory for random round functions; small halves need more.
const ROUNDS: usize = 8;
/// An odd constant that spreads consecutive numbers: 2^64 over the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A permutation.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordPermutation {
    records: u64,
    /// Bits of the lower half, and masks of both halves.
    low_bits: u32,
    low: u64,
    high: u64,
    keys: [u64; ROUNDS],
}

impl RecordPermutation {
    /// Of `records` records, which is not 0. Other keys, also longer ones, give other permutations.
    pub(super) fn new(key: &[u64], records: u64) -> Self {
        let bits = u64::BITS - records.saturating_sub(1).leading_zeros();
        let low_bits = bits / 2;
        let mut key = key.iter().fold(0, |hash, part| mix(hash ^ part));
        let keys = std::array::from_fn(|_| {
            key = key.wrapping_add(SPREAD);
            mix(key)
        });
        Self { records, low_bits, low: mask(low_bits), high: mask(bits - low_bits), keys }
    }

    /// The record at `place`.
    pub(super) fn record(&self, place: u64) -> u64 {
        assert!(place < self.records, "a place of the epoch");
        let mut number = place;
        loop {
            let (mut high, mut low) = (number >> self.low_bits, number & self.low);
            for keys in self.keys.as_chunks::<2>().0 {
                high ^= mix(low ^ keys[0]) & self.high;
                low ^= mix(high ^ keys[1]) & self.low;
            }
            number = high << self.low_bits | low;
            if number < self.records {
                return number;
            }
        }
    }

    /// The place of `record`.
    pub(super) fn place(&self, record: u64) -> u64 {
        assert!(record < self.records, "a record of the database");
        let mut number = record;
        loop {
            let (mut high, mut low) = (number >> self.low_bits, number & self.low);
            for keys in self.keys.as_chunks::<2>().0.iter().rev() {
                low ^= mix(high ^ keys[1]) & self.low;
                high ^= mix(low ^ keys[0]) & self.high;
            }
            number = high << self.low_bits | low;
            if number < self.records {
                return number;
            }
        }
    }
}

fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// A hash of 64 bits in which every bit of the result depends on every bit of `value`.
fn mix(value: u64) -> u64 {
    let mut hash = value.wrapping_add(SPREAD);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
