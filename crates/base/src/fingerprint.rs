//! A fingerprint of bytes that is the same on every machine, unlike std's hashers: FNV-1a, 64 bits.

/// The hash of the bytes so far. Not cryptographic; one byte at a time, so too slow for models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of no bytes.
    pub const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// The fingerprint of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::EMPTY.and(bytes)
    }

    /// The fingerprint of the bytes so far followed by `bytes`.
    #[must_use]
    pub fn and(self, bytes: &[u8]) -> Self {
        let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(self.0, mix))
    }

    /// All 64 bits.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}
