//! Turns the filters of a convolution and packs them into panels of 16 columns.
//!
//! A panel's taps are first packed as for the sum of taps (`weights`), then turned, eight columns at
//! a time: (9, depth, 16) becomes a panel (depth, 16) of each of the 16 products.

use crate::{
    conv::{
        Conv,
        weights::{self, Panel},
        winograd::{POINTS, TAPS, transform},
    },
    cpu::{Cpu, Pieces},
    simd::{Kernel, LANES, Lanes},
    tile::{COLS, Panels},
};

/// The taps from the last to the first.
const TURNED_AROUND: [usize; TAPS] = [8, 7, 6, 5, 4, 3, 2, 1, 0];

/// The filters of a convolution, turned for its forward pass or for the gradient of its input.
pub(super) struct Turned<'a> {
    pub(super) conv: &'a Conv,
    /// (k, c / group, 3, 3)
    pub(super) weights: &'a [f32],
    /// Columns are output channels; else they are input channels, and the taps are turned around.
    pub(super) forward: bool,
}

impl Turned<'_> {
    /// Terms and columns of a product.
    fn sizes(&self) -> (usize, usize) {
        let (c, k) = (self.conv.group_c(), self.conv.group_k());
        if self.forward { (c, k) } else { (k, c) }
    }

    /// Floats of all panels.
    pub(super) fn len(&self) -> usize {
        let (depth, cols) = self.sizes();
        panel_at((depth, cols), self.conv.group, 0, 0)
    }

    /// Fills `into`, (group, 16, panels, depth, width).
    pub(super) fn pack(&self, cpu: &Cpu, into: &mut [f32]) {
        let (depth, cols) = self.sizes();
        let panels = Panels::new(cols);
        let pieces = Pieces::new(into, 1);
        cpu.run_scratch(self.conv.group * panels.count(), TAPS * depth * COLS, |task, taps| {
            let (group, panel) = (task / panels.count(), task % panels.count());
            let (live, width) = (panels.cols(panel), panels.width(panel));
            let taps = &mut taps[..TAPS * depth * width];
            let first = group * cols + panel * COLS;
            let to = Panel { first, live, width, into: taps };
            if self.forward {
                weights::forward_panel(cpu, self.conv, self.weights, to);
            } else {
                weights::backward_panel(cpu, self.conv, self.weights, &TURNED_AROUND, to);
            }
            let planes = std::array::from_fn(|point| {
                let at = panel_at((depth, cols), group, point, panel);
                // SAFETY: panels do not overlap, and each is one task's.
                unsafe { pieces.range(at, depth * width) }
            });
            cpu.enter(Turn { taps, planes });
        });
    }
}

/// Where a panel of a group's product number `point` begins.
pub(super) fn panel_at(
    (depth, cols): (usize, usize),
    group: usize,
    point: usize,
    panel: usize,
) -> usize {
    ((group * POINTS + point) * Panels::new(cols).packed_cols() + panel * COLS) * depth
}

/// Turns one panel: `taps` is (9, depth, width), each of `planes` (depth, width).
struct Turn<'a> {
    taps: &'a [f32],
    planes: [&'a mut [f32]; POINTS],
}

impl Kernel for Turn<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(mut self, s: S) {
        let plane = self.taps.len() / TAPS;
        assert!(plane.is_multiple_of(LANES), "whole vectors");
        assert!(self.planes.iter().all(|to| to.len() == plane), "size of a panel");
        for at in (0..plane).step_by(LANES) {
            let mut taps = [s.splat(0.0); TAPS];
            for (tap, value) in taps.iter_mut().enumerate() {
                let from = self.taps.as_ptr().wrapping_add(tap * plane + at);
                // SAFETY: eight floats of each plane, since eights divide it.
                *value = unsafe { s.load(from) };
            }
            for (to, value) in self.planes.iter_mut().zip(transform::filter(s, &taps)) {
                // SAFETY: as above.
                unsafe { s.store(to.as_mut_ptr().wrapping_add(at), value) };
            }
        }
    }
}
