//! `Net`, as far as it is native; `pycaffe.py` adds the dictionaries and `forward`.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use snapshot::SnapshotFormat;
use train::{MemoryPlan, NetConfig, NetParameter, NetState, Phase, Single};

use crate::blob::Blob;
use crate::engine::{EngineLock, NetEngine};
use crate::errors::CallError;
use crate::functions;
use crate::hooks::{HookTime, PassDirection};
use crate::net_core::NetCore;
use crate::net_layers::layer_list;
use crate::python_layer::LAYERS;
use crate::value_locks::ValueAccess;

/// A net: `Net(file, phase, level=0, stages=None, weights=None)`.
#[pyclass(frozen, subclass, dict, weakref, name = "Net", module = "caffe")]
pub(crate) struct NetObject {
    core: OnceLock<Arc<NetCore>>,
    layers: OnceLock<Py<PyList>>,
}

/// What a script says when it makes a net.
struct NetArguments {
    file: PathBuf,
    state: NetState,
    weights: Option<PathBuf>,
}

impl NetObject {
    /// A net of a solver.
    pub(crate) fn of_core(py: Python<'_>, core: Arc<NetCore>) -> PyResult<Self> {
        let layers = layer_list(py, &core)?;
        Ok(Self { core: OnceLock::from(core), layers: OnceLock::from(layers) })
    }

    pub(crate) fn core(&self) -> Result<&Arc<NetCore>, CallError> {
        self.core.get().ok_or(CallError::NotOpen)
    }

    fn open(arguments: NetArguments) -> Result<Arc<NetCore>, CallError> {
        let NetArguments { file, state, weights } = arguments;
        let config = NetConfig {
            state,
            weights: weights.into_iter().collect(),
            threads: functions::threads(),
            seed: functions::next_seed(),
            memory_plan: MemoryPlan::KeepDiffs,
            added_layers: LAYERS,
            ..NetConfig::new(file)
        };
        let single = Single::open(&config, &mut |event| crate::report::report(&event))?;
        let engine = NetEngine::Alone(EngineLock::new(Box::new(single)));
        NetCore::new(engine, config.added_layers)
    }

    /// Adds a function to call with the number of a layer.
    fn add_hook(
        &self,
        direction: PassDirection,
        time: HookTime,
        run: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        if !run.is_callable() {
            let got = run.get_type().to_string();
            return Err(CallError::Argument { argument: "run", got, want: "a function" }.into());
        }
        self.core()?.hooks.add(direction, time, run.clone().unbind());
        Ok(())
    }

    /// Positions of the layers of a pass.
    fn layer_range(&self, [start, end]: [i64; 2]) -> Result<[usize; 2], CallError> {
        let count = self.core()?.state().layers.len();
        let valid = |at: i64| usize::try_from(at).ok().filter(|&at| at < count);
        match (valid(start), valid(end)) {
            (Some(start), Some(end)) => Ok([start, end]),
            _ => Err(CallError::LayerRange { start, end, count }),
        }
    }

    fn write_model(&self, py: Python<'_>, file: PathBuf, format: SnapshotFormat) -> PyResult<()> {
        let core = self.core()?;
        let model: NetParameter = core.with_values(ValueAccess::Read, |lent, state| {
            state.homes.bring_all_in(lent, &[])?;
            Ok(lent.net.model(&lent.params.read(), &lent.replica.running))
        })?;
        let write = || snapshot::save_model(&file, format, &model).map_err(CallError::from);
        Ok(py.detach(|| crate::engine::catch(write))?)
    }

    fn read_model(&self, file: PathBuf) -> PyResult<()> {
        let core = self.core()?;
        core.with_values(ValueAccess::Write, |lent, state| {
            let ignored = lent.load(&file)?;
            state.homes.mark_params_stale();
            state.homes.release(lent);
            crate::report::report_ignored(&ignored);
            Ok(())
        })?;
        Ok(())
    }
}

