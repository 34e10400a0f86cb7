//! What a call from Python may fail with, and the exception that it becomes.

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use snapshot::SnapshotError;
use train::{NetError, RunError, ShapeError, TrainError, chain};

use crate::python_layer::original;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// Another call into the same net or solver has not returned.
    #[error(
        "this net is running in another call: wait until it returns, or give each thread a net of \
         its own"
    )]
    Busy,

    /// Another net uses the same learned values, or changes them.
    #[error(
        "another call has the weights that this net shares: update or load them while no other net \
         that uses them is running"
    )]
    BusyValues,

    /// An earlier call ended in the middle.
    #[error("an earlier call into this net failed ({cause}); make the net again")]
    Broken {
        /// What it said.
        cause: String,
    },

    /// A broken invariant of our own.
    #[error("a bug in FireCaffe stopped this call: {message}")]
    Bug {
        /// The panic's message.
        message: String,
    },

    /// The process is a copy without the threads of the one that made the net.
    #[error(
        "this net was made before the process forked, and its threads are in the parent only: make \
         nets and solvers after the fork, or use the start method `spawn`"
    )]
    Forked,

    /// `Net.__init__` was not called.
    #[error("the net is not open: call `Net.__init__` in the subclass's `__init__`")]
    NotOpen,

    /// Layers that the net does not have.
    #[error("layers {start} to {end} were asked for, and the net has {count}, counted from 0")]
    LayerRange {
        /// The first.
        start: i64,
        /// The last.
        end: i64,
        /// How many there are.
        count: usize,
    },

    /// A param was to be added to a layer that runs.
    #[error("a layer's params are fixed once its net is made: call `add_blob` in `setup`")]
    LateBlob,

    /// A shape that no blob can have.
    #[error("a blob cannot have this shape: {0}")]
    Shape(#[from] ShapeError),

    /// A param was to be reshaped.
    #[error(
        "a param has the shape that its layer gives it, here {shape}; write into `data`, or change \
         the prototxt"
    )]
    ParamShape {
        /// The param's.
        shape: train::Shape,
    },

    /// More axes than the old names cover.
    #[error("`{name}` is of blobs with up to 4 axes, and this one has {axes}: use `shape`")]
    LegacyAxes {
        /// What was asked for.
        name: &'static str,
        /// Axes of the blob.
        axes: usize,
    },

    /// Input arrays for a net whose first layer takes none.
    #[error(
        "set_input_arrays is for nets whose first layer is MemoryData, and here it is `{layer}` of \
         type {kind}"
    )]
    NotMemoryData {
        /// The first layer.
        layer: String,
        /// Its type.
        kind: &'static str,
    },

    /// A net shares params of other shapes.
    #[error("layer `{layer}` has params of other shapes in the other net; use copy_from")]
    SharedShapes {
        /// The layer.
        layer: String,
    },

    /// The train net of a solver was to use another net's weights.
    #[error(
        "a solver trains the weights of its own net: let the other net share them \
         (`other.share_with(solver.net)` or `solver.share_weights(other)`), or use copy_from"
    )]
    TrainNetShares,

    /// A wrong argument.
    #[error("{argument} is {got}, expected {want}")]
    Argument {
        /// Its name.
        argument: &'static str,
        /// What was given.
        got: String,
        /// What is possible.
        want: &'static str,
    },

    /// A snapshot could not be written.
    #[error("the snapshot was not written: {causes}")]
    Snapshot {
        /// Why.
        causes: String,
    },

    /// Several processes through NCCL.
    #[error(
        "there is no NCCL, since there is no GPU code: `caffe.train(solver, workers=N)` trains \
             on several workers"
    )]
    Nccl,

    /// A failure of the engine.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A failure of a net that runs.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A net cannot be compiled.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A model file.
    #[error(transparent)]
    Model(#[from] SnapshotError),
    /// An exception of the script's own.
    #[error("{0}")]
    Python(#[from] PyErr),
}

impl From<CallError> for PyErr {
    fn from(error: CallError) -> Self {
        if let Some(raised) = raised_by_script(&error) {
            return raised;
        }
        let text = chain(&error);
        match error {
            CallError::LayerRange { .. } => PyIndexError::new_err(text),
            CallError::Shape(_) | CallError::ParamShape { .. } | CallError::LegacyAxes { .. } => {
                PyValueError::new_err(text)
            }
            CallError::Argument { .. } => PyTypeError::new_err(text),
            _ => PyRuntimeError::new_err(text),
        }
    }
}

/// The exception that the script's own code raised, in a hook or a layer, with its traceback.
fn raised_by_script(error: &CallError) -> Option<PyErr> {
    Python::attach(|py| match error {
        CallError::Python(raised) => Some(raised.clone_ref(py)),
        _ => original(py, error),
    })
}
