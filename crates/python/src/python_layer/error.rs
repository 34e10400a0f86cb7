//! An exception that a layer raised, on its way through the engine and back to its caller.

use std::error::Error;
use std::fmt;

use layers::LayerError;
use pyo3::prelude::*;

/// What a layer raised. As text, for logs, it names the line; the exception itself is kept for a
/// caller in Python.
#[derive(Debug)]
pub(crate) struct LayerException {
    exception: PyErr,
    text: String,
}

impl LayerException {
    /// Takes an exception that `place` raised: a method of a layer.
    pub(super) fn caught(py: Python<'_>, exception: PyErr, place: &str) -> LayerError {
        if let Ok(add_note) = exception.value(py).getattr("add_note") {
            // Python 3.11 or later. A note that cannot be added must not hide the exception.
            _ = add_note.call1((format!("in {place}"),));
        }
        let line = raised_at(py, &exception).map_or_else(String::new, |at| format!(" ({at})"));
        let text = format!("{place}: {exception}{line}");
        LayerError::Program(Box::new(Self { exception, text }))
    }
}

/// `file.py line 7, in forward`: where it was raised.
fn raised_at(py: Python<'_>, exception: &PyErr) -> Option<String> {
    let mut innermost = exception.traceback(py)?.into_any();
    while let Ok(next) = innermost.getattr("tb_next")
        && !next.is_none()
    {
        innermost = next;
    }
    let code = innermost.getattr("tb_frame").ok()?.getattr("f_code").ok()?;
    let file: String = code.getattr("co_filename").ok()?.extract().ok()?;
    let function: String = code.getattr("co_name").ok()?.extract().ok()?;
    let line: u32 = innermost.getattr("tb_lineno").ok()?.extract().ok()?;
    Some(format!("{file} line {line}, in {function}"))
}

impl fmt::Display for LayerException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for LayerException {}

/// The exception of a layer that is among the causes of `error`: with its type and traceback.
pub(crate) fn original(py: Python<'_>, error: &(dyn Error + 'static)) -> Option<PyErr> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(LayerError::Program(own)) = error.downcast_ref() {
            return Some(own.downcast_ref::<LayerException>()?.exception.clone_ref(py));
        }
        cause = error.source();
    }
    None
}
