//! One Python object that runs as a layer: one per replica, since it may keep state of its own.

use base::Shape;
use layers::{Backward, BottomMemory, Forward, ParamDecl, ParamKind};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use super::values::{blobs_class, copy_from, copy_to, reshape_to, shape_of};
use super::{PythonSpec, blob_gradient};
use crate::layer_class::LayerClass;

/// A Python layer after its `setup`, with the blobs that it is called with.
pub(crate) struct LayerInstance {
    object: Py<PyAny>,
    /// In place, the first is the first of `tops`.
    bottoms: Vec<Py<PyAny>>,
    tops: Vec<Py<PyAny>>,
}

impl LayerInstance {
    /// Makes an object of the class that `spec` names and calls its `setup`.
    pub(super) fn set_up(py: Python<'_>, spec: &PythonSpec, shapes: &[Shape]) -> PyResult<Self> {
        let class = PyModule::import(py, &*spec.module)?.getattr(&*spec.class)?;
        let is_layer = |class: &Bound<'_, PyType>| class.is_subclass_of::<LayerClass>();
        if !class.cast::<PyType>().is_ok_and(|class| is_layer(class).unwrap_or(false)) {
            let (module, class) = (&spec.module, &spec.class);
            return Err(PyTypeError::new_err(format!(
                "`{module}.{class}` must be a class derived from `caffe.Layer`"
            )));
        }
        let object = class.call1((py.None(),))?;
        object.setattr("param_str", &spec.param_str)?;
        object.setattr("phase", spec.phase as u8)?;
        let blob = PyModule::import(py, "caffe._layers")?.getattr("LayerBlob")?;
        let made = |count: usize| {
            (0..count).map(|_| Ok(blob.call0()?.unbind())).collect::<PyResult<Vec<_>>>()
        };
        let (mut bottoms, tops) = (made(shapes.len())?, made(spec.tops)?);
        if spec.in_place {
            bottoms[0] = tops[0].clone_ref(py);
        }
        let instance = Self { object: object.unbind(), bottoms, tops };
        instance.shape_bottoms(py, shapes)?;
        instance.call(py, "setup")?;
        Ok(instance)
    }

