//! The choice of a SIMD level, by name or by detection.

use std::{error::Error, fmt, str::FromStr};

use crate::simd::{Avx2, Level};

/// Which instructions kernels may use. `--simd avx2|portable` pins it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simd {
    /// 256-bit vectors and fused multiply-add: x86-64 since 2013.
    Avx2,
    /// Plain Rust that the compiler vectorises for any machine.
    Portable,
}

impl Simd {
    /// The best level this CPU runs.
    #[must_use]
    pub fn detect() -> Self {
        if Avx2::detect().is_some() { Self::Avx2 } else { Self::Portable }
    }

    /// Whether this CPU runs the level.
    #[must_use]
    pub fn is_supported(self) -> bool {
        Level::new(self).is_some()
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

/// A SIMD level that does not exist.
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
