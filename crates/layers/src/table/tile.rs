//! Tile: the bottom repeated along one axis. Caffe type `Tile`, `tile_param`: `tiles`, `axis`
//! (default 1). Never runs in place.
//!
//! Works on both memory orders.

use base::Shape;

use crate::axis::{AxisOption, AxisSpan};
use crate::{
    Backward, BottomFill, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec,
    LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Tile",
    options: "tile_param",
    formula: "y = [x, x, ..] along axis",
    build,
    cases: &[
        GradientCase { options: "tile_param { tiles: 3 }", bottoms: BLOB, tops: 1 },
        GradientCase { options: "tile_param { tiles: 2 axis: -1 }", bottoms: BLOB, tops: 1 },
        GradientCase { options: "tile_param { tiles: 2 axis: 0 }", bottoms: BLOB, tops: 1 },
        GradientCase { options: "tile_param { tiles: 1 }", bottoms: BLOB, tops: 1 },
    ],
    ..LayerKind::UNARY
};

const BLOB: &[(&[usize], BottomFill)] = &[(&[2, 3, 2, 2], BottomFill::Gaussian)];

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.tile_param();
    let Some(tiles) = written.tiles else {
        let want = "how often to repeat the bottom";
        return Err(LayerError::Missing { option: "tile_param.tiles", want });
    };
    let tiles = usize::try_from(tiles).ok().filter(|&tiles| tiles > 0).ok_or_else(|| {
        let (option, got) = ("tile_param.tiles", tiles.to_string());
        LayerError::Option { option, got, want: "1 or more".into() }
    })?;
    Ok(Box::new(TileLayer {
        option: AxisOption::new("tile_param.axis", written.axis()),
        tiles,
        axis: 0,
    }))
}

struct TileLayer {
    option: AxisOption,
    tiles: usize,
    axis: usize,
}

impl Layer for TileLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let shape = &bottoms[0];
        self.axis = self.option.of(shape)?;
        // `with` refuses sizes that are too large.
        let size = shape.dims()[self.axis].saturating_mul(self.tiles);
        Ok(vec![shape.with(self.axis, size)?])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let bottom = io.bottoms[0];
        let AxisSpan { outer, size, inner } = AxisSpan::new(bottom.shape, bottom.layout, self.axis);
        let (len, y) = (size * inner, io.tops[0].data());
        for at in 0..outer * self.tiles {
            let x = &bottom.data()[at / self.tiles * len..][..len];
            y[at * len..][..len].copy_from_slice(x);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (bottom, dy) = (&mut io.bottoms[0], io.tops[0].diff());
        let len = AxisSpan::new(bottom.shape, bottom.layout, self.axis).outer_stride();
        let Some(dx) = bottom.diff.as_deref_mut() else { return Ok(()) };
        for (at, dx) in dx.chunks_exact_mut(len.max(1)).enumerate() {
            let (first, others) = dy[at * self.tiles * len..][..self.tiles * len].split_at(len);
            dx.copy_from_slice(first);
            for dy in others.chunks_exact(len) {
                dx.iter_mut().zip(dy).for_each(|(dx, dy)| *dx += dy);
            }
        }
        Ok(())
    }
}
