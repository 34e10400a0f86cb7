//! Gradient of a convolution with respect to its input; forward of a deconvolution.
//!
//! `dx[i] = Σ_tap dy[(i + pad − tap · dilation) / stride] · w[tap]` over the taps for which the
//! division is exact. Pixels with one remainder of `i / stride` (a phase) share those taps,
//! and their `dy` pixels are neighbours: so each phase is an implicit GEMM of stride 1.

use crate::{
    conv::{
        ConvShape, StackVec, depthwise,
        implicit_gemm::{ImplicitGemm, PixelGrid},
        pack_weights, winograd,
    },
    cpu::{Cpu, DisjointMut, TASK_FLOATS},
    view::StridedRows,
};

/// `dx = convᵀ(dy, weights)`, overwriting.
///
/// * `dy`: n · out height · out width rows of k
/// * `weights`: (k, c / group, kernel height, kernel width)
/// * `dx`: (n, h, w, c)
///
/// # Panics
///
/// If an operand does not fit `conv`.
pub fn backward_data(
    cpu: &Cpu,
    conv: &ConvShape,
    dy: StridedRows<'_>,
    weights: &[f32],
    dx: &mut [f32],
) {
    conv.check();
    dy.check(conv.out_pixels(), conv.k);
    assert_eq!(weights.len(), conv.weights_len(), "weights of {conv:?}");
    assert_eq!(dx.len(), conv.x_len(), "dx of {conv:?}");
    if depthwise::applies(conv) {
        return depthwise::backward_data(cpu, conv, dy, weights, dx);
    }
    if let Some(form) = winograd::WinogradForm::of(conv, [conv.h, conv.w]) {
        return winograd::backward_data(cpu, (form, conv), dy, weights, dx);
    }
    let phases = (0..conv.stride[0])
        .flat_map(|i| (0..conv.stride[1]).map(move |j| [i, j]))
        .map(|origin| StridePhase::of(conv, origin));
    if conv.out_pixels() == 0 || phases.clone().any(|phase| phase.taps.is_empty()) {
        cpu.run_blocks(dx, TASK_FLOATS, |_, dx| dx.fill(0.0));
    }
    if conv.out_pixels() == 0 {
        return;
    }
    let depth = conv.taps() * conv.group_k();
    let packed_len = pack_weights::packed_len(conv, depth, conv.group_c());
    cpu.with_shared(packed_len, |packed| {
        for phase in phases.filter(|phase| !phase.taps.is_empty()) {
            pack_weights::pack_backward(cpu, conv, weights, &phase.chosen, packed);
            phase.product(conv, dy, packed, dx).run(cpu);
        }
    });
}

/// The pixels with one remainder, and the taps that reach them.
struct StridePhase {
    origin: [usize; 2],
    /// Indices of the taps in the kernel.
    chosen: StackVec<usize>,
    /// Offset of each tap's `dy` pixel from the position.
    taps: StackVec<[isize; 2]>,
}

impl StridePhase {
    fn of(conv: &ConvShape, origin: [usize; 2]) -> Self {
        let [rows, cols] = [0, 1].map(|axis| axis_taps(conv, axis, origin[axis]));
        let pairs = || rows.iter().flat_map(|row| cols.iter().map(move |col| (row, col)));
        Self {
            origin,
            chosen: pairs().map(|(row, col)| row.0 * conv.kernel[1] + col.0).collect(),
            taps: pairs().map(|(row, col)| [row.1, col.1]).collect(),
        }
    }

    fn product<'a>(
        &'a self,
        conv: &ConvShape,
        dy: StridedRows<'a>,
        packed: &'a [f32],
        dx: &'a mut [f32],
    ) -> ImplicitGemm<'a> {
        let positions = [(conv.h, 0), (conv.w, 1)]
            .map(|(size, axis)| size.saturating_sub(self.origin[axis]).div_ceil(conv.stride[axis]));
        let x_grid = PixelGrid {
            size: conv.out(),
            stride: dy.stride,
            offset: dy.offset,
            origin: [0, 0],
            step: [1, 1],
        };
        let y_grid = PixelGrid {
            size: [conv.h, conv.w],
            stride: conv.c,
            offset: 0,
            origin: self.origin,
            step: conv.stride,
        };
        ImplicitGemm {
            n: conv.n,
            positions,
            group: conv.group,
            x: dy.data,
            x_grid,
            taps: &self.taps,
            len: conv.group_k(),
            packed,
            cols: conv.group_c(),
            bias: None,
            relu: None,
            y: DisjointMut::new(dx, 1),
            y_grid,
        }
    }
}

/// Along one axis: the taps that reach pixels `origin + p · stride`, each with its offset in `dy`
/// from `p`.
fn axis_taps(conv: &ConvShape, axis: usize, origin: usize) -> StackVec<(usize, isize)> {
    let stride = conv.stride[axis].cast_signed();
    (0..conv.kernel[axis])
        .rev() // so that offsets ascend
        .map(|tap| {
            (
                tap,
                (origin + conv.pad[axis]).cast_signed() - (tap * conv.dilation[axis]).cast_signed(),
            )
        })
        .filter(|(_, distance)| distance % stride == 0)
        .map(|(tap, distance)| (tap, distance / stride))
        .collect()
}
