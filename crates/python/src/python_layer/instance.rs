//! One Python object that runs as a layer: one per replica, since it may keep state of its own.

use base::Shape;
use layers::{Backward, BottomMemory, Forward, ParamKind};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};
use train::BlobPart::{Data, Diff};
use train::{BlobPart, Layout};

use super::{PythonSpec, blob_gradient};
use crate::blob::Blob;
use crate::layer::Layer;
use crate::view::{load, store};

/// A Python layer after its `setup`, with the blobs that it is called with.
pub(super) struct LayerInstance {
    object: Py<Layer>,
    /// In place, the first is the first of `tops`.
    bottoms: Vec<Py<Blob>>,
    tops: Vec<Py<Blob>>,
}

impl LayerInstance {
    /// Makes an object of the class that `spec` names and calls its `setup`.
    pub(super) fn set_up(py: Python<'_>, spec: &PythonSpec, seen: &[Shape]) -> PyResult<Self> {
        let class = PyModule::import(py, &*spec.module)?.getattr(&*spec.class)?;
        let is_layer = |class: &Bound<'_, PyType>| class.is_subclass_of::<Layer>();
        if !class.cast::<PyType>().is_ok_and(|class| is_layer(class).unwrap_or(false)) {
            let (module, class) = (&spec.module, &spec.class);
            return Err(PyTypeError::new_err(format!(
                "`{module}.{class}` must be a class derived from `caffe.Layer`"
            )));
        }
        let object = class.call1((py.None(),))?;
        object.setattr("param_str", &spec.param_str)?;
        object.setattr("phase", spec.phase as u8)?;
        let empty = Shape::new(&[0]).expect("a shape");
        let blobs = |count: usize| {
            let blobs = (0..count).map(|_| Py::new(py, Blob::free(&empty)));
            blobs.collect::<PyResult<Vec<_>>>()
        };
        let (mut bottoms, tops) = (blobs(seen.len())?, blobs(spec.tops)?);
        if spec.in_place {
            bottoms[0] = tops[0].clone_ref(py);
        }
        let instance = Self { object: object.cast_into()?.unbind(), bottoms, tops };
        instance.see(seen)?;
        instance.call(py, "setup")?;
        Ok(instance)
    }

    /// The Python object.
    pub(super) fn object(&self, py: Python<'_>) -> Py<Layer> {
        self.object.clone_ref(py)
    }

    /// The params that `setup` added, as its code sees them.
    pub(super) fn own_blobs(&self, py: Python<'_>) -> Vec<Py<Blob>> {
        self.object.get().own_blobs(py)
    }

    /// Calls `reshape` for bottoms of these shapes; the tops'.
    pub(super) fn reshape(&self, py: Python<'_>, seen: &[Shape]) -> PyResult<Vec<Shape>> {
        self.see(seen)?;
        self.call(py, "reshape")?;
        Ok(self.tops.iter().map(|top| top.get().shape_now()).collect())
    }

    /// Calls `reshape` and `forward` with the values of `io`.
    pub(super) fn forward(
        &self,
        py: Python<'_>,
        io: &mut Forward<'_>,
        kinds: &[ParamKind],
    ) -> PyResult<()> {
        for (index, blob) in self.bottoms.iter().enumerate() {
            let bottom = io.bottoms[index];
            blob.get().set_shape(bottom.shape)?;
            match bottom.memory {
                BottomMemory::OutOfPlace(values) => copy_to(blob, Data, values)?,
                BottomMemory::InPlace => copy_to(blob, Data, io.tops[0].data())?,
            }
        }
        let own = self.own_blobs(py);
        let (mut learned, mut running) = (io.params.iter(), io.running.iter_mut());
        let mut written = Vec::new();
        for (blob, kind) in own.iter().zip(kinds) {
            match kind {
                ParamKind::Running => {
                    let values = running.next().expect("one per running param");
                    copy_to(blob, Data, values)?;
                    written.push((blob, values));
                }
                _ => copy_to(blob, Data, learned.next().expect("one per learned param"))?,
            }
        }
        self.call(py, "reshape")?;
        self.call(py, "forward")?;
        for (blob, top) in self.tops.iter().zip(&mut io.tops) {
            top.resize(&blob.get().shape_now());
            copy_from(blob, Data, top.data())?;
        }
        written.into_iter().try_for_each(|(blob, values)| copy_from(blob, Data, values))
    }

