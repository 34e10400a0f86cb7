//! Turns the filters of a convolution and packs them into panels of 16 columns.
//!
//! A panel's taps are first packed as for the sum of taps (`weights`), then turned, eight columns at
//! a time: (R², depth, 16) becomes a panel (depth, 16) of each of the N² products.

use crate::{
    conv::{
        Conv, Few,
        weights::{self, Panel},
        winograd::{
            planes::Planes,
            points::{At, Points},
            transform,
        },
    },
    cpu::{Cpu, Pieces},
    simd::{Kernel, LANES, Lanes},
    tile::{COLS, Panels},
};

/// The filters of a convolution, turned for its forward pass or for the gradient of its input.
pub(super) struct Turned<'a, const R: usize, const N: usize> {
    pub(super) conv: &'a Conv,
    /// (k, c / group, R, R)
    pub(super) weights: &'a [f32],
    /// Columns are output channels; else they are input channels, and the taps are turned around.
    pub(super) forward: bool,
}

impl<const R: usize, const N: usize> Turned<'_, R, N>
where
    At<N>: Points<N>,
{
    /// Terms and columns of a product.
    fn sizes(&self) -> (usize, usize) {
        let (c, k) = (self.conv.group_c(), self.conv.group_k());
        if self.forward { (c, k) } else { (k, c) }
    }

    /// Floats of all panels.
    pub(super) fn len(&self) -> usize {
        let (depth, cols) = self.sizes();
        panel_at::<N>((depth, cols), self.conv.group, 0).0
    }

    /// Fills `into`, (group, panels, N², depth, width).
    pub(super) fn pack(&self, cpu: &Cpu, into: &mut [f32]) {
        let (depth, cols) = self.sizes();
        let panels = Panels::new(cols);
        let around: Few<usize> = (0..R * R).rev().collect();
        let pieces = Pieces::new(into, 1);
        let taps_len = R * R * depth * panels.most_width();
        cpu.run_scratch(self.conv.group * panels.count(), taps_len, |task, taps| {
            let (group, panel) = (task / panels.count(), task % panels.count());
            let (live, width) = (panels.cols(panel), panels.width(panel));
            let taps = &mut taps[..R * R * depth * width];
            let first = group * cols + panel * COLS;
            let to = Panel { first, live, width, into: taps };
            if self.forward {
                weights::forward_panel(cpu, self.conv, self.weights, to);
            } else {
                weights::backward_panel(cpu, self.conv, self.weights, &around, to);
            }
            let (at, step) = panel_at::<N>((depth, cols), group, panel);
            // SAFETY: panels do not overlap, and each is one task's.
            let to = unsafe { pieces.range(at, N * N * step) };
            cpu.enter(Turn::<R, N> { taps, to, step });
        });
    }
}

/// Where the N² matrices of a group's panel begin, and floats from one to the next.
pub(super) fn panel_at<const N: usize>(
    (depth, cols): (usize, usize),
    group: usize,
    panel: usize,
) -> (usize, usize) {
    let panels = Panels::new(cols);
    let plane = |panel| Planes::dense(depth, panels.width(panel)).plane;
    // All but the last panel are alike.
    let last = panels.count() - 1;
    let before = group * (last * plane(0) + plane(last)) + panel * plane(0);
    (before * N * N, plane(panel))
}

/// Turns one panel: `taps` is (R, R, depth, width), and (depth, width) of each product go to `to`, `step` apart.
struct Turn<'a, const R: usize, const N: usize> {
    taps: &'a [f32],
    to: &'a mut [f32],
    step: usize,
}

impl<const R: usize, const N: usize> Kernel for Turn<'_, R, N>
where
    At<N>: Points<N>,
{
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let plane = self.taps.len() / (R * R);
        assert!(plane.is_multiple_of(LANES) && plane <= self.step, "whole vectors of a panel");
        assert!(self.to.len() >= N * N * self.step, "a panel of every product");
        for at in (0..plane).step_by(LANES) {
            let mut taps = [[s.splat(0.0); R]; R];
            for (tap, value) in taps.as_flattened_mut().iter_mut().enumerate() {
                let from = self.taps.as_ptr().wrapping_add(tap * plane + at);
                // SAFETY: eight floats of each plane, since eights divide it.
                *value = unsafe { s.load(from) };
            }
            let points: [[S::F; N]; N] = transform::spread(s, &taps);
            for (point, &value) in points.as_flattened().iter().enumerate() {
                let to = self.to.as_mut_ptr().wrapping_add(point * self.step + at);
                // SAFETY: as above, of a panel's N² matrices.
                unsafe { s.store(to, value) };
            }
        }
    }
}
