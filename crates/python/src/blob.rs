//! `Blob` and the lists of blobs.

use std::sync::Arc;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyTuple};
use train::{BlobPart, Layout, Shape, SharedSlab};

use crate::errors::CallError;
use crate::net_core::NetCore;
use crate::view::View;

/// Values with a shape, and their gradient: of a net, of a layer's params, or on their own.
#[pyclass(frozen, module = "caffe", weakref)]
pub(crate) struct Blob {
    owner: BlobOwner,
}

/// Where a blob's values are.
enum BlobOwner {
    /// Blob `number` of a net.
    Net { core: Arc<NetCore>, number: usize },
    /// Param `number` of a net, with the shape that its layer declares.
    Param { core: Arc<NetCore>, number: usize, shape: Shape },
    /// In memory that it holds itself.
    Memory { shape: Shape, parts: [PartMemory; 2] },
}

/// Where a blob's data or diff begins.
pub(crate) type PartMemory = (Arc<SharedSlab>, usize);

impl Blob {
    /// A blob of a net.
    pub(crate) fn of_net(core: &Arc<NetCore>, number: usize) -> Self {
        Self { owner: BlobOwner::Net { core: Arc::clone(core), number } }
    }

    /// A param of a net.
    pub(crate) fn of_param(core: &Arc<NetCore>, number: usize, shape: &Shape) -> Self {
        let (core, shape) = (Arc::clone(core), shape.clone());
        Self { owner: BlobOwner::Param { core, number, shape } }
    }

    /// A param in this memory, data and diff, which holds no net: for layers that a net holds.
    pub(crate) fn of_memory(shape: &Shape, parts: [PartMemory; 2]) -> Self {
        Self { owner: BlobOwner::Memory { shape: shape.clone(), parts } }
    }

    /// Its shape now.
    pub(crate) fn shape_now(&self) -> Shape {
        match &self.owner {
            BlobOwner::Net { core, number } => core.state().shapes[*number].clone(),
            BlobOwner::Param { shape, .. } | BlobOwner::Memory { shape, .. } => shape.clone(),
        }
    }

    /// The memory that shows its data or diff.
    pub(crate) fn view(&self, part: BlobPart) -> Result<View, CallError> {
        match &self.owner {
            BlobOwner::Net { core, number } => core.blob_view(*number, part),
            BlobOwner::Param { core, number, shape } => core.param_view(*number, part, shape),
            BlobOwner::Memory { shape, parts } => {
                let (slab, start) = parts[part as usize].clone();
                Ok(View { slab, start, shape: shape.clone(), order: Layout::RowMajor })
            }
        }
    }

    /// Gives it another shape. Values stay as far as there is room.
    pub(crate) fn set_shape(&self, shape: &Shape) -> Result<(), CallError> {
        match &self.owner {
            BlobOwner::Net { core, number } => core.reshape_blob(*number, shape),
            BlobOwner::Param { shape: own, .. } | BlobOwner::Memory { shape: own, .. } => {
                let same = own == shape;
                same.then_some(()).ok_or_else(|| CallError::ParamShape { shape: own.clone() })
            }
        }
    }

    /// Size of an axis by its old name; 1 where there are fewer axes.
    fn legacy(&self, name: &'static str, axis: usize) -> Result<usize, CallError> {
        let shape = self.shape_now();
        match shape.axes() {
            axes @ 5.. => Err(CallError::LegacyAxes { name, axes }),
            _ => Ok(shape.dims().get(axis).copied().unwrap_or(1)),
        }
    }
}

/// The shape that a script names by one number per axis.
pub(crate) fn shape_of(sizes: &Bound<'_, PyTuple>) -> PyResult<Shape> {
    let sizes: Vec<i64> = sizes.extract()?;
    Ok(Shape::from_i64(&sizes).map_err(CallError::from)?)
}

#[pymethods]
impl Blob {
    /// Sizes of the axes, outermost first.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.shape_now().dims())
    }

    /// Size of axis 0.
    #[getter]
    fn num(&self) -> PyResult<usize> {
        Ok(self.legacy("num", 0)?)
    }

    /// Size of axis 1.
    #[getter]
    fn channels(&self) -> PyResult<usize> {
        Ok(self.legacy("channels", 1)?)
    }

    /// Size of axis 2.
    #[getter]
    fn height(&self) -> PyResult<usize> {
        Ok(self.legacy("height", 2)?)
    }

    /// Size of axis 3.
    #[getter]
    fn width(&self) -> PyResult<usize> {
        Ok(self.legacy("width", 3)?)
    }

    /// Number of values.
    #[getter]
    fn count(&self) -> usize {
        self.shape_now().count()
    }

    /// The values: a writable array that shows what every later pass writes.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.view(BlobPart::Data)?.to_array(py)
    }

    /// Their gradient, as `data`.
    #[getter]
    fn diff<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.view(BlobPart::Diff)?.to_array(py)
    }

    /// Gives the blob another shape, one size per axis.
    #[pyo3(signature = (*sizes))]
    fn reshape(&self, sizes: &Bound<'_, PyTuple>) -> PyResult<()> {
        Ok(self.set_shape(&shape_of(sizes)?)?)
    }
}

/// Params of a layer.
#[pyclass(frozen, module = "caffe", sequence)]
pub(crate) struct BlobVec {
    blobs: Vec<Py<Blob>>,
}

impl BlobVec {
    /// A list of these.
    pub(crate) fn new(blobs: Vec<Py<Blob>>) -> Self {
        Self { blobs }
    }
}

#[pymethods]
impl BlobVec {
    fn __len__(&self) -> usize {
        self.blobs.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let blobs = &self.blobs;
        if index.is_instance_of::<PySlice>() {
            return PyList::new(py, blobs)?.as_any().get_item(index);
        }
        let at: isize = index.extract()?;
        let from_end = if at < 0 { at + blobs.len().cast_signed() } else { at };
        let found = usize::try_from(from_end).ok().and_then(|at| blobs.get(at));
        match found {
            Some(blob) => Ok(blob.bind(py).clone().into_any()),
            None => Err(PyIndexError::new_err(format!("blob {at} of {}", blobs.len()))),
        }
    }

    /// Raises: layers written in Python add params in `setup`, where their `blobs` can grow.
    #[pyo3(signature = (*_sizes))]
    fn add_blob(&self, _sizes: &Bound<'_, PyTuple>) -> PyResult<()> {
        Err(CallError::LateBlob.into())
    }
}
