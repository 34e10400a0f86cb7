//! Parameter: a learned parameter as a blob, `y = w`. Caffe type `Parameter`, `parameter_param`:
//! `shape`. Has no bottoms.
//!
//! Initialised with zeros, as in Caffe; weights are usually loaded from a file, or shared with
//! another layer by `param { name }`.

use base::Shape;
use caffe_format::FillerParameter;
use kernels::{Write, elementwise};

use crate::{
    Arity, Backward, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec, ParamDecl,
    ParamKind,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Parameter",
    options: "parameter_param",
    formula: "y = w",
    bottoms: Arity::exactly(0),
    build,
    cases: &[GradientCase {
        options: "parameter_param { shape { dim: 2 dim: 3 } }",
        bottoms: &[],
        tops: 1,
    }],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let Some(shape) = &spec.layer.parameter_param().shape else {
        return Err(LayerError::Missing {
            option: "parameter_param.shape",
            want: "the size of every axis",
        });
    };
    Ok(Box::new(ParameterLayer { shape: Shape::from_i64(&shape.dim)? }))
}

struct ParameterLayer {
    shape: Shape,
}

impl Layer for ParameterLayer {
    fn reshape(&mut self, _: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(vec![self.shape.clone()])
    }

    fn params(&self) -> Vec<ParamDecl> {
        vec![ParamDecl {
            shape: self.shape.clone(),
            filler: FillerParameter::EMPTY, // constant zero
            values: None,
            kind: ParamKind::Learned,
        }]
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        elementwise::copy(io.cpu, io.params[0], io.tops[0].data());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        if let Some(gradient) = &mut io.gradients[0] {
            match gradient.write {
                Write::Set => elementwise::copy(io.cpu, io.tops[0].diff(), gradient.values),
                Write::Add => elementwise::add(io.cpu, io.tops[0].diff(), gradient.values),
            }
        }
        Ok(())
    }
}