    /// Calls `backward` with the values of `io`.
    pub(super) fn backward(
        &self,
        py: Python<'_>,
        io: &mut Backward<'_>,
        kinds: &[ParamKind],
    ) -> PyResult<()> {
        for (blob, bottom) in self.bottoms.iter().zip(&io.bottoms) {
            blob.get().set_shape(bottom.shape)?;
            copy_to(blob, Data, bottom.data)?;
        }
        for (blob, top) in self.tops.iter().zip(&io.tops) {
            blob.get().set_shape(top.shape)?;
            copy_to(blob, Data, top.data)?;
            match (top.is_zero(), io.bottoms.first()) {
                (true, _) => copy_to(blob, Diff, &vec![0.0; top.shape.count()])?,
                (false, Some(bottom)) => copy_to(blob, Diff, top.diff_beside(bottom))?,
                (false, None) => copy_to(blob, Diff, top.diff())?,
            }
        }
        let own = self.own_blobs(py);
        let learned = own.iter().zip(kinds).filter(|(_, kind)| **kind != ParamKind::Running);
        let mut diffs = Vec::new();
        for (index, ((blob, _), gradient)) in learned.zip(&mut io.gradients).enumerate() {
            copy_to(blob, Data, io.params[index])?;
            blob_gradient::begin(gradient);
            if let Some(gradient) = gradient {
                copy_to(blob, Diff, gradient.values)?;
                diffs.push((blob, &mut *gradient.values));
            }
        }
        let propagate: Vec<bool> = io.bottoms.iter().map(|bottom| bottom.diff.is_some()).collect();
        let (tops, bottoms) = (PyList::new(py, &self.tops)?, PyList::new(py, &self.bottoms)?);
        self.run(py, |object| object.call_method1("backward", (tops, propagate, bottoms)))?;
        for (blob, bottom) in self.bottoms.iter().zip(&mut io.bottoms) {
            if let Some(values) = &mut bottom.diff {
                copy_from(blob, Diff, values)?;
            }
        }
        diffs.into_iter().try_for_each(|(blob, values)| copy_from(blob, Diff, values))
    }

    /// Gives the bottoms their shapes.
    fn see(&self, seen: &[Shape]) -> PyResult<()> {
        let mut bottoms = self.bottoms.iter().zip(seen);
        Ok(bottoms.try_for_each(|(blob, shape)| blob.get().set_shape(shape))?)
    }

    /// Calls `method(bottom, top)`.
    fn call(&self, py: Python<'_>, method: &str) -> PyResult<()> {
        let (bottoms, tops) = (PyList::new(py, &self.bottoms)?, PyList::new(py, &self.tops)?);
        self.run(py, |object| object.call_method1(method, (bottoms, tops)))
    }

    /// Runs the layer's own code.
    fn run<'py>(
        &self,
        py: Python<'py>,
        code: impl FnOnce(&Bound<'py, Layer>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let object = self.object.bind(py);
        object.get().set_running(true);
        let result = code(object);
        object.get().set_running(false);
        result.map(drop)
    }

    /// An error unless the params are as many and as large as those of the first replica's object.
    pub(super) fn check_like(&self, py: Python<'_>, want: &[Shape]) -> PyResult<()> {
        let got: Vec<Shape> = self.own_blobs(py).iter().map(|b| b.get().shape_now()).collect();
        if got == want {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "`setup` added params of shapes {got:?} for one replica and {want:?} for another: it \
             must add the same ones each time"
        )))
    }
}

/// Copies values into a blob of the layer's.
fn copy_to(blob: &Py<Blob>, part: BlobPart, values: &[f32]) -> PyResult<()> {
    let view = blob.get().view(part)?;
    check_count(&view.shape, values.len())?;
    store(&view.slab, view.start, values);
    Ok(())
}

/// Copies values out of a blob of the layer's.
pub(super) fn copy_from(blob: &Py<Blob>, part: BlobPart, values: &mut [f32]) -> PyResult<()> {
    let view = blob.get().view(part)?;
    check_count(&view.shape, values.len())?;
    assert_eq!(view.order, Layout::RowMajor, "a free blob has Caffe's order");
    load(&view.slab, view.start, values);
    Ok(())
}

/// An error unless a blob still has the size that the engine knows.
fn check_count(shape: &Shape, want: usize) -> PyResult<()> {
    if shape.count() == want {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "a blob of {want} values was reshaped to {shape}: bottoms and params keep their shapes, and \
         so do tops in `backward`"
    )))
}
