//! `python3 -m caffe ARGS`: the command line of `firecaffe`, on nets that may have Python layers.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::python_layer::LAYERS;

/// Runs `firecaffe ARGS`; its exit code. Signals are the program's: `caffe/__main__.py` gives them
/// up before.
#[pyfunction]
pub(crate) fn _command_line(py: Python<'_>, args: Vec<OsString>) -> u8 {
    let words = [OsString::from("firecaffe")].into_iter().chain(args);
    py.detach(|| firecaffe::run(words.collect::<Vec<_>>(), LAYERS))
}
