//! Reduction: all axes from one on become a single value. Caffe type `Reduction`,
//! `reduction_param`: `operation`, `axis` (default 0: everything becomes one value), `coeff`. Never
//! runs in place.
//!
//! `operation` is `SUM`, `ASUM` (of absolute values), `SUMSQ` (of squares) or `MEAN`; the result is
//! multiplied by `coeff`.

use base::Shape;
use caffe_format::ReductionParameterReductionOp as Op;

use crate::axis::AxisOption;
use crate::elementwise::sign;
use crate::loss::rounded;
use crate::{Backward, BottomFill, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Reduction",
    options: "reduction_param",
    formula: "y = coeff * sum x, or sum |x|, or sum x^2, or mean x, over the axes from axis on",
    build,
    cases: &[
        GradientCase { options: "", bottoms: BLOB, tops: 1 },
        GradientCase { options: "reduction_param { axis: 1 coeff: 0.5 }", bottoms: BLOB, tops: 1 },
        GradientCase {
            options: "reduction_param { operation: ASUM axis: -1 }",
            bottoms: BLOB,
            tops: 1,
        },
        GradientCase {
            options: "reduction_param { operation: SUMSQ axis: 1 coeff: -2 }",
            bottoms: BLOB,
            tops: 1,
        },
        GradientCase {
            options: "reduction_param { operation: MEAN axis: 2 coeff: 3 }",
            bottoms: BLOB,
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

const BLOB: &[(&[usize], BottomFill)] = &[(&[2, 3, 4], BottomFill::Away(0.0))];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.reduction_param();
    Ok(Box::new(ReductionLayer {
        option: AxisOption::new("reduction_param.axis", written.axis()),
        operation: written.operation(),
        written: written.coeff(),
        coeff: 0.0,
        len: 0,
    }))
}

struct ReductionLayer {
    option: AxisOption,
    operation: Op,
    /// `coeff` as written.
    written: f32,
    /// Factor of the sum; for `MEAN` divided by `len`.
    coeff: f32,
    /// Values that become one.
    len: usize,
}

impl Layer for ReductionLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let axis = self.option.of(&bottoms[0])?;
        self.len = bottoms[0].count_from(axis);
        self.coeff = match self.operation {
            Op::Mean => self.written / self.len as f32,
            _ => self.written,
        };
        Ok(vec![Shape::new(&bottoms[0].dims()[..axis])?])
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (x, len) = (io.bottoms[0].data(), self.len);
        for (at, y) in io.tops[0].data().iter_mut().enumerate() {
            let x = x[at * len..][..len].iter().map(|&x| f64::from(x));
            let sum: f64 = match self.operation {
                Op::Sum | Op::Mean => x.sum(),
                Op::Asum => x.map(f64::abs).sum(),
                Op::Sumsq => x.map(|x| x * x).sum(),
            };
            *y = rounded(f64::from(self.coeff) * sum);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (len, x) = (self.len, io.bottoms[0].data);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        for (at, &dy) in io.tops[0].diff().iter().enumerate() {
            let slope = self.coeff * dy;
            let pairs = dx[at * len..][..len].iter_mut().zip(&x[at * len..][..len]);
            match self.operation {
                Op::Sum | Op::Mean => pairs.for_each(|(dx, _)| *dx = slope),
                Op::Asum => pairs.for_each(|(dx, &x)| *dx = slope * sign(x)),
                Op::Sumsq => pairs.for_each(|(dx, &x)| *dx = 2.0 * slope * x),
            }
        }
        Ok(())
    }
}
