//! Numbers of prototxt: reading C's literals, and printing floats as protobuf does.
//!
//! Protobuf prints `%.6g`, or `%.9g` where six digits do not give the value back (15 and 17 for
//! doubles). It reads every number as a double and rounds to float then; so do we, to the same
//! bits.

use std::fmt::Write as _;

/// A whole number: decimal, `0x` hexadecimal or `0` octal.
pub(super) fn integer(text: &str) -> Option<u128> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    // `from_str_radix` takes a sign; a literal has none.
    let plain = digits.chars().all(|c| c.is_digit(radix));
    // Leading zeros aside, 32 digits are beyond any field's range whatever the radix.
    let digits = digits.trim_start_matches('0');
    match (plain && !text.ends_with(['x', 'X']), digits.len()) {
        (false, _) => None,
        (true, 0) => Some(0),
        (true, 1..=31) => u128::from_str_radix(digits, radix).ok(),
        (true, _) => Some(u128::MAX),
    }
}

/// A decimal number, with or without fraction, exponent and `f`.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let digits = text.strip_suffix(['f', 'F']).unwrap_or(text);
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let octal = integer(text).is_some() && text.len() > 1 && text.starts_with('0');
    if octal || !digits.chars().all(plain) {
        return None; // 010 is eight to a reader of C and ten to others: as protobuf, neither
    }
    digits.parse().ok()
}

/// Rounds to the nearest float, as protobuf does with what it read as a double.
#[expect(clippy::cast_possible_truncation, reason = "rounding is the purpose")]
pub(super) fn to_float(value: f64) -> f32 {
    value as f32
}

/// Appends a float in protobuf's shortest form.
pub(super) fn put_float(value: f32, out: &mut String) {
    let six = general(f64::from(value), 6);
    let exact = six.parse() == Ok(value) || !value.is_finite();
    out.push_str(&if exact { six } else { general(f64::from(value), 9) });
}

/// Appends a double in protobuf's shortest form.
pub(super) fn put_double(value: f64, out: &mut String) {
    let fifteen = general(value, 15);
    let exact = fifteen.parse() == Ok(value) || !value.is_finite();
    out.push_str(&if exact { fifteen } else { general(value, 17) });
}

/// C's `%.<digits>g`.
fn general(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let rounded = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = rounded.split_once('e').expect("`{:e}` prints an exponent");
    let exponent: i32 = exponent.parse().expect("`{:e}` prints an exponent in decimal");
    let whole = i32::try_from(digits).expect("at most 17 digits");
    if (-4..whole).contains(&exponent) {
        let places = usize::try_from(whole - 1 - exponent).expect("the range was checked");
        return trim(&format!("{value:.places$}")).to_owned();
    }
    let mut text = trim(mantissa).to_owned();
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(text, "e{sign}{:02}", exponent.abs()).expect("a String accepts everything");
    text
}

/// Without the zeros that end a fraction.
fn trim(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{decimal, integer, put_double, put_float};

    #[test]
    fn floats_print_as_c_does() {
        // The right-hand sides are what C's printf gives for %.6g, %.9g, %.15g and %.17g.
        for (value, want) in [
            (0.05, "0.05"),
            (1.0, "1"),
            (0.0, "0"),
            (-0.0, "-0"),
            (1e-5, "1e-05"),
            (1e-6, "1e-06"),
            (0.0001, "0.0001"),
            (100_000.0, "100000"),
            (1e6, "1e+06"),
            (123_456.0, "123456"),
            (1_234_567.0, "1234567"),
            (1.0 / 3.0, "0.333333343"),
            (0.003_906_25, "0.00390625"),
            (f32::MAX, "3.40282347e+38"),
            (f32::MIN_POSITIVE, "1.17549435e-38"),
            (f32::INFINITY, "inf"),
            (f32::NEG_INFINITY, "-inf"),
            (f32::NAN, "nan"),
            (16_777_216.0, "16777216"),
        ] {
            let mut out = String::new();
            put_float(value, &mut out);
            assert_eq!(out, want);
        }
        for (value, want) in [
            (0.1, "0.1"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e22, "1e+22"),
            (1e15, "1e+15"),
            (1e14, "100000000000000"),
        ] {
            let mut out = String::new();
            put_double(value, &mut out);
            assert_eq!(out, want);
        }
    }

    #[test]
    fn literals() {
        for (text, want) in [
            ("0", Some(0)),
            ("42", Some(42)),
            ("0x1F", Some(31)),
            ("017", Some(15)),
            ("08", None),
            ("0x", None),
            ("1.5", None),
            ("1e3", None),
            ("+1", None),
            ("000000000000000000000000000000000000001", Some(1)),
            ("99999999999999999999999999999999999999999999", Some(u128::MAX)),
        ] {
            assert_eq!(integer(text), want, "{text}");
        }
        for (text, want) in [
            ("1", Some(1.0)),
            ("1.", Some(1.0)),
            (".5", Some(0.5)),
            ("1e-3", Some(0.001)),
            ("2.5f", Some(2.5)),
            ("1F", Some(1.0)),
            ("0x10", None),
            ("010", None),
            ("0.10", Some(0.1)),
            ("1e", None),
            ("1.2.3", None),
            ("5x", None),
        ] {
            assert_eq!(decimal(text), want, "{text}");
        }
    }
}
