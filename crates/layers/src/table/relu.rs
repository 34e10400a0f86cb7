//! ReLU: `y = x` where `x > 0`, `y = slope * x` elsewhere. Caffe type `ReLU`, `relu_param`:
//! `negative_slope`; and `relu6` of the Synopsys fork, which bounds `y` by 6 as the layer
//! [`ReLU6`](super::relu6) does. `engine` changes no result and is accepted.
//!
//! Runs in place when `slope >= 0`: backward tests only `x > 0`, which then equals `y > 0`. A
//! negative slope in place, or with `relu6`, is an error.

use base::Shape;
use kernels::relu;

use crate::{
    Backward, BlobAccess, BottomFill, Follower, Forward, GradientCase, InPlace, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits, LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "ReLU",
    options: "relu_param",
    formula: "y = x if x > 0, else negative_slope * x; at most 6 with relu6",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase { options: "", bottoms: &[(&[2, 3, 4, 5], BottomFill::Away(0.0))], tops: 1 },
        GradientCase {
            options: "relu_param { negative_slope: 0.3 }",
            bottoms: &[(&[7, 5], BottomFill::Away(0.0))],
            tops: 1,
        },
        GradientCase {
            options: "relu_param { negative_slope: 0.3 relu6: true }",
            bottoms: &[(&[7, 5], BottomFill::Away(6.0))],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.relu_param();
    let (slope, capped) = (written.negative_slope(), written.relu6());
    if slope < 0.0 && (spec.in_place || capped) {
        let want = match capped {
            true => "0 or more with `relu6`",
            false => "0 or more in place; give the layer a top of its own",
        };
        return Err(LayerError::Option {
            option: "relu_param.negative_slope",
            got: slope.to_string(),
            want: want.into(),
        });
    }
    Ok(Box::new(ReluLayer { slope, capped }))
}

pub(super) struct ReluLayer {
    pub(super) slope: f32,
    /// Whether 6 is the largest output.
    pub(super) capped: bool,
}

impl Layer for ReluLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn traits(&self) -> LayerTraits {
        let plain = self.slope >= 0.0 && !self.capped;
        let follower = plain.then_some(Follower::Relu { slope: self.slope });
        LayerTraits { follower, access: BlobAccess::ByImage, ..LayerTraits::default() }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        match self.capped {
            true => relu::capped_forward(cpu, self.slope, io.unary()),
            false => relu::forward(cpu, self.slope, io.unary()),
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, y) = (io.cpu, io.tops[0].data);
        if let Some(diffs) = io.unary() {
            match self.capped {
                true => relu::capped_backward(cpu, self.slope, y, diffs),
                false => relu::backward(cpu, self.slope, y, diffs),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{backward, error, forward};

    const X: [f32; 5] = [-1.0, 0.5, 5.5, 6.0, 7.0];

    #[track_caller]
    fn check(text: &str, want_y: [f32; 5], want_dx: [f32; 5]) {
        let y = forward(text, &[(&[5], &X)], 1).unwrap().remove(0).1;
        let dx = backward(text, &[(&[5], &X)], &[&[2.0; 5]]).unwrap().remove(0);
        assert_eq!((y.as_slice(), dx.as_slice()), (&want_y[..], &want_dx[..]), "{text}");
    }

    #[test]
    fn relu6_is_bounded_from_both_sides() {
        let (y, dx) = ([0.0, 0.5, 5.5, 6.0, 6.0], [0.0, 2.0, 2.0, 0.0, 0.0]);
        check("type: \"ReLU\" relu_param { relu6: true }", y, dx);
        check("type: \"ReLU6\"", y, dx);
        check(
            "type: \"ReLU\" relu_param { relu6: true negative_slope: 0.5 }",
            [-0.5, 0.5, 5.5, 6.0, 6.0],
            [1.0, 2.0, 2.0, 0.0, 0.0],
        );
        check("type: \"ReLU\"", [0.0, 0.5, 5.5, 6.0, 7.0], [0.0, 2.0, 2.0, 2.0, 2.0]);
        let nan = forward("type: \"ReLU6\"", &[(&[1], &[f32::NAN])], 1).unwrap().remove(0).1;
        assert!(nan[0].is_nan(), "divergence stays visible");
        assert_eq!(
            error("type: \"ReLU\" relu_param { relu6: true negative_slope: -1 }", &[&[5]], 1),
            "`relu_param.negative_slope` is -1, expected 0 or more with `relu6`"
        );
    }
}
