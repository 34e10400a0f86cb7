//! How a length is divided among workers or ranks: all of them compute the same ranges.

use std::ops::Range;

/// Chunk `index` of `0..len` divided into `count` chunks whose lengths differ by at most one.
///
/// # Panics
///
/// If there is no such chunk: callers derive `index` from the same `count`.
#[must_use]
pub fn chunk(len: usize, count: usize, index: usize) -> Range<usize> {
    assert!(index < count, "chunk {index} of {count}");
    let (short, longer) = (len / count, len % count); // the first `longer` chunks get one more
    let start = index * short + index.min(longer);
    start..start + short + usize::from(index < longer)
}

#[cfg(test)]
mod tests {
    use super::chunk;

    #[test]
    fn chunks_tile_the_range() {
        for len in 0..=40 {
            for count in 1..=17 {
                let chunks: Vec<_> = (0..count).map(|i| chunk(len, count, i)).collect();
                assert_eq!(chunks[0].start, 0);
                assert_eq!(chunks[count - 1].end, len);
                assert!(chunks.windows(2).all(|w| w[0].end == w[1].start));
                assert!(chunks.iter().all(|c| c.len().abs_diff(len / count) <= 1));
            }
        }
    }
}
