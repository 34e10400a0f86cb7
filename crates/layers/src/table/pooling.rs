//! Pooling: the largest value, the mean, or a random value of each window of each channel. Caffe
//! type `Pooling`, `pooling_param`: `pool` (`MAX`, `AVE`, `STOCHASTIC`), `kernel_size`, `stride`,
//! `pad` (or `_h` and `_w`), `global_pooling`, `round_mode`; and of forks `ceil_mode`, an alias of
//! `round_mode`, and `pad_l`, `pad_r`, `pad_t`, `pad_b`. `engine` changes no result and is
//! accepted. Never runs in place.
//!
//! A second top of `MAX` is the mask: for each output the index `h * width + w` of its pixel.
//! A window is clipped to the image. For `AVE` the divisor counts the padding that it covers.

mod options;
mod stochastic;

use base::Shape;
use base::random::Mt19937;
use caffe_format::Phase;
use kernels::Cpu;
use kernels::elementwise::ReluMask;
use kernels::pooling::{PoolingShape, ave_backward, ave_forward, max_backward, max_forward};

pub(super) use options::{PoolingOptions, check_pad};

use crate::border::BottomMask;
use crate::workspace::Workspace;
use crate::{
    Arity, Backward, BackwardReads, BlobAccess, BottomDiffs, BottomFill, Forward, GradientCase,
    InPlace, Layer, LayerError, LayerKind, LayerSpec, LayerTraits, LayoutRule, TopPrecision,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Pooling",
    options: "pooling_param",
    formula: "y = max, mean or a random value of each window of x",
    tops: Arity { min: 1, max: 2 },
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        spread("pooling_param { kernel_size: 3 stride: 2 }", 1),
        spread("pooling_param { kernel_size: 3 stride: 2 pad: 1 }", 2),
        spread(
            "pooling_param { kernel_h: 2 kernel_w: 3 stride_h: 1 stride_w: 2 round_mode: FLOOR }",
            1,
        ),
        spread("pooling_param { global_pooling: true }", 1),
        spread("pooling_param { kernel_size: 3 stride: 2 pad_r: 1 pad_t: 2 ceil_mode: false }", 1),
        GradientCase::image("pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 }"),
        GradientCase::image(
            "pooling_param { pool: AVE kernel_size: 2 stride: 2 round_mode: FLOOR }",
        ),
        GradientCase::image(
            "pooling_param { pool: AVE kernel_h: 3 kernel_w: 2 pad_h: 2 pad_w: 0 }",
        ),
        GradientCase::image("pooling_param { pool: AVE global_pooling: true }"),
        GradientCase::image(
            "pooling_param { pool: AVE kernel_size: 3 stride: 2 pad_r: 2 pad_b: 1 }",
        ),
        GradientCase::image("pooling_param { pool: AVE kernel_size: 6 stride: 3 }"),
        GradientCase {
            options: "pooling_param { pool: STOCHASTIC kernel_size: 3 stride: 2 }",
            bottoms: &[(&[2, 2, 4, 5], BottomFill::Uniform(0.5, 1.5))],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

/// A case whose maxima do not move when a value changes by the checker's step.
const fn spread(options: &'static str, tops: usize) -> GradientCase {
    GradientCase { options, bottoms: &[(&[2, 3, 5, 6], BottomFill::Spread)], tops }
}

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let options = PoolingOptions::lower(spec.layer.pooling_param())?;
    if spec.tops > 1 && options.method != PoolingMethod::Max {
        return Err(LayerError::Option {
            option: "pooling_param.pool",
            got: format!("{:?}", options.method),
            want: "MAX, since there is a second top, its mask".into(),
        });
    }
    let (phase, tops) = (spec.phase, spec.tops);
    Ok(Box::new(PoolingLayer { options, phase, tops, pooler: None }))
}

/// How a window becomes one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PoolingMethod {
    Max,
    Ave,
    Stochastic,
}

struct PoolingLayer {
    options: PoolingOptions,
    phase: Phase,
    tops: usize,
    pooler: Option<Pooler>,
}

impl PoolingLayer {
    fn pooler(&mut self) -> &mut Pooler {
        self.pooler.as_mut().expect("reshape comes first")
    }
}

