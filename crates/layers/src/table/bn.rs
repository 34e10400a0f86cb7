//! BN: `y = scale * (x - mean) / sqrt(variance + eps) + shift` per channel: BatchNorm and Scale in
//! one layer. Not in Caffe; two forks have a layer type `BN`, told apart by the fields of
//! `bn_param` (see [`options`]). Both run in place.
//!
//! * Caffe-SegNet (alexgkendall): `bn_mode`, `scale_filler`, `shift_filler`. Params are scale and
//!   shift, each (1, c, 1, 1). With `LEARN` statistics are the batch's, in testing too, and `eps`
//!   is 1e-9; tops 1 and 2, if there are any, hold mean and variance. With `INFERENCE` there is no
//!   normalisation: `y = scale * x + shift`.
//! * TSN (yjxiong), PSPNet (hszhao): `slope_filler`, `bias_filler`, `momentum`, `eps`, `frozen`.
//!   Params are slope, bias, and running mean and variance, each (1, c). In training statistics are
//!   the batch's, and a running value becomes `momentum` times itself plus `1 - momentum` times the
//!   batch's; in testing the running ones are used. `frozen` uses them in training too and keeps
//!   slope and bias as they are, whatever `lr_mult` says. `engine` changes no result.
//!
//! As in the forks, a filler that is not written gives zeros. Rows of channels as for BatchNorm; a
//! ReLU that follows in place can be absorbed.

mod options;

use base::Shape;
use caffe_format::FillerParameter;
use kernels::batch_norm::{self, InnerRounding, NormalizeTerms};
use kernels::channel::{self, ChannelDims};
use kernels::{Cpu, HalfFormat, Unary};

use options::{BnFork, BnOptions, BnStatistics};

