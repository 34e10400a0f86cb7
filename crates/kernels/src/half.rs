//! Floats of 16 bits: rounding to them, and conversion between them and `f32`.
//!
//! Mixed precision stores blobs in 16 bits and computes in f32. [`compress`] rounds to nearest,
//! ties to even; [`expand`] is exact. NaN stays NaN. What rounds to more than 65504 is infinite in
//! f16.
//!
//! Conversion runs at memory bandwidth. bf16 is a shift, which the compiler vectorises; f16 uses
//! F16C, eight values per instruction, on the level that has it. Kernels that read 16-bit operands
//! themselves ([`Values`]) convert in registers, with the integer arithmetic of `codec`.

mod codec;

use std::fmt;

pub(crate) use codec::{
    Bf16Codec, F16Codec, HalfCodec, HalfValues, NoRounding, Rounder, RowReader,
};

use crate::{
    cpu::{Cpu, DisjointMut, TASK_FLOATS},
    elementwise::map,
    simd::{Kernel, LANES, SimdLanes},
    view::Unary,
};

/// A 16-bit float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HalfFormat {
    /// The upper half of an `f32`: 8 significant bits, the whole range of `f32`.
    Bf16,
    /// IEEE 754 half precision: 11 significant bits, largest value 65504.
    F16,
}

impl HalfFormat {
    /// Rounds a few values, on the calling thread.
    pub fn round(self, values: &mut [f32]) {
        values.iter_mut().for_each(|v| {
            *v = match self {
                Self::Bf16 => Bf16Codec.round(*v),
                Self::F16 => F16Codec.round(*v),
            };
        });
    }

    /// One value.
    #[must_use]
    pub fn value(self, stored: u16) -> f32 {
        match self {
            Self::Bf16 => Bf16Codec.expand(stored),
            Self::F16 => F16Codec.expand(stored),
        }
    }
}

impl fmt::Display for HalfFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
        })
    }
}

/// Values to read: f32, or 16 bits that a kernel expands itself.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// As they are.
    F32(&'a [f32]),
    /// In this format.
    Half(HalfFormat, &'a [u16]),
}

impl Values<'_> {
    /// Number of values.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::Half(_, values) => values.len(),
        }
    }
}

impl<'a> From<&'a [f32]> for Values<'a> {
    fn from(values: &'a [f32]) -> Self {
        Self::F32(values)
    }
}

/// The operand of a row-wise kernel: f32 in place or not, or 16 bits out of place.
#[derive(Debug)]
pub enum UnaryValues<'a> {
    /// As they are.
    F32(Unary<'a>),
    /// In a 16-bit format.
    Half {
        /// Which.
        format: HalfFormat,
        /// Input.
        x: &'a [u16],
        /// Output.
        y: &'a mut [u16],
    },
}

impl UnaryValues<'_> {
    /// Number of values.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::F32(values) => values.count(),
            Self::Half { x, y, .. } => {
                assert_eq!(x.len(), y.len(), "input and output have one length");
                y.len()
            }
        }
    }
}

impl<'a> From<Unary<'a>> for UnaryValues<'a> {
    fn from(values: Unary<'a>) -> Self {
        Self::F32(values)
    }
}

/// Rows of 16-bit values in a wider blob: row `r` begins at `r * stride + offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HalfRows {
    /// Values from a row to the next.
    pub stride: usize,
    /// Where the first row begins.
    pub offset: usize,
    /// Values of a row.
    pub len: usize,
}

impl HalfRows {
    /// Contiguous values, as rows that suit a thread.
    #[must_use]
    pub fn dense() -> Self {
        Self { stride: TASK_FLOATS, offset: 0, len: TASK_FLOATS }
    }

    /// Calls `each(at, from..to)` for every row of `count` values: where it begins in the wide
    /// blob, and which of the values it is.
    fn tasks(self, cpu: &Cpu, count: usize, each: impl Fn(usize, std::ops::Range<usize>) + Sync) {
        let per_task = (TASK_FLOATS / self.len.max(1)).max(1);
        let rows = count.div_ceil(self.len.max(1));
        cpu.run(rows.div_ceil(per_task), |task| {
            for row in task * per_task..rows.min((task + 1) * per_task) {
                let values = row * self.len..count.min((row + 1) * self.len);
                each(row * self.stride + self.offset, values);
            }
        });
    }
}

/// `y = x`: rows of `x` become contiguous f32.
///
/// # Panics
///
/// If `x` has fewer rows than `y` has values for.
pub fn expand(cpu: &Cpu, format: HalfFormat, rows: HalfRows, x: &[u16], y: &mut [f32]) {
    let (count, y) = (y.len(), DisjointMut::new(y, 1));
    rows.tasks(cpu, count, |at, values| {
        let x = &x[at..][..values.len()];
        // SAFETY: rows do not overlap in `y`, and each belongs to one task.
        let y = unsafe { y.range(values.start, values.len()) };
        match format {
            HalfFormat::Bf16 => vectorize!(cpu, Bf16Codec.expand_row(x, y)),
            HalfFormat::F16 => cpu.enter(ExpandF16 { x, y }),
        }
    });
}

/// `y = x`, rounded: contiguous f32 becomes rows of `y`. What is between rows is not touched.
///
/// # Panics
///
/// If `y` has fewer rows than `x` has values for, or rows overlap.
pub fn compress(cpu: &Cpu, format: HalfFormat, rows: HalfRows, x: &[f32], y: &mut [u16]) {
    assert!(rows.len <= rows.stride, "rows of {} overlap at stride {}", rows.len, rows.stride);
    let y = DisjointMut::new(y, 1);
    rows.tasks(cpu, x.len(), |at, values| {
        let x = &x[values];
        // SAFETY: rows do not overlap, and each belongs to one task.
        let y = unsafe { y.range(at, x.len()) };
        match format {
            HalfFormat::Bf16 => vectorize!(cpu, Bf16Codec.compress_row(x, y)),
            HalfFormat::F16 => cpu.enter(CompressF16 { x, y }),
        }
    });
}

/// Rounds to what the format represents, in place or out of place.
pub fn round(cpu: &Cpu, format: HalfFormat, values: Unary<'_>) {
    match format {
        HalfFormat::Bf16 => map(cpu, values, |v| Bf16Codec.round(v)),
        HalfFormat::F16 => map(cpu, values, |v| F16Codec.round(v)),
    }
}

struct ExpandF16<'a> {
    x: &'a [u16],
    y: &'a mut [f32],
}

impl Kernel for ExpandF16<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let (x, x_tail) = self.x.as_chunks::<LANES>();
        let (y, y_tail) = self.y.as_chunks_mut::<LANES>();
        for (x, y) in x.iter().zip(y) {
            // SAFETY: eight values.
            let values = unsafe { s.load_f16(x.as_ptr()) };
            // SAFETY: eight values.
            unsafe { s.store(y.as_mut_ptr(), values) };
        }
        F16Codec.expand_row(x_tail, y_tail);
    }
}

struct CompressF16<'a> {
    x: &'a [f32],
    y: &'a mut [u16],
}

impl Kernel for CompressF16<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let (x, x_tail) = self.x.as_chunks::<LANES>();
        let (y, y_tail) = self.y.as_chunks_mut::<LANES>();
        for (x, y) in x.iter().zip(y) {
            // SAFETY: eight values.
            let values = unsafe { s.load(x.as_ptr()) };
            // SAFETY: eight values.
            unsafe { s.store_f16(y.as_mut_ptr(), values) };
        }
        F16Codec.compress_row(x_tail, y_tail);
    }
}

#[cfg(test)]
mod tests;
