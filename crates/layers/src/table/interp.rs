//! Interp: bilinear interpolation to another size, corners on corners. Type of the DeepLab and
//! PSPNet forks, `interp_param`: `height` and `width`, `zoom_factor`, `shrink_factor`, `pad_beg`,
//! `pad_end`. Never runs in place.
//!
//! The size is the first of these that is written: `shrink_factor` alone, `(size - 1) / factor +
//! 1`; `zoom_factor` alone, `(size - 1) · factor + 1`; `height` and `width`; both factors, shrunk
//! and then zoomed; the size of bottom 1. `pad_beg` and `pad_end` are 0 or negative: so many pixels
//! of bottom 0 are left out at the beginning and the end of both axes. Of bottom 1 only the shape
//! matters.

use std::ops::Range;

use base::{BLOB_VALUES_MAX, Shape};
use kernels::interpolation::{self, Interpolation};

use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits, LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Interp",
    fork: "DeepLab, PSPNet",
    options: "interp_param",
    formula: "y = x at another size, bilinear, corners on corners",
    bottoms: Arity { min: 1, max: 2 },
    build,
    cases: &[
        GradientCase::image("interp_param { height: 7 width: 3 }"),
        GradientCase::image("interp_param { height: 1 width: 5 }"),
        GradientCase::image("interp_param { zoom_factor: 3 }"),
        GradientCase::image("interp_param { shrink_factor: 2 }"),
        GradientCase::image("interp_param { shrink_factor: 2 zoom_factor: 3 }"),
        GradientCase::image("interp_param { zoom_factor: 2 pad_beg: -1 pad_end: -2 }"),
        GradientCase {
            options: "",
            bottoms: &[(&[2, 3, 4, 5], BottomFill::Gaussian), (&[1, 2, 6, 2], BottomFill::Binary)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.interp_param();
    let checked = |option: &'static str, size: Option<i32>| {
        size.map(|size| positive(option, size)).transpose()
    };
    let shrink = checked("interp_param.shrink_factor", written.shrink_factor)?;
    let zoom = checked("interp_param.zoom_factor", written.zoom_factor)?;
    let target = match (shrink, zoom, written.height.zip(written.width)) {
        (Some(_), Some(_), Some((h, w))) | (None, None, Some((h, w))) => InterpTarget::Size([
            positive("interp_param.height", h)?,
            positive("interp_param.width", w)?,
        ]),
        (None, None, None) if spec.bottoms == 2 => InterpTarget::SecondBottom,
        (None, None, None) => {
            let want = "both `height` and `width`, a factor, or a second bottom of that size";
            return Err(LayerError::Missing { option: "interp_param.height", want });
        }
        (shrink, zoom, _) => {
            InterpTarget::Factors { shrink: shrink.unwrap_or(1), zoom: zoom.unwrap_or(1) }
        }
    };
    let crop = [
        cropped("interp_param.pad_beg", written.pad_beg())?,
        cropped("interp_param.pad_end", written.pad_end())?,
    ];
    Ok(Box::new(InterpLayer { target, crop, interpolation: None }))
}

fn positive(option: &'static str, size: i32) -> Result<usize, LayerError> {
    match usize::try_from(size) {
        Ok(size) if size > 0 => Ok(size),
        _ => Err(LayerError::Option {
            option,
            got: size.to_string(),
            want: format!("from 1 to {BLOB_VALUES_MAX}"),
        }),
    }
}

/// Pixels that a padding of this size leaves out.
fn cropped(option: &'static str, pad: i32) -> Result<usize, LayerError> {
    match pad {
        ..=0 => Ok(pad.unsigned_abs() as usize),
        _ => Err(LayerError::Option {
            option,
            got: pad.to_string(),
            want: "0, or less to leave pixels out, as in the forks".into(),
        }),
    }
}

/// How the size of the top is written.
#[derive(Debug, Clone, Copy)]
enum InterpTarget {
    Size([usize; 2]),
    Factors { shrink: usize, zoom: usize },
    SecondBottom,
}

struct InterpLayer {
    target: InterpTarget,
    /// Pixels left out at the beginning and the end of both axes.
    crop: [usize; 2],
    interpolation: Option<Interpolation>,
}

impl InterpLayer {
    fn interpolation(&self) -> &Interpolation {
        self.interpolation.as_ref().expect("reshape comes first")
    }
}

impl Layer for InterpLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let wrong = |index: usize, want: &str| LayerError::Bottom {
            index,
            got: bottoms[index].clone(),
            want: want.into(),
        };
        let [n, c, h, w] = bottoms[0].nchw().ok_or_else(|| wrong(0, "4 axes"))?;
        let [begin, end] = self.crop;
        let crop = [h, w].map(|size| begin..size.saturating_sub(end));
        if crop.iter().any(Range::is_empty) {
            return Err(wrong(0, "images with pixels, also without those that are left out"));
        }
        let to = match self.target {
            InterpTarget::Size(size) => size,
            InterpTarget::Factors { shrink, zoom } => {
                crop.each_ref().map(|crop| ((crop.len() - 1) / shrink).saturating_mul(zoom) + 1)
            }
            InterpTarget::SecondBottom => match bottoms[1].nchw() {
                Some([_, _, h, w]) if h > 0 && w > 0 => [h, w],
                _ => return Err(wrong(1, "4 axes and images with pixels")),
            },
        };
        let top = Shape::new(&[n, c, to[0], to[1]])?;
        self.interpolation = Some(Interpolation::new((n, c), [h, w], &crop, to));
        Ok(vec![top])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (x, y) = (io.bottoms[0].data(), io.tops[0].data());
        interpolation::forward(io.cpu, self.interpolation(), x, y);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(1);
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        interpolation::backward(io.cpu, self.interpolation(), io.tops[0].diff(), dx);
        Ok(())
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }
}

#[cfg(test)]
mod tests;
