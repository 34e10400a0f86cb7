//! LRN, local response normalisation. Caffe type `LRN`, `lrn_param`: `local_size` (odd), `alpha`,
//! `beta`, `k`, `norm_region`. `engine` changes no result and is accepted. Never runs in place.
//!
//! * `ACROSS_CHANNELS`: `y = x * (k + alpha / size * sum of x² over size channels)^-beta`
//! * `WITHIN_CHANNEL`: `y = x * (1 + alpha * mean of x² over size by size pixels)^-beta`. The mean
//!   is that of Pooling, whose divisor counts padding; `k` is ignored, as in Caffe.

use base::Shape;
use caffe_format::LRNParameterNormRegion;
use kernels::lrn::{self, LrnOptions};
use kernels::pooling::{PoolingShape, Rounding, ave_backward, ave_forward};
use kernels::{Cpu, Unary, elementwise, math};

use crate::axis::image;
use crate::border::BottomMask;
use crate::workspace::Workspace;
use crate::{
    Backward, BackwardReads, BlobAccess, BottomDiffs, Forward, GradientCase, InPlace, Layer,
    LayerError, LayerKind, LayerSpec, LayerTraits, LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "LRN",
    options: "lrn_param",
    formula: "y = x (k + alpha / size * sum over the region of x^2)^-beta",
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        GradientCase::image("lrn_param { local_size: 3 alpha: 0.5 k: 2 }"),
        GradientCase::image("lrn_param { local_size: 9 alpha: 0.7 beta: 0.6 }"),
        GradientCase::image("lrn_param { local_size: 3 alpha: 0.9 norm_region: WITHIN_CHANNEL }"),
        GradientCase::image(
            "lrn_param { local_size: 5 alpha: 0.9 beta: 0.4 norm_region: WITHIN_CHANNEL }",
        ),
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.lrn_param();
    let (size, alpha, beta, k) =
        (written.local_size() as usize, written.alpha(), written.beta(), written.k());
    if size.is_multiple_of(2) {
        return Err(LayerError::Option {
            option: "lrn_param.local_size",
            got: size.to_string(),
            want: "an odd number, for as many neighbours on both sides".into(),
        });
    }
    Ok(match written.norm_region() {
        LRNParameterNormRegion::AcrossChannels => {
            let lrn = LrnOptions { pixels: 0, c: 0, size, alpha, beta, k };
            Box::new(AcrossChannelsLrn { written: lrn, lrn })
        }
        LRNParameterNormRegion::WithinChannel => Box::new(WithinChannelLrn {
            size,
            alpha,
            beta,
            pool: None,
            scratch: <[Workspace; 3]>::default(),
        }),
    })
}

struct AcrossChannelsLrn {
    written: LrnOptions,
    lrn: LrnOptions,
}

impl Layer for AcrossChannelsLrn {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let [n, c, h, w] = image(&bottoms[0])?;
        // A window of 2 c - 1 channels covers all of them; a larger one only divides by more.
        let size = self.written.size.min(2 * c - 1);
        let alpha = self.written.alpha * (size as f32 / self.written.size as f32);
        self.lrn = LrnOptions { pixels: n * h * w, c, size, alpha, ..self.written };
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits {
            bottom_diffs: BottomDiffs::Masked,
            access: BlobAccess::ByImage,
            backward_reads: BackwardReads::Bottoms,
            ..LayerTraits::default()
        }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let x = io.bottoms[0].data();
        lrn::forward(io.cpu, &self.of_values(x.len()), x, io.tops[0].data());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (dy, bottom) = (io.tops[0].diff(), &mut io.bottoms[0]);
        let (mask, lrn) = (BottomMask::new(bottom, io.rounding), self.of_values(dy.len()));
        if let Some(dx) = bottom.diff.as_deref_mut() {
            let relu = mask.in_pass().map(|mask| mask.slope);
            lrn::backward(io.cpu, &lrn, (bottom.data, dy), relu, dx);
            mask.finish(io.cpu, dx);
        }
        Ok(())
    }
}

impl AcrossChannelsLrn {
    /// For as many images as `len` values are.
    fn of_values(&self, len: usize) -> LrnOptions {
        LrnOptions { pixels: len / self.lrn.c, ..self.lrn }
    }
}

struct WithinChannelLrn {
    size: usize,
    alpha: f32,
    beta: f32,
    pool: Option<PoolingShape>,
    /// Means of squares, then two temporaries.
    scratch: [Workspace; 3],
}

impl Layer for WithinChannelLrn {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let [n, c, h, w] = image(&bottoms[0])?;
        let (kernel, pad) = ([self.size; 2], [self.size / 2; 2]);
        let (stride, pad_end, rounding) = ([1; 2], pad, Rounding::Ceil);
        self.pool = Some(PoolingShape { n, c, h, w, kernel, stride, pad, pad_end, rounding });
        self.scratch.iter_mut().for_each(|slab| slab.declare(bottoms[0].count()));
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, x, y) = (io.cpu, io.bottoms[0].data(), io.tops[0].data());
        let pool = self.pool.as_ref().expect("reshape comes first");
        let [means, squares, _] = &mut self.scratch;
        elementwise::mul_apart(cpu, x, x, &mut squares[..x.len()]);
        ave_forward(cpu, pool, &squares[..x.len()], &mut means[..x.len()]);
        self.power(cpu, self.beta, y);
        elementwise::mul(cpu, x, y);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, x, dy) = (io.cpu, io.bottoms[0].data, io.tops[0].diff());
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        // dx = dy * s^-beta + 2 x * pooled, with pooled the pooling's gradient of
        // dy * x * -beta * alpha * s^(-beta - 1) and s = 1 + alpha * mean.
        let mut through = std::mem::take(&mut self.scratch[1]);
        let terms = &mut through[..x.len()];
        self.power(cpu, self.beta + 1.0, terms);
        elementwise::mul(cpu, dy, terms);
        elementwise::mul(cpu, x, terms);
        elementwise::scale(cpu, -2.0 * self.alpha * self.beta, Unary::InPlace(terms));
        let pool = self.pool.as_ref().expect("reshape comes first");
        let pooled = &mut self.scratch[2][..x.len()];
        ave_backward(cpu, pool, terms, None, pooled);
        elementwise::mul(cpu, x, pooled);
        self.scratch[1] = through;
        self.power(cpu, self.beta, dx);
        elementwise::mul(cpu, dy, dx);
        elementwise::add(cpu, &self.scratch[2][..x.len()], dx);
        Ok(())
    }

    fn allocate(&mut self) {
        self.scratch.iter_mut().for_each(Workspace::allocate);
    }

    fn workspace_bytes(&self) -> usize {
        self.scratch.iter().map(Workspace::bytes).sum()
    }
}

impl WithinChannelLrn {
    /// `(1 + alpha * mean)^-exponent`.
    fn power(&self, cpu: &Cpu, exponent: f32, y: &mut [f32]) {
        let x = &self.scratch[0][..y.len()];
        math::pow_scaled(cpu, -exponent, self.alpha, 1.0, Unary::OutOfPlace { x, y });
    }
}
