//! The table's claims, row by row.

use super::{F32, WIRE_FORMATS, WireFormat};
use transport::AlignedBytes;

/// All kinds of values: zeros, subnormals of every format, ties, overflow, infinities.
fn values() -> Vec<f32> {
    let edges = [0.0, -0.0, 1.0, 65504.0, 65520.0, 1e-8, 6e-8, 3.4e38, f32::INFINITY, 1e-40];
    let ties = [1.000_488_3, 1.001_464_8, 1.003_906_3, 1.011_718_8, 2049.0, 257.0];
    let many = (0..3000_u16).map(|i| (f32::from(i) * 0.7).exp2() / 1e30);
    let all: Vec<f32> = edges.into_iter().chain(ties).chain(many).collect();
    all.iter().map(|v| -v).chain(all.iter().copied()).collect()
}

fn encoded(format: &WireFormat, values: &[f32]) -> AlignedBytes {
    let mut bytes = AlignedBytes::default();
    bytes.resize(values.len() * format.element_bytes);
    (format.conversion.unwrap().encode)(1.0, values, &mut bytes);
    bytes
}

#[test]
fn table_is_sorted_so_names_are_unique() {
    assert!(WIRE_FORMATS.is_sorted_by(|a, b| a.name < b.name));
    assert_eq!("f32".parse(), Ok(F32));
    let text = "f8".parse::<&WireFormat>().unwrap_err().to_string();
    assert_eq!(text, "unknown wire format `f8` (known: bf16, f16, f32)");
}

#[test]
fn rounding_is_encoding_and_decoding() {
    for format in WIRE_FORMATS {
        let Some(conversion) = format.conversion else { continue };
        let mut rounded = values();
        format.round(&mut rounded);
        let mut decoded = vec![0.0; rounded.len()];
        (conversion.decode)(&encoded(format, &values()), &mut decoded);
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&rounded), bits(&decoded), "{format}");
        let mut again = rounded.clone();
        format.round(&mut again);
        assert_eq!(bits(&again), bits(&rounded), "{format}: rounding twice changes nothing");
    }
}

#[test]
fn ties_go_to_even() {
    let cases = [("f16", 2049.0, 2048.0), ("f16", 2051.0, 2052.0), ("f16", 65520.0, f32::INFINITY)];
    let more = [("bf16", 257.0, 256.0), ("bf16", 259.0, 260.0), ("f32", 2049.0, 2049.0)];
    for (name, value, want) in cases.into_iter().chain(more) {
        let mut rounded = [value];
        let format: &WireFormat = name.parse().unwrap();
        format.round(&mut rounded);
        assert_eq!(rounded, [want], "{name}");
    }
}

#[test]
fn whole_numbers_are_represented_up_to_the_limit() {
    for format in WIRE_FORMATS {
        let limit = format.integers_max as f32;
        let mut values: Vec<f32> =
            (0..3000).map(|i| limit - i as f32).filter(|v| *v >= 0.0).collect();
        let want = values.clone();
        format.round(&mut values);
        assert_eq!(values, want, "{format}");
        let mut beyond = [limit + 1.0];
        format.round(&mut beyond);
        assert_ne!(f64::from(beyond[0]), f64::from(format.integers_max) + 1.0, "{format}");
    }
}

#[test]
fn encoded_elements_are_added_in_f32_and_rounded() {
    let (ours, mut theirs) = (values(), values());
    theirs.rotate_left(1);
    for format in WIRE_FORMATS {
        let Some(conversion) = format.conversion else { continue };
        let mut sums = encoded(format, &ours);
        (format.add)(&mut sums, &encoded(format, &theirs));
        let mut got = vec![0.0; ours.len()];
        (conversion.decode)(&sums, &mut got);
        let (mut a, mut b) = (ours.clone(), theirs.clone());
        format.round(&mut a);
        format.round(&mut b);
        let mut want: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        format.round(&mut want);
        for (index, (got, want)) in got.iter().zip(&want).enumerate() {
            let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
            assert!(same, "{format}: {} + {} is {got}, not {want}", a[index], b[index]);
        }
    }
}
