//! One Python object that runs as a layer: one per replica, since it may keep state of its own.

use base::Shape;
use layers::{Backward, BottomMemory, Forward, ParamKind};
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
    pub(super) fn set_up(py: Python<'_>, spec: &PythonSpec, seen: &[Shape]) -> PyResult<Self> {
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
        let (mut bottoms, tops) = (made(seen.len())?, made(spec.tops)?);
        if spec.in_place {
            bottoms[0] = tops[0].clone_ref(py);
        }
        let instance = Self { object: object.unbind(), bottoms, tops };
        instance.see(py, seen)?;
        instance.call(py, "setup")?;
        Ok(instance)
    }

    /// The Python object.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.object.bind(py)
    }

    /// Calls `reshape` for bottoms of these shapes; the tops'.
    pub(super) fn reshape(&self, py: Python<'_>, seen: &[Shape]) -> PyResult<Vec<Shape>> {
        self.see(py, seen)?;
        self.call(py, "reshape")?;
        self.tops.iter().map(|top| shape_of(top.bind(py))).collect()
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
            reshape_to(blob.bind(py), bottom.shape)?;
            let data = blob.bind(py).getattr("data")?;
            match bottom.memory {
                BottomMemory::OutOfPlace(values) => copy_to(&data, values)?,
                BottomMemory::InPlace => copy_to(&data, io.tops[0].data())?,
            }
        }
        let own = self.own_blobs(py)?;
        let (mut learned, mut running) = (io.params.iter(), io.running.iter_mut());
        let mut written = Vec::new();
        for (blob, kind) in own.iter().flatten().zip(kinds) {
            let data = blob.getattr("data")?;
            match kind {
                ParamKind::Running => {
                    let values = running.next().expect("one per running param");
                    copy_to(&data, values)?;
                    written.push((data, values));
                }
                _ => copy_to(&data, learned.next().expect("one per learned param"))?,
            }
        }
        self.call(py, "reshape")?;
        self.call(py, "forward")?;
        for (blob, top) in self.tops.iter().zip(&mut io.tops) {
            let blob = blob.bind(py);
            top.resize(&shape_of(blob)?);
            copy_from(&blob.getattr("data")?, top.data())?;
        }
        written.into_iter().try_for_each(|(data, values)| copy_from(&data, values))
    }

    /// Calls `backward` with the values of `io`.
    pub(super) fn backward(
        &self,
        py: Python<'_>,
        io: &mut Backward<'_>,
        kinds: &[ParamKind],
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
        let own = self.own_blobs(py)?;
        let mut diffs = Vec::new();
        for (index, gradient) in io.gradients.iter_mut().enumerate() {
            blob_gradient::begin(gradient);
            let Some(own) = &own else { continue };
            let blob = &own[learned_index(kinds, index)];
            copy_to(&blob.getattr("data")?, io.params[index])?;
            if let Some(gradient) = gradient {
                let diff = blob.getattr("diff")?;
                copy_to(&diff, gradient.values)?;
                diffs.push((diff, &mut *gradient.values));
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
        diffs.into_iter().try_for_each(|(diff, values)| copy_from(&diff, values))
    }

    /// The params that `setup` added, with their own arrays; `None` if they are the net's.
    pub(super) fn own_blobs<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
        let blobs = self.object(py).getattr("blobs")?;
        match blobs.is_instance(&blobs_class(py)?)? {
            true => blobs.try_iter()?.collect::<PyResult<_>>().map(Some),
            false => Ok(None),
        }
    }

    /// Gives the bottoms their shapes.
    fn see(&self, py: Python<'_>, seen: &[Shape]) -> PyResult<()> {
        let bottoms = self.bottoms.iter().zip(seen);
        bottoms.into_iter().try_for_each(|(blob, shape)| reshape_to(blob.bind(py), shape))
    }

    /// Calls `method(bottom, top)`.
    fn call(&self, py: Python<'_>, method: &str) -> PyResult<()> {
        let (bottoms, tops) = (PyList::new(py, &self.bottoms)?, PyList::new(py, &self.tops)?);
        self.object(py).call_method1(method, (bottoms, tops)).map(drop)
    }

    /// An error unless the params are as many and as large as those of the first replica's object.
    pub(super) fn check_like(&self, py: Python<'_>, want: &[Shape]) -> PyResult<()> {
        let Some(own) = self.own_blobs(py)? else { return Ok(()) };
        let got: Vec<Shape> = own.iter().map(shape_of).collect::<PyResult<_>>()?;
        if got == want {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "`setup` added params of shapes {got:?} for one replica and {want:?} for another: it \
             must add the same ones each time"
        )))
    }
}

/// The index among all params of the learned one with this index.
fn learned_index(kinds: &[ParamKind], learned: usize) -> usize {
    let all = kinds.iter().enumerate().filter(|(_, kind)| **kind != ParamKind::Running);
    all.map(|(index, _)| index).nth(learned).expect("a learned param")
}
