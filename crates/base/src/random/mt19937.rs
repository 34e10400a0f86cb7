//! The Mersenne Twister (Matsumoto & Nishimura 1998) with the seeding of 2002; boost's `mt19937`.
//!
//! 624 words of state, refreshed together each time they are used up. A state is saved as its words
//! and the position in them, so that a resumed run draws what the unbroken one would have drawn.

use std::fmt;

/// Words of state.
const WORDS: usize = 624;

/// Distance of the word that is mixed in.
const SHIFT: usize = 397;

/// Bytes of a saved state: the words and then the position, little-endian.
pub const STATE_BYTES: usize = (WORDS + 1) * 4;

/// A stream of random words.
#[derive(Clone, PartialEq, Eq)]
pub struct Mt19937 {
    words: [u32; WORDS],
    /// Next word to hand out; `WORDS` when the state must be refreshed first.
    next: usize,
}

/// Why bytes are not a saved state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateError {
    /// A state has [`STATE_BYTES`] bytes.
    Length {
        /// How many there were.
        got: usize,
    },
    /// The position lies outside the state.
    Position {
        /// What was stored.
        got: u32,
    },
    /// All words are zero, which no seed leads to and from which only zeros come.
    Zero,
}

impl std::error::Error for StateError {}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { got } => {
                write!(f, "a random state has {STATE_BYTES} bytes, here are {got}")
            }
            Self::Position { got } => write!(f, "random state at word {got} of {WORDS}"),
            Self::Zero => write!(f, "random state is all zeros"),
        }
    }
}

impl Mt19937 {
    /// The stream that Caffe has after `Caffe::set_random_seed(seed)`.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        let mut words = [0; WORDS];
        let mut last = seed;
        words[0] = seed;
        for (word, i) in words.iter_mut().zip(0_u32..).skip(1) {
            last = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i);
            *word = last;
        }
        Self { words, next: WORDS }
    }

    /// The next 32 bits; Caffe's `caffe_rng_rand`.
    pub fn next_u32(&mut self) -> u32 {
        if self.next == WORDS {
            self.refresh();
        }
        let mut word = self.words[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// What [`from_state`](Self::from_state) needs to go on from here.
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        let next = u32::try_from(self.next).expect("at most 624");
        self.words.iter().copied().chain([next]).flat_map(u32::to_le_bytes).collect()
    }

    /// Goes on where a saved stream stopped. The bytes come from a file, so they are checked.
    pub fn from_state(bytes: &[u8]) -> Result<Self, StateError> {
        if bytes.len() != STATE_BYTES {
            return Err(StateError::Length { got: bytes.len() });
        }
        let (chunks, _) = bytes.as_chunks::<4>();
        let mut words = [0; WORDS];
        for (word, chunk) in words.iter_mut().zip(chunks) {
            *word = u32::from_le_bytes(*chunk);
        }
        let got = u32::from_le_bytes(chunks[WORDS]);
        let next = usize::try_from(got)
            .ok()
            .filter(|&next| next <= WORDS)
            .ok_or(StateError::Position { got })?;
        if words.iter().all(|&word| word == 0) {
            return Err(StateError::Zero);
        }
        Ok(Self { words, next })
    }

    /// Replaces all words by their successors.
    fn refresh(&mut self) {
        for i in 0..WORDS {
            let joined =
                (self.words[i] & 0x8000_0000) | (self.words[(i + 1) % WORDS] & 0x7fff_ffff);
            let twist = if joined & 1 == 0 { 0 } else { 0x9908_b0df };
            self.words[i] = self.words[(i + SHIFT) % WORDS] ^ (joined >> 1) ^ twist;
        }
        self.next = 0;
    }
}

/// Prints the position; the 624 words would not help a reader.
impl fmt::Debug for Mt19937 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mt19937 at word {} of {:08x}…", self.next, self.words[0])
    }
}
