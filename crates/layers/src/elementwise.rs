//! Layers of the form `y = f(x)`, `dx = dy * f'(x)`, value by value, in any memory order.
//!
//! A layer brings a [`Function`]; [`Elementwise`] is the rest. In place, `x` is gone when backward runs:
//! a function whose slope needs it is given a copy, so every such layer may run in place.

use base::Shape;
use kernels::{Cpu, Unary};

use crate::{Backward, Forward, Layer, LayerError, LayoutRule};

/// Floats a thread handles at a time.
const TASK_FLOATS: usize = 1 << 14;

/// A function of one variable and its derivative.
pub(crate) trait Function: Send + Sync {
    /// Whether [`Function::slope`] looks at `x`.
    const SLOPE_NEEDS_X: bool;

    /// `f(x)`.
    fn value(&self, x: f32) -> f32;

    /// `f'(x)`, where `y = f(x)`.
    fn slope(&self, x: f32, y: f32) -> f32;
}

/// The layer that applies `F`.
pub(crate) struct Elementwise<F> {
    function: F,
    in_place: bool,
    /// `x` of the last forward, when `y` overwrote it and it is needed.
    kept: Vec<f32>,
}

impl<F: Function + 'static> Elementwise<F> {
    /// Ready to return from a `build`.
    pub(crate) fn boxed(function: F, in_place: bool) -> Box<dyn Layer> {
        Box::new(Self { function, in_place, kept: Vec::new() })
    }

    fn keeps(&self) -> bool {
        self.in_place && F::SLOPE_NEEDS_X
    }
}

impl<F: Function + 'static> Layer for Elementwise<F> {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        if self.keeps() {
            self.kept.resize(bottoms[0].count(), 0.0);
        }
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        if self.keeps() {
            self.kept.copy_from_slice(io.tops[0].data());
        }
        map(cpu, io.unary(), |x| self.function.value(x));
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, y) = (io.cpu, io.tops[0].data);
        let x = if self.keeps() { &self.kept[..] } else { io.bottoms[0].data };
        if let Some(diffs) = io.unary() {
            chain(cpu, (x, y), diffs, |x, y| self.function.slope(x, y));
        }
        Ok(())
    }

    fn workspace_bytes(&self) -> usize {
        size_of_val(&self.kept[..])
    }
}

/// `y = f(x)`.
pub(crate) fn map(cpu: &Cpu, values: Unary<'_>, f: impl Fn(f32) -> f32 + Sync) {
    match values {
        Unary::InPlace(y) => cpu.run_chunks(y, TASK_FLOATS, |_, y| {
            y.iter_mut().for_each(|y| *y = f(*y));
        }),
        Unary::Apart { x, y } => cpu.run_chunks(y, TASK_FLOATS, |task, y| {
            let x = &x[task * TASK_FLOATS..][..y.len()];
            y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x));
        }),
    }
}

/// `dx = dy * slope(x, y)`; in `diffs`, `dy` is the operand `x` and `dx` the result `y`.
pub(crate) fn chain(
    cpu: &Cpu,
    (x, y): (&[f32], &[f32]),
    diffs: Unary<'_>,
    slope: impl Fn(f32, f32) -> f32 + Sync,
) {
    let piece = |task: usize, len: usize| {
        let at = task * TASK_FLOATS;
        x[at..][..len].iter().zip(&y[at..][..len])
    };
    match diffs {
        Unary::InPlace(d) => cpu.run_chunks(d, TASK_FLOATS, |task, d| {
            let points = piece(task, d.len());
            d.iter_mut().zip(points).for_each(|(d, (&x, &y))| *d *= slope(x, y));
        }),
        Unary::Apart { x: dy, y: dx } => cpu.run_chunks(dx, TASK_FLOATS, |task, dx| {
            let dy = &dy[task * TASK_FLOATS..][..dx.len()];
            let points = piece(task, dx.len());
            for ((dx, dy), (&x, &y)) in dx.iter_mut().zip(dy).zip(points) {
                *dx = dy * slope(x, y);
            }
        }),
    }
}
