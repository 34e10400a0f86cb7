//! SPP, spatial pyramid pooling (He et al. 2014): Pooling into 1, 4, 16, .. bins, joined to one row
//! per image. Caffe type `SPP`, `spp_param`: `pyramid_height`, `pool` (`MAX`, `AVE`, `STOCHASTIC`).
//! Never runs in place.
//!
//! The top is (images, channels · bins of all levels), level after level, each as Flatten would
//! make it; with one level it is that level's (images, channels, 1, 1).

use base::Shape;
use caffe_format::{Phase, SPPParameterPoolMethod};
use kernels::pooling::{PoolingShape, Rounding};
use kernels::{StridedRows, StridedRowsMut, elementwise, layout};

use super::pooling::{Pooler, PoolingMethod, PoolingOptions, check_pad};
use crate::axis::{copy_rows, image};
use crate::workspace::Workspace;
use crate::{
    Backward, BottomFill, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec,
    LayerTraits, LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "SPP",
    options: "spp_param",
    formula: "y = pooling of x into 4^0, 4^1, .. bins",
    build,
    cases: &[
        GradientCase {
            options: "spp_param { pyramid_height: 3 }",
            bottoms: &[(&[2, 2, 7, 4], BottomFill::Spread)],
            tops: 1,
        },
        GradientCase {
            options: "spp_param { pyramid_height: 2 pool: AVE }",
            bottoms: &[(&[2, 3, 5, 6], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "spp_param { pyramid_height: 1 pool: AVE }",
            bottoms: &[(&[2, 3, 3, 2], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.spp_param();
    let height = written.pyramid_height();
    if height == 0 {
        let option = "spp_param.pyramid_height";
        return Err(LayerError::Missing { option, want: "the number of levels" });
    }
    let method = match written.pool() {
        SPPParameterPoolMethod::Max => PoolingMethod::Max,
        SPPParameterPoolMethod::Ave => PoolingMethod::Ave,
        SPPParameterPoolMethod::Stochastic => PoolingMethod::Stochastic,
    };
    let (phase, levels) = (spec.phase, Vec::new());
    Ok(Box::new(SppLayer {
        height,
        method,
        phase,
        levels,
        row: 0,
        scratch: <[Workspace; 3]>::default(),
    }))
}

struct SppLayer {
    height: u32,
    method: PoolingMethod,
    phase: Phase,
    levels: Vec<PyramidLevel>,
    /// Values per image, all levels.
    row: usize,
    /// A level channels-last, a level row-major, and a gradient of the bottom.
    scratch: [Workspace; 3],
}

struct PyramidLevel {
    pool: PoolingShape,
    pooler: Pooler,
    /// Index of its first value in a row.
    offset: usize,
    /// Bins per channel.
    bins: usize,
}

impl SppLayer {
    /// The pooling that makes `2^level` by `2^level` bins.
    fn options(&self, level: u32, h: usize, w: usize) -> Result<PoolingOptions, LayerError> {
        let wrong = || LayerError::Option {
            option: "spp_param.pyramid_height",
            got: self.height.to_string(),
            want: format!("at most {level}, so that the bins of a {h} by {w} image hold pixels"),
        };
        let bins = 1_usize.checked_shl(level).filter(|&bins| bins <= h.max(w)).ok_or_else(wrong)?;
        let kernel = [h, w].map(|size| size.div_ceil(bins));
        let pad = [0, 1].map(|axis| (kernel[axis] * bins - [h, w][axis]).div_ceil(2));
        check_pad(self.method, kernel, ("", pad)).map_err(|_| wrong())?;
        let (method, stride, rounding) = (self.method, kernel, Rounding::Ceil);
        let pads = [pad; 2];
        Ok(PoolingOptions { method, kernel: Some(kernel), stride, pads, rounding })
    }
}

impl Layer for SppLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let [n, c, h, w] = image(&bottoms[0])?;
        self.levels.clear();
        self.row = 0;
        let mut largest = 0;
        for level in 0..self.height {
            let pool = self.options(level, h, w)?.over(&bottoms[0])?;
            let bins = pool.out().iter().product();
            let len = Shape::new(&[c, bins])?.count();
            let pooler = Pooler::new(self.method, self.phase, pool.clone());
            self.levels.push(PyramidLevel { pool, pooler, offset: self.row, bins });
            self.row += len;
            largest = largest.max(n * len);
        }
        self.scratch[0].declare(largest);
        self.scratch[1].declare(largest);
        self.scratch[2].declare(bottoms[0].count());
        Ok(vec![match self.height {
            1 => Shape::new(&[n, self.row, 1, 1])?,
            _ => Shape::new(&[n, self.row])?,
        }])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast // the top has one pixel or two axes: both orders are the same
    }

    fn traits(&self) -> LayerTraits {
        let draws = self.method == PoolingMethod::Stochastic && self.phase == Phase::Train;
        LayerTraits { draws, ..LayerTraits::default() }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, x, y) = (io.cpu, io.bottoms[0].data(), io.tops[0].data());
        let [pooled, flat, _] = &mut self.scratch;
        for PyramidLevel { pool, pooler, offset, bins } in &mut self.levels {
            let len = pool.c * *bins;
            let (pooled, flat) = (&mut pooled[..pool.n * len], &mut flat[..pool.n * len]);
            pooler.forward(cpu, io.rng, 0, x, pooled);
            layout::to_row_major(cpu, pool.n, pool.c, *bins, pooled, flat);
            let to = StridedRowsMut { data: y, stride: self.row, offset: *offset };
            copy_rows(cpu, len, StridedRows::dense(flat, len), to);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, x, dy) = (io.cpu, io.bottoms[0].data, io.tops[0].diff());
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        let [pooled, flat, level_dx] = &mut self.scratch;
        let level_dx = &mut level_dx[..dx.len()];
        for (index, PyramidLevel { pool, pooler, offset, bins }) in self.levels.iter().enumerate() {
            let len = pool.c * bins;
            let (pooled, flat) = (&mut pooled[..pool.n * len], &mut flat[..pool.n * len]);
            let from = StridedRows { data: dy, stride: self.row, offset: *offset };
            copy_rows(cpu, len, from, StridedRowsMut::dense(flat, len));
            layout::to_channels_last(cpu, pool.n, pool.c, *bins, flat, pooled);
            if index == 0 {
                pooler.backward(cpu, 0, (x, pooled), None, dx);
            } else {
                pooler.backward(cpu, 0, (x, pooled), None, level_dx);
                elementwise::add(cpu, level_dx, dx);
            }
        }
        Ok(())
    }

    fn allocate(&mut self) {
        self.levels.iter_mut().for_each(|level| level.pooler.allocate());
        self.scratch.iter_mut().for_each(Workspace::allocate);
    }

    fn workspace_bytes(&self) -> usize {
        let masks: usize = self.levels.iter().map(|level| level.pooler.workspace_bytes()).sum();
        masks + self.scratch.iter().map(Workspace::bytes).sum::<usize>()
    }
}
