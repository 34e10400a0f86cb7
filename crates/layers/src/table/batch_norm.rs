//! BatchNorm: `y = (x - mean) / sqrt(variance + eps)` per channel. Caffe type `BatchNorm`,
//! `batch_norm_param`: `use_global_stats`, `moving_average_fraction`, `eps`. Runs in place.
//!
//! In training, mean and variance are the batch's, and forward adds them to running sums: params 0
//! and 1 hold sums of means and (unbiased) variances, each multiplied by the fraction at every
//! step, and param 2 the sum of their weights. In testing, or with `use_global_stats`, their
//! quotients are used.
//!
//! Backward needs `y` as it was before layers above changed it in place, so a copy is kept, as in
//! Caffe.

use base::{Phase, Shape};
use caffe_format::FillerParameter;
use kernels::batch_norm::{self, Normalize};
use kernels::channel::{self, Channels};
use kernels::{Cpu, Unary};
use tensor::{Layout, Slab};

use crate::channel_norm;
use crate::{
    Backward, Case, Fill, Forward, InPlace, Layer, LayerError, LayerKind, LayoutRule, ParamDecl,
    ParamKind, Spec,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "BatchNorm",
    options: "batch_norm_param",
    formula: "y = (x - mean) / sqrt(variance + eps), per channel",
    in_place: InPlace::First,
    build,
    cases: &[
        Case::image(""),
        Case::image("batch_norm_param { eps: 0.1 use_global_stats: true }"),
        Case {
            options: "batch_norm_param { eps: 0.01 }",
            bottoms: &[(&[6, 3], Fill::Gaussian)],
            tops: 1,
        },
        Case {
            options: "batch_norm_param { eps: 0.01 }",
            bottoms: &[(&[2, 3, 4], Fill::Gaussian)],
            tops: 1,
        },
        Case {
            options: "batch_norm_param { use_global_stats: true eps: 1 }",
            bottoms: &[(&[2, 3, 2, 2, 2], Fill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.batch_norm_param();
    if let Some(index) = spec.layer.param.iter().position(|p| p.lr_mult.is_some_and(|m| m != 0.0)) {
        return Err(LayerError::Option {
            option: "param.lr_mult",
            got: format!("{} for param {index}", spec.layer.param[index].lr_mult()),
            want: "0: running statistics are not learned".into(),
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
    Ok(Box::new(BatchNorm {
        global: written.use_global_stats.unwrap_or(spec.phase == Phase::Test),
        fraction: written.moving_average_fraction(),
        eps,
        rule: LayoutRule::RowMajor,
        channels: Channels { outer: 0, c: 0, inner: 0 },
        mean: Vec::new(),
        variance: Vec::new(),
        inv_std: Vec::new(),
        normalised: Slab::default(),
        scratch: Slab::default(),
    }))
}

struct BatchNorm {
    global: bool,
    fraction: f32,
    eps: f32,
    rule: LayoutRule,
    /// The blob in Caffe's order.
    channels: Channels,
    mean: Vec<f32>,
    variance: Vec<f32>,
    inv_std: Vec<f32>,
    /// `y`, for backward through batch statistics.
    normalised: Slab,
    /// As large, where channels are neither first nor last in memory.
    scratch: Slab,
}

impl Layer for BatchNorm {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let shape = &bottoms[0];
        if shape.axes() < 2 || shape.count() == 0 {
            let want = "2 or more axes, none of them empty".into();
            return Err(LayerError::Bottom { index: 0, got: shape.clone(), want });
        }
        let image = shape.axes() == 4;
        self.rule = if image { LayoutRule::ChannelsLast } else { LayoutRule::RowMajor };
        let c = shape.dims()[1];
        self.channels = Channels { outer: shape.dims()[0], c, inner: shape.count_from(2) };
        for values in [&mut self.mean, &mut self.variance, &mut self.inv_std] {
            values.resize(c, 0.0);
        }
        if !self.global {
            self.normalised.grow(shape.count());
            if !image && self.channels.inner > 1 {
                self.scratch.grow(shape.count());
            }
        }
        Ok(bottoms.to_vec())
    }

    fn params(&self) -> Vec<ParamDecl> {
        [self.channels.c, self.channels.c, 1]
            .map(|len| ParamDecl {
                shape: Shape::new(&[len]).expect("an axis of the bottom"),
                filler: FillerParameter::EMPTY, // zeros
                kind: ParamKind::Running,
            })
            .to_vec()
    }

    fn layouts(&self) -> LayoutRule {
        self.rule
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, dims) = (io.cpu, self.in_memory(io.tops[0].layout));
        if self.global {
            self.recall(&io.running);
        } else {
            let x =
                if io.bottoms[0].data.is_empty() { io.tops[0].data() } else { io.bottoms[0].data };
            self.measure(cpu, dims, x);
            self.remember(&mut io.running, dims.outer * dims.inner);
        }
        batch_norm::inverse_std(self.eps, &self.variance, &mut self.inv_std);
        self.normalize(cpu, dims, io.unary());
        if !self.global {
            let y = io.tops[0].data();
            kernels::elementwise::copy(cpu, y, &mut self.normalised[..y.len()]);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, dims) = (io.cpu, self.in_memory(io.tops[0].layout));
        let Some(diffs) = io.unary() else { return Ok(()) };
        let y = &self.normalised[..if self.global { 0 } else { dims.count() }];
        if self.global {
            channel::scale(cpu, dims, &self.inv_std, None, diffs);
        } else if dims.inner == 1 {
            batch_norm::backward(cpu, dims.c, y, &self.inv_std, diffs);
        } else {
            channel_norm::backward(
                cpu,
                dims,
                y,
                &self.inv_std,
                diffs,
                &mut self.scratch[..dims.count()],
            );
        }
        Ok(())
    }

    fn workspace_bytes(&self) -> usize {
        size_of_val(&self.normalised[..]) + size_of_val(&self.scratch[..])
    }
}

impl BatchNorm {
    /// The blob as it lies in memory.
    fn in_memory(&self, layout: Layout) -> Channels {
        let Channels { outer, c, inner } = self.channels;
        match layout {
            Layout::RowMajor => self.channels,
            Layout::ChannelsLast => Channels { outer: outer * inner, c, inner: 1 },
        }
    }

    /// Mean and variance of a batch.
    fn measure(&mut self, cpu: &Cpu, dims: Channels, x: &[f32]) {
        if dims.inner == 1 {
            let (mean, variance) = (&mut self.mean, &mut self.variance);
            batch_norm::statistics(cpu, dims.outer, dims.c, x, mean, variance);
        } else {
            let scratch = &mut self.scratch[..x.len()];
            channel_norm::statistics(cpu, dims, x, &mut self.mean, &mut self.variance, scratch);
        }
    }

    fn normalize(&self, cpu: &Cpu, dims: Channels, values: Unary<'_>) {
        if dims.inner == 1 {
            let (mean, inv_std) = (&self.mean[..], &self.inv_std[..]);
            let with = Normalize { mean, inv_std, affine: None, relu: None };
            batch_norm::normalize(cpu, dims.c, &with, values);
        } else {
            channel_norm::normalize(cpu, dims, &self.mean, &self.inv_std, values);
        }
    }

    /// Adds a batch of `samples` values a channel to the running sums.
    fn remember(&self, running: &mut [&mut [f32]], samples: usize) {
        running[2][0] = running[2][0] * self.fraction + 1.0;
        let unbiased = if samples > 1 { samples as f32 / (samples - 1) as f32 } else { 1.0 };
        let sums = [(&self.mean, 1.0), (&self.variance, unbiased)];
        for ((batch, factor), running) in sums.into_iter().zip(running) {
            for (sum, value) in running.iter_mut().zip(batch) {
                *sum = factor * value + self.fraction * *sum;
            }
        }
    }

    /// Mean and variance out of the running sums.
    fn recall(&mut self, running: &[&mut [f32]]) {
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