/// The old order of arguments was `Net(file, weights, phase)`.
fn parse_arguments(
    py: Python<'_>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<NetArguments> {
    let old = args.len() == 3 && args.get_item(1)?.extract::<PathBuf>().is_ok();
    let names: &[&str] = match old {
        true => &["network_file", "weights", "phase"],
        false => &["network_file", "phase", "level", "stages", "weights"],
    };
    let given = PyDict::new(py);
    for (name, value) in names.iter().zip(args) {
        given.set_item(name, value)?;
    }
    if args.len() > names.len() {
        let got = format!("{} arguments", args.len());
        return Err(CallError::Argument { argument: "Net(...)", got, want: "at most 5" }.into());
    }
    for (name, value) in kwargs.into_iter().flatten() {
        let name: String = name.extract()?;
        let known = ["network_file", "phase", "level", "stages", "weights"];
        if !known.contains(&&*name) || given.contains(&name)? {
            let got = format!("`{name}`");
            let want = "each of network_file, phase, level, stages and weights once";
            return Err(CallError::Argument { argument: "a keyword of Net", got, want }.into());
        }
        given.set_item(name, value)?;
    }
    let argument = |name: &str| given.get_item(name).map(|v| v.filter(|v| !v.is_none()));
    let needed = |name: &'static str, want: &'static str| {
        let missing = || CallError::Argument { argument: name, got: "missing".into(), want };
        argument(name)?.ok_or_else(|| PyErr::from(missing()))
    };
    let file: PathBuf = needed("network_file", "the path of a prototxt")?.extract()?;
    let phase: i64 = needed("phase", "caffe.TRAIN or caffe.TEST")?.extract()?;
    let phase = match phase {
        0 => Phase::Train,
        1 => Phase::Test,
        _ => {
            let (got, want) = (phase.to_string(), "caffe.TRAIN or caffe.TEST");
            return Err(CallError::Argument { argument: "phase", got, want }.into());
        }
    };
    let level = argument("level")?.map(|level| level.extract()).transpose()?;
    let stage = argument("stages")?.map(|stages| stages.extract()).transpose()?;
    let state = NetState {
        phase: Some(phase),
        level,
        stage: stage.unwrap_or_default(),
        ..NetState::default()
    };
    let weights = argument("weights")?.map(|weights| weights.extract()).transpose()?;
    if old {
        let category = py.get_type::<pyo3::exceptions::PyDeprecationWarning>();
        let text = c"Net(file, weights, phase) is deprecated: name the argument, weights=...";
        PyErr::warn(py, &category, text, 1)?;
    }
    Ok(NetArguments { file, state, weights })
}

#[pymethods]
impl NetObject {
    #[new]
    #[pyo3(signature = (*args, **kwargs))]
    fn new(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        _ = (args, kwargs); // `__init__` reads them, and a subclass has its own
        Self { core: OnceLock::new(), layers: OnceLock::new() }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __init__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let arguments = parse_arguments(py, args, kwargs)?;
        let core = py.detach(|| crate::engine::catch(|| Self::open(arguments)))?;
        let layers = layer_list(py, &core)?;
        if self.core.set(core).is_err() || self.layers.set(layers).is_err() {
            let got = "open already".to_owned();
            let want = "a new object for each net";
            return Err(CallError::Argument { argument: "the net", got, want }.into());
        }
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.core.get().map_or(Ok(()), |core| core.hooks.visit(&visit))
    }

    fn __clear__(&self) {
        if let Some(core) = self.core.get() {
            core.hooks.clear();
        }
    }

    /// The layers, splits included, in the order they run.
    #[getter]
    fn layers(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        self.core()?;
        let layers = self.layers.get().ok_or(CallError::NotOpen)?;
        Ok(layers.clone_ref(py))
    }

    #[getter]
    fn _blobs(&self) -> PyResult<Vec<Blob>> {
        let core = self.core()?;
        let count = core.state().blob_names.len();
        Ok((0..count).map(|number| Blob::of_net(core, number)).collect())
    }

    #[getter]
    fn _blob_names(&self) -> PyResult<Vec<String>> {
        Ok(self.core()?.state().blob_names.to_vec())
    }

    #[getter]
    fn _blob_loss_weights(&self) -> PyResult<Vec<f32>> {
        let state = self.core()?.state();
        Ok((0..state.blob_names.len()).map(|blob| state.loss_weight(blob)).collect())
    }

    #[getter]
    fn _layer_names(&self) -> PyResult<Vec<String>> {
        let layers = Arc::clone(&self.core()?.state().layers);
        Ok(layers.iter().map(|layer| layer.written.name().to_owned()).collect())
    }

    #[getter]
    fn _inputs(&self) -> PyResult<Vec<usize>> {
        Ok(self.core()?.state().inputs())
    }

    #[getter]
    fn _outputs(&self) -> PyResult<Vec<usize>> {
        Ok(self.core()?.state().outputs.to_vec())
    }

