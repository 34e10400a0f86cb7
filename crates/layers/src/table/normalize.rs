//! Normalize: `y = scale * x / sqrt(sum x^2 + eps)`, the sum over the channels of each pixel or
//! over the whole image. Not in Caffe; layer type `Normalize` of the SSD fork (weiliu89; ParseNet,
//! Liu et al. 2015), `norm_param`: `across_spatial` (whole image, the default), `channel_shared`
//! (one scale for all channels, the default), `scale_filler` (default 1), `eps`. Never runs in
//! place.
//!
//! The gradient is the exact one. The fork's differs where channels have scales of their own: its
//! sum over channels leaves them out.

use base::Shape;
use caffe_format::FillerParameter;
use kernels::Write;
use kernels::l2_norm::{self, L2NormDims};

use crate::loss::rounded;
use crate::workspace::Workspace;
use crate::{
    Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec,
    LayoutRule, ParamDecl, ParamGradient,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Normalize",
    fork: "SSD",
    options: "norm_param",
    formula: "y = scale * x / sqrt(sum x^2 + eps), over the image or over the channels of a pixel",
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        image(""),
        image("norm_param { across_spatial: false }"),
        image("norm_param { channel_shared: false eps: 0.1 }"),
        image("norm_param { across_spatial: false channel_shared: false eps: 0.1 }"),
        GradientCase {
            options: "norm_param { channel_shared: false }",
            bottoms: &[(&[3, 4], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

/// A case with norms well above the checker's step.
const fn image(options: &'static str) -> GradientCase {
    GradientCase { options, bottoms: &[(&[2, 3, 4, 5], BottomFill::Uniform(0.5, 1.5))], tops: 1 }
}

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.norm_param();
    let eps = written.eps();
    if !(eps >= 0.0 && eps.is_finite()) {
        return Err(LayerError::Option {
            option: "norm_param.eps",
            got: eps.to_string(),
            want: "0 or more".into(),
        });
    }
    let one = || FillerParameter { value: Some(1.0), ..FillerParameter::EMPTY };
    Ok(Box::new(NormalizeLayer {
        across_spatial: written.across_spatial(),
        shared: written.channel_shared(),
        filler: written.scale_filler.clone().unwrap_or_else(one),
        eps,
        dims: L2NormDims { groups: 0, pixels: 0, c: 0 },
        inv: Workspace::default(),
        scratch: Workspace::default(),
        scale: Workspace::default(),
        dscale: Workspace::default(),
    }))
}

struct NormalizeLayer {
    across_spatial: bool,
    /// Whether all channels have one scale.
    shared: bool,
    filler: FillerParameter,
    eps: f32,
    dims: L2NormDims,
    /// Inverse of each norm.
    inv: Workspace,
    /// As long as `inv`.
    scratch: Workspace,
    /// One per channel, also where all have the same.
    scale: Workspace,
    /// Gradient of `scale`, where all channels have the same.
    dscale: Workspace,
}

impl NormalizeLayer {
    /// The gradient of the scale: one per channel, or their sum.
    fn backward_scale(&mut self, io: &mut Backward<'_>) {
        let Some(ParamGradient { values, write }) = &mut io.gradients[0] else { return };
        let at = (io.bottoms[0].data, io.tops[0].diff());
        if !self.shared {
            return l2_norm::backward_scale(io.cpu, &self.dims, &self.inv, at, *write, values);
        }
        let dscale = &mut self.dscale;
        l2_norm::backward_scale(io.cpu, &self.dims, &self.inv, at, Write::Set, dscale);
        let sum: f64 = dscale.iter().map(|&d| f64::from(d)).sum();
        values[0] = match write {
            Write::Set => rounded(sum),
            Write::Add => values[0] + rounded(sum),
        };
    }
}

impl Layer for NormalizeLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let (n, c, pixels) = match *bottoms[0].dims() {
            [n, c] if n * c > 0 => (n, c, 1),
            [n, c, h, w] if n * c * h * w > 0 => (n, c, h * w),
            _ => {
                let (index, got) = (0, bottoms[0].clone());
                let want = "2 or 4 axes, none of them empty".into();
                return Err(LayerError::Bottom { index, got, want });
            }
        };
        let (groups, pixels) = if self.across_spatial { (n, pixels) } else { (n * pixels, 1) };
        self.dims = L2NormDims { groups, pixels, c };
        self.inv.declare(groups);
        self.scratch.declare(groups);
        self.scale.declare(c);
        self.dscale.declare(if self.shared { c } else { 0 });
        Ok(bottoms.to_vec())
    }

    fn params(&self) -> Vec<ParamDecl> {
        let shape = match self.shared {
            true => Shape::scalar(),
            false => Shape::new(&[self.dims.c]).expect("an axis of the bottom"),
        };
        vec![ParamDecl::learned(&shape, &self.filler)]
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, x, y) = (io.cpu, io.bottoms[0].data(), io.tops[0].data());
        match self.shared {
            true => self.scale.fill(io.params[0][0]),
            false => self.scale.copy_from_slice(io.params[0]),
        }
        l2_norm::inverse_norms(cpu, &self.dims, self.eps, x, &mut self.inv);
        l2_norm::normalize(cpu, &self.dims, &self.inv, &self.scale, x, y);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        self.backward_scale(io);
        let (bottom, dy) = (&mut io.bottoms[0], io.tops[0].diff());
        if let Some(dx) = bottom.diff.as_deref_mut() {
            let (by, at) = ((&self.inv[..], &self.scale[..]), (bottom.data, dy));
            l2_norm::backward(io.cpu, &self.dims, by, at, &mut self.scratch, dx);
        }
        Ok(())
    }

    fn allocate(&mut self) {
        let Self { inv, scratch, scale, dscale, .. } = self;
        [inv, scratch, scale, dscale].into_iter().for_each(Workspace::allocate);
    }

    fn workspace_bytes(&self) -> usize {
        let Self { inv, scratch, scale, dscale, .. } = self;
        [inv, scratch, scale, dscale].map(Workspace::bytes).iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, forward, shapes};

    #[test]
    fn norms_are_of_images_or_of_pixels() {
        // In memory: two pixels of two channels, with norms 5 and 13, together sqrt(194).
        let x = [3.0, 4.0, 5.0, 12.0];
        let check = |options: &str, want: [f32; 4]| {
            let text = format!("type: \"Normalize\" norm_param {{ {options} }}");
            let y = forward(&text, &[(&[1, 2, 1, 2], &x)], 1).unwrap().remove(0).1;
            for (y, want) in y.iter().zip(want) {
                assert!((y - want).abs() < 1e-5, "{options}: {y} and {want}");
            }
        };
        check("across_spatial: false", [0.6, 0.8, 5.0 / 13.0, 12.0 / 13.0]);
        check(
            "across_spatial: false scale_filler { value: 20 }",
            [12.0, 16.0, 100.0 / 13.0, 240.0 / 13.0],
        );
        check("", [3.0, 4.0, 5.0, 12.0].map(|x| x / 194.0_f32.sqrt()));
        check("eps: 31", [3.0, 4.0, 5.0, 12.0].map(|x| x / 15.0));
    }

    #[test]
    fn options_and_bottoms_that_do_not_fit_are_reported() {
        assert!(shapes("type: \"Normalize\"", &[&[2, 3]], 1).is_ok());
        assert_eq!(
            error("type: \"Normalize\"", &[&[2, 3, 4]], 1),
            "bottom 0 has shape 2 3 4 (24), expected 2 or 4 axes, none of them empty"
        );
        assert_eq!(
            error("type: \"Normalize\" norm_param { eps: -1 }", &[&[2, 3]], 1),
            "`norm_param.eps` is -1, expected 0 or more"
        );
    }
}
