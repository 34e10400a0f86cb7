//! Functions of values and of constants of their channels, over all rows.
//!
//! All constants of eight channels lie together, so that they are one stream from the cache. Short rows are
//! handled several as one, with their constants repeated; of rows whose constants fill the first-level
//! cache, four are handled at once, and the next four asked for.

use crate::{
    cpu::{CHUNK, Cpu},
    simd::{Kernel, LANES, Lanes, each_vector, interleave, load_all, load_some, store_some},
};

/// Values of a row, at least: what a row costs before its first value is as much as 40 values.
const WIDE: usize = 512;
/// Constants of a row from which on four rows are handled at once: 16 KiB.
const MANY: usize = 1 << 12;
/// Floats of a cache line.
const LINE: usize = 16;

/// A function of `V` values and `C` constants.
pub(super) trait Function<const V: usize, const C: usize>: Copy + Sync {
    /// Eight of them. Must be `#[inline(always)]`.
    fn at<S: Lanes>(self, s: S, values: [S::F; V], constants: &[S::F; C]) -> S::F;
}

/// `y = f(values)`; a value that is `None` is what lies in `y`.
///
/// * `constants`: (c) each
/// * `values`, `y`: (rows, c) each
///
/// # Panics
///
/// If an operand does not fit.
pub(super) fn map<const V: usize, const C: usize>(
    cpu: &Cpu,
    f: impl Function<V, C>,
    constants: [&[f32]; C],
    values: [Option<&[f32]>; V],
    y: &mut [f32],
) {
    let c = constants[0].len();
    assert!(constants.iter().all(|of| of.len() == c), "one constant a channel");
    assert!(values.iter().flatten().all(|v| v.len() == y.len()), "operands have one length");
    let repeats = WIDE.div_ceil(c);
    let wide = repeats * c;
    let packed = C * wide.next_multiple_of(LANES);
    cpu.with_shared(packed + C * wide, |scratch| {
        let (packed, repeated) = scratch.split_at_mut(packed);
        let mut free = repeated.chunks_exact_mut(wide);
        let repeated = constants.map(|of| -> &[f32] {
            let to = free.next().expect("room for all constants");
            to.chunks_exact_mut(c).for_each(|to| to.copy_from_slice(of));
            to
        });
        interleave(repeated, packed);
        let (packed, piece) = (&*packed, CHUNK.div_ceil(wide) * wide);
        cpu.run_chunks(y, piece, |index, y| {
            let values = values.map(|v| v.map(|v| &v[index * piece..][..y.len()]));
            cpu.enter(Rows { f, c: wide, constants: packed, values, y });
        });
    });
}

/// Some rows; the last may be a part of one.
struct Rows<'a, T, const V: usize, const C: usize> {
    f: T,
    c: usize,
    /// (c / 8, C, 8)
    constants: &'a [f32],
    values: [Option<&'a [f32]>; V],
    y: &'a mut [f32],
}

impl<T: Function<V, C>, const V: usize, const C: usize> Kernel for Rows<'_, T, V, C> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let (c, len) = (self.c, self.y.len());
        assert_eq!(self.constants.len(), C * c.next_multiple_of(LANES), "whole vectors");
        assert!(self.values.iter().flatten().all(|v| v.len() == len), "operands have one length");
        let (y, constants) = (self.y.as_mut_ptr(), self.constants.as_ptr());
        let values = self.values.map(|v| v.map_or(y.cast_const(), <[f32]>::as_ptr));
        let these = These { f: self.f, constants, values, y };
        let mut at = 0;
        if C * c >= MANY {
            while at + 4 * c <= len {
                // SAFETY: just checked.
                unsafe { these.run::<S, 4>(s, c, at) };
                at += 4 * c;
            }
        }
        while at < len {
            // SAFETY: just checked.
            unsafe { these.run::<S, 1>(s, c.min(len - at), at) };
            at += c;
        }
    }
}

/// [`Rows`] whose lengths were checked.
struct These<T, const V: usize, const C: usize> {
    f: T,
    constants: *const f32,
    values: [*const f32; V],
    y: *mut f32,
}

impl<T: Function<V, C>, const V: usize, const C: usize> These<T, V, C> {
    /// `N` rows of `c` values from `at` on.
    ///
    /// # Safety
    ///
    /// There must be as many values, and constants for whole vectors.
    #[inline(always)]
    unsafe fn run<S: Lanes, const N: usize>(&self, s: S, c: usize, at: usize) {
        // Copies, or every vector would read them again for fear that `y` overlaps them.
        let (f, constants, values, y) = (self.f, self.constants, self.values, self.y);
        let mut ahead = at + N * c;
        each_vector(
            c,
            #[inline(always)]
            |i, count| {
                // SAFETY: the caller vouches for whole vectors of constants.
                let constants = unsafe { load_all(s, constants.wrapping_add(C * i)) };
                if N > 1 && i % LINE == 0 {
                    for _ in 0..N {
                        values.iter().for_each(|v| s.prefetch(v.wrapping_add(ahead)));
                        ahead += LINE;
                    }
                }
                for row in 0..N {
                    let at = at + row * c + i;
                    let values = values.map(
                        #[inline(always)]
                        |v| {
                            // SAFETY: the caller vouches for the values of these columns.
                            unsafe { load_some(s, v.wrapping_add(at), count) }
                        },
                    );
                    let value = f.at(s, values, &constants);
                    // SAFETY: as above.
                    unsafe { store_some(s, y.wrapping_add(at), count, value) };
                }
            },
        );
    }
}
