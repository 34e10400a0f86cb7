use expect_test::expect;

use super::{ByteHasher, hash};

fn bytes(len: usize) -> Vec<u8> {
    (0..=u8::MAX).map(|i| i.wrapping_mul(7)).cycle().take(len).collect()
}

/// Sidecars on disk hold these: they must never change.
#[test]
fn values_are_fixed_for_ever() {
    let hex = |bytes: &[u8]| format!("{:016x}", hash(bytes));
    expect!["4dc18def904c79bb"].assert_eq(&hex(b""));
    expect!["4e685e28358a2c3c"].assert_eq(&hex(b"a"));
    expect!["8ae02a09ad7d2ebb"].assert_eq(&hex(&bytes(100)));
}

#[test]
fn parts_make_no_difference() {
    let all = bytes(200);
    for first in 0..=100 {
        for second in first..=100 {
            let mut hasher = ByteHasher::new();
            hasher.write(&all[..first]);
            hasher.write(&all[first..second]);
            hasher.write(&all[second..]);
            assert_eq!(hasher.finish(), hash(&all), "{first} {second}");
        }
    }
}

#[test]
fn every_bit_and_every_length_counts() {
    let mut seen = std::collections::BTreeSet::new();
    for len in [0, 1, 7, 8, 31, 32, 33, 100] {
        let mut bytes = vec![0; len];
        assert!(seen.insert(hash(&bytes)), "{len} zeros");
        for bit in 0..len * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(hash(&bytes)), "{len} bytes, bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
