//! MAX pooling.

use std::ops::Range;

use crate::{cpu::Cpu, elementwise::Mask, pooling::Pool};

/// Largest value of each window, and where it was.
///
/// * `x`: (n, h, w, c)
/// * `y`: (n, out height, out width, c)
/// * `mask`: as `y`; pixel `i · w + j` of the first largest value, Caffe's mask
///
/// A NaN that comes first in a window stays. A window without pixels (stride beyond the kernel) gives
/// the smallest float and the mask `u32::MAX`.
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn max_forward(cpu: &Cpu, pool: &Pool, x: &[f32], y: &mut [f32], mask: &mut [u32]) {
    pool.check(x.len(), y.len());
    assert_eq!(mask.len(), y.len(), "mask of {pool:?}");
    let [oh, ow] = pool.out();
    if y.is_empty() {
        return;
    }
    let row = ow * pool.c;
    cpu.run_chunks2((y, mask), [row; 2], |r, y, mask| {
        let x = &x[r / oh * pool.h * pool.w * pool.c..][..pool.h * pool.w * pool.c];
        vectorize!(cpu, max_row(pool, r % oh, x, y, mask));
    });
}

/// One row of outputs of one image.
#[inline(always)]
fn max_row(pool: &Pool, oi: usize, x: &[f32], y: &mut [f32], mask: &mut [u32]) {
    let c = pool.c;
    let rows = pool.window(0, oi);
    for (oj, (y, mask)) in y.chunks_exact_mut(c).zip(mask.chunks_exact_mut(c)).enumerate() {
        let cols = pool.window(1, oj);
        if rows.is_empty() || cols.is_empty() {
            y.fill(f32::MIN);
            mask.fill(u32::MAX);
            continue;
        }
        let window = Window { x, rows: rows.clone(), cols, width: pool.w, c };
        let (wide, narrow) = (c / WIDE * WIDE, c / NARROW * NARROW);
        for at in (0..wide).step_by(WIDE) {
            window.max::<WIDE>(at, &mut y[at..], &mut mask[at..]);
        }
        for at in (wide..narrow).step_by(NARROW) {
            window.max::<NARROW>(at, &mut y[at..], &mut mask[at..]);
        }
        let rest = c / REST * REST;
        for at in (narrow..rest).step_by(REST) {
            window.max::<REST>(at, &mut y[at..], &mut mask[at..]);
        }
        for at in rest..c {
            window.max::<1>(at, &mut y[at..], &mut mask[at..]);
        }
    }
}

/// Channels whose maxima and masks are held in registers at once.
const WIDE: usize = 32;
/// As many at the end of a pixel's channels.
const NARROW: usize = 8;
/// And after those, before single ones.
const REST: usize = 4;

/// Pixels of one window.
struct Window<'a> {
    x: &'a [f32],
    rows: Range<usize>,
    cols: Range<usize>,
    width: usize,
    c: usize,
}

impl Window<'_> {
    /// Maxima of `N` channels from `at` on.
    #[inline(always)]
    fn max<const N: usize>(&self, at: usize, y: &mut [f32], mask: &mut [u32]) {
        let channels = |pixel: usize| -> &[f32; N] {
            self.x[pixel * self.c + at..].first_chunk().expect("a pixel has all channels")
        };
        let first = self.rows.start * self.width + self.cols.start;
        let (mut best, mut which) = (*channels(first), [index_u32(first); N]);
        for i in self.rows.clone() {
            for pixel in i * self.width + self.cols.start..i * self.width + self.cols.end {
                let (x, pixel) = (channels(pixel), index_u32(pixel));
                for lane in 0..N {
                    // By bits, since a choice would become a branch.
                    let larger = u32::from(x[lane] > best[lane]).wrapping_neg();
                    let change = (x[lane].to_bits() ^ best[lane].to_bits()) & larger;
                    best[lane] = f32::from_bits(best[lane].to_bits() ^ change);
                    which[lane] ^= (which[lane] ^ pixel) & larger;
                }
            }
        }
        y[..N].copy_from_slice(&best);
        mask[..N].copy_from_slice(&which);
    }
}

