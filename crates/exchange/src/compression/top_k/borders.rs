//! Borders of the index ranges that ranks own: placed so that every owner receives about as many
//! entries.

use super::super::blocks::word;
use crate::{Exchange, ExchangeError};

/// Bins of the histogram of indices.
const BINS: usize = 1024;

/// Which rank owns which values of a bucket: rank r those from `borders[r]` to `borders[r + 1]`.
pub(super) fn equal_borders(len: usize, world: usize) -> Vec<usize> {
    (0..world).map(|rank| base::chunk(len, world, rank).start).chain([len]).collect()
}

/// Borders that divide the entries of all ranks evenly; `selected` are ours. All ranks call it.
pub(super) fn renew_borders(
    exchange: &mut Exchange,
    len: usize,
    selected: &[u32],
) -> Result<Vec<usize>, ExchangeError> {
    let mut bins = [0.0_f32; BINS];
    let bin_len = bin_len(len);
    for &index in selected {
        bins[index as usize / bin_len] += 1.0; // exact: a bin has fewer than 2^21 values
    }
    exchange.sum(&mut bins)?;
    Ok(place_borders(&bins, len, exchange.rank().world()))
}

fn bin_len(len: usize) -> usize {
    len.div_ceil(BINS).max(1)
}

/// Puts a border where `rank / world` of all entries lie below it, evenly spaced within a bin.
fn place_borders(bins: &[f32; BINS], len: usize, world: usize) -> Vec<usize> {
    let total: f64 = bins.iter().map(|&bin| f64::from(bin)).sum();
    if total <= 0.0 {
        return equal_borders(len, world);
    }
    let bin_len = bin_len(len);
    let mut borders = vec![0];
    let (mut bin, mut below) = (0, 0.0);
    for rank in 1..world {
        let wanted = total * rank as f64 / world as f64;
        while bin + 1 < BINS && below + f64::from(bins[bin]) < wanted {
            below += f64::from(bins[bin]);
            bin += 1;
        }
        let inside = ((wanted - below) / f64::from(bins[bin]).max(1.0)).clamp(0.0, 1.0);
        let border = bin * bin_len + whole(inside * bin_len as f64);
        borders.push(border.clamp(borders[rank - 1], len));
    }
    borders.push(len);
    borders
}

#[expect(clippy::cast_possible_truncation, reason = "within a bin")]
#[expect(clippy::cast_sign_loss, reason = "within a bin")]
fn whole(value: f64) -> usize {
    value as usize
}

/// How many of the ascending `indices` each rank owns.
pub(super) fn counts_per_owner(indices: &[u32], borders: &[usize]) -> Vec<usize> {
    let below = |border: usize| indices.partition_point(|&index| index < word(border));
    borders.windows(2).map(|range| below(range[1]) - below(range[0])).collect()
}

#[cfg(test)]
mod tests {
    use super::{BINS, counts_per_owner, equal_borders, place_borders};

    #[test]
    fn borders_ascend_and_cover_the_bucket() {
        for len in [0, 1, 5, 1023, 1024, 1025, 1_000_000] {
            for world in 1..=9 {
                for fill in [0.0, 1.0] {
                    let borders = place_borders(&[fill; BINS], len, world);
                    assert!(borders.is_sorted(), "{len} {world}: {borders:?}");
                    assert_eq!((borders.len(), borders[0], borders[world]), (world + 1, 0, len));
                }
            }
        }
    }

    /// Entries are where the middle quarter of a million values is.
    #[test]
    fn owners_get_equally_many_entries() {
        let indices: Vec<u32> = (400_000..650_000).step_by(10).collect();
        let mut bins = [0.0; BINS];
        for &index in &indices {
            bins[index as usize / 977] += 1.0;
        }
        let borders = place_borders(&bins, 1_000_000, 4);
        let counts = counts_per_owner(&indices, &borders);
        assert!(counts.iter().all(|count| count.abs_diff(6250) < 63), "{counts:?}"); // 1 %
        let equal = counts_per_owner(&indices, &equal_borders(1_000_000, 4));
        assert!(equal.contains(&0), "what balancing is for: {equal:?}");
    }

    #[test]
    fn one_index_has_one_owner() {
        let mut bins = [0.0; BINS];
        bins[5] = 100.0;
        let borders = place_borders(&bins, 2048, 3);
        let counts = counts_per_owner(&[10; 100], &borders);
        assert_eq!(counts.iter().sum::<usize>(), 100);
    }
}
