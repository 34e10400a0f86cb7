//! Eltwise: sum, product or maximum of the bottoms, value by value. Caffe type `Eltwise`,
//! `eltwise_param`: `operation`, `coeff`, `stable_prod_grad`. Never runs in place.
//!
//! `operation` is `SUM` (with a `coeff` for each bottom, or none), `PROD` or `MAX`. The gradient of
//! a product is the product of the others, or with `stable_prod_grad: false` the quotient `y /
//! x_i`, which is faster for many bottoms and wrong at zero. The gradient of a maximum goes to one
//! bottom; of equal values that is the one Caffe chooses. A sum can absorb a ReLU that follows in
//! place.

use base::Shape;
use caffe_format::EltwiseParameterEltwiseOp as Op;
use kernels::{Cpu, Unary, elementwise, relu};

use crate::border;
use crate::elementwise::{ElementPoints, chain};
use crate::workspace::Workspace;
use crate::{
    AbsorbableFollowers, Arity, Backward, BackwardReads, BlobAccess, BottomDiffs, BottomFill,
    Follower, FollowerKind, Forward, Fusion, GradientCase, InlineVec, Layer, LayerError, LayerKind,
    LayerSpec, LayerTraits, LayoutRule, TopGradient,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Eltwise",
    options: "eltwise_param",
    formula: "y = sum_i coeff_i * x_i, or prod_i x_i, or max_i x_i",
    bottoms: Arity::at_least(2),
    build,
    cases: &[
        GradientCase { options: "", bottoms: TWO, tops: 1 },
        GradientCase { options: "eltwise_param { coeff: 0.5 coeff: -2 }", bottoms: TWO, tops: 1 },
        GradientCase { options: "", bottoms: THREE, tops: 1 },
        GradientCase {
            options: "eltwise_param { coeff: 1 coeff: -1 coeff: 3 }",
            bottoms: THREE,
            tops: 1,
        },
        GradientCase { options: "eltwise_param { operation: PROD }", bottoms: TWO, tops: 1 },
        GradientCase { options: "eltwise_param { operation: PROD }", bottoms: THREE, tops: 1 },
        GradientCase {
            options: "eltwise_param { operation: PROD stable_prod_grad: false }",
            bottoms: &[
                (&[2, 5], BottomFill::Away(0.0)),
                (&[2, 5], BottomFill::Away(0.0)),
                (&[2, 5], BottomFill::Away(0.0)),
            ],
            tops: 1,
        },
        GradientCase {
            options: "eltwise_param { operation: MAX }",
            bottoms: &[
                (&[2, 3, 2, 2], BottomFill::Spread),
                (&[2, 3, 2, 2], BottomFill::Uniform(-0.03, -0.02)),
            ],
            tops: 1,
        },
        GradientCase {
            options: "eltwise_param { operation: MAX }",
            bottoms: &[
                (&[2, 5], BottomFill::Uniform(-0.13, -0.12)),
                (&[2, 5], BottomFill::Spread),
                (&[2, 5], BottomFill::Uniform(0.02, 0.03)),
            ],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

const TWO: &[(&[usize], BottomFill)] =
    &[(&[2, 3, 2, 2], BottomFill::Gaussian), (&[2, 3, 2, 2], BottomFill::Gaussian)];
const THREE: &[(&[usize], BottomFill)] = &[
    (&[2, 5], BottomFill::Gaussian),
    (&[2, 5], BottomFill::Gaussian),
    (&[2, 5], BottomFill::Gaussian),
];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.eltwise_param();
    let coeffs = &written.coeff;
    if !coeffs.is_empty() && coeffs.len() != spec.bottoms {
        return Err(LayerError::Option {
            option: "eltwise_param.coeff",
            got: format!("written {} times", coeffs.len()),
            want: format!("one for each of {} bottoms, or none", spec.bottoms),
        });
    }
    let operation = match written.operation() {
        Op::Sum if coeffs.is_empty() => EltwiseOperation::Sum(vec![1.0; spec.bottoms]),
        Op::Sum => EltwiseOperation::Sum(coeffs.clone()),
        Op::Prod if !coeffs.is_empty() => {
            return Err(LayerError::Conflict {
                first: "eltwise_param.coeff",
                second: "eltwise_param.operation: PROD",
                remedy: "coefficients are for sums",
            });
        }
        Op::Prod if written.stable_prod_grad() => EltwiseOperation::Product,
        Op::Prod => EltwiseOperation::ProductByQuotient,
        Op::Max => EltwiseOperation::Max(Workspace::default()),
    };
    Ok(Box::new(EltwiseLayer { operation, relu: None }))
}

struct EltwiseLayer {
    operation: EltwiseOperation,
    /// Slope of an absorbed ReLU.
    relu: Option<f32>,
}

enum EltwiseOperation {
    /// A coefficient for each bottom.
    Sum(Vec<f32>),
    Product,
    ProductByQuotient,
    /// Index of the largest bottom, from the last forward.
    Max(Workspace<Vec<u32>>),
}

impl Layer for EltwiseLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let first = &bottoms[0];
        if let Some(index) = bottoms.iter().position(|shape| shape != first) {
            return Err(LayerError::Bottom {
                index,
                got: bottoms[index].clone(),
                want: format!("{first}, as bottom 0 has"),
            });
        }
        if let EltwiseOperation::Max(which) = &mut self.operation {
            which.declare(first.count());
        }
        Ok(vec![first.clone()])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    #[expect(clippy::float_cmp, reason = "only exactly 1 leaves the gradient as it is")]
    fn traits(&self) -> LayerTraits {
        let EltwiseOperation::Sum(coeffs) = &self.operation else { return LayerTraits::default() };
        let plain = coeffs.iter().all(|&c| c == 1.0);
        LayerTraits {
            bottom_diffs: if plain { BottomDiffs::CopyOfTop } else { BottomDiffs::Computed },
            access: BlobAccess::ByImage,
            backward_reads: BackwardReads::Masks,
            absorbs: AbsorbableFollowers {
                followers: &[FollowerKind::Relu],
                ..AbsorbableFollowers::default()
            },
            ..LayerTraits::default()
        }
    }

    fn fuse(&mut self, decision: Fusion) {
        match decision {
            Fusion::Absorb(Follower::Relu { slope }) => self.relu = Some(slope),
            other => unreachable!("{other:?} is not among this layer's traits"),
        }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, y) = (io.cpu, io.tops[0].data());
        let x: InlineVec<&[f32]> = io.bottoms.iter().map(|bottom| bottom.data()).collect();
        match &mut self.operation {
            EltwiseOperation::Sum(coeffs) => {
                let terms: InlineVec<_> = coeffs.iter().copied().zip(x).collect();
                match (self.relu, io.rounding) {
                    (Some(slope), Some(format)) => {
                        elementwise::weighted_sum(cpu, &terms, None, y);
                        relu::forward_rounded(cpu, format, slope, y);
                    }
                    (relu, _) => elementwise::weighted_sum(cpu, &terms, relu, y),
                }
            }
            EltwiseOperation::Product | EltwiseOperation::ProductByQuotient => {
                elementwise::mul_apart(cpu, x[0], x[1], y);
                x[2..].iter().for_each(|x| elementwise::mul(cpu, x, y));
            }
            EltwiseOperation::Max(which) => {
                // Bottom 1 first: on a tie between the first two, Caffe chooses bottom 1.
                elementwise::copy(cpu, x[1], y);
                which.fill(1);
                for (index, x) in (0_u32..).zip(&x).filter(|&(index, _)| index != 1) {
                    elementwise::max_with(cpu, index, x, y, which);
                }
            }
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, y) = (io.cpu, io.tops[0].data);
        if let (TopGradient::Unmasked(dy), Some(slope)) = (&mut io.tops[0].gradient, self.relu) {
            border::mask_top(cpu, io.rounding, slope, y, dy);
        }
        let dy = io.tops[0].diff();
        let x: InlineVec<&[f32]> = io.bottoms.iter().map(|bottom| bottom.data).collect();
        for (index, bottom) in io.bottoms.iter_mut().enumerate() {
            let Some(dx) = bottom.diff.as_deref_mut() else { continue };
            match &self.operation {
                EltwiseOperation::Sum(coeffs) => {
                    elementwise::scale(cpu, coeffs[index], Unary::OutOfPlace { x: dy, y: dx });
                }
                EltwiseOperation::Product => product_of_others(cpu, &x, index, dy, dx),
                EltwiseOperation::ProductByQuotient => {
                    let at = ElementPoints { x: x[index], y };
                    chain(cpu, at, Unary::OutOfPlace { x: dy, y: dx }, |x, y| y / x);
                }
                EltwiseOperation::Max(which) => {
                    let index = u32::try_from(index).expect("a file names fewer than 2^32 bottoms");
                    elementwise::max_backward(cpu, index, which, dy, dx);
                }
            }
        }
        Ok(())
    }

    fn allocate(&mut self) {
        if let EltwiseOperation::Max(which) = &mut self.operation {
            which.allocate();
        }
    }

    fn workspace_bytes(&self) -> usize {
        match &self.operation {
            EltwiseOperation::Max(which) => which.bytes(),
            _ => 0,
        }
    }
}

/// `dx = dy` times all of `x` but the one at `index`.
fn product_of_others(cpu: &Cpu, x: &[&[f32]], index: usize, dy: &[f32], dx: &mut [f32]) {
    let mut others = x.iter().enumerate().filter(|&(i, _)| i != index).map(|(_, x)| x);
    let first = others.next().expect("there are at least two bottoms");
    elementwise::mul_apart(cpu, dy, first, dx);
    others.for_each(|x| elementwise::mul(cpu, x, dx));
}

#[cfg(test)]
mod tests;