impl Layer for PoolingLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let pool = self.options.over(&bottoms[0])?;
        let [h, w] = pool.out();
        let top = Shape::new(&[pool.n, pool.c, h, w])?;
        self.pooler = Some(Pooler::new(self.options.method, self.phase, pool));
        Ok(vec![top; self.tops])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast
    }

    fn traits(&self) -> LayerTraits {
        let stochastic = self.options.method == PoolingMethod::Stochastic;
        LayerTraits {
            bottom_diffs: if stochastic { BottomDiffs::Computed } else { BottomDiffs::Masked },
            top_precision: TopPrecision::FirstHalf,
            access: if stochastic { BlobAccess::Whole } else { BlobAccess::ByImage },
            backward_reads: if stochastic { BackwardReads::Bottoms } else { BackwardReads::Masks },
            draws: stochastic && self.phase == Phase::Train,
            ..LayerTraits::default()
        }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (pooler, first) = (self.pooler(), io.first_image);
        pooler.forward(io.cpu, io.rng, first, io.bottoms[0].data(), io.tops[0].data());
        if let Some(top) = io.tops.get_mut(1) {
            for (value, &pixel) in top.data().iter_mut().zip(pooler.mask.iter()) {
                *value = if pixel == u32::MAX { -1.0 } else { pixel as f32 };
            }
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, top, bottom) = (io.cpu, &io.tops[0], &mut io.bottoms[0]);
        let mask = BottomMask::new(bottom, io.rounding);
        let Some(dx) = bottom.diff.as_deref_mut() else { return Ok(()) };
        if top.is_zero() {
            dx.fill(0.0); // only the mask is used
            return Ok(());
        }
        let (dy, first) = (top.diff(), io.first_image);
        self.pooler().backward(cpu, first, (bottom.data, dy), mask.in_pass(), dx);
        mask.finish(cpu, dx);
        Ok(())
    }

    fn allocate(&mut self) {
        self.pooler().allocate();
    }

    fn workspace_bytes(&self) -> usize {
        self.pooler.as_ref().map_or(0, Pooler::workspace_bytes)
    }
}

/// Pooling of a known geometry, channels-last.
pub(super) struct Pooler {
    method: PoolingMethod,
    phase: Phase,
    pool: PoolingShape,
    /// The pixel that each output was taken from; empty when outputs are not single values.
    mask: Workspace<Vec<u32>>,
}

impl Pooler {
    pub(super) fn new(method: PoolingMethod, phase: Phase, pool: PoolingShape) -> Self {
        let selects = match method {
            PoolingMethod::Max => true,
            PoolingMethod::Ave => false,
            PoolingMethod::Stochastic => phase == Phase::Train,
        };
        let mut mask = Workspace::<Vec<u32>>::default();
        mask.declare(if selects { pool.y_len() } else { 0 });
        Self { method, phase, pool, mask }
    }

    /// The geometry of as many images as `y_len` outputs are.
    fn of_outputs(&self, y_len: usize) -> PoolingShape {
        let n = y_len * self.pool.n / self.pool.y_len().max(1);
        PoolingShape { n, ..self.pool.clone() }
    }

    /// Images from `first` on, as many as the outputs are; random ones need all of them.
    pub(super) fn forward(
        &mut self,
        cpu: &Cpu,
        rng: &mut Mt19937,
        first: usize,
        x: &[f32],
        y: &mut [f32],
    ) {
        let pool = self.of_outputs(y.len());
        match (self.method, self.phase) {
            (PoolingMethod::Max, _) => {
                let at = first * pool.y_len().checked_div(pool.n).unwrap_or(0);
                max_forward(cpu, &pool, x, y, &mut self.mask[at..][..y.len()]);
            }
            (PoolingMethod::Ave, _) => ave_forward(cpu, &pool, x, y),
            (PoolingMethod::Stochastic, Phase::Train) => {
                stochastic::draw(&self.pool, rng, x, y, &mut self.mask);
            }
            (PoolingMethod::Stochastic, Phase::Test) => stochastic::expect(&self.pool, x, y),
        }
    }

    /// As [`forward`](Self::forward). Only MAX and AVE apply `relu`.
    pub(super) fn backward(
        &self,
        cpu: &Cpu,
        first: usize,
        (x, dy): (&[f32], &[f32]),
        relu: Option<ReluMask<'_>>,
        dx: &mut [f32],
    ) {
        let pool = self.of_outputs(dy.len());
        match (self.method, self.phase) {
            (PoolingMethod::Max, _) | (PoolingMethod::Stochastic, Phase::Train) => {
                let at = first * pool.y_len().checked_div(pool.n).unwrap_or(0);
                max_backward(cpu, &pool, (dy, &self.mask[at..][..dy.len()]), relu, dx);
            }
            (PoolingMethod::Ave, _) => ave_backward(cpu, &pool, dy, relu, dx),
            (PoolingMethod::Stochastic, Phase::Test) => {
                stochastic::expect_backward(&self.pool, x, dy, dx);
            }
        }
    }

    pub(super) fn allocate(&mut self) {
        self.mask.allocate();
    }

    pub(super) fn workspace_bytes(&self) -> usize {
        self.mask.bytes()
    }
}

#[cfg(test)]
mod tests;
