//! Whole numbers: boost's `uniform_int`, Caffe's shuffle, and the remainder its transformer takes.

use super::Mt19937;

impl Mt19937 {
    /// A number from `low` to `high`, both included. Words are divided into equal ranges; a word
    /// beyond the last one is drawn again. No word is drawn when there is one number only.
    ///
    /// # Panics
    ///
    /// If `low > high`.
    pub(super) fn uniform_int(&mut self, low: u32, high: u32) -> u32 {
        assert!(low <= high, "a number from {low} to {high}");
        let range = high - low;
        if range == 0 {
            return low;
        }
        if range == u32::MAX {
            return self.next_u32();
        }
        let bucket = u32::MAX / (range + 1) + u32::from(u32::MAX % (range + 1) == range);
        loop {
            let number = self.next_u32() / bucket;
            if number <= range {
                return low + number;
            }
        }
    }

    /// The next word modulo `n`: how Caffe's transformer picks offsets and mirrors.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn remainder(&mut self, n: u32) -> u32 {
        self.next_u32() % n
    }

    /// Caffe's `shuffle`: Fisher and Yates, from the back.
    ///
    /// # Panics
    ///
    /// If there are more than 2^32 items; boost then draws two words for a number.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let last = u32::try_from(i).expect("at most 2^32 items are shuffled");
            items.swap(i, self.uniform_int(0, last) as usize);
        }
    }
}