use crate::workspace::Workspace;
use crate::{
    AbsorbableFollowers, Arity, Backward, BackwardReads, BottomFill, Follower, FollowerKind,
    Forward, Fusion, GradientCase, InPlace, InPlaceCost, Layer, LayerError, LayerKind, LayerSpec,
    LayerTraits, LayoutRule, ParamDecl, ParamGradient, ParamKind, TopGradient, TopPrecision,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "BN",
    fork: "Caffe-SegNet, TSN",
    options: "bn_param",
    formula: "y = scale * (x - mean) / sqrt(variance + eps) + shift, per channel",
    tops: Arity { min: 1, max: 3 },
    in_place: InPlace::First,
    build,
    cases: &[
        GradientCase::image("bn_param { bn_mode: LEARN }"),
        GradientCase::image("bn_param { bn_mode: INFERENCE }"),
        GradientCase::image("bn_param { eps: 0.1 }"),
        GradientCase::image("bn_param { frozen: true eps: 0.1 slope_filler { value: 0.7 } }"),
        GradientCase {
            options: "bn_param { momentum: 0.5 }",
            bottoms: &[(&[6, 3], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let options = BnOptions::lower(spec)?;
    Ok(Box::new(BnLayer {
        options,
        in_place: spec.in_place,
        tops: spec.tops,
        relu: None,
        rows: 0,
        c: 0,
        mean: Workspace::default(),
        variance: Workspace::default(),
        inv_std: Workspace::default(),
        means: Workspace::default(),
        kept: Workspace::default(),
    }))
}

struct BnLayer {
    options: BnOptions,
    in_place: bool,
    tops: usize,
    /// Slope of an absorbed ReLU.
    relu: Option<f32>,
    /// The blob in memory: rows of channels.
    rows: usize,
    c: usize,
    mean: Workspace,
    variance: Workspace,
    /// 1 without statistics.
    inv_std: Workspace,
    /// Means of gradients, (2, c); without batch statistics the first are factors of `dy`.
    means: Workspace,
    /// `x`, when `y` overwrites it.
    kept: Workspace,
}

impl Layer for BnLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let shape = &bottoms[0];
        (self.rows, self.c) = match *shape.dims() {
            [n, c] if n * c > 0 => (n, c),
            [n, c, h, w] if n * c * h * w > 0 => (n * h * w, c),
            _ => {
                let want = "2 or 4 axes, none of them empty".into();
                return Err(LayerError::Bottom { index: 0, got: shape.clone(), want });
            }
        };
        let c = self.c;
        for values in [&mut self.mean, &mut self.variance, &mut self.inv_std] {
            values.declare(c);
        }
        self.means.declare(2 * c);
        self.kept.declare(if self.keeps_x() { shape.count() } else { 0 });
        let statistics = Shape::new(&[1, c, 1, 1])?;
        let mut tops = vec![statistics; self.tops];
        tops[0] = shape.clone();
        Ok(tops)
    }

    fn params(&self) -> Vec<ParamDecl> {
        let (c, options) = (self.c, &self.options);
        let shape = match options.fork {
            BnFork::SegNet => Shape::new(&[1, c, 1, 1]),
            BnFork::Tsn => Shape::new(&[1, c]),
        };
        let shape = shape.expect("an axis of the bottom");
        let decl = |filler: &FillerParameter, kind| ParamDecl {
            shape: shape.clone(),
            filler: filler.clone(),
            values: None,
            kind,
        };
        let kind = if options.constant { ParamKind::Constant } else { ParamKind::Learned };
        let mut decls: Vec<_> = options.fillers.iter().map(|filler| decl(filler, kind)).collect();
        if options.fork == BnFork::Tsn {
            for value in [0.0, options.variance] {
                let filler = FillerParameter { value: Some(value), ..FillerParameter::EMPTY };
                decls.push(decl(&filler, ParamKind::Running));
            }
        }
        decls
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits {
            in_place: if self.needs_x() { InPlaceCost::CopiesBottom } else { InPlaceCost::Free },
            absorbs: AbsorbableFollowers {
                followers: &[FollowerKind::Relu],
                backward: self.options.statistics.of_batch(),
            },
            top_precision: TopPrecision::FirstHalf,
            backward_reads: BackwardReads::Bottoms,
            ..LayerTraits::default()
        }
    }

    fn fuse(&mut self, decision: Fusion) {
        match decision {
            Fusion::Absorb(Follower::Relu { slope }) => self.relu = Some(slope),
            Fusion::MoveApart => {
                self.in_place = false;
                self.kept.declare(0);
            }
            other => unreachable!("{other:?} is not among this layer's traits"),
        }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, c) = (io.cpu, self.c);
        if self.options.statistics.of_batch() {
            let (mean, variance) = (&mut self.mean, &mut self.variance);
            batch_norm::statistics(cpu, self.rows, c, io.input(), mean, variance);
        }
        match self.options.statistics {
            BnStatistics::OfBatch | BnStatistics::None => {}
            BnStatistics::OfBatchAndRunning { momentum } => {
                self.update_running(momentum, &mut io.running);
            }
            BnStatistics::Running => {
                self.mean.copy_from_slice(io.running[0]);
                self.variance.copy_from_slice(io.running[1]);
            }
        }
        if self.options.statistics != BnStatistics::None {
            batch_norm::inverse_std(self.options.eps, &self.variance, &mut self.inv_std);
        }
        if self.keeps_x() {
            kernels::elementwise::copy(cpu, io.tops[0].data(), &mut self.kept);
        }
        batch_norm::normalize(cpu, c, &self.with(&io.params, io.rounding), io.unary());
        for (top, values) in io.tops.iter_mut().skip(1).zip([&self.mean, &self.variance]) {
            top.data().copy_from_slice(values);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, c, count) = (io.cpu, self.c, self.rows * self.c);
        let mut means = std::mem::take(&mut self.means);
        let unmasked = matches!(io.tops[0].gradient, TopGradient::Unmasked(_));
        let relu = self.relu.filter(|_| unmasked);
        let with = NormalizeTerms { relu, ..self.with(&io.params, io.rounding) };
        let x = if self.keeps_x() { &self.kept[..count] } else { io.bottoms[0].data };
        let of_batch = self.options.statistics.of_batch();
        if of_batch || io.gradients.iter().any(Option::is_some) {
            let dy = io.tops[0].diff_beside(&io.bottoms[0]);
            let mut gradients = io.gradients.iter_mut().map(|gradient| {
                gradient.as_mut().map(|ParamGradient { values, write }| (*write, &mut values[..]))
            });
            let affine = [gradients.next().flatten(), gradients.next().flatten()];
            batch_norm::backward_sums(cpu, c, &with, (x, dy), &mut means, affine);
        }
        let scale = io.params[0];
        if let Some(diffs) = io.unary() {
            match of_batch {
                true => batch_norm::backward(cpu, c, &with, &means, x, diffs),
                false => self.backward_fixed(cpu, &mut means[..c], scale, diffs),
            }
        }
        self.means = means;
        Ok(())
    }

    fn allocate(&mut self) {
        let Self { mean, variance, inv_std, means, kept, .. } = self;
        [mean, variance, &mut *inv_std, means, kept].into_iter().for_each(Workspace::allocate);
        inv_std.fill(1.0);
    }

    fn workspace_bytes(&self) -> usize {
        let Self { mean, variance, inv_std, means, kept, .. } = self;
        [mean, variance, inv_std, means, kept].map(Workspace::bytes).iter().sum()
    }
}

impl BnLayer {
    /// Whether backward reads `x`: for the statistics, or for the gradient of the scale.
    fn needs_x(&self) -> bool {
        self.options.statistics.of_batch() || !self.options.constant
    }

    /// Whether `y` overwrites an `x` that backward reads.
    fn keeps_x(&self) -> bool {
        self.in_place && self.needs_x()
    }

    fn with<'a>(
        &'a self,
        params: &[&'a [f32]],
        rounding: Option<HalfFormat>,
    ) -> NormalizeTerms<'a> {
        NormalizeTerms {
            mean: &self.mean,
            inv_std: &self.inv_std,
            affine: Some([params[0], params[1]]),
            relu: self.relu,
            rounding: rounding.map_or(InnerRounding::None, InnerRounding::AfterScale),
        }
    }

    fn update_running(&self, momentum: f32, running: &mut [&mut [f32]]) {
        for (batch, running) in [&self.mean, &self.variance].into_iter().zip(running) {
            for (running, batch) in running.iter_mut().zip(batch.iter()) {
                *running = (1.0 - momentum) * batch + momentum * *running;
            }
        }
    }

    /// `dx = dy * scale / std`, where the statistics do not depend on `x`.
    fn backward_fixed(&self, cpu: &Cpu, factors: &mut [f32], scale: &[f32], diffs: Unary<'_>) {
        for ((factor, scale), inv_std) in factors.iter_mut().zip(scale).zip(self.inv_std.iter()) {
            *factor = scale * inv_std;
        }
        let dims = ChannelDims { outer: self.rows, c: self.c, inner: 1 };
        channel::scale(cpu, dims, factors, None, diffs);
    }
}

#[cfg(test)]
mod tests;
