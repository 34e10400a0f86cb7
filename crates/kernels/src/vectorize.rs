//! Runs a plain loop, compiled for a worker's SIMD level.
//!
//! A closure is compiled with the level's instructions only if it is inlined into the function that
//! enables them, and the compiler does not inline large closures: such a loop would use the vectors
//! of the baseline instruction set, half as wide. So the closure is written here, with the
//! attribute that a caller could forget.

/// Evaluates `$body` as compiled for the SIMD level of `$cpu`. Functions and closures that it calls
/// must be `#[inline(always)]`, or they are compiled for the baseline instruction set. Rounding
/// does not depend on the level.
#[macro_export]
macro_rules! vectorize {
    ($cpu:expr, $body:expr) => {
        $cpu.vectorize(
            #[inline(always)]
            || $body,
        )
    };
}
