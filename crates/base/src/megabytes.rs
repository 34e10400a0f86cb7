//! Sizes of memory as messages print them.

/// Bytes as `12.3 MB` of 10^6 bytes; below one, as `0.123 MB`.
#[must_use]
pub fn megabytes(bytes: usize) -> String {
    let decimals = if bytes < 1_000_000 { 3 } else { 1 };
    format!("{:.decimals$} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::megabytes;

    #[test]
    fn small_sizes_have_three_decimals() {
        let cases = [(0, "0.000 MB"), (6_216, "0.006 MB"), (1_000_000, "1.0 MB")];
        cases.iter().for_each(|&(bytes, want)| assert_eq!(megabytes(bytes), want));
    }
}
