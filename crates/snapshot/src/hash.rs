//! A 64-bit hash of bytes, of our own: finds damage and tells files apart. Not for secrets.
//!
//! Eight-byte words (little-endian, the last padded with zeros) go round four lanes; a lane takes a
//! word by exclusive or, a fold, an odd multiplication and a rotation. Each can be undone, and so
//! can the folding of lanes and length at the end: two inputs of one length that differ within one
//! word never collide, others do with odds of about 2^-64.

/// Odd, with bits in no pattern: the golden ratio and the fractions of square roots of primes.
const FACTORS: [u64; 4] =
    [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1];

/// The bytes that go round all lanes once.
const ROW: usize = 32;

/// The hash of `bytes`.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = ByteHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Hashes bytes that come in parts; only their concatenation matters.
#[derive(Debug, Clone)]
pub struct ByteHasher {
    lanes: [u64; 4],
    /// Bytes that do not fill a row yet.
    rest: [u8; ROW],
    /// How many bytes came in all; the last `len % ROW` of them are in `rest`.
    len: u64,
}

impl ByteHasher {
    /// Nothing hashed yet.
    #[must_use]
    pub fn new() -> Self {
        Self { lanes: FACTORS, rest: [0; ROW], len: 0 }
    }

    /// Goes on with `bytes`.
    pub fn write(&mut self, mut bytes: &[u8]) {
        let held = self.held();
        self.len += bytes.len() as u64;
        if held > 0 {
            let (now, later) = bytes.split_at(bytes.len().min(ROW - held));
            self.rest[held..held + now.len()].copy_from_slice(now);
            if held + now.len() < ROW {
                return;
            }
            absorb(&mut self.lanes, &self.rest.clone());
            bytes = later;
        }
        let (rows, rest) = bytes.as_chunks::<ROW>();
        let mut lanes = self.lanes; // in registers while the loop runs
        for row in rows {
            absorb(&mut lanes, row);
        }
        self.lanes = lanes;
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    /// The hash of all bytes so far.
    #[must_use]
    pub fn finish(&self) -> u64 {
        let mut lanes = self.lanes;
        let held = self.held();
        if held > 0 {
            let mut row = [0; ROW];
            row[..held].copy_from_slice(&self.rest[..held]);
            absorb(&mut lanes, &row);
        }
        let folded = lanes.iter().fold(self.len, |hash, lane| mix(hash ^ lane, FACTORS[0]));
        let folded = (folded ^ (folded >> 32)).wrapping_mul(FACTORS[1]);
        folded ^ (folded >> 29)
    }

    fn held(&self) -> usize {
        usize::try_from(self.len % ROW as u64).unwrap_or(0)
    }
}

impl Default for ByteHasher {
    fn default() -> Self {
        Self::new()
    }
}

#[inline]
fn absorb(lanes: &mut [u64; 4], row: &[u8; ROW]) {
    let (words, _) = row.as_chunks::<8>();
    for ((lane, word), factor) in lanes.iter_mut().zip(words).zip(FACTORS) {
        *lane = mix(*lane ^ u64::from_le_bytes(*word), factor);
    }
}

/// A product's high bits depend on all of `x`, its low bits on the low ones alone: so the high half
/// is folded into the low one before, and the product is rotated after.
fn mix(x: u64, factor: u64) -> u64 {
    (x ^ (x >> 32)).wrapping_mul(factor).rotate_left(29)
}

#[cfg(test)]
mod tests;