    fn _top_ids(&self, layer: i64) -> PyResult<Vec<usize>> {
        let [layer, _] = self.layer_range([layer, layer])?;
        Ok(self.core()?.state().layers[layer].tops.clone())
    }

    fn _bottom_ids(&self, layer: i64) -> PyResult<Vec<usize>> {
        let [layer, _] = self.layer_range([layer, layer])?;
        Ok(self.core()?.state().layers[layer].bottoms.clone())
    }

    /// Runs layers `start` to `end`, both included; the sum of their losses.
    fn _forward(&self, py: Python<'_>, start: i64, end: i64) -> PyResult<f32> {
        let [start, end] = self.layer_range([start, end])?;
        Ok(self.core()?.pass(py, PassDirection::Forward, start, end)?)
    }

    /// Runs layers `start` down to `end`, both included.
    fn _backward(&self, py: Python<'_>, start: i64, end: i64) -> PyResult<()> {
        let [start, end] = self.layer_range([start, end])?;
        self.core()?.pass(py, PassDirection::Backward, start, end)?;
        Ok(())
    }

    fn _set_input_arrays(
        &self,
        data: PyReadonlyArrayDyn<'_, f32>,
        labels: PyReadonlyArrayDyn<'_, f32>,
    ) -> PyResult<()> {
        let values = |array: &PyReadonlyArrayDyn<'_, f32>, argument| match array.as_slice() {
            Ok(values) => Ok(values.to_vec()),
            Err(_) => {
                let got = format!("an array with gaps, of shape {:?}", array.shape());
                Err(CallError::Argument { argument, got, want: "a C-contiguous one" })
            }
        };
        let (data, labels) = (values(&data, "data")?, values(&labels, "labels")?);
        let core = self.core()?;
        let first = core.state().layers.first().cloned();
        let first = first.filter(|layer| layer.kind == "MemoryData").ok_or_else(|| {
            let first = core.state().layers.first().cloned();
            let layer = first.as_ref().map(|layer| layer.written.name().to_owned());
            let (layer, kind) = (layer.unwrap_or_default(), first.map_or("", |layer| layer.kind));
            CallError::NotMemoryData { layer, kind }
        })?;
        let set = |lent: &mut train::LentNet<'_>| {
            lent.set_input_arrays(first.written.name(), &data, &labels)
        };
        Ok(core.with(|lent, _| Ok(set(lent)?))?)
    }

    /// Gives all blobs the shapes that follow from those of the inputs.
    fn reshape(&self, py: Python<'_>) -> PyResult<()> {
        let core = self.core()?;
        Ok(py.detach(|| core.reshape())?)
    }

    /// Sets the diffs of all params to zero; backward adds to them.
    fn clear_param_diffs(&self) -> PyResult<()> {
        Ok(self.core()?.clear_param_diffs()?)
    }

    /// Loads the params of layers that a model file has by the same name.
    fn copy_from(&self, weights: PathBuf) -> PyResult<()> {
        self.read_model(weights)
    }

    /// As `copy_from`, of an HDF5 file.
    fn load_hdf5(&self, filename: PathBuf) -> PyResult<()> {
        self.read_model(filename)
    }

    /// Uses another net's params from now on, in layers of the same name.
    fn share_with(&self, net: &Bound<'_, Self>) -> PyResult<()> {
        Ok(self.core()?.share_with(net.get().core()?)?)
    }

    /// Writes a caffemodel.
    fn save(&self, py: Python<'_>, filename: PathBuf) -> PyResult<()> {
        self.write_model(py, filename, SnapshotFormat::Binaryproto)
    }

    /// Writes a caffemodel in HDF5.
    fn save_hdf5(&self, py: Python<'_>, filename: PathBuf) -> PyResult<()> {
        self.write_model(py, filename, SnapshotFormat::Hdf5)
    }

    fn before_forward(&self, run: &Bound<'_, PyAny>) -> PyResult<()> {
        self.add_hook(PassDirection::Forward, HookTime::Before, run)
    }

    fn after_forward(&self, run: &Bound<'_, PyAny>) -> PyResult<()> {
        self.add_hook(PassDirection::Forward, HookTime::After, run)
    }

    fn before_backward(&self, run: &Bound<'_, PyAny>) -> PyResult<()> {
        self.add_hook(PassDirection::Backward, HookTime::Before, run)
    }

    fn after_backward(&self, run: &Bound<'_, PyAny>) -> PyResult<()> {
        self.add_hook(PassDirection::Backward, HookTime::After, run)
    }
}
