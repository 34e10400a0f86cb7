//! Packs weights from Caffe's order, (k, c / group, taps), into panels.

use crate::{
    conv::Conv,
    cpu::Cpu,
    tile::{COLS, Panels},
};

/// Floats of panels of `cols` columns and `depth` rows, for all groups.
pub(super) fn packed_len(conv: &Conv, depth: usize, cols: usize) -> usize {
    conv.group * depth * Panels::new(cols).packed_cols()
}

/// Panels of output channels: `into` is (group, panels of k, tap, c, 16).
pub(super) fn pack_forward(cpu: &Cpu, conv: &Conv, weights: &[f32], into: &mut [f32]) {
    let (c, taps) = (conv.group_c(), conv.taps());
    let row = c * taps;
    pack(cpu, conv, (row, conv.group_k()), into, |k, live, width, panel| {
        let weights = &weights[k * row..][..live * row];
        for (r, panel) in panel.chunks_exact_mut(width).enumerate() {
            let (tap, c) = (r / c, r % c);
            for (j, value) in panel.iter_mut().enumerate() {
                *value = if j < live { weights[j * row + c * taps + tap] } else { 0.0 };
            }
        }
    });
}

/// Panels of input channels, for the taps in `chosen`: `into` is (group, panels of c, tap, k, 16).
pub(super) fn pack_backward(
    cpu: &Cpu,
    conv: &Conv,
    weights: &[f32],
    chosen: &[usize],
    into: &mut [f32],
) {
    let (c, k, taps) = (conv.group_c(), conv.group_k(), conv.taps());
    pack(cpu, conv, (chosen.len() * k, c), into, |first, live, width, panel| {
        let (group, first) = (first / c, first % c);
        let weights = &weights[group * k * c * taps..][..k * c * taps];
        for (r, panel) in panel.chunks_exact_mut(width).enumerate() {
            let (tap, k) = (chosen[r / k], r % k);
            for (j, value) in panel.iter_mut().enumerate() {
                *value = if j < live { weights[(k * c + first + j) * taps + tap] } else { 0.0 };
            }
        }
    });
}

/// Calls `fill(first column counted over all groups, columns, width, panel)` for each panel.
fn pack(
    cpu: &Cpu,
    conv: &Conv,
    (depth, cols): (usize, usize),
    into: &mut [f32],
    fill: impl Fn(usize, usize, usize, &mut [f32]) + Sync,
) {
    let panels = Panels::new(cols);
    let group_len = depth * panels.packed_cols();
    let pieces = crate::cpu::Pieces::new(into, 1);
    cpu.run(conv.group * panels.count(), |task| {
        let (group, panel) = (task / panels.count(), task % panels.count());
        let (live, width) = (panels.cols(panel), panels.width(panel));
        let at = group * group_len + panel * COLS * depth;
        // SAFETY: panels do not overlap, and each is one task's.
        let into = unsafe { pieces.range(at, width * depth) };
        fill(group * cols + panel * COLS, live, width, into);
    });
}
