//! Convolution: `y = W * x + b` over any number of spatial axes; each top from its own bottom, all
//! with the same weights. Caffe type `Convolution`, `convolution_param`: `num_output`,
//! `kernel_size`, `stride`, `pad`, `dilation` (once, once per axis, or `_h` and `_w`), `group`,
//! `axis`, `bias_term`, `weight_filler`, `bias_filler`. `engine` and `force_nd_im2col` change no
//! result and are accepted.
//!
//! Images run channels-last; see [`crate::convolve`] for the rest.

use base::Shape;
use caffe_format::{ConvolutionParameter, FillerParameter};
use kernels::conv::Activation;
use kernels::{Rows, RowsMut, Write, relu};

use crate::convolve::{Convolve, Maps};
use crate::window::{Window, WindowOptions, windows};
use crate::{
    Arity, Backward, Case, Few, Fill, Follower, Forward, Gradient, Layer, LayerError, LayerKind,
    LayoutRule, ParamDecl, Spec,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Convolution",
    options: "convolution_param",
    formula: "y = W * x + b",
    bottoms: Arity::at_least(1),
    tops: Arity::at_least(1),
    tops_equal_bottoms: true,
    build,
    cases: &[
        Case::image("convolution_param { num_output: 4 kernel_size: 3 pad: 1 stride: 2 }"),
        Case::image("convolution_param { num_output: 2 kernel_size: 1 bias_term: false }"),
        Case::image(
            "convolution_param { num_output: 3 kernel_h: 1 kernel_w: 3 pad_w: 2 stride_h: 1 \
             stride_w: 2 }",
        ),
        Case {
            options: "convolution_param { num_output: 4 kernel_size: 2 dilation: 2 group: 2 }",
            bottoms: &[(&[2, 4, 4, 4], Fill::Gaussian)],
            tops: 1,
        },
        Case {
            options: "convolution_param { num_output: 2 kernel_size: 2 }",
            bottoms: &[(&[1, 2, 3, 3], Fill::Gaussian), (&[1, 2, 3, 3], Fill::Gaussian)],
            tops: 2,
        },
        Case {
            options: "convolution_param { num_output: 4 kernel_size: 3 pad: 1 stride: 2 group: 2 }",
            bottoms: &[(&[2, 2, 5], Fill::Gaussian)],
            tops: 1,
        },
        Case {
            options: "convolution_param { num_output: 2 kernel_size: [2, 1, 3] }",
            bottoms: &[(&[1, 2, 3, 2, 4], Fill::Gaussian)],
            tops: 1,
        },
        Case {
            options: "convolution_param { num_output: 3 kernel_size: 2 axis: 2 }",
            bottoms: &[(&[2, 2, 2, 4], Fill::Gaussian)],
            tops: 1,
        },
        Case {
            options: "convolution_param { num_output: 3 kernel_size: 1 }",
            bottoms: &[(&[4, 2], Fill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let options = Options::lower(spec.layer.convolution_param())?;
    let single = spec.tops == 1;
    let weights = Shape::scalar();
    Ok(Box::new(Convolution { options, weights, convolve: None, single, relu: None }))
}

/// What Convolution and Deconvolution read.
pub(super) struct Options {
    pub(super) window: WindowOptions,
    pub(super) outputs: usize,
    pub(super) group: usize,
    pub(super) bias_term: bool,
    fillers: [FillerParameter; 2],
}

impl Options {
    pub(super) fn lower(written: &ConvolutionParameter) -> Result<Self, LayerError> {
        let (outputs, group) = (written.num_output() as usize, written.group() as usize);
        if outputs == 0 {
            let option = "convolution_param.num_output";
            return Err(LayerError::Missing { option, want: "the number of outputs" });
        }
        if group == 0 || !outputs.is_multiple_of(group) {
            return Err(LayerError::Option {
                option: "convolution_param.group",
                got: group.to_string(),
                want: format!("a divisor of `num_output`, which is {outputs}"),
            });
        }
        Ok(Self {
            window: WindowOptions::lower(written)?,
            outputs,
            group,
            bias_term: written.bias_term(),
            fillers: [written.weight_filler().clone(), written.bias_filler().clone()],
        })
    }

    /// The window over the bottoms, which must all have one shape, and their number of channels.
    pub(super) fn over(&self, bottoms: &[Shape]) -> Result<(Window, usize), LayerError> {
        if let Some(index) = bottoms.iter().position(|shape| *shape != bottoms[0]) {
            let want = format!("{}, the shape of bottom 0", bottoms[0]);
            return Err(LayerError::Bottom { index, got: bottoms[index].clone(), want });
        }
        let window = self.window.over(&bottoms[0])?;
        let channels = bottoms[0].dims()[window.channel];
        if !channels.is_multiple_of(self.group) {
            return Err(LayerError::Option {
                option: "convolution_param.group",
                got: self.group.to_string(),
                want: format!("a divisor of the bottom's {channels} channels"),
            });
        }
        Ok((window, channels))
    }

    pub(super) fn params(&self, weights: &Shape) -> Vec<ParamDecl> {
        let bias = Shape::new(&[self.outputs]).expect("fits, as the top does");
        ([weights, &bias].into_iter().zip(&self.fillers))
            .take(1 + usize::from(self.bias_term))
            .map(|(shape, filler)| ParamDecl::learned(shape, filler))
            .collect()
    }
}

/// (outputs, channels / group, kernel sizes..).
pub(super) fn weight_shape(
    outputs: usize,
    channels: usize,
    window: &Window,
) -> Result<Shape, LayerError> {
    let kernels = window.axes.iter().map(|axis| axis.kernel);
    Ok(Shape::new(&[outputs, channels].into_iter().chain(kernels).collect::<Vec<_>>())?)
}

/// A bottom's shape with other channels and spatial sizes.
pub(super) fn top_shape(
    bottom: &Shape,
    channel: usize,
    outputs: usize,
    sizes: impl Iterator<Item = usize>,
) -> Result<Shape, LayerError> {
    let before = bottom.dims()[..channel].iter().copied();
    Ok(Shape::new(&before.chain([outputs]).chain(sizes).collect::<Vec<_>>())?)
}

struct Convolution {
    options: Options,
    weights: Shape,
    convolve: Option<Convolve>,
    /// Whether there is one bottom and one top.
    single: bool,
    /// Slope of a ReLU that follows.
    relu: Option<f32>,
}

impl Convolution {
    fn convolve(&mut self) -> &mut Convolve {
        self.convolve.as_mut().expect("reshape comes first")
    }

    /// Applies the mask of the absorbed ReLU to the top's diff, if it lacks it, and makes the bias
    /// gradient on the way.
    fn mask(&self, io: &mut Backward<'_>) -> Masked {
        let conv = self.convolve.as_ref().and_then(Convolve::image);
        let (Some(slope), Some(conv), Some(diff)) = (self.relu, conv, io.unmasked.as_deref_mut())
        else {
            return Masked::Before;
        };
        let y = io.tops[0].rows(conv.k);
        let to = RowsMut { data: diff, stride: y.stride, offset: y.offset };
        let bias = io.gradients.get_mut(1).and_then(Option::as_mut);
        let sums = bias.map(|Gradient { values, write }| (*write, &mut values[..]));
        relu::backward_rows(io.cpu, [conv.out_pixels(), conv.k], slope, y, to, sums);
        Masked::WithBias
    }
}

/// Who applied the mask of a ReLU, if there is one.
#[derive(PartialEq, Eq)]
enum Masked {
    /// Nobody had to, or whoever made the diff.
    Before,
    /// This layer, which has its bias gradient since.
    WithBias,
}

impl Layer for Convolution {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let (window, c) = self.options.over(bottoms)?;
        let Options { outputs: k, group, .. } = self.options;
        let outs: Option<Vec<_>> = window.axes.iter().map(windows).collect();
        let outs = outs.ok_or_else(|| LayerError::Bottom {
            index: 0,
            got: bottoms[0].clone(),
            want: "spatial axes that with their padding hold the kernel".into(),
        })?;
        let top = top_shape(&bottoms[0], window.channel, k, outs.into_iter())?;
        self.weights = weight_shape(k, c / group, &window)?;
        let maps = Maps { images: bottoms[0].count_to(window.channel), c, k, group };
        self.convolve = Some(Convolve::new(maps, window.channel, &window.axes)?);
        Ok(vec![top; bottoms.len()])
    }

    fn params(&self) -> Vec<ParamDecl> {
        self.options.params(&self.weights)
    }

    fn layouts(&self) -> LayoutRule {
        self.convolve.as_ref().map_or(LayoutRule::RowMajor, Convolve::layouts)
    }

    fn absorb(&mut self, next: Follower, _: bool) -> bool {
        let image = self.convolve.as_ref().is_some_and(|convolve| convolve.image().is_some());
        match next {
            Follower::Relu { slope } if image && self.single && self.relu.is_none() => {
                self.relu = Some(slope);
                true
            }
            _ => false,
        }
    }

    fn takes_place(&self) -> bool {
        self.single && self.convolve.as_ref().is_some_and(|convolve| convolve.image().is_some())
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let params = (io.params[0], io.params.get(1).copied());
        let activation = self.relu.map_or(Activation::Linear, |slope| Activation::Relu { slope });
        let convolve = self.convolve();
        let k = convolve.k();
        for (bottom, top) in io.bottoms.iter().zip(&mut io.tops) {
            convolve.forward(io.cpu, bottom.data, params, activation, top.rows(k));
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, weights) = (io.cpu, io.params[0]);
        let masked = self.mask(io);
        let convolve = self.convolve();
        let k = convolve.k();
        let diffs: Few<Rows<'_>> = (io.tops.iter())
            .map(|top| match io.unmasked.as_deref() {
                Some(data) => Rows { data, ..top.rows(k) },
                None => top.diff_rows(k),
            })
            .collect();
        for ((bottom, top), &dy) in io.bottoms.iter_mut().zip(&io.tops).zip(&diffs) {
            let Some(dx) = bottom.diff.as_deref_mut() else { continue };
            match top.live {
                true => convolve.backward_data(cpu, dy, weights, dx),
                false => dx.fill(0.0),
            }
        }
        let pairs: Few<_> = (io.bottoms.iter().zip(&io.tops).zip(diffs))
            .filter(|((_, top), _)| top.live)
            .map(|((bottom, _), dy)| (bottom.data, dy))
            .collect();
        accumulate(io.gradients.first_mut(), &pairs, |(x, dy), write, dw| {
            convolve.backward_weights(cpu, x, dy, write, dw);
        });
        if masked != Masked::WithBias {
            accumulate(io.gradients.get_mut(1), &pairs, |(_, dy), write, db| {
                convolve.backward_bias(cpu, dy, write, db);
            });
        }
        Ok(())
    }

    fn multiply_adds(&self) -> u64 {
        self.convolve.as_ref().map_or(0, Convolve::multiply_adds)
    }

    fn workspace_bytes(&self) -> usize {
        self.convolve.as_ref().map_or(0, Convolve::workspace_bytes)
    }
}

/// A gradient that several bottoms contribute to: the first as asked, the others added.
pub(super) fn accumulate<P: Copy>(
    gradient: Option<&mut Option<Gradient<'_>>>,
    pairs: &[P],
    mut add: impl FnMut(P, Write, &mut [f32]),
) {
    let Some(Some(Gradient { values, write })) = gradient else { return };
    if pairs.is_empty() && *write == Write::Set {
        values.fill(0.0);
    }
    for (index, &pair) in pairs.iter().enumerate() {
        add(pair, if index == 0 { *write } else { Write::Add }, values);
    }
}
