//! Winograd transforms along one axis, on vectors of eight channels.
//!
//! The R taps and M outputs of a tile are seen as polynomials, whose product has N = M + R − 1
//! coefficients and is determined by its values at N points: N products instead of M · R. With `p`
//! the points, the last of them infinity (the highest coefficient alone), and `V` their powers,
//! `V[i][j] = p[i]^j`:
//!
//! ```text
//!  filter   taps, or dy      K values to N      V, times a factor of each point
//!  input                     N values to N      the transposed inverse of V, without the factors
//!  output   outputs, or dw   N values to K      the transpose of V
//! ```
//!
//! N = 4 has the points 0, ±1 and ∞, N = 6 has 0, ±a, ±b and ∞ with a = 3/4 and b = 3/2. The usual
//! 0, ±1, ±2 and ∞ lose twice as many digits, since the powers of 2 grow fast; these points keep
//! all powers near 1, and their coefficients are exact in f32.

use crate::simd::SimdLanes;

/// The set of N evaluation points.
pub(super) struct PointSet<const N: usize>;

/// The transforms of N points. All are `#[inline(always)]`, with plain loops: a closure may be
/// compiled as a function of its own, without the SIMD level's instructions.
pub(super) trait WinogradPoints<const N: usize> {
    /// Transforms N inputs.
    fn input<S: SimdLanes>(s: S, d: [S::F; N]) -> [S::F; N];
    /// Transforms K taps, or K values of `dy`.
    fn filter<S: SimdLanes, const K: usize>(s: S, v: [S::F; K]) -> [S::F; N];
    /// Transforms N sums of products into K outputs, or into the gradients of K taps.
    fn output<S: SimdLanes, const K: usize>(s: S, m: [S::F; N]) -> [S::F; K];
}

impl WinogradPoints<4> for PointSet<4> {
    #[inline(always)]
    fn input<S: SimdLanes>(s: S, d: [S::F; 4]) -> [S::F; 4] {
        [s.sub(d[0], d[2]), s.add(d[2], d[1]), s.sub(d[2], d[1]), s.sub(d[3], d[1])]
    }

    #[inline(always)]
    fn filter<S: SimdLanes, const K: usize>(s: S, v: [S::F; K]) -> [S::F; 4] {
        let [plus, minus] = evaluate(s, v, 1.0, 0.5);
        [v[0], plus, minus, v[K - 1]]
    }

    #[inline(always)]
    fn output<S: SimdLanes, const K: usize>(s: S, m: [S::F; 4]) -> [S::F; K] {
        let (sum, difference) = (s.add(m[1], m[2]), s.sub(m[1], m[2]));
        let mut y = [sum; K];
        for y in y.iter_mut().skip(1).step_by(2) {
            *y = difference;
        }
        with_ends(s, y, m[0], m[3])
    }
}

/// The points of N = 6 besides 0 and infinity: plus and minus these.
const A: f32 = 0.75;
const B: f32 = 1.5;
const AA: f32 = A * A;
const BB: f32 = B * B;

impl WinogradPoints<6> for PointSet<6> {
    #[inline(always)]
    fn input<S: SimdLanes>(s: S, d: [S::F; 6]) -> [S::F; 6] {
        // x (x ± a) (x² − b²) and x (x ± b) (x² − a²)
        let [a, minus_a] = pair(s, d, A, BB);
        let [b, minus_b] = pair(s, d, B, AA);
        // (x² − a²) (x² − b²), and x times as much
        let (both, product) = (s.splat(-(AA + BB)), s.splat(AA * BB));
        let zero = s.fma(d[0], product, s.fma(d[2], both, d[4]));
        let infinity = s.fma(d[1], product, s.fma(d[3], both, d[5]));
        [zero, a, minus_a, b, minus_b, infinity]
    }

    #[inline(always)]
    fn filter<S: SimdLanes, const K: usize>(s: S, v: [S::F; K]) -> [S::F; 6] {
        let zero = s.fma(v[0], s.splat(1.0 / (AA * BB)), s.splat(0.0));
        let [a, minus_a] = evaluate(s, v, A, 0.5 / (AA * (AA - BB)));
        let [b, minus_b] = evaluate(s, v, B, 0.5 / (BB * (BB - AA)));
        [zero, a, minus_a, b, minus_b, v[K - 1]]
    }

    #[inline(always)]
    fn output<S: SimdLanes, const K: usize>(s: S, m: [S::F; 6]) -> [S::F; K] {
        let sums = [s.add(m[1], m[2]), s.add(m[3], m[4])];
        let differences = [s.sub(m[1], m[2]), s.sub(m[3], m[4])];
        let mut y = [s.add(sums[0], sums[1]); K];
        let (mut a, mut b) = (A, B);
        for (j, y) in y.iter_mut().enumerate().skip(1) {
            let of = if j % 2 == 0 { sums } else { differences };
            *y = s.fma(of[0], s.splat(a), s.fma(of[1], s.splat(b), s.splat(0.0)));
            (a, b) = (a * A, b * B);
        }
        with_ends(s, y, m[0], m[5])
    }
}

/// The transformed inputs of `±point`, where the square of the other pair is `other`.
#[inline(always)]
fn pair<S: SimdLanes>(s: S, d: [S::F; 6], point: f32, other: f32) -> [S::F; 2] {
    let even = s.fma(d[2], s.splat(-other), d[4]);
    let odd = s.fma(d[1], s.splat(-other), d[3]);
    [s.fma(odd, s.splat(point), even), s.fma(odd, s.splat(-point), even)]
}

/// `factor` times the polynomial with coefficients `v`, at `±point`.
#[inline(always)]
fn evaluate<S: SimdLanes, const K: usize>(
    s: S,
    v: [S::F; K],
    point: f32,
    factor: f32,
) -> [S::F; 2] {
    let [mut even, mut odd] = [s.splat(0.0); 2];
    let mut power = factor;
    for (j, &v) in v.iter().enumerate() {
        if j % 2 == 0 {
            even = s.fma(v, s.splat(power), even);
        } else {
            odd = s.fma(v, s.splat(power), odd);
        }
        power *= point;
    }
    [s.add(even, odd), s.sub(even, odd)]
}

/// Adds the contributions of the points 0 and infinity.
#[inline(always)]
fn with_ends<S: SimdLanes, const K: usize>(
    s: S,
    mut y: [S::F; K],
    zero: S::F,
    infinity: S::F,
) -> [S::F; K] {
    y[0] = s.add(y[0], zero);
    y[K - 1] = s.add(y[K - 1], infinity);
    y
}
