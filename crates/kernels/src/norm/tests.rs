use super::{BLOCK, sum_of_squares};
use crate::{
    Cpu, Simd,
    testing::{noise, on_every_cpu},
};

#[test]
fn equals_the_sum_in_f64() {
    for len in [0, 1, 7, 8, 9, BLOCK, BLOCK + 3, 40 * BLOCK + 1] {
        let x = noise(len, 1);
        let want: f64 = x.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        on_every_cpu(|cpu| {
            let got = sum_of_squares(cpu, &x);
            assert!((got - want).abs() <= 1e-12 * want, "{len} values: got {got}, want {want}");
            Vec::new()
        });
    }
}

#[test]
fn every_level_gives_the_same_bits() {
    let x = noise(3 * BLOCK + 11, 1);
    let bits = |simd| sum_of_squares(&Cpu::new(2, simd), &x).to_bits();
    assert_eq!(bits(Simd::Portable), bits(Simd::detect()));
}
