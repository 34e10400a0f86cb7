//! SIMD levels, and vectors of eight floats that each level implements.
//!
//! A kernel is written once, generic over [`Lanes`], and compiled once per level. A value of a
//! `Lanes` type is the proof that this CPU can run that level: [`Avx2`] has no public constructor
//! but detection, so whoever holds one may execute its instructions. [`Level::run`] enters the
//! code compiled for the level; below it everything must be `#[inline(always)]`, or the compiler
//! would build that part without the level's instructions (slower, never wrong).
//!
//! The two levels round differently (AVX2 fuses multiply and add), so the level is part of what
//! "the same bits" means.

mod avx2;
mod choice;
mod lanes;
mod portable;
mod slices;

pub(crate) use avx2::Avx2;
pub use choice::{Simd, UnknownSimd};
pub(crate) use lanes::Lanes;
pub(crate) use portable::Portable;
pub(crate) use slices::{each_vector, interleave, load, load_all, load_some, store, store_some};

/// Floats in one vector, on every level.
pub(crate) const LANES: usize = 8;

/// Code to be compiled once per level.
pub(crate) trait Kernel {
    /// What it returns.
    type Out;
    /// The code. Must be `#[inline(always)]`.
    fn run<S: Lanes>(self, s: S) -> Self::Out;
}

/// A level this CPU was found to run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    Avx2(Avx2),
    Portable(Portable),
}

impl Level {
    /// `None` when the CPU cannot.
    pub(crate) fn new(simd: Simd) -> Option<Self> {
        match simd {
            Simd::Avx2 => Avx2::detect().map(Self::Avx2),
            Simd::Portable => Some(Self::Portable(Portable)),
        }
    }

    /// The level's public name.
    pub(crate) fn simd(self) -> Simd {
        match self {
            Self::Avx2(_) => Simd::Avx2,
            Self::Portable(_) => Simd::Portable,
        }
    }

    /// Runs `kernel` as compiled for this level.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Out {
        match self {
            Self::Avx2(s) => s.enter(kernel),
            Self::Portable(s) => kernel.run(s),
        }
    }

    /// Runs a plain loop, compiled so that the compiler may use the level's vectors.
    #[inline]
    pub(crate) fn vectorize<R>(self, body: impl FnOnce() -> R) -> R {
        struct Plain<B>(B);
        impl<R, B: FnOnce() -> R> Kernel for Plain<B> {
            type Out = R;
            #[inline(always)]
            fn run<S: Lanes>(self, _: S) -> R {
                (self.0)()
            }
        }
        self.run(Plain(body))
    }
}
