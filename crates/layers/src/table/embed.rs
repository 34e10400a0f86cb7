//! Embed: `y = W[x] + b`, a row of the weights for each index. Caffe type `Embed`, `embed_param`:
//! `num_output`, `input_dim` (the number of rows), `bias_term`, `weight_filler`, `bias_filler`.
//! Never runs in place.
//!
//! An index out of range is an error. Indices have no gradient.

use base::Shape;
use caffe_format::EmbedParameter;
use kernels::channel::{self, ChannelDims};
use kernels::{Unary, Write};

use crate::params::weights_and_bias;
use crate::{
    Backward, BottomFill, Forward, GradientBottoms, GradientCase, InPlace, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits, ParamDecl, ParamGradient,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Embed",
    options: "embed_param",
    formula: "y = W[x] + b",
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        GradientCase {
            options: "embed_param { num_output: 3 input_dim: 4 }",
            bottoms: &[(&[5, 2], BottomFill::Labels(4))],
            tops: 1,
        },
        GradientCase {
            options: "embed_param { num_output: 2 input_dim: 3 bias_term: false }",
            bottoms: &[(&[6], BottomFill::Labels(3))],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.embed_param();
    for (option, size, want) in [
        ("embed_param.num_output", written.num_output(), "the number of outputs"),
        ("embed_param.input_dim", written.input_dim(), "the number of rows"),
    ] {
        if size == 0 {
            return Err(LayerError::Missing { option, want });
        }
    }
    let (rows, width) = (written.input_dim() as usize, written.num_output() as usize);
    let shapes = [Shape::new(&[rows, width])?, Shape::new(&[width])?];
    Ok(Box::new(EmbedLayer { written: written.clone(), rows, width, shapes }))
}

struct EmbedLayer {
    written: EmbedParameter,
    rows: usize,
    width: usize,
    /// Shapes of weights and bias.
    shapes: [Shape; 2],
}

impl Layer for EmbedLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let dims: Vec<_> = bottoms[0].dims().iter().copied().chain([self.width]).collect();
        Ok(vec![Shape::new(&dims)?])
    }

    fn params(&self) -> Vec<ParamDecl> {
        let [weights, bias] = &self.shapes;
        let fillers = (self.written.weight_filler(), self.written.bias_filler());
        weights_and_bias((weights, fillers.0), (bias, fillers.1), self.written.bias_term())
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::None.traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (x, y) = (io.bottoms[0].data(), io.tops[0].data());
        for (item, (&index, y)) in x.iter().zip(y.chunks_exact_mut(self.width)).enumerate() {
            let row = row(index, self.rows).ok_or(LayerError::Label {
                item,
                value: index,
                classes: self.rows,
            })?;
            y.copy_from_slice(&io.params[0][row * self.width..][..self.width]);
        }
        if let Some(bias) = io.params.get(1) {
            channel::bias(io.cpu, self.channels(x.len()), bias, Unary::InPlace(y));
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (x, dy) = (io.bottoms[0].data, io.tops[0].diff());
        if let Some(ParamGradient { values, write }) = &mut io.gradients[0] {
            if *write == Write::Set {
                values.fill(0.0);
            }
            for (&index, dy) in x.iter().zip(dy.chunks_exact(self.width)) {
                let row = row(index, self.rows).expect("forward checked the indices");
                for (dw, dy) in values[row * self.width..].iter_mut().zip(dy) {
                    *dw += dy;
                }
            }
        }
        if let Some(Some(ParamGradient { values, write })) = io.gradients.get_mut(1) {
            channel::backward_bias(io.cpu, self.channels(x.len()), dy, *write, values);
        }
        if let Some(dx) = io.bottoms[0].diff.as_deref_mut() {
            dx.fill(0.0);
        }
        Ok(())
    }
}

impl EmbedLayer {
    fn channels(&self, items: usize) -> ChannelDims {
        ChannelDims { outer: items, c: self.width, inner: 1 }
    }
}

/// The row that an index names: a whole number below `rows`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared afterwards")]
fn row(index: f32, rows: usize) -> Option<usize> {
    let row = index as usize; // saturates; NaN is 0
    (row as f32 == index && row < rows).then_some(row)
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn only_whole_numbers_below_rows_are_indices() {
        for (index, want) in [(0.0, Some(0)), (4.0, Some(4)), (-0.0, Some(0))] {
            assert_eq!(row(index, 5), want);
        }
        for index in [5.0, -1.0, 0.5, f32::NAN, f32::INFINITY, 1e30] {
            assert_eq!(row(index, 5), None, "{index}");
        }
    }
}
