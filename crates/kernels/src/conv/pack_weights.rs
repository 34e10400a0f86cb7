//! Packs weights from Caffe's order, (k, c / group, taps), into panels.
//!
//! Both directions are transposes: forward puts 16 output channels side by side, whose weights lie
//! a whole filter apart; backward puts 16 input channels side by side, `taps` apart. Eight rows are
//! transposed at a time in registers, so packing costs little more than reading and writing.

use smallvec::smallvec;

use crate::{
    conv::{ConvShape, StackVec},
    cpu::{Cpu, DisjointMut},
    pack::transposed_columns,
    simd::{Kernel, LANES, SimdLanes},
    tile::{COLS, Panels},
};

/// Floats of panels of `cols` columns and `depth` rows, for all groups.
pub(super) fn packed_len(conv: &ConvShape, depth: usize, cols: usize) -> usize {
    conv.group * depth * Panels::new(cols).packed_cols()
}

/// A panel to fill with `live` columns from `first` on, counted over all groups.
pub(super) struct WeightPanel<'a> {
    pub(super) first: usize,
    pub(super) live: usize,
    /// Columns of the panel; those past `live` are 0.
    pub(super) width: usize,
    pub(super) into: &'a mut [f32],
}

/// Panels of output channels: `into` is (group, panels of k, tap, c, 16).
pub(super) fn pack_forward(cpu: &Cpu, conv: &ConvShape, weights: &[f32], into: &mut [f32]) {
    let row = conv.group_c() * conv.taps();
    pack(cpu, conv, (row, conv.group_k()), into, |panel| {
        forward_panel(cpu, conv, weights, panel);
    });
}

/// One panel of [`pack_forward`].
pub(super) fn forward_panel(cpu: &Cpu, conv: &ConvShape, weights: &[f32], panel: WeightPanel<'_>) {
    let (c, taps) = (conv.group_c(), conv.taps());
    let WeightPanel { first, live, width, into } = panel;
    let rows = &weights[first * c * taps..][..live * c * taps];
    cpu.enter(PackForwardPanel { rows, c, taps, live, width, panel: into });
}

/// Packs one panel for forward: `rows` is (live, c, taps), `panel` (tap, c, width).
struct PackForwardPanel<'a> {
    rows: &'a [f32],
    c: usize,
    taps: usize,
    live: usize,
    width: usize,
    panel: &'a mut [f32],
}

impl Kernel for PackForwardPanel<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let Self { rows, c, taps, live, width, panel } = self;
        let row = c * taps;
        assert!(rows.len() == live * row && panel.len() == width * row, "sizes of a panel");
        for half in (0..width).step_by(LANES) {
            if live < half + LANES {
                for (e, lane) in (0..row).flat_map(|e| (half..half + LANES).map(move |l| (e, l))) {
                    let to = (e % taps * c + e / taps) * width + lane;
                    panel[to] = if lane < live { rows[lane * row + e] } else { 0.0 };
                }
                continue;
            }
            let (from, to) = (rows[half * row..].as_ptr(), panel.as_mut_ptr());
            let put = |first: usize, columns: [S::F; LANES], n: usize| {
                let (mut channel, mut tap) = (first / taps, first % taps);
                for &column in columns.iter().take(n) {
                    // SAFETY: `tap < taps`, `channel < c`: a row of the panel, of `half + 8` or
                    // more.
                    unsafe { s.store(to.wrapping_add((tap * c + channel) * width + half), column) };
                    tap += 1;
                    if tap == taps {
                        (tap, channel) = (0, channel + 1);
                    }
                }
            };
            // SAFETY: rows `half..half + 8` exist and have `row` values.
            unsafe { transposed_columns(s, from, row, row, put) };
        }
    }
}

/// Panels of input channels, for the taps in `chosen`: `into` is (group, panels of c, tap, k, 16).
pub(super) fn pack_backward(
    cpu: &Cpu,
    conv: &ConvShape,
    weights: &[f32],
    chosen: &[usize],
    into: &mut [f32],
) {
    let depth = chosen.len() * conv.group_k();
    pack(cpu, conv, (depth, conv.group_c()), into, |panel| {
        backward_panel(cpu, conv, weights, chosen, panel);
    });
}

