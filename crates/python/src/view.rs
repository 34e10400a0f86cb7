//! NumPy arrays over memory that Rust fills and empties by raw pointer.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::Arc;

use numpy::npyffi::{self, NpyTypes, PY_ARRAY_API, npy_intp};
use numpy::{Element, PyArrayDescrMethods};
use pyo3::prelude::*;
use train::{Layout, Shape, SharedSlab};

/// Some values of a slab, as an array of a shape shows them.
pub(crate) struct View {
    pub(crate) slab: Arc<SharedSlab>,
    /// Where the first value is.
    pub(crate) start: usize,
    pub(crate) shape: Shape,
    pub(crate) order: Layout,
}

/// Keeps the memory of an array alive: the array's base.
#[pyclass(frozen, module = "caffe")]
struct Memory {
    _slab: Arc<SharedSlab>,
}

impl View {
    /// Strides in bytes.
    fn strides(&self) -> Vec<npy_intp> {
        let dims = self.shape.dims();
        let mut strides = vec![size_of::<f32>(); dims.len()];
        match (self.order, self.shape.nchw()) {
            (Layout::ChannelsLast, Some([_, c, h, w])) => {
                let value = size_of::<f32>();
                strides = vec![h * w * c * value, value, w * c * value, c * value];
            }
            _ => {
                for axis in (1..dims.len()).rev() {
                    strides[axis - 1] = strides[axis] * dims[axis].max(1);
                }
            }
        }
        strides.into_iter().map(to_signed).collect()
    }

    /// A writable array that keeps the memory alive.
    #[expect(unsafe_code, reason = "NumPy makes arrays over memory by its C interface only")]
    pub(crate) fn to_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let count = self.shape.count();
        assert!(self.start + count <= self.slab.len(), "a view lies in its slab");
        let mut dims: Vec<npy_intp> = self.shape.dims().iter().copied().map(to_signed).collect();
        let mut strides = self.strides();
        let base = Bound::new(py, Memory { _slab: Arc::clone(&self.slab) })?;
        let axes = c_int::try_from(dims.len()).expect("at most 32 axes");
        // SAFETY: the start lies in the slab or at its end, as asserted.
        let values = unsafe { self.slab.as_ptr().add(self.start) }.cast::<c_void>();
        // SAFETY: the interpreter is held; NumPy keeps its types for ever.
        let array_type = unsafe { npyffi::get_type_object(py, NpyTypes::PyArray_Type) };
        // SAFETY: `dims` and `strides` have one entry per axis and reach `count` values, which lie
        // in the slab; NumPy takes over the reference to the dtype.
        let array = unsafe {
            PY_ARRAY_API.PyArray_NewFromDescr(
                py,
                array_type,
                f32::get_dtype(py).into_dtype_ptr(),
                axes,
                dims.as_mut_ptr(),
                strides.as_mut_ptr(),
                values,
                npyffi::NPY_ARRAY_WRITEABLE,
                std::ptr::null_mut(),
            )
        };
        // SAFETY: a new reference, or null with an exception set.
        let array = unsafe { Bound::from_owned_ptr_or_err(py, array) }?;
        // SAFETY: `array` is an array without a base; NumPy takes over the reference to `base`.
        let set = unsafe {
            PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), base.into_ptr())
        };
        if set < 0 { Err(PyErr::fetch(py)) } else { Ok(array) }
    }
}

fn to_signed(size: usize) -> npy_intp {
    npy_intp::try_from(size).expect("sizes of blobs fit")
}

/// Copies all of `to` from the slab, from `start` on.
#[expect(unsafe_code, reason = "a view may exist, so no reference to the slab's values may")]
pub(crate) fn load(slab: &SharedSlab, start: usize, to: &mut [f32]) {
    assert!(start + to.len() <= slab.len(), "a range of the slab");
    // SAFETY: the start lies in the slab or at its end, as asserted.
    let from = unsafe { slab.as_ptr().add(start) };
    // SAFETY: both ranges are valid, as asserted, and `to` is nobody else's memory. A script that
    // writes into a view while a net runs may see its value taken or not.
    unsafe { from.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
}

/// Copies all of `from` into the slab, from `start` on.
#[expect(unsafe_code, reason = "a view may exist, so no reference to the slab's values may")]
pub(crate) fn store(slab: &SharedSlab, start: usize, from: &[f32]) {
    assert!(start + from.len() <= slab.len(), "a range of the slab");
    // SAFETY: the start lies in the slab or at its end, as asserted.
    let to = unsafe { slab.as_ptr().add(start) };
    // SAFETY: both ranges are valid, as asserted, and do not overlap: `from` is no slab's view.
    unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
}

/// Sets values of a slab.
#[expect(unsafe_code, reason = "a view may exist, so no reference to the slab's values may")]
pub(crate) fn fill(slab: &SharedSlab, range: Range<usize>, value: f32) {
    assert!(range.start <= range.end && range.end <= slab.len(), "a range of the slab");
    for at in range {
        // SAFETY: the place lies in the slab, as asserted.
        let to = unsafe { slab.as_ptr().add(at) };
        // SAFETY: as above.
        unsafe { to.write(value) };
    }
}
