//! InnerProduct: `y = x·Wᵀ + b`, one row per item. Caffe type `InnerProduct`,
//! `inner_product_param`: `num_output`, `axis` (the axes from here on make the row), `bias_term`,
//! `transpose` (weights are (inputs, outputs) instead of (outputs, inputs)), `weight_filler`,
//! `bias_filler`. Never runs in place.

use base::Shape;
use caffe_format::InnerProductParameter;
use kernels::inner_product::{self, InnerProductShape as Product};
use kernels::{Cpu, MatrixView, StridedRowsMut, Unary, Write, channel, gemm};

use crate::params::weights_and_bias;
use crate::{
    Backward, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec, ParamDecl,
    ParamGradient,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "InnerProduct",
    options: "inner_product_param",
    formula: "y = W x + b",
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        GradientCase::image("inner_product_param { num_output: 7 }"),
        GradientCase::image("inner_product_param { num_output: 3 bias_term: false axis: 2 }"),
        GradientCase::image("inner_product_param { num_output: 4 transpose: true axis: -2 }"),
        GradientCase::image(
            "inner_product_param { num_output: 2 transpose: true bias_term: false }",
        ),
        GradientCase::image("inner_product_param { num_output: 3 axis: 0 }"),
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.inner_product_param();
    let outputs = written.num_output() as usize;
    if outputs == 0 {
        let option = "inner_product_param.num_output";
        return Err(LayerError::Missing { option, want: "the number of outputs" });
    }
    let sizes = Product { n: 0, d: 0, k: outputs };
    Ok(Box::new(InnerProductLayer {
        written: written.clone(),
        sizes,
        shapes: [Shape::scalar(), Shape::scalar()],
    }))
}

struct InnerProductLayer {
    written: InnerProductParameter,
    sizes: Product,
    /// Shapes of weights and bias.
    shapes: [Shape; 2],
}

impl Layer for InnerProductLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let axis = bottoms[0].axis(self.written.axis()).ok_or_else(|| LayerError::Option {
            option: "inner_product_param.axis",
            got: self.written.axis().to_string(),
            want: format!("an axis of the bottom, which has shape {}", bottoms[0]),
        })?;
        let (d, k) = (bottoms[0].count_from(axis), self.sizes.k);
        self.sizes = Product { n: bottoms[0].count_to(axis), d, k };
        let weights = if self.written.transpose() { [d, k] } else { [k, d] };
        self.shapes = [Shape::new(&weights)?, Shape::new(&[k])?];
        let mut top = bottoms[0].dims()[..axis].to_vec();
        top.push(k);
        Ok(vec![Shape::new(&top)?])
    }

    fn params(&self) -> Vec<ParamDecl> {
        let [weights, bias] = &self.shapes;
        let fillers = (self.written.weight_filler(), self.written.bias_filler());
        weights_and_bias((weights, fillers.0), (bias, fillers.1), self.written.bias_term())
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (x, y) = (io.bottoms[0].data(), io.tops[0].data());
        let (weights, bias) = (io.params[0], io.params.get(1).copied());
        if self.written.transpose() {
            transposed(io.cpu, self.sizes, x, weights, y);
            if let Some(bias) = bias {
                channel::bias(io.cpu, self.outputs(), bias, Unary::InPlace(y));
            }
        } else {
            inner_product::forward(io.cpu, self.sizes, x, weights, bias, y);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, Product { n, d, k }) = (io.cpu, self.sizes);
        let (x, dy, weights) = (io.bottoms[0].data, io.tops[0].diff(), io.params[0]);
        let transpose = self.written.transpose();
        if let Some(ParamGradient { values, write }) = &mut io.gradients[0] {
            if transpose {
                let dw = StridedRowsMut::dense(values, k);
                gemm(
                    cpu,
                    d,
                    k,
                    n,
                    MatrixView::transposed(x, d),
                    MatrixView::new(dy, k),
                    *write,
                    dw,
                );
            } else {
                inner_product::backward_weights(cpu, self.sizes, x, dy, *write, values);
            }
        }
        if let Some(Some(ParamGradient { values, write })) = io.gradients.get_mut(1) {
            inner_product::backward_bias(cpu, self.sizes, dy, *write, values);
        }
        if let Some(dx) = io.bottoms[0].diff.as_deref_mut() {
            if transpose {
                let dx = StridedRowsMut::dense(dx, d);
                gemm(
                    cpu,
                    n,
                    d,
                    k,
                    MatrixView::new(dy, k),
                    MatrixView::transposed(weights, k),
                    Write::Set,
                    dx,
                );
            } else {
                inner_product::backward_data(cpu, self.sizes, dy, weights, dx);
            }
        }
        Ok(())
    }

    fn multiply_adds(&self) -> u64 {
        let Product { n, d, k } = self.sizes;
        (n as u64 * d as u64).saturating_mul(k as u64)
    }
}

impl InnerProductLayer {
    fn outputs(&self) -> channel::ChannelDims {
        channel::ChannelDims { outer: self.sizes.n, c: self.sizes.k, inner: 1 }
    }
}

/// `y = x·W` with weights as (inputs, outputs).
fn transposed(cpu: &Cpu, sizes: Product, x: &[f32], weights: &[f32], y: &mut [f32]) {
    let Product { n, d, k } = sizes;
    gemm(
        cpu,
        n,
        k,
        d,
        MatrixView::new(x, d),
        MatrixView::new(weights, k),
        Write::Set,
        StridedRowsMut::dense(y, k),
    );
}
