//! AVX2 with FMA and F16C. On other architectures the type exists and has no value.

#[cfg(target_arch = "x86_64")]
mod first;
#[cfg(not(target_arch = "x86_64"))]
mod other;
#[cfg(target_arch = "x86_64")]
mod tile;
#[cfg(target_arch = "x86_64")]
mod transpose;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Proof that the CPU has AVX2, FMA and F16C; made by [`Avx2::detect`] only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(
    #[cfg(target_arch = "x86_64")] (),
    #[cfg(not(target_arch = "x86_64"))] std::convert::Infallible,
);
