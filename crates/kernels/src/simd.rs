//! SIMD levels, and vectors of eight floats that each level implements.
//!
//! A kernel is written once, generic over [`SimdLanes`], and compiled once per level. A value of a
//! `SimdLanes` type is the proof that this CPU supports the level: [`Avx2`] can only be constructed
//! by detection, so code that holds one may execute its instructions. [`SimdLevel::run`] enters the
//! code compiled for the level. Everything it calls must be `#[inline(always)]`, or the compiler
//! builds that function without the level's instructions (slower, but correct).
//!
//! The two levels round differently (AVX2 fuses multiply and add): the bits of a result are a
//! function of the shape, the values and the level.

mod avx2;
mod lanes;
mod portable;

use std::{error::Error, fmt, str::FromStr};

pub(crate) use avx2::Avx2;
pub(crate) use lanes::SimdLanes;
pub(crate) use portable::Portable;

/// Floats in one vector, on every level.
pub(crate) const LANES: usize = 8;

/// Which instructions kernels may use. `--simd avx2|portable` sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simd {
    /// 256-bit vectors, fused multiply-add and conversion of f16: x86-64 since 2013.
    Avx2,
    /// Plain Rust that the compiler vectorises for any machine.
    Portable,
}

impl Simd {
    /// The best level that this CPU supports.
    #[must_use]
    pub fn detect() -> Self {
        if Avx2::detect().is_some() { Self::Avx2 } else { Self::Portable }
    }

    /// Whether this CPU supports the level.
    #[must_use]
    pub fn is_supported(self) -> bool {
        SimdLevel::new(self).is_some()
    }
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Avx2 => "avx2",
            Self::Portable => "portable",
        })
    }
}

/// The name of no SIMD level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSimd(String);

impl fmt::Display for UnknownSimd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SIMD level `{}` is not `avx2` or `portable`", self.0)
    }
}

impl Error for UnknownSimd {}

impl FromStr for Simd {
    type Err = UnknownSimd;

    fn from_str(name: &str) -> Result<Self, UnknownSimd> {
        match name {
            "avx2" => Ok(Self::Avx2),
            "portable" => Ok(Self::Portable),
            _ => Err(UnknownSimd(name.to_owned())),
        }
    }
}

/// Code to be compiled once per level.
pub(crate) trait Kernel {
    /// The result of [`run`](Self::run).
    type Out;
    /// The code. Must be `#[inline(always)]`.
    fn run<S: SimdLanes>(self, s: S) -> Self::Out;
}

/// A level that this CPU was found to support.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SimdLevel {
    Avx2(Avx2),
    Portable(Portable),
}

impl SimdLevel {
    /// `None` when the CPU does not support it.
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
        struct PlainLoop<B>(B);
        impl<R, B: FnOnce() -> R> Kernel for PlainLoop<B> {
            type Out = R;
            #[inline(always)]
            fn run<S: SimdLanes>(self, _: S) -> R {
                (self.0)()
            }
        }
        self.run(PlainLoop(body))
    }
}
