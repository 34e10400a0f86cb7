//! Sizes as people write them: `4`, `1K`, `100M`, `2G`; K is 10^3, M 10^6, G 10^9 bytes.

/// Why a size could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{written}` is not a size; write bytes such as `4`, `1K`, `100M` or `2G`")]
pub struct SizeError {
    /// What was written.
    pub written: String,
}

/// Bytes of a size such as `100M`.
pub fn parse_size(written: &str) -> Result<usize, SizeError> {
    let error = || SizeError { written: written.to_owned() };
    let (digits, unit) = match written.chars().last().map(|unit| unit.to_ascii_uppercase()) {
        Some('K') => (&written[..written.len() - 1], 1_000_usize),
        Some('M') => (&written[..written.len() - 1], 1_000_000),
        Some('G') => (&written[..written.len() - 1], 1_000_000_000),
        _ => (written, 1),
    };
    let number: usize = digits.parse().map_err(|_| error())?;
    number.checked_mul(unit).ok_or_else(error)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("4"), Ok(4));
        assert_eq!(parse_size("1K"), Ok(1000));
        assert_eq!(parse_size("100m"), Ok(100_000_000));
        for wrong in ["", "K", "-1", "1.5M", "1KB", "99999999999G", "１K"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
