//! MVN, mean-variance normalisation: `y = (x - mean) / (deviation + eps)`, of each channel of each
//! image or of each whole image. Caffe type `MVN`, `mvn_param`: `normalize_variance` (else only the
//! mean is subtracted), `across_channels`, `eps`. Never runs in place.
//!
//! As in Caffe, the top always has four axes, and backward neglects `eps`.

use base::Shape;
use kernels::channel::{self, ChannelDims};
use kernels::{Cpu, Unary, Write};

use crate::channel_norm;
use crate::workspace::Workspace;
use crate::{
    Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "MVN",
    options: "mvn_param",
    formula: "y = (x - mean) / (deviation + eps)",
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase::image("mvn_param { across_channels: true }"),
        GradientCase::image("mvn_param { normalize_variance: false }"),
        GradientCase {
            options: "mvn_param { across_channels: true normalize_variance: false }",
            bottoms: &[(&[3, 5], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.mvn_param();
    let eps = written.eps();
    if !(eps >= 0.0 && eps.is_finite()) {
        let (option, got, want) = ("mvn_param.eps", eps.to_string(), "0 or more".into());
        return Err(LayerError::Option { option, got, want });
    }
    Ok(Box::new(MvnLayer {
        across: written.across_channels(),
        eps: written.normalize_variance().then_some(eps),
        rows: ChannelDims { outer: 1, c: 0, inner: 0 },
        mean: Workspace::default(),
        inv_std: Workspace::default(),
        means: Workspace::default(),
        scratch: Workspace::default(),
    }))
}

struct MvnLayer {
    across: bool,
    /// `None` when the variance is not normalised.
    eps: Option<f32>,
    /// Values that are normalised together are a "channel" here.
    rows: ChannelDims,
    mean: Workspace,
    /// `1 / (deviation + eps)`.
    inv_std: Workspace,
    /// Means of gradients, for backward, (2, c).
    means: Workspace,
    scratch: Workspace,
}

impl Layer for MvnLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let shape = &bottoms[0];
        if shape.axes() > 4 || shape.count() == 0 {
            let want = "at most 4 axes, none of them empty".into();
            return Err(LayerError::Bottom { index: 0, got: shape.clone(), want });
        }
        let mut dims = [1; 4];
        dims[..shape.axes()].copy_from_slice(shape.dims());
        let c = if self.across { dims[0] } else { dims[0] * dims[1] };
        self.rows = ChannelDims { outer: 1, c, inner: shape.count() / c };
        self.mean.declare(c);
        self.inv_std.declare(c);
        self.means.declare(2 * c);
        self.scratch.declare(shape.count());
        Ok(vec![Shape::new(&dims)?])
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, x, y) = (io.cpu, io.bottoms[0].data(), io.tops[0].data());
        match self.eps {
            None => subtract_mean(cpu, self.rows, &mut self.mean, x, y),
            Some(eps) => {
                let scratch = &mut self.scratch[..x.len()];
                let (mean, deviation) = (&mut self.mean, &mut self.inv_std);
                channel_norm::statistics(cpu, self.rows, x, mean, deviation, scratch);
                deviation.iter_mut().for_each(|v| *v = 1.0 / (v.sqrt() + eps));
                channel_norm::normalize(
                    cpu,
                    self.rows,
                    mean,
                    deviation,
                    Unary::OutOfPlace { x, y },
                );
            }
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, dy, y) = (io.cpu, io.tops[0].diff(), io.tops[0].data);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        if self.eps.is_none() {
            subtract_mean(cpu, self.rows, &mut self.mean, dy, dx);
        } else {
            let scratch = &mut self.scratch[..dy.len()];
            let diffs = Unary::OutOfPlace { x: dy, y: dx };
            let (inv_std, means) = (&self.inv_std, &mut self.means);
            channel_norm::backward(cpu, self.rows, y, inv_std, diffs, means, scratch);
        }
        Ok(())
    }

    fn allocate(&mut self) {
        self.mean.allocate();
        self.inv_std.allocate();
        self.means.allocate();
        self.scratch.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        [&self.mean, &self.inv_std, &self.means, &self.scratch].map(Workspace::bytes).iter().sum()
    }
}

/// `y = x - mean(x)`, row by row.
fn subtract_mean(cpu: &Cpu, rows: ChannelDims, mean: &mut [f32], x: &[f32], y: &mut [f32]) {
    channel::backward_bias(cpu, rows, x, Write::Set, mean);
    mean.iter_mut().for_each(|mean| *mean /= -(rows.inner as f32));
    channel::bias(cpu, rows, mean, Unary::OutOfPlace { x, y });
}
