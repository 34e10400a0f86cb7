//! The one way to run a plain loop with a worker's vectors.
//!
//! A closure is compiled with the level's instructions only if it is inlined into the function that
//! has them, and the compiler leaves large closures outside: such a loop would run with the vectors
//! of any machine, half as wide. So the closure is made here, with the attribute that a caller could
//! forget.

/// Evaluates `$body` as compiled for the SIMD level of `$cpu`. What it calls must be `#[inline(always)]`,
/// closures included, or is compiled for any machine. Rounding does not depend on the level.
#[macro_export]
macro_rules! vectorize {
    ($cpu:expr, $body:expr) => {
        $cpu.vectorize(
            #[inline(always)]
            || $body,
        )
    };
}
