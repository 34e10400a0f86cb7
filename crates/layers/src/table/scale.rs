//! Scale: `y = x * gamma + beta`, both broadcast over the axes they do not have. Caffe type
//! `Scale`, `scale_param`: `axis`, `num_axes` (gamma has these axes of the bottom; -1: all from
//! `axis` on), `filler` (default 1), `bias_term`, `bias_filler`.
//!
//! Gamma is bottom 1 if there is one, else a param. Runs in place, keeping a copy of `x` for
//! gamma's gradient.

use base::Shape;
use caffe_format::FillerParameter;
use kernels::channel;

use crate::axis::AxisOption;
use crate::broadcast::Broadcast;
use crate::workspace::Workspace;
use crate::{
    Arity, Backward, BottomFill, Follower, Forward, Fusion, GradientCase, InPlace, InPlaceCost,
    Layer, LayerError, LayerKind, LayerSpec, LayerTraits, LayoutRule, ParamDecl, ParamGradient,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Scale",
    options: "scale_param",
    formula: "y = x * gamma + beta",
    bottoms: Arity { min: 1, max: 2 },
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase::image("scale_param { bias_term: true }"),
        GradientCase::image("scale_param { axis: 2 num_axes: 2 bias_term: true }"),
        GradientCase::image("scale_param { axis: 0 num_axes: -1 }"),
        GradientCase::image("scale_param { axis: -1 bias_term: true }"),
        GradientCase::image("scale_param { num_axes: 0 bias_term: true }"),
        with(
            "scale_param { axis: 0 bias_term: true }",
            &[(&[2, 3, 4, 5], BottomFill::Gaussian), (&[2, 3], BottomFill::Gaussian)],
        ),
        with("", &[(&[2, 3, 4, 5], BottomFill::Gaussian), (&[3], BottomFill::Gaussian)]),
        with(
            "scale_param { axis: 0 }",
            &[(&[2, 3, 2, 2], BottomFill::Gaussian), (&[2, 3, 2, 2], BottomFill::Gaussian)],
        ),
        with("", &[(&[2, 3], BottomFill::Gaussian), (&[], BottomFill::Gaussian)]),
    ],
    ..LayerKind::UNARY
};

const fn with(
    options: &'static str,
    bottoms: &'static [(&'static [usize], BottomFill)],
) -> GradientCase {
    GradientCase { options, bottoms, tops: 1 }
}

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.scale_param();
    let one = || FillerParameter { value: Some(1.0), ..FillerParameter::EMPTY };
    let gamma = (spec.bottoms == 1).then(|| written.filler.clone().unwrap_or_else(one));
    let beta = written.bias_term().then(|| written.bias_filler().clone());
    Ok(Box::new(ScaleLayer {
        broadcast: Broadcast::new(
            AxisOption::new("scale_param.axis", written.axis()),
            ("scale_param.num_axes", written.num_axes()),
            spec.bottoms,
        ),
        gamma,
        beta,
        in_place: spec.in_place,
        kept: Workspace::default(),
    }))
}

struct ScaleLayer {
    broadcast: Broadcast,
    /// Filler of gamma, where it is a param.
    gamma: Option<FillerParameter>,
    /// Filler of beta, where there is one.
    beta: Option<FillerParameter>,
    in_place: bool,
    /// `x`, when `y` overwrites it.
    kept: Workspace,
}

impl Layer for ScaleLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let tops = self.broadcast.reshape(bottoms)?;
        self.kept.declare(if self.in_place { bottoms[0].count() } else { 0 });
        Ok(tops)
    }

    fn params(&self) -> Vec<ParamDecl> {
        let fillers = [&self.gamma, &self.beta].into_iter().flatten();
        fillers.map(|filler| ParamDecl::learned(self.broadcast.shape(), filler)).collect()
    }

    fn layouts(&self) -> LayoutRule {
        self.broadcast.layouts()
    }

    fn traits(&self) -> LayerTraits {
        let params = self.gamma.is_some() && self.beta.is_some();
        LayerTraits {
            follower: (params && self.broadcast.by_channel()).then_some(Follower::Affine),
            in_place: InPlaceCost::CopiesBottom,
            ..LayerTraits::default()
        }
    }

    fn fuse(&mut self, decision: Fusion) {
        assert_eq!(decision, Fusion::MoveApart, "this layer absorbs nothing");
        self.in_place = false;
        self.kept.declare(0);
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        let dims = self.broadcast.dims(io.bottoms[0].shape, io.bottoms[0].layout);
        let gamma = if self.gamma.is_some() { io.params[0] } else { io.bottoms[1].data() };
        let beta = self.beta.as_ref().and_then(|_| io.params.last().copied());
        if self.in_place {
            kernels::elementwise::copy(cpu, io.tops[0].data(), &mut self.kept);
        }
        channel::scale(cpu, dims, gamma, beta, io.unary());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let cpu = io.cpu;
        let dims = self.broadcast.dims(io.bottoms[0].shape, io.bottoms[0].layout);
        let gamma = if self.gamma.is_some() { io.params[0] } else { io.bottoms[1].data };
        let (first, rest) = io.bottoms.split_first_mut().expect("there is a bottom");
        let x = if self.in_place { &self.kept[..dims.count()] } else { first.data };
        let dy = io.tops[0].diff_beside(first);
        if self.beta.is_some()
            && let Some(Some(ParamGradient { values, write })) = io.gradients.last_mut()
        {
            channel::backward_bias(cpu, dims, dy, *write, values);
        }
        self.broadcast.backward_operand(&mut io.gradients, rest, |write, values| {
            channel::backward_scale(cpu, dims, x, dy, write, values);
        });
        if let Some(diffs) = io.unary() {
            channel::scale(cpu, dims, gamma, None, diffs);
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