/// Sends each gradient to the pixel its value came from, through the ReLU that made the input if there
/// is one.
///
/// * `dy`: (n, out height, out width, c)
/// * `mask`: as `dy`, from [`max_forward`]
/// * `dx`, and the ReLU's output: (n, h, w, c); `dx` is overwritten
///
/// # Panics
///
/// If an operand does not fit `pool`.
pub fn max_backward(
    cpu: &Cpu,
    pool: &Pool,
    (dy, mask): (&[f32], &[u32]),
    relu: Option<Mask<'_>>,
    dx: &mut [f32],
) {
    pool.check(dx.len(), dy.len());
    assert_eq!(mask.len(), dy.len(), "mask of {pool:?}");
    assert!(relu.is_none_or(|relu| relu.y.len() == dx.len()), "the ReLU's output of {pool:?}");
    let [oh, ow] = pool.out();
    if dx.is_empty() {
        return;
    }
    let (image, row) = (oh * ow * pool.c, pool.w * pool.c);
    cpu.run_chunks(dx, row, |r, dx| {
        let n = r / pool.h;
        let sent = Sent { dy: &dy[n * image..][..image], mask: &mask[n * image..][..image], ow };
        let relu = relu.map(|relu| relu.part(r * row, row));
        vectorize!(cpu, max_row_backward(pool, r % pool.h, &sent, relu, dx));
    });
}

/// One row of inputs of one image.
#[inline(always)]
fn max_row_backward(
    pool: &Pool,
    i: usize,
    sent: &Sent<'_>,
    relu: Option<Mask<'_>>,
    dx: &mut [f32],
) {
    let c = pool.c;
    let rows = pool.windows_over(0, i);
    for (j, (dx, cols)) in dx.chunks_exact_mut(c).zip(pool.windows_along(1)).enumerate() {
        let pixel = index_u32(i * pool.w + j);
        let windows = [rows.clone(), cols];
        let (wide, narrow) = (c / WIDE * WIDE, c / NARROW * NARROW);
        for at in (0..wide).step_by(WIDE) {
            sent.add::<WIDE>(pixel, &windows, (at, c), &mut dx[at..]);
        }
        for at in (wide..narrow).step_by(NARROW) {
            sent.add::<NARROW>(pixel, &windows, (at, c), &mut dx[at..]);
        }
        let rest = c / REST * REST;
        for at in (narrow..rest).step_by(REST) {
            sent.add::<REST>(pixel, &windows, (at, c), &mut dx[at..]);
        }
        for at in rest..c {
            sent.add::<1>(pixel, &windows, (at, c), &mut dx[at..]);
        }
        if let Some(relu) = relu {
            relu.part(j * c, c).apply(dx);
        }
    }
}

/// What the outputs of one image send back, and to where.
struct Sent<'a> {
    dy: &'a [f32],
    mask: &'a [u32],
    ow: usize,
}

impl Sent<'_> {
    /// What `windows` send to `N` channels of `pixel` from `at` on, added in the order of the outputs.
    #[inline(always)]
    fn add<const N: usize>(
        &self,
        pixel: u32,
        windows: &[Range<usize>; 2],
        (at, c): (usize, usize),
        dx: &mut [f32],
    ) {
        let mut sums = [0.0; N];
        for oi in windows[0].clone() {
            for oj in windows[1].clone() {
                let at = (oi * self.ow + oj) * c + at;
                let (dy, mask) = (&self.dy[at..][..N], &self.mask[at..][..N]);
                for ((sum, &dy), &mask) in sums.iter_mut().zip(dy).zip(mask) {
                    *sum += if mask == pixel { dy } else { 0.0 };
                }
            }
        }
        dx[..N].copy_from_slice(&sums);
    }
}

/// A pixel's number in the mask.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "blobs hold fewer than 2^31 values")]
fn index_u32(pixel: usize) -> u32 {
    pixel as u32
}
