//! The one place in the workspace that divides a length among parts.

use std::ops::Range;

/// Piece `index` of `0..len` cut into `parts` runs that differ in length by at most one.
///
/// # Panics
///
/// If there is no such piece: callers derive `index` from the same `parts`.
#[must_use]
pub fn chunk(len: usize, parts: usize, index: usize) -> Range<usize> {
    assert!(index < parts, "piece {index} of {parts}");
    let (short, longer) = (len / parts, len % parts); // the first `longer` pieces get one more
    let start = index * short + index.min(longer);
    start..start + short + usize::from(index < longer)
}

#[cfg(test)]
mod tests {
    use super::chunk;

    #[test]
    fn chunks_tile_the_range() {
        for len in 0..=40 {
            for parts in 1..=17 {
                let pieces: Vec<_> = (0..parts).map(|i| chunk(len, parts, i)).collect();
                assert_eq!(pieces[0].start, 0);
                assert_eq!(pieces[parts - 1].end, len);
                assert!(pieces.windows(2).all(|w| w[0].end == w[1].start));
                assert!(pieces.iter().all(|p| p.len().abs_diff(len / parts) <= 1));
            }
        }
    }
}
