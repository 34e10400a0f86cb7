//! Layers of the form `y = f(x)`, `dx = dy * f'(x)`, value by value, in any memory order.
//!
//! A layer type supplies an [`ElementFunction`]; [`Elementwise`] makes a layer of it. In place, `x`
//! is overwritten before backward runs. A function whose derivative needs `x` is given a copy, so
//! every such layer may run in place.

use base::Shape;
use kernels::{Cpu, Unary};

use crate::workspace::Workspace;
use crate::{Backward, Forward, Layer, LayerError, LayoutRule};

/// Floats that one task handles.
const TASK_FLOATS: usize = 1 << 14;

/// A function of one variable and its derivative.
pub(crate) trait ElementFunction: Send {
    /// Whether [`ElementFunction::backward`] looks at `x`.
    fn backward_needs_x(&self) -> bool;

    /// `y = f(x)`.
    fn forward(&self, cpu: &Cpu, values: Unary<'_>);

    /// `dx = dy * f'(x)`; in `diffs`, `dy` is the operand and `dx` the result.
    fn backward(&self, cpu: &Cpu, at: ElementPoints<'_>, diffs: Unary<'_>);
}

/// Argument and value of the function. In place, `x` is present only if backward needs it, else it
/// holds `y`.
#[derive(Clone, Copy)]
pub(crate) struct ElementPoints<'a> {
    pub(crate) x: &'a [f32],
    pub(crate) y: &'a [f32],
}

/// The layer that applies `F`.
pub(crate) struct Elementwise<F> {
    function: F,
    /// Whether `y` overwrites an `x` that backward needs.
    keeps_x: bool,
    /// A copy of that `x`.
    kept: Workspace,
}

impl<F: ElementFunction + 'static> Elementwise<F> {
    /// The layer, as a `build` returns it.
    pub(crate) fn boxed(function: F, in_place: bool) -> Box<dyn Layer> {
        let keeps_x = in_place && function.backward_needs_x();
        Box::new(Self { function, keeps_x, kept: Workspace::default() })
    }
}

impl<F: ElementFunction + 'static> Layer for Elementwise<F> {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        if self.keeps_x {
            self.kept.declare(bottoms[0].count());
        }
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        if self.keeps_x {
            self.kept.copy_from_slice(io.tops[0].data());
        }
        self.function.forward(cpu, io.unary());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, y) = (io.cpu, io.tops[0].data);
        let x = if self.keeps_x { &self.kept[..] } else { io.bottoms[0].data };
        if let Some(diffs) = io.unary() {
            self.function.backward(cpu, ElementPoints { x, y }, diffs);
        }
        Ok(())
    }

    fn allocate(&mut self) {
        self.kept.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        self.kept.bytes()
    }
}

/// `y = f(x)`.
pub(crate) fn map(cpu: &Cpu, values: Unary<'_>, f: impl Fn(f32) -> f32 + Sync) {
    match values {
        Unary::InPlace(y) => cpu.run_blocks(y, TASK_FLOATS, |_, y| {
            y.iter_mut().for_each(|y| *y = f(*y));
        }),
        Unary::OutOfPlace { x, y } => cpu.run_blocks(y, TASK_FLOATS, |task, y| {
            let x = &x[task * TASK_FLOATS..][..y.len()];
            y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x));
        }),
    }
}

/// `dx = dy * slope(x, y)`.
pub(crate) fn chain(
    cpu: &Cpu,
    ElementPoints { x, y }: ElementPoints<'_>,
    diffs: Unary<'_>,
    slope: impl Fn(f32, f32) -> f32 + Sync,
) {
    let points = |task: usize, len: usize| {
        let at = task * TASK_FLOATS;
        x[at..][..len].iter().zip(&y[at..][..len])
    };
    match diffs {
        Unary::InPlace(d) => cpu.run_blocks(d, TASK_FLOATS, |task, d| {
            let points = points(task, d.len());
            d.iter_mut().zip(points).for_each(|(d, (&x, &y))| *d *= slope(x, y));
        }),
        Unary::OutOfPlace { x: dy, y: dx } => cpu.run_blocks(dx, TASK_FLOATS, |task, dx| {
            let dy = &dy[task * TASK_FLOATS..][..dx.len()];
            let points = points(task, dx.len());
            for ((dx, dy), (&x, &y)) in dx.iter_mut().zip(dy).zip(points) {
                *dx = dy * slope(x, y);
            }
        }),
    }
}

/// The sign of `x`: -1, 0 or 1.
pub(crate) fn sign(x: f32) -> f32 {
    f32::from(i8::from(x > 0.0) - i8::from(x < 0.0))
}