    /// The Python object.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.object.bind(py)
    }

    /// Calls `reshape` for bottoms of these shapes; the tops'.
    pub(super) fn reshape(&self, py: Python<'_>, shapes: &[Shape]) -> PyResult<Vec<Shape>> {
        self.shape_bottoms(py, shapes)?;
        self.call(py, "reshape")?;
        self.tops.iter().map(|top| shape_of(top.bind(py))).collect()
    }

    /// Calls `reshape` and `forward` with the values of `io`.
    pub(super) fn forward(
        &self,
        py: Python<'_>,
        io: &mut Forward<'_>,
        decls: &[ParamDecl],
    ) -> PyResult<()> {
        for (index, blob) in self.bottoms.iter().enumerate() {
            let bottom = io.bottoms[index];
            reshape_to(blob.bind(py), bottom.shape)?;
            let data = blob.bind(py).getattr("data")?;
            match bottom.memory {
                BottomMemory::OutOfPlace(values) => copy_to(&data, values)?,
                BottomMemory::InPlace => copy_to(&data, io.tops[0].data())?,
            }
        }
        let params = self.params(py, decls)?;
        for (blob, values) in of_kind(&params, decls, true).zip(&io.running) {
            copy_to(&blob.getattr("data")?, values)?;
        }
        if self.has_own_params(py)? {
            for (blob, values) in of_kind(&params, decls, false).zip(&io.params) {
                copy_to(&blob.getattr("data")?, values)?;
            }
        }
        self.call(py, "reshape")?;
        self.call(py, "forward")?;
        for (blob, top) in self.tops.iter().zip(&mut io.tops) {
            let blob = blob.bind(py);
            top.resize(&shape_of(blob)?);
            copy_from(&blob.getattr("data")?, top.data())?;
        }
        let params = self.params(py, decls)?;
        let mut written = of_kind(&params, decls, true).zip(&mut io.running);
        written.try_for_each(|(blob, values)| copy_from(&blob.getattr("data")?, values))
    }

    /// Calls `backward` with the values of `io`.
    pub(super) fn backward(
        &self,
        py: Python<'_>,
        io: &mut Backward<'_>,
        decls: &[ParamDecl],
    ) -> PyResult<()> {
        for (blob, bottom) in self.bottoms.iter().zip(&io.bottoms) {
            reshape_to(blob.bind(py), bottom.shape)?;
            copy_to(&blob.bind(py).getattr("data")?, bottom.data)?;
        }
        for (blob, top) in self.tops.iter().zip(&io.tops) {
            let blob = blob.bind(py);
            reshape_to(blob, top.shape)?;
            copy_to(&blob.getattr("data")?, top.data)?;
            let diff = blob.getattr("diff")?;
            match top.is_zero() {
                true => diff.call_method1("fill", (0,)).map(drop)?,
                false => copy_to(&diff, top.diff_beside(&io.bottoms[0]))?,
            }
        }
        let params = self.params(py, decls)?;
        let own = self.has_own_params(py)?;
        for (index, blob) in of_kind(&params, decls, false).enumerate() {
            if own {
                copy_to(&blob.getattr("data")?, io.params[index])?;
            }
            if let Some(gradient) = &mut io.gradients[index] {
                blob_gradient::begin(gradient);
                copy_to(&blob.getattr("diff")?, gradient.values)?;
            }
        }
        let propagate: Vec<bool> = io.bottoms.iter().map(|bottom| bottom.diff.is_some()).collect();
        let (tops, bottoms) = (PyList::new(py, &self.tops)?, PyList::new(py, &self.bottoms)?);
        self.object(py).call_method1("backward", (tops, propagate, bottoms))?;
        for (blob, bottom) in self.bottoms.iter().zip(&mut io.bottoms) {
            if let Some(values) = &mut bottom.diff {
                copy_from(&blob.bind(py).getattr("diff")?, values)?;
            }
        }
        let params = self.params(py, decls)?;
        for (blob, gradient) in of_kind(&params, decls, false).zip(&mut io.gradients) {
            if let Some(gradient) = gradient {
                copy_from(&blob.getattr("diff")?, gradient.values)?;
            }
        }
        Ok(())
    }

    /// The layer's params as they are now.
    pub(super) fn blobs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.object(py).getattr("blobs")?.try_iter()?.collect()
    }

    /// Those that `setup` added, which the layer may neither remove nor resize since.
    fn params<'py>(
        &self,
        py: Python<'py>,
        decls: &[ParamDecl],
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let blobs = self.blobs(py)?;
        let (got, want) = (blobs.len(), decls.len());
        if got != want {
            return Err(PyValueError::new_err(format!(
                "`self.blobs` has {got} params and had {want} after `setup`: add params there, and \
                 remove none"
            )));
        }
        for (index, (blob, decl)) in blobs.iter().zip(decls).enumerate() {
            let (got, want) = (shape_of(blob)?, &decl.shape);
            if got.count() != want.count() {
                return Err(PyValueError::new_err(format!(
                    "`self.blobs[{index}]` has the shape {got} and had {want} after `setup`: \
                     params keep their shape"
                )));
            }
        }
        Ok(blobs)
    }

    /// Whether the params have arrays that only this object knows, as in training. Those of a net
    /// of Python's own are exchanged with the net's by the net.
    fn has_own_params(&self, py: Python<'_>) -> PyResult<bool> {
        self.object(py).getattr("blobs")?.is_instance(&blobs_class(py)?)
    }

    /// Gives the bottoms their shapes.
    fn shape_bottoms(&self, py: Python<'_>, shapes: &[Shape]) -> PyResult<()> {
        let bottoms = self.bottoms.iter().zip(shapes);
        bottoms.into_iter().try_for_each(|(blob, shape)| reshape_to(blob.bind(py), shape))
    }

    /// Calls `method(bottom, top)`.
    fn call(&self, py: Python<'_>, method: &str) -> PyResult<()> {
        let (bottoms, tops) = (PyList::new(py, &self.bottoms)?, PyList::new(py, &self.tops)?);
        self.object(py).call_method1(method, (bottoms, tops)).map(drop)
    }

    /// An error unless the params are as many and as large as those of the first replica's object.
    pub(super) fn check_like(&self, py: Python<'_>, want: &[Shape]) -> PyResult<()> {
        let got: Vec<Shape> = self.blobs(py)?.iter().map(shape_of).collect::<PyResult<_>>()?;
        if got == want {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "`setup` added params of shapes {got:?} for one replica and {want:?} for another: it \
             must add the same ones each time"
        )))
    }
}

/// The params that are running statistics, or those that are not.
fn of_kind<'a, 'py>(
    params: &'a [Bound<'py, PyAny>],
    decls: &'a [ParamDecl],
    running: bool,
) -> impl Iterator<Item = &'a Bound<'py, PyAny>> {
    let wanted = move |decl: &ParamDecl| (decl.kind == ParamKind::Running) == running;
    params.iter().zip(decls).filter(move |(_, decl)| wanted(decl)).map(|(blob, _)| blob)
}
