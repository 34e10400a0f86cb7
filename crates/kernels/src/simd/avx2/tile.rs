//! The inner loop of the register tile, in assembly.
//!
//! The loop needs 12 accumulators, 2 vectors of `b` and 1 broadcast: 15 of 16 registers. For the
//! same code in Rust the compiler loads all six broadcasts first and spills accumulators, which
//! halves the speed; assembly fixes the order. Per step 12 FMAs (6 cycles) and 8 loads.

use std::arch::{asm, x86_64::__m256};

/// Adds `a[i][r * step] * b[r][j]` over `r` in `0..len` to `acc[i][j]`.
///
/// * `b`: (len, 16)
///
/// # Safety
///
/// Each of `a` must be readable at `len` addresses `step` apart and `b` for `16 * len` floats.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn rows_times_panel(
    acc: [[__m256; 2]; 6],
    a: &[*const f32; 6],
    step: usize,
    b: *const f32,
    len: usize,
) -> [[__m256; 2]; 6] {
    if len == 0 {
        return acc;
    }
    let [
        [mut c00, mut c01],
        [mut c10, mut c11],
        [mut c20, mut c21],
        [mut c30, mut c31],
        [mut c40, mut c41],
        [mut c50, mut c51],
    ] = acc;
    // SAFETY: reads `len` floats of each row and `16 * len` of `b`, which the caller guarantees,
    // and writes registers only.
    unsafe {
        asm!(
            "2:",
            "vmovups {b0}, [{b}]",
            "vmovups {b1}, [{b} + 32]",
            "vbroadcastss {t}, dword ptr [{a0} + {i}]",
            "vfmadd231ps {c00}, {t}, {b0}",
            "vfmadd231ps {c01}, {t}, {b1}",
            "vbroadcastss {t}, dword ptr [{a1} + {i}]",
            "vfmadd231ps {c10}, {t}, {b0}",
            "vfmadd231ps {c11}, {t}, {b1}",
            "vbroadcastss {t}, dword ptr [{a2} + {i}]",
            "vfmadd231ps {c20}, {t}, {b0}",
            "vfmadd231ps {c21}, {t}, {b1}",
            "vbroadcastss {t}, dword ptr [{a3} + {i}]",
            "vfmadd231ps {c30}, {t}, {b0}",
            "vfmadd231ps {c31}, {t}, {b1}",
            "vbroadcastss {t}, dword ptr [{a4} + {i}]",
            "vfmadd231ps {c40}, {t}, {b0}",
            "vfmadd231ps {c41}, {t}, {b1}",
            "vbroadcastss {t}, dword ptr [{a5} + {i}]",
            "vfmadd231ps {c50}, {t}, {b0}",
            "vfmadd231ps {c51}, {t}, {b1}",
            "add {b}, 64",
            "add {i}, {step}",
            "dec {len}",
            "jnz 2b",
            a0 = in(reg) a[0],
            a1 = in(reg) a[1],
            a2 = in(reg) a[2],
            a3 = in(reg) a[3],
            a4 = in(reg) a[4],
            a5 = in(reg) a[5],
            b = inout(reg) b => _,
            i = inout(reg) 0_usize => _,
            step = in(reg) step * size_of::<f32>(),
            len = inout(reg) len => _,
            b0 = out(ymm_reg) _,
            b1 = out(ymm_reg) _,
            t = out(ymm_reg) _,
            c00 = inout(ymm_reg) c00,
            c01 = inout(ymm_reg) c01,
            c10 = inout(ymm_reg) c10,
            c11 = inout(ymm_reg) c11,
            c20 = inout(ymm_reg) c20,
            c21 = inout(ymm_reg) c21,
            c30 = inout(ymm_reg) c30,
            c31 = inout(ymm_reg) c31,
            c40 = inout(ymm_reg) c40,
            c41 = inout(ymm_reg) c41,
            c50 = inout(ymm_reg) c50,
            c51 = inout(ymm_reg) c51,
            options(nostack, readonly),
        );
    }
    [[c00, c01], [c10, c11], [c20, c21], [c30, c31], [c40, c41], [c50, c51]]
}
