//! Gradient of a convolution with respect to its input; forward of a deconvolution.
//!
//! `dx[i] = Σ_tap dy[(i + pad − tap · dilation) / stride] · w[tap]` over the taps for which the
//! division is exact. Pixels with one remainder of `i / stride` (a phase) share those taps, and
//! their `dy` pixels are neighbours: so each phase is a sweep of stride 1 of its own.

use crate::{
    conv::{
        Conv, Few, depthwise,
        sweep::{Grid, Sweep},
        weights, winograd,
    },
    cpu::{CHUNK, Cpu, Pieces},
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
pub fn backward_data(cpu: &Cpu, conv: &Conv, dy: StridedRows<'_>, weights: &[f32], dx: &mut [f32]) {
    conv.check();
    dy.check(conv.out_pixels(), conv.k);
    assert_eq!(weights.len(), conv.weights_len(), "weights of {conv:?}");
    assert_eq!(dx.len(), conv.x_len(), "dx of {conv:?}");
    if depthwise::applies(conv) {
        return depthwise::backward_data(cpu, conv, dy, weights, dx);
    }
    if let Some(form) = winograd::Form::of(conv, [conv.h, conv.w]) {
        return winograd::backward_data(cpu, (form, conv), dy, weights, dx);
    }
    let phases = (0..conv.stride[0])
        .flat_map(|i| (0..conv.stride[1]).map(move |j| [i, j]))
        .map(|origin| Phase::of(conv, origin));
    if conv.out_pixels() == 0 || phases.clone().any(|phase| phase.taps.is_empty()) {
        cpu.run_chunks(dx, CHUNK, |_, dx| dx.fill(0.0));
    }
    if conv.out_pixels() == 0 {
        return;
    }
    let depth = conv.taps() * conv.group_k();
    let packed_len = weights::packed_len(conv, depth, conv.group_c());
    cpu.with_shared(packed_len, |packed| {
        for phase in phases.filter(|phase| !phase.taps.is_empty()) {
            weights::pack_backward(cpu, conv, weights, &phase.chosen, packed);
            phase.sweep(conv, dy, packed, dx).run(cpu);
        }
    });
}

/// The pixels of one remainder, and the taps they see.
struct Phase {
    origin: [usize; 2],
    /// Numbers of the taps in the kernel.
    chosen: Few<usize>,
    /// Where each tap's `dy` pixel is, relative to the position.
    taps: Few<[isize; 2]>,
}

impl Phase {
    fn of(conv: &Conv, origin: [usize; 2]) -> Self {
        let [rows, cols] = [0, 1].map(|axis| axis_taps(conv, axis, origin[axis]));
        let pairs = || rows.iter().flat_map(|row| cols.iter().map(move |col| (row, col)));
        Self {
            origin,
            chosen: pairs().map(|(row, col)| row.0 * conv.kernel[1] + col.0).collect(),
            taps: pairs().map(|(row, col)| [row.1, col.1]).collect(),
        }
    }

    fn sweep<'a>(
        &'a self,
        conv: &Conv,
        dy: StridedRows<'a>,
        packed: &'a [f32],
        dx: &'a mut [f32],
    ) -> Sweep<'a> {
        let positions = [(conv.h, 0), (conv.w, 1)]
            .map(|(size, axis)| size.saturating_sub(self.origin[axis]).div_ceil(conv.stride[axis]));
        let x_grid = Grid {
            size: conv.out(),
            stride: dy.stride,
            offset: dy.offset,
            origin: [0, 0],
            step: [1, 1],
        };
        let y_grid = Grid {
            size: [conv.h, conv.w],
            stride: conv.c,
            offset: 0,
            origin: self.origin,
            step: conv.stride,
        };
        Sweep {
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
            y: Pieces::new(dx, 1),
            y_grid,
        }
    }
}

/// Along one axis: the taps seen by pixels `origin + p · stride`, each with its place in `dy`
/// relative to `p`.
fn axis_taps(conv: &Conv, axis: usize, origin: usize) -> Few<(usize, isize)> {
    let stride = conv.stride[axis].cast_signed();
    (0..conv.kernel[axis])
        .rev() // so that the places ascend
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
