//! Numbers as Caffe's log prints them: C's `%g`, six significant digits.

/// Formats as `%g`: `0.05`, `1e-05`, `2.30259`, `inf`, `nan`.
#[must_use]
pub fn general(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    // Rounding to six digits may carry into a new power of ten, so the exponent is read afterwards.
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').expect("scientific notation has an e");
    let exponent: i32 = exponent.parse().expect("the exponent is a small integer");
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        return trim(&format!("{value:.decimals$}")).into();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim(digits), exponent.abs())
}

/// Drops zeros after the point, and the point if nothing follows it.
fn trim(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn as_printf_prints() {
        let cases = [
            (0.05, "0.05"),
            (2.312585093, "2.31259"),
            (1000.0, "1000"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (123456.0, "123456"),
            (1234567.0, "1.23457e+06"),
            (999999.5, "1e+06"),
            (0.99999951, "1"),
            (-87.3365, "-87.3365"),
            (0.0, "0"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
            (1e100, "1e+100"),
        ];
        for (value, want) in cases {
            assert_eq!(general(value), want);
        }
    }
}
