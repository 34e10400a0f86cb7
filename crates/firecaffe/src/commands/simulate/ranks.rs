//! Numbers of ranks as `--ranks` takes them.

/// Most numbers of one list.
const COUNTS_MAX: usize = 1000;

/// What `--ranks` names, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RankCounts(pub(crate) Vec<usize>);

/// Reads `8`, `1,2,48`, or `1..512`: doubling from the first to the last, which is included.
pub(super) fn parse_ranks(text: &str) -> Result<RankCounts, String> {
    let number = |text: &str| match text.trim().parse::<usize>() {
        Ok(ranks) if (1..=1 << 20).contains(&ranks) => Ok(ranks),
        _ => Err(format!("`{text}` is not a number of ranks from 1 to {}", 1 << 20)),
    };
    let mut counts = Vec::new();
    for item in text.split(',') {
        let Some((from, to)) = item.split_once("..") else {
            counts.push(number(item)?);
            continue;
        };
        let (mut ranks, to) = (number(from)?, number(to)?);
        if ranks > to {
            return Err(format!("`{item}` goes down: write the smaller number first"));
        }
        while ranks < to {
            counts.push(ranks);
            ranks *= 2;
        }
        counts.push(to);
    }
    if counts.len() > COUNTS_MAX {
        return Err(format!("more than {COUNTS_MAX} numbers"));
    }
    Ok(RankCounts(counts))
}

#[cfg(test)]
mod tests {
    use super::parse_ranks;

    #[test]
    fn lists_and_doublings() {
        let read = |text| parse_ranks(text).map(|counts| counts.0);
        assert_eq!(read("8"), Ok(vec![8]));
        assert_eq!(read("1..8,48"), Ok(vec![1, 2, 4, 8, 48]));
        assert_eq!(read("3..20"), Ok(vec![3, 6, 12, 20]));
        assert_eq!(read("5..5"), Ok(vec![5]));
        for wrong in ["", "0", "1..", "8..1", "-2", "a", "1,,2", "1..99999999999"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