/// One panel of [`pack_backward`].
pub(super) fn backward_panel(
    cpu: &Cpu,
    conv: &ConvShape,
    weights: &[f32],
    chosen: &[usize],
    panel: WeightPanel<'_>,
) {
    let (c, k, taps) = (conv.group_c(), conv.group_k(), conv.taps());
    let mut slots: StackVec<usize> = smallvec![usize::MAX; taps];
    chosen.iter().enumerate().for_each(|(slot, &tap)| slots[tap] = slot);
    let WeightPanel { first, live, width, into } = panel;
    let (group, first) = (first / c, first % c);
    let weights = &weights[group * k * c * taps..][..k * c * taps];
    cpu.enter(PackBackwardPanel { weights, k, c, slots: &slots, first, live, width, panel: into });
}

/// Packs one panel for backward: `weights` is (k, c, taps), `panel` (slot, k, width); `slots` has
/// the slot of each tap, or `usize::MAX`.
struct PackBackwardPanel<'a> {
    weights: &'a [f32],
    k: usize,
    c: usize,
    slots: &'a [usize],
    first: usize,
    live: usize,
    width: usize,
    panel: &'a mut [f32],
}

impl Kernel for PackBackwardPanel<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let Self { weights, k: ks, c, slots, first, live, width, panel } = self;
        let taps = slots.len();
        let chosen = slots.iter().filter(|&&slot| slot != usize::MAX).count();
        assert!(slots.iter().all(|&slot| slot < chosen || slot == usize::MAX), "slots of taps");
        assert!(panel.len() == chosen * ks * width, "size of a panel");
        for k in 0..ks {
            let rows = &weights[(k * c + first) * taps..][..live * taps];
            if taps == 1 {
                let into = &mut panel[k * width..][..width];
                into[..live].copy_from_slice(rows);
                into[live..].fill(0.0);
                continue;
            }
            for half in (0..width).step_by(LANES) {
                let to = panel.as_mut_ptr().wrapping_add(k * width + half);
                let put = |first: usize, columns: [S::F; LANES], n: usize| {
                    for (&slot, &column) in slots[first..].iter().zip(&columns).take(n) {
                        if slot != usize::MAX {
                            // SAFETY: `slot < chosen`, so these are eight floats of row (slot, k).
                            unsafe { s.store(to.wrapping_add(slot * ks * width), column) };
                        }
                    }
                };
                if live >= half + LANES {
                    // SAFETY: channels `half..half + 8` exist and have `taps` values.
                    unsafe { transposed_columns(s, rows[half * taps..].as_ptr(), taps, taps, put) };
                    continue;
                }
                for (tap, &slot) in slots.iter().enumerate().filter(|(_, s)| **s != usize::MAX) {
                    let into = &mut panel[(slot * ks + k) * width + half..][..LANES];
                    for (l, value) in into.iter_mut().enumerate() {
                        *value = rows.get((half + l) * taps + tap).copied().unwrap_or(0.0);
                    }
                }
            }
        }
    }
}

/// Calls `fill` for each panel.
fn pack(
    cpu: &Cpu,
    conv: &ConvShape,
    (depth, cols): (usize, usize),
    into: &mut [f32],
    fill: impl Fn(WeightPanel<'_>) + Sync,
) {
    let panels = Panels::new(cols);
    let group_len = depth * panels.packed_cols();
    let pieces = DisjointMut::new(into, 1);
    cpu.run(conv.group * panels.count(), |task| {
        let (group, panel) = (task / panels.count(), task % panels.count());
        let (live, width) = (panels.cols(panel), panels.width(panel));
        let at = group * group_len + panel * COLS * depth;
        // SAFETY: panels do not overlap, and each belongs to one task.
        let into = unsafe { pieces.range(at, width * depth) };
        fill(WeightPanel { first: group * cols + panel * COLS, live, width, into });
    });
}
