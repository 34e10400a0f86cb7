//! Gram-Schmidt in `f64`: makes the columns of P orthonormal.

use crate::compression::arithmetic::single;

/// A column of which less than this is left when the others are taken out depends on them, as far
/// as `f32` can tell.
const DEPENDENT: f64 = 1e-6;

/// Makes `columns` vectors of `len` values each, one after another in `p`, orthonormal. One that
/// depends on those before it becomes zero, and so do all if a value is not finite.
///
/// Every vector is taken out of the later ones twice: after one time rounding leaves a part of the
/// order of the dependence, after two nothing ("twice is enough", Kahan).
pub(super) fn orthonormalise(p: &mut [f32], len: usize, scratch: &mut Vec<f64>) {
    scratch.clear();
    scratch.extend(p.iter().map(|&value| f64::from(value)));
    let columns = p.len().checked_div(len).unwrap_or(0);
    for column in 0..columns {
        let (done, rest) = scratch.split_at_mut(column * len);
        let current = &mut rest[..len];
        let before = norm(current);
        for _ in 0..2 {
            for earlier in done.chunks(len) {
                let inner: f64 = earlier.iter().zip(&*current).map(|(a, b)| a * b).sum();
                for (value, earlier) in current.iter_mut().zip(earlier) {
                    *value -= inner * earlier;
                }
            }
        }
        let after = norm(current);
        let is_independent = after > DEPENDENT * before && before > 0.0 && after.is_finite();
        for value in current {
            *value = if is_independent { *value / after } else { 0.0 };
        }
    }
    for (p, value) in p.iter_mut().zip(scratch) {
        *p = single(*value);
    }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::orthonormalise;

    /// By hand: (3, 4) / 5, then (1, 0) less its part 0.6 along that: (0.64, -0.48) / 0.8.
    #[test]
    fn two_columns() {
        let mut p = [3.0, 4.0, 1.0, 0.0];
        orthonormalise(&mut p, 2, &mut Vec::new());
        assert_eq!(p, [0.6, 0.8, 0.8, -0.6]);
    }

    #[test]
    fn nearly_parallel_columns_come_out_orthonormal() {
        let len = 1000;
        let wave = |i: usize, k: usize| ((i * (k + 3)) % 17) as f32 - 8.0;
        let mut p: Vec<f32> =
            (0..4 * len).map(|at| wave(at % len, 0) + 1e-3 * wave(at % len, at / len)).collect();
        orthonormalise(&mut p, len, &mut Vec::new());
        for a in 0..4 {
            for b in 0..=a {
                let pair = p[a * len..][..len].iter().zip(&p[b * len..][..len]);
                let inner: f64 = pair.map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
                let want = f64::from(u8::from(a == b));
                assert!((inner - want).abs() < 1e-6, "columns {a} and {b}: {inner}");
            }
        }
    }

    #[test]
    fn dependent_empty_and_broken_columns_become_zero() {
        let mut p = [1.0, 2.0, 2.0, 4.0, 0.0, 0.0];
        orthonormalise(&mut p, 2, &mut Vec::new());
        assert_eq!(p[2..], [0.0; 4]);
        let mut broken = [1.0, f32::NAN, 1.0, 1.0];
        orthonormalise(&mut broken, 2, &mut Vec::new());
        assert_eq!(broken[..2], [0.0, 0.0]);
    }
}
