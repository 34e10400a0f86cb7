//! Upsample: values go back to the pixels that MAX pooling took them from; the others are zero.
//! Type of the Caffe-SegNet fork, `upsample_param`: `upsample_h` and `upsample_w`, or `scale` (2),
//! `scale_h` and `scale_w`, `pad_out_h`, `pad_out_w`. Never runs in place.
//!
//! Bottom 1 is the mask that Pooling writes to its second top: per value the index
//! `row · width + column` of its pixel. The size of the top is `upsample_h` by `upsample_w`, or
//! that of bottom 0 times the scale, less 1 with `pad_out_h` or `pad_out_w` (which need a scale of
//! 2), for images whose side was odd. Where windows of the pooling overlap, the last value of a
//! pixel counts, and backward gives each of them the pixel's gradient, as in the fork. The mask
//! gets no gradient.

use base::{BLOB_VALUES_MAX, Shape};
use caffe_format::UpsampleParameter;
use kernels::unpooling::{self, UnpoolingShape};

use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits, LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Upsample",
    fork: "Caffe-SegNet",
    options: "upsample_param",
    formula: "y[x_1] = x_0, 0 elsewhere",
    bottoms: Arity::exactly(2),
    build,
    cases: &[
        GradientCase { options: "", bottoms: &[VALUES, (SIZE, BottomFill::Values(MASK))], tops: 1 },
        GradientCase {
            options: "upsample_param { scale_h: 2 scale_w: 3 }",
            bottoms: &[VALUES, (SIZE, BottomFill::Values(&[23., 0., 3., 6., 7., 9., 8., 15.]))],
            tops: 1,
        },
        GradientCase {
            options: "upsample_param { upsample_h: 3 upsample_w: 6 }",
            bottoms: &[VALUES, (SIZE, BottomFill::Values(&[17., 0., 3., 6., 7., 9., 8., 15.]))],
            tops: 1,
        },
        GradientCase {
            options: "upsample_param { pad_out_h: true pad_out_w: true }",
            bottoms: &[VALUES, (SIZE, BottomFill::Values(&[5., 0., 3., 6., 7., 8., 8., 4.]))],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

const SIZE: &[usize] = &[1, 2, 2, 2];
const VALUES: (&[usize], BottomFill) = (SIZE, BottomFill::Gaussian);
/// No two values of a channel name one pixel.
const MASK: &[f32] = &[5., 0., 3., 6., 7., 9., 8., 15.];

const H: &str = "upsample_param.upsample_h";
const W: &str = "upsample_param.upsample_w";

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.upsample_param();
    let target = match (written.upsample_h, written.upsample_w) {
        (Some(h), Some(w)) => UpsampleTarget::Size([side(H, h)?, side(W, w)?]),
        (None, None) => scaled(written)?,
        (h, _) => {
            let option = if h.is_none() { H } else { W };
            return Err(LayerError::Missing { option, want: "both, or neither and a scale" });
        }
    };
    let shape = UnpoolingShape { n: 0, c: 0, pixels: 0, out_pixels: 0 };
    Ok(Box::new(UpsampleLayer { target, shape }))
}

/// The scale as written: once for both axes, or once per axis.
fn scaled(written: &UpsampleParameter) -> Result<UpsampleTarget, LayerError> {
    let (first, second) = ("upsample_param.scale", "upsample_param.scale_h");
    let scale = match (written.scale, written.scale_h, written.scale_w) {
        (_, None, None) => [side(first, written.scale())?; 2],
        (None, Some(h), Some(w)) => [side(second, h)?, side("upsample_param.scale_w", w)?],
        (Some(_), ..) => {
            let remedy = "write the scale once, or as `scale_h` and `scale_w`";
            return Err(LayerError::Conflict { first, second, remedy });
        }
        (None, h, _) => {
            let option = if h.is_none() { second } else { "upsample_param.scale_w" };
            return Err(LayerError::Missing { option, want: "both `scale_h` and `scale_w`" });
        }
    };
    let odd = [written.pad_out_h(), written.pad_out_w()];
    let options = ["upsample_param.pad_out_h", "upsample_param.pad_out_w"];
    for (option, (odd, scale)) in options.into_iter().zip(odd.into_iter().zip(scale)) {
        if odd && scale != 2 {
            return Err(LayerError::Option {
                option,
                got: format!("true with a scale of {scale}"),
                want: "a scale of 2, or the size as `upsample_h` and `upsample_w`".into(),
            });
        }
    }
    Ok(UpsampleTarget::Scale { scale, odd })
}

/// A size or a scale; the fork demands more than 1.
fn side(option: &'static str, size: u32) -> Result<usize, LayerError> {
    let value = size as usize;
    if !(2..=BLOB_VALUES_MAX).contains(&value) {
        let want = format!("from 2 to {BLOB_VALUES_MAX}");
        return Err(LayerError::Option { option, got: size.to_string(), want });
    }
    Ok(value)
}

/// How the size of the top is written.
#[derive(Debug, Clone, Copy)]
enum UpsampleTarget {
    Size([usize; 2]),
    Scale {
        scale: [usize; 2],
        /// Whether the top has one pixel less than the scale says.
        odd: [bool; 2],
    },
}

struct UpsampleLayer {
    target: UpsampleTarget,
    shape: UnpoolingShape,
}

impl Layer for UpsampleLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let wrong = |index: usize, want: String| LayerError::Bottom {
            index,
            got: bottoms[index].clone(),
            want,
        };
        let [n, c, h, w] = bottoms[0].nchw().ok_or_else(|| wrong(0, "4 axes".into()))?;
        if bottoms[1] != bottoms[0] {
            return Err(wrong(1, format!("a mask of the shape of bottom 0, {}", bottoms[0])));
        }
        let [oh, ow] = match self.target {
            UpsampleTarget::Size(size) => size,
            UpsampleTarget::Scale { scale, odd } => [(h, 0), (w, 1)].map(|(size, axis)| {
                size.saturating_mul(scale[axis]).saturating_sub(usize::from(odd[axis]))
            }),
        };
        let top = Shape::new(&[n, c, oh, ow])?;
        let out_pixels = if top.count() == 0 { 0 } else { oh * ow };
        self.shape = UnpoolingShape { n, c, pixels: h * w, out_pixels };
        Ok(vec![top])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (x, mask) = (io.bottoms[0].data(), io.bottoms[1].data());
        if let Some(value) = self.shape.first_outside(mask) {
            return Err(LayerError::Mask { value, pixels: self.shape.out_pixels });
        }
        unpooling::forward(io.cpu, &self.shape, (x, mask), io.tops[0].data());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(1);
        let mask = io.bottoms[1].data;
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        unpooling::backward(io.cpu, &self.shape, (io.tops[0].diff(), mask), dx);
        Ok(())
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }
}

#[cfg(test)]
mod tests;
