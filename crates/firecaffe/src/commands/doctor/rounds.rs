//! Rounds of disjoint pairs.

/// Every ordered pair of `count` hosts, in rounds in which each host is in one pair at most: first
/// `from → to`, then the other way round.
pub(super) fn round_robin(count: usize) -> Vec<Vec<(usize, usize)>> {
    let even = count + count % 2; // with an odd number one rests
    let mut rounds = Vec::new();
    for turn in 0..even.saturating_sub(1) {
        // All but the last move round a circle.
        let at = |seat: usize| (seat + turn) % (even - 1);
        let mut pairs = vec![(at(0), even - 1)];
        pairs.extend((1..even / 2).map(|seat| (at(seat), at(even - 1 - seat))));
        pairs.retain(|&(from, to)| from < count && to < count);
        let back = pairs.iter().map(|&(from, to)| (to, from)).collect();
        rounds.extend([pairs, back]);
    }
    rounds.retain(|round| !round.is_empty());
    rounds
}

#[cfg(test)]
mod tests {
    use super::round_robin;

    #[test]
    fn every_ordered_pair_meets_once() {
        for count in 0..=9 {
            let rounds = round_robin(count);
            for round in &rounds {
                let mut hosts: Vec<usize> = round.iter().flat_map(|&(a, b)| [a, b]).collect();
                hosts.sort_unstable();
                let all = hosts.len();
                hosts.dedup();
                assert_eq!(hosts.len(), all, "{count} hosts: {round:?}");
            }
            let mut pairs: Vec<_> = rounds.into_iter().flatten().collect();
            pairs.sort_unstable();
            let mut want = Vec::new();
            for from in 0..count {
                want.extend((0..count).filter(|&to| to != from).map(|to| (from, to)));
            }
            assert_eq!(pairs, want, "{count} hosts");
        }
    }
}
