//! `type: "Python"`: layers written in Python.
//!
//! ```text
//! layer { name: "loss" type: "Python" bottom: "x" bottom: "y" top: "loss" loss_weight: 1
//!         python_param { module: "pyloss" layer: "EuclideanLossLayer" param_str: "{}" } }
//! ```
//!
//! The class is derived from `caffe.Layer`. Every replica has an object of its own, which is made
//! when the net is compiled or, for further replicas of a worker, at their first forward.
//! `reshape` is called before every forward, so tops may change their shapes there, and in
//! `forward` too.
//!
//! The object sees copies: bottoms are copied into NumPy arrays that belong to Python, tops and
//! diffs out of them. So a layer's code reaches no memory that Rust refers to while it runs, at the
//! cost of one copy of each blob per pass. The interpreter's lock is held for these copies and the
//! layer's code only.
//!
//! A param is added in `setup` by `self.blobs.add_blob(..)`. One whose `lr_mult` is 0 may be
//! written by `forward`, like BatchNorm's running statistics; others are the solver's. In a net of
//! Python's own the params are memory that the net exchanges with its own (`script_params`).
//! `share_in_parallel` is accepted and has no effect.

use std::sync::Arc;

use base::Shape;
use caffe_format::{FillerParameter, Phase};
use layers::{
    AddedLayers, Arity, Backward, Forward, InPlace, Layer as EngineLayer, LayerError, LayerKind,
    LayerObject, LayerSpec, LayerTraits, ParamDecl, ParamKind,
};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;

mod blob_gradient;
mod error;
mod instance;
mod values;

pub(crate) use error::original;
pub(crate) use instance::LayerInstance;

use error::LayerException;
use values::shape_of;

/// The layers that the package brings to the engine.
pub(crate) const LAYERS: AddedLayers = AddedLayers(&[KIND]);

/// Blobs in any number: the class knows how many it takes.
const KIND: LayerKind = LayerKind {
    name: "Python",
    options: "PythonParameter",
    bottoms: Arity::at_least(0),
    tops: Arity::at_least(0),
    in_place: InPlace::First,
    build,
    ..LayerKind::UNARY
};

/// What is written in the layer.
struct PythonSpec {
    name: String,
    module: String,
    class: String,
    param_str: String,
    phase: Phase,
    in_place: bool,
    tops: usize,
    /// For each param with a `param { .. }` whether it is learned.
    learned: Vec<bool>,
}

impl PythonSpec {
    /// `forward of layer `loss` (`pyloss.EuclideanLossLayer`)`.
    fn place(&self, method: &str) -> String {
        format!("`{method}` of layer `{}` (`{}.{}`)", self.name, self.module, self.class)
    }
}

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn EngineLayer>, LayerError> {
    let written = spec.layer.python_param();
    let required = |value: &Option<String>, option, want| match value {
        Some(value) if !value.is_empty() => Ok(value.clone()),
        _ => Err(LayerError::Missing { option, want }),
    };
    let module = "the module to import, without `.py`";
    let class = "the name of a class in the module, derived from `caffe.Layer`";
    let spec = PythonSpec {
        name: spec.layer.name().to_owned(),
        module: required(&written.module, "python_param.module", module)?,
        class: required(&written.layer, "python_param.layer", class)?,
        param_str: written.param_str().to_owned(),
        phase: spec.phase,
        in_place: spec.in_place,
        tops: spec.tops,
        learned: spec.layer.param.iter().map(|param| param.lr_mult() != 0.0).collect(),
    };
    Ok(Box::new(PythonLayer { spec, object: None, params: None }))
}

/// A layer of one worker.
struct PythonLayer {
    spec: PythonSpec,
    /// A [`LayerInstance`], once there is one.
    object: LayerObject,
    /// Declared by the first object's `setup`.
    params: Option<Vec<ParamDecl>>,
}

impl PythonLayer {
    /// Calls `run` with this replica's object, which is made if there is none. `method` is what
    /// `run` is about, for errors.
    fn with<T>(
        &mut self,
        method: &str,
        bottoms: &[Shape],
        run: impl FnOnce(Python<'_>, &LayerInstance, &[ParamDecl]) -> PyResult<T>,
    ) -> Result<T, LayerError> {
        Python::attach(|py| {
            let caught =
                |method: &str, error| LayerException::caught(py, error, &self.spec.place(method));
            if self.object.is_none() {
                let made = LayerInstance::set_up(py, &self.spec, bottoms);
                let made = made.map_err(|error| caught("setup", error))?;
                match &self.params {
                    None => {
                        let decls = declared(py, &made, &self.spec.learned);
                        self.params = Some(decls.map_err(|error| caught("setup", error))?);
                    }
                    Some(decls) => {
                        let want: Vec<_> = decls.iter().map(|decl| decl.shape.clone()).collect();
                        made.check_like(py, &want).map_err(|error| caught("setup", error))?;
                    }
                }
                self.object = Some(Box::new(made));
            }
            let object = self.object.as_ref().and_then(|object| object.downcast_ref());
            let decls = self.params.as_deref().unwrap_or_default();
            run(py, object.expect("only we put something there"), decls)
                .map_err(|error| caught(method, error))
        })
    }
}

/// The params that `setup` has added, and their values.
fn declared(
    py: Python<'_>,
    instance: &LayerInstance,
    learned: &[bool],
) -> PyResult<Vec<ParamDecl>> {
    let blobs = instance.blobs(py)?;
    let decl = |(index, blob): (usize, &Bound<'_, PyAny>)| {
        let data = blob.getattr("data")?;
        let values: Arc<[f32]> = data.cast::<PyArrayDyn<f32>>()?.to_vec()?.into();
        Ok(ParamDecl {
            shape: shape_of(blob)?,
            filler: FillerParameter::EMPTY,
            values: Some(values),
            kind: match learned.get(index) {
                Some(false) => ParamKind::Running,
                _ => ParamKind::Learned,
            },
        })
    };
    blobs.iter().enumerate().map(decl).collect()
}

impl EngineLayer for PythonLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.with("reshape", bottoms, |py, object, _| object.reshape(py, bottoms))
    }

    fn params(&self) -> Vec<ParamDecl> {
        self.params.clone().unwrap_or_default()
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits { remembers: true, ..LayerTraits::default() }
    }

    fn object(&mut self) -> Option<&mut LayerObject> {
        Some(&mut self.object)
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let shapes: Vec<_> = io.bottoms.iter().map(|bottom| bottom.shape.clone()).collect();
        self.with("forward", &shapes, |py, object, decls| object.forward(py, io, decls))
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let shapes: Vec<_> = io.bottoms.iter().map(|bottom| bottom.shape.clone()).collect();
        self.with("backward", &shapes, |py, object, decls| object.backward(py, io, decls))
    }
}
