//! AVX2 against the plain version, and both against formulas in f64.

use proptest::{collection::vec, prelude::*};

use super::{
    DctBlock, QuantTable, double_both, double_height, double_width, inverse_dct, ycc_pixel,
    ycc_to_bgr,
};
use crate::Simd;

/// Every level that this machine has.
fn levels() -> impl Iterator<Item = Simd> {
    [Simd::Portable, Simd::Avx2].into_iter().filter(|simd| simd.is_supported())
}

/// What `run` writes to `len` bytes is the same on every level; returns it.
fn on_every_level(len: usize, run: impl Fn(Simd, &mut [u8])) -> Vec<u8> {
    let mut results = levels().map(|simd| {
        let mut out = vec![0xa5; len];
        run(simd, &mut out);
        out
    });
    let plain = results.next().expect("every machine has the portable level");
    results.for_each(|result| assert_eq!(result, plain));
    plain
}

/// Blocks with so many coefficients in zigzag-like order, from values of any size.
fn blocks() -> impl Strategy<Value = Vec<DctBlock>> {
    let coefficient = prop_oneof![-40..40_i16, -1100..1100_i16, any::<i16>()];
    let block = (prop_oneof![Just(0), Just(1), 2..64_usize], vec(coefficient, 64));
    let block = block.prop_map(|(count, values)| {
        let mut block = [0; 64];
        block[..count].copy_from_slice(&values[..count]);
        block
    });
    vec(block, 1..7)
}

fn divisors() -> impl Strategy<Value = QuantTable> {
    let divisor = prop_oneof![1..30_u16, 1..256_u16, any::<u16>()];
    vec(divisor, 64).prop_map(|values| values.try_into().unwrap())
}

proptest! {
    #[test]
    fn transforms_agree(blocks in blocks(), quant in divisors(), extra in 0..9_usize) {
        let stride = 8 * blocks.len() + extra;
        on_every_level(8 * stride, |simd, out| inverse_dct(simd, &blocks, &quant, out, stride));
    }

    #[test]
    fn colours_agree(samples in vec(any::<[u8; 3]>(), 0..130)) {
        let plane = |c: usize| samples.iter().map(|sample| sample[c]).collect::<Vec<_>>();
        let (y, cb, cr) = (plane(0), plane(1), plane(2));
        let got = on_every_level(3 * samples.len(), |simd, out| {
            ycc_to_bgr(simd, &y, &cb, &cr, out.as_chunks_mut().0);
        });
        let want: Vec<u8> = samples.iter().flat_map(|&[y, cb, cr]| ycc_pixel(y, cb, cr)).collect();
        prop_assert_eq!(got, want);
    }

    #[test]
    fn upsampling_is_the_triangle_filter(rows in vec(any::<[u8; 2]>(), 1..80), upper: bool) {
        let row = |r: usize| rows.iter().map(|pair| pair[r]).collect::<Vec<_>>();
        let (near, far, n) = (row(0), row(1), rows.len());
        // The sample that new sample `i` lies in, and the one it lies towards.
        let sides = |i: usize| {
            let (left, right) = ((i / 2).saturating_sub(1), (i / 2 + 1).min(n - 1));
            (i / 2, if i.is_multiple_of(2) { left } else { right })
        };
        let mix = |near: f64, far: f64| 0.75 * near + 0.25 * far;
        let down = |i: usize| mix(near[i].into(), far[i].into());
        // Halves are rounded down where less than a half is added before the fraction is dropped.
        let round = |value: f64, down: bool, unit: f64| {
            (value + if down { 0.5 - unit } else { 0.5 }).floor()
        };
        let wide = on_every_level(2 * n, |simd, out| {
            double_width(simd, &near, &mut Vec::new(), out);
        });
        let both = on_every_level(2 * n, |simd, out| {
            double_both(simd, &near, &far, &mut Vec::new(), out);
        });
        for i in 0..2 * n {
            let (a, b) = sides(i);
            let value = mix(near[a].into(), near[b].into());
            prop_assert_eq!(f64::from(wide[i]), round(value, i.is_multiple_of(2), 0.25));
            prop_assert_eq!(f64::from(both[i]), round(mix(down(a), down(b)), i % 2 == 1, 0.0625));
        }
        let high = on_every_level(n, |simd, out| double_height(simd, &near, &far, upper, out));
        for (i, &high) in high.iter().enumerate() {
            prop_assert_eq!(f64::from(high), round(down(i), upper, 0.25));
        }
    }
}

/// Every chroma, at lumas where the limits of a byte matter.
#[test]
fn all_chromas_agree() {
    let all: Vec<u8> = (0..=255).collect();
    for cb in 0..=255 {
        for y in [0, 100, 255] {
            let got = on_every_level(3 * 256, |simd, out| {
                ycc_to_bgr(simd, &[y; 256], &[cb; 256], &all, out.as_chunks_mut().0);
            });
            assert!(
                got.as_chunks().0.iter().zip(&all).all(|(bgr, &cr)| *bgr == ycc_pixel(y, cb, cr))
            );
        }
    }
}

/// The transform of moderate coefficients is the textbook's to a level: roundings remain.
#[test]
fn the_transform_is_the_inverse_cosine_transform() {
    let block: DctBlock =
        std::array::from_fn(|i| if i.is_multiple_of(5) { [60, -50, 40, -9][i % 4] } else { 0 });
    let quant: QuantTable = std::array::from_fn(|i| [1, 2, 3, 4, 5, 6, 7][i % 7]);
    let cosine = |x: usize, u: usize| {
        let scale = if u == 0 { 0.5_f64.sqrt() } else { 1.0 };
        scale / 2.0 * (std::f64::consts::PI * (2 * x + 1) as f64 * u as f64 / 16.0).cos()
    };
    let got = on_every_level(64, |simd, out| inverse_dct(simd, &[block], &quant, out, 8));
    for (i, &got) in got.iter().enumerate() {
        let terms = (0..64).map(|k| {
            let value = f64::from(block[k]) * f64::from(quant[k]);
            value * cosine(i / 8, k / 8) * cosine(i % 8, k % 8)
        });
        let want = (128.0 + terms.sum::<f64>()).clamp(0.0, 255.0);
        assert!((f64::from(got) - want).abs() < 1.0, "sample {i}: got {got}, want {want}");
    }
}
