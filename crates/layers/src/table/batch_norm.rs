//! BatchNorm: `y = (x - mean) / sqrt(variance + eps)` per channel. Caffe type `BatchNorm`,
//! `batch_norm_param`: `use_global_stats`, `moving_average_fraction`, `eps`. Runs in place.
//!
//! In training, mean and variance are the batch's, and forward adds them to running sums: params 0
//! and 1 hold sums of means and (unbiased) variances, each multiplied by the fraction at every
//! step, and param 2 the sum of their weights. In testing, or with `use_global_stats`, their
//! quotients are used.
//!
//! Backward needs `x`, so a layer in place keeps a copy of it. (Where channels are neither first
//! nor last in memory, which is rare, it keeps the normalised values instead, as Caffe does.) A
//! Scale and a ReLU that follow in place can be absorbed and then need no pass of their own.

use base::Shape;
use caffe_format::{FillerParameter, Phase};
use kernels::batch_norm::{self, InnerRounding, NormalizeTerms};
use kernels::channel::{self, ChannelDims};
use kernels::{Cpu, HalfFormat, Values};
use tensor::Layout;

use crate::channel_norm;
use crate::workspace::Workspace;
use crate::{
    AbsorbableFollowers, Backward, BackwardReads, BlobAccess, BottomFill, Follower, FollowerKind,
    Forward, Fusion, GradientCase, InPlace, InPlaceCost, Layer, LayerError, LayerKind, LayerSpec,
    LayerTraits, LayoutRule, ParamDecl, ParamGradient, ParamKind, TopGradient,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "BatchNorm",
    options: "batch_norm_param",
    formula: "y = (x - mean) / sqrt(variance + eps), per channel",
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase::image("batch_norm_param { eps: 0.1 use_global_stats: true }"),
        GradientCase {
            options: "batch_norm_param { eps: 0.01 }",
            bottoms: &[(&[6, 3], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "batch_norm_param { eps: 0.01 }",
            bottoms: &[(&[2, 3, 4], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "batch_norm_param { use_global_stats: true eps: 1 }",
            bottoms: &[(&[2, 3, 2, 2, 2], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.batch_norm_param();
    if let Some(index) = spec.layer.param.iter().position(|p| p.lr_mult.is_some_and(|m| m != 0.0)) {
        return Err(LayerError::Option {
            option: "param.lr_mult",
            got: format!("{} for param {index}", spec.layer.param[index].lr_mult()),
            want: "0: running statistics are not learned".into(),
        });
    }
    if written.update_global_stats() {
        return Err(LayerError::Option {
            option: "batch_norm_param.update_global_stats",
            got: "true".into(),
            want: "false: global statistics that training changes (DeepLab's) are not supported"
                .into(),
        });
    }
    let eps = written.eps();
    if !(eps >= 0.0 && eps.is_finite()) {
        return Err(LayerError::Option {
            option: "batch_norm_param.eps",
            got: eps.to_string(),
            want: "0 or more".into(),
        });
    }
    Ok(Box::new(BatchNormLayer {
        global: written.use_global_stats.unwrap_or(spec.phase == Phase::Test),
        fraction: written.moving_average_fraction(),
        eps,
        in_place: spec.in_place,
        affine: false,
        relu: None,
        rule: LayoutRule::RowMajor,
        channels: ChannelDims { outer: 0, c: 0, inner: 0 },
        mean: Workspace::default(),
        variance: Workspace::default(),
        inv_std: Workspace::default(),
        means: Workspace::default(),
        kept: Workspace::default(),
        scratch: Workspace::default(),
    }))
}

struct BatchNormLayer {
    global: bool,
    fraction: f32,
    eps: f32,
    in_place: bool,
    /// Whether a Scale was absorbed.
    affine: bool,
    /// Slope of an absorbed ReLU.
    relu: Option<f32>,
    rule: LayoutRule,
    /// The blob in Caffe's order.
    channels: ChannelDims,
    mean: Workspace,
    variance: Workspace,
    inv_std: Workspace,
    /// Means of gradients, for backward through batch statistics, (2, c).
    means: Workspace,
    /// `x`, when `y` overwrites it; or `y`, where channels are neither first nor last in memory.
    kept: Workspace,
    /// As large as the blob, where channels are neither first nor last in memory.
    scratch: Workspace,
}

impl Layer for BatchNormLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let shape = &bottoms[0];
        if shape.axes() < 2 || shape.count() == 0 {
            let want = "2 or more axes, none of them empty".into();
            return Err(LayerError::Bottom { index: 0, got: shape.clone(), want });
        }
        let image = shape.axes() == 4;
        self.rule = if image { LayoutRule::ChannelsLast } else { LayoutRule::RowMajor };
        let c = shape.dims()[1];
        self.channels = ChannelDims { outer: shape.dims()[0], c, inner: shape.count_from(2) };
        for values in [&mut self.mean, &mut self.variance, &mut self.inv_std] {
            values.declare(c);
        }
        self.means.declare(2 * c);
        let planes = !image && self.channels.inner > 1;
        self.scratch.declare(if planes && !self.global { shape.count() } else { 0 });
        let keeps = planes || (self.in_place && !self.global);
        self.kept.declare(if keeps { shape.count() } else { 0 });
        Ok(bottoms.to_vec())
    }

    fn params(&self) -> Vec<ParamDecl> {
        [self.channels.c, self.channels.c, 1]
            .map(|len| ParamDecl {
                shape: Shape::new(&[len]).expect("an axis of the bottom"),
                filler: FillerParameter::EMPTY, // zeros
                values: None,
                kind: ParamKind::Running,
            })
            .to_vec()
    }

    fn layouts(&self) -> LayoutRule {
        self.rule
    }

    fn traits(&self) -> LayerTraits {
        let rows = self.rule == LayoutRule::ChannelsLast || self.channels.inner == 1;
        LayerTraits {
            in_place: if self.global { InPlaceCost::Free } else { InPlaceCost::CopiesBottom },
            absorbs: AbsorbableFollowers {
                followers: if rows { &[FollowerKind::Affine, FollowerKind::Relu] } else { &[] },
                backward: !self.global,
            },
            access: if rows { BlobAccess::SixteenBits } else { BlobAccess::Whole },
            backward_reads: BackwardReads::Bottoms,
            reads_running: self.global,
            ..LayerTraits::default()
        }
    }

    fn fuse(&mut self, decision: Fusion) {
        match decision {
            Fusion::Absorb(Follower::Affine) => self.affine = true,
            Fusion::Absorb(Follower::Relu { slope }) => self.relu = Some(slope),
            Fusion::MoveApart => {
                self.in_place = false;
                if self.rule == LayoutRule::ChannelsLast || self.channels.inner == 1 {
                    self.kept.declare(0);
                }
            }
        }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, dims) = (io.cpu, self.in_memory(io.tops[0].layout));
        if self.global {
            self.use_running(&io.running);
        } else {
            self.measure(cpu, dims, io.input_values());
            self.update_running(&mut io.running, dims.outer * dims.inner);
        }
        batch_norm::inverse_std(self.eps, &self.variance, &mut self.inv_std);
        if dims.inner > 1 {
            channel_norm::normalize(cpu, dims, &mut self.mean, &self.inv_std, io.unary());
            self.keep(cpu, io.tops[0].data());
            return Ok(());
        }
        if self.in_place && !self.global {
            self.keep(cpu, io.tops[0].data());
        }
        let with = self.with(&io.params, io.rounding);
        batch_norm::normalize(cpu, dims.c, &with, io.unary_values());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, dims) = (io.cpu, self.in_memory(io.tops[0].layout));
        if !self.global && dims.inner == 1 {
            return self.backward_rows(io, dims);
        }
        if io.half.is_some() {
            return self.backward_global(io, dims);
        }
        let Some(diffs) = io.unary() else { return Ok(()) };
        if self.global {
            channel::scale(cpu, dims, &self.inv_std, None, diffs);
        } else {
            let (y, scratch) = (&self.kept[..dims.count()], &mut self.scratch[..dims.count()]);
            let (inv_std, means) = (&self.inv_std, &mut self.means);
            channel_norm::backward(cpu, dims, y, inv_std, diffs, means, scratch);
        }
        Ok(())
    }

    fn allocate(&mut self) {
        let statistics = [&mut self.mean, &mut self.variance, &mut self.inv_std, &mut self.means];
        statistics.into_iter().for_each(Workspace::allocate);
        self.kept.allocate();
        self.scratch.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        let statistics = [&self.mean, &self.variance, &self.inv_std, &self.means];
        let statistics: usize = statistics.map(Workspace::bytes).iter().sum();
        statistics + self.kept.bytes() + self.scratch.bytes()
    }
}

impl BatchNormLayer {
    /// The blob in memory order.
    fn in_memory(&self, layout: Layout) -> ChannelDims {
        let ChannelDims { outer, c, inner } = self.channels;
        match layout {
            Layout::RowMajor => self.channels,
            Layout::ChannelsLast => ChannelDims { outer: outer * inner, c, inner: 1 },
        }
    }

    /// Mean and variance of a batch.
    fn measure(&mut self, cpu: &Cpu, dims: ChannelDims, x: Values<'_>) {
        let (mean, variance) = (&mut self.mean, &mut self.variance);
        match x {
            Values::F32(x) if dims.inner > 1 => {
                let scratch = &mut self.scratch[..x.len()];
                channel_norm::statistics(cpu, dims, x, mean, variance, scratch);
            }
            _ => batch_norm::statistics(cpu, dims.outer, dims.c, x, mean, variance),
        }
    }

    /// What is applied to rows of channels; `params` are those of an absorbed Scale.
    fn with<'a>(
        &'a self,
        params: &[&'a [f32]],
        rounding: Option<HalfFormat>,
    ) -> NormalizeTerms<'a> {
        NormalizeTerms {
            mean: &self.mean,
            inv_std: &self.inv_std,
            affine: self.affine.then(|| [params[0], params[1]]),
            relu: self.relu,
            rounding: rounding.map_or(InnerRounding::None, InnerRounding::EachLayer),
        }
    }

    fn keep(&mut self, cpu: &Cpu, values: &[f32]) {
        kernels::elementwise::copy(cpu, values, &mut self.kept);
    }

    /// Backward through the batch statistics of rows of channels, and through absorbed layers.
    fn backward_rows(
        &mut self,
        io: &mut Backward<'_>,
        dims: ChannelDims,
    ) -> Result<(), LayerError> {
        let (cpu, c, count) = (io.cpu, dims.c, dims.count());
        let mut means = std::mem::take(&mut self.means);
        let unmasked = matches!(io.tops[0].gradient, TopGradient::Unmasked(_));
        let relu = self.relu.filter(|_| unmasked);
        let with = NormalizeTerms { relu, ..self.with(&io.params, io.rounding) };
        let (x, dy) = match &io.half {
            Some(half) => (Values::Half(half.format, half.x), Values::Half(half.format, half.dy)),
            None => {
                let x = if self.in_place { &self.kept[..count] } else { io.bottoms[0].data };
                (Values::F32(x), Values::F32(io.tops[0].diff_beside(&io.bottoms[0])))
            }
        };
        let mut gradients = io.gradients.iter_mut().map(|gradient| {
            gradient.as_mut().map(|ParamGradient { values, write }| (*write, &mut values[..]))
        });
        let affine = [gradients.next().flatten(), gradients.next().flatten()];
        batch_norm::backward_sums(cpu, c, &with, (x, dy), &mut means, affine);
        let x = match &io.half {
            Some(half) => Values::Half(half.format, half.x),
            None if self.in_place => Values::F32(&self.kept[..count]),
            None => Values::F32(io.bottoms[0].data),
        };
        if let Some(diffs) = io.unary_values() {
            batch_norm::backward(cpu, c, &with, &means, x, diffs);
        }
        self.means = means;
        Ok(())
    }

    /// `dx = dy / std` in 16 bits: statistics that do not depend on `x` have no gradient.
    fn backward_global(
        &mut self,
        io: &mut Backward<'_>,
        dims: ChannelDims,
    ) -> Result<(), LayerError> {
        self.means.fill(0.0);
        let (cpu, with) = (io.cpu, self.with(&io.params, io.rounding));
        let x = io.half.as_ref().map(|half| Values::Half(half.format, half.x));
        if let (Some(x), Some(diffs)) = (x, io.unary_values()) {
            batch_norm::backward(cpu, dims.c, &with, &self.means, x, diffs);
        }
        Ok(())
    }

    /// Adds the statistics of a batch with `samples` values per channel to the running sums.
    fn update_running(&self, running: &mut [&mut [f32]], samples: usize) {
        running[2][0] = running[2][0] * self.fraction + 1.0;
        let unbiased = if samples > 1 { samples as f32 / (samples - 1) as f32 } else { 1.0 };
        let sums = [(&self.mean, 1.0), (&self.variance, unbiased)];
        for ((batch, factor), running) in sums.into_iter().zip(running) {
            for (sum, value) in running.iter_mut().zip(batch.iter()) {
                *sum = factor * value + self.fraction * *sum;
            }
        }
    }

    /// Mean and variance from the running sums.
    fn use_running(&mut self, running: &[&mut [f32]]) {
        let weight = running[2][0];
        let factor = if weight == 0.0 { 0.0 } else { 1.0 / weight };
        for (values, sums) in [&mut self.mean, &mut self.variance].into_iter().zip(running) {
            for (value, sum) in values.iter_mut().zip(sums.iter()) {
                *value = factor * sum;
            }
        }
    }
}

#[cfg(test)]
mod tests;
