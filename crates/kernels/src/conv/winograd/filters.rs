//! Transforms the filters of a convolution and packs them into panels of 16 columns.
//!
//! The taps of a panel are first packed as for implicit GEMM (`pack_weights`), then transformed,
//! eight columns at a time: (R², depth, 16) becomes a panel (depth, 16) of each of the N² products.

use crate::{
    conv::{
        ConvShape, StackVec,
        pack_weights::{self, WeightPanel},
        winograd::{
            plane_layout::PlaneLayout,
            points::{PointSet, WinogradPoints},
            transform,
        },
    },
    cpu::{Cpu, DisjointMut},
    simd::{Kernel, LANES, SimdLanes},
    tile::{COLS, Panels},
};

/// The filters of a convolution, transformed for its forward pass or for the gradient of its input.
pub(super) struct TransformedFilters<'a, const R: usize, const N: usize> {
    pub(super) conv: &'a ConvShape,
    /// (k, c / group, R, R)
    pub(super) weights: &'a [f32],
    /// Whether columns are output channels; else they are input channels, and the filters are
    /// rotated by 180°.
    pub(super) forward: bool,
}

impl<const R: usize, const N: usize> TransformedFilters<'_, R, N>
where
    PointSet<N>: WinogradPoints<N>,
{
    /// Depth and columns of a product.
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
        let rotated: StackVec<usize> = (0..R * R).rev().collect();
        let packed = DisjointMut::new(into, 1);
        let taps_len = R * R * depth * panels.max_width();
        cpu.run_scratch(self.conv.group * panels.count(), taps_len, |task, taps| {
            let (group, panel) = (task / panels.count(), task % panels.count());
            let (live, width) = (panels.cols(panel), panels.width(panel));
            let taps = &mut taps[..R * R * depth * width];
            let first = group * cols + panel * COLS;
            let to = WeightPanel { first, live, width, into: taps };
            if self.forward {
                pack_weights::forward_panel(cpu, self.conv, self.weights, to);
            } else {
                pack_weights::backward_panel(cpu, self.conv, self.weights, &rotated, to);
            }
            let (at, step) = panel_at::<N>((depth, cols), group, panel);
            // SAFETY: panels do not overlap, and each belongs to one task.
            let to = unsafe { packed.range(at, N * N * step) };
            cpu.enter(FilterTransform::<R, N> { taps, to, step });
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
    let plane = |panel| PlaneLayout::dense(depth, panels.width(panel)).plane;
    // All but the last panel have the same size.
    let last = panels.count() - 1;
    let before = group * (last * plane(0) + plane(last)) + panel * plane(0);
    (before * N * N, plane(panel))
}

/// Transforms one panel: `taps` is (R, R, depth, width); the (depth, width) matrices of the
/// products are stored at `to`, `step` apart.
struct FilterTransform<'a, const R: usize, const N: usize> {
    taps: &'a [f32],
    to: &'a mut [f32],
    step: usize,
}

impl<const R: usize, const N: usize> Kernel for FilterTransform<'_, R, N>
where
    PointSet<N>: WinogradPoints<N>,
{
    type Out = ();

    #[inline(always)]
    fn run<S: SimdLanes>(self, s: S) {
        let plane = self.taps.len() / (R * R);
        assert!(plane.is_multiple_of(LANES) && plane <= self.step, "whole vectors of a panel");
        assert!(self.to.len() >= N * N * self.step, "a panel of every product");
        for at in (0..plane).step_by(LANES) {
            let mut taps = [[s.splat(0.0); R]; R];
            for (tap, value) in taps.as_flattened_mut().iter_mut().enumerate() {
                let from = self.taps.as_ptr().wrapping_add(tap * plane + at);
                // SAFETY: eight floats of each plane, whose length is a multiple of eight.
                *value = unsafe { s.load(from) };
            }
            let points: [[S::F; N]; N] = transform::filter(s, &taps);
            for (point, &value) in points.as_flattened().iter().enumerate() {
                let to = self.to.as_mut_ptr().wrapping_add(point * self.step + at);
                // SAFETY: as above, of the N² matrices of a panel.
                unsafe { s.store(to, value) };
            }
        }
    }
}
