//! A fingerprint of bytes that is the same on every machine, unlike std's hashers: FNV-1a, 64 bits.

/// What has been added so far. Not for secrets, and too slow for whole models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Of nothing.
    pub const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::EMPTY.and(bytes)
    }

    /// Of what came before, and these bytes.
    #[must_use]
    pub fn and(self, bytes: &[u8]) -> Self {
        let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(self.0, mix))
    }

    /// The fingerprint as a number.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}
