//! Nets run without a solver: scoring a model, timing one, looking at one.

mod config;

use std::path::Path;
use std::sync::Arc;

use base::random::Mt19937;
use caffe_format::NetParameter;
use data::OnBadSample;
use kernels::Cpu;
use net::{Net, Output, ReplicaState};
use tensor::{SharedSlab, Slab};

use crate::files::read_net;
use crate::memory::check_net;
use crate::open::build;
use crate::score::Score;
use crate::sources::FileSources;
use crate::{Event, TrainError, WhichNet};
pub use config::NetConfig;

/// A net with everything it needs to run by itself.
///
/// ```
/// use train::{NetConfig, Single, files::net_from_text};
///
/// // A file would be read by `Single::open`, with `weights: vec!["x.caffemodel".into()]`.
/// let net = net_from_text(
///     "deploy",
///     r#"
///     layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }
///     layer { name: "scale" type: "Power" bottom: "data" top: "scaled" power_param { scale: 2 } }
///     layer { name: "prob" type: "Softmax" bottom: "scaled" top: "prob" }"#,
/// )?;
/// let mut single = Single::build(&NetConfig::new("deploy"), &net, &mut |_| {})?;
/// single.set_blob("data", &[0.0, 0.5, 1.0])?;
/// single.forward()?;
/// let prob = single.blob("prob").expect("the net has it");
/// assert_eq!(prob.shape.dims(), [1, 3]);
/// assert!((prob.values[2] - 0.6652).abs() < 1e-4);
/// assert_eq!(single.blob("scaled").expect("all blobs can be read").values, [0.0, 1.0, 2.0]);
/// # Ok::<(), train::TrainError>(())
/// ```
pub struct Single {
    pub(crate) net: Net,
    pub(crate) cpu: Cpu,
    pub(crate) params: Arc<SharedSlab>,
    /// In mixed precision the params, rounded: what layers compute with.
    rounded: Option<SharedSlab>,
    pub(crate) pool: Arc<SharedSlab>,
    pub(crate) replica: ReplicaState,
}

/// Means of a scoring run.
#[derive(Debug, Clone)]
pub struct Means {
    /// Mean outputs.
    pub outputs: Vec<Output>,
    /// Mean loss.
    pub loss: f32,
}

impl Single {
    /// Reads, builds and fills the net.
    pub fn open(config: &NetConfig, events: &mut dyn FnMut(Event)) -> Result<Self, TrainError> {
        let read = read_net(&config.model, config.unknown)?;
        read.notices.into_iter().for_each(|notice| events(Event::Prototxt(notice)));
        Self::build(config, &read.message, events)
    }

    /// Builds and fills a net that has been read.
    pub fn build(
        config: &NetConfig,
        written: &NetParameter,
        events: &mut dyn FnMut(Event),
    ) -> Result<Self, TrainError> {
        let which = WhichNet::File(config.model.clone());
        let written = NetParameter { state: Some(config.state.clone()), ..written.clone() };
        let mut sources = FileSources::alone(&config.root, OnBadSample::Fail)
            .of_file(&config.model)
            .with_layers(config.added_layers);
        let options = (config.memory_plan, config.precision);
        if let Some(limit) = config.memory_limit {
            check_net(&which, &written, options, &mut sources, limit)?;
        }
        let mut net = build(&which, &written, options, &mut sources, events)?;
        let (params, replica) = (net.initialise(Mt19937::new(config.seed), &mut sources))
            .map_err(|source| TrainError::Net { which, source })?;
        sources.notices().into_iter().for_each(&mut *events);
        let mut single = Self {
            cpu: Cpu::new(config.threads, config.simd),
            rounded: config.precision.half().map(|_| SharedSlab::new(Slab::zeros(params.len()))),
            params: Arc::new(SharedSlab::new(params)),
            pool: Arc::new(SharedSlab::new(Slab::zeros(net.pool_len()))),
            replica,
            net,
        };
        single.round_params();
        for file in &config.weights {
            single.load(file, events)?;
        }
        Ok(single)
    }

    /// Loads the params of layers that a model file has by the same name.
    pub fn load(&mut self, file: &Path, events: &mut dyn FnMut(Event)) -> Result<(), TrainError> {
        let model = snapshot::load_model(file)?;
        let mut params = self.params.write(0..self.params.len());
        let running = &mut self.replica.running;
        let ignored = crate::weights::copy(&self.net, &model, &mut params, running)
            .map_err(|source| TrainError::Weights { path: file.into(), source })?;
        drop(params);
        ignored.into_iter().for_each(|layer| events(Event::LayerIgnored { layer }));
        self.round_params();
        Ok(())
    }

    /// Rounds the params that layers compute with, after they changed.
    fn round_params(&mut self) {
        if let Some(rounded) = &mut self.rounded {
            self.net.precision().round_params(&self.cpu, &self.params.read(), rounded.get_mut());
        }
    }

    /// One forward; its loss.
    pub fn forward(&mut self) -> Result<f32, TrainError> {
        let params = match &self.rounded {
            Some(rounded) => rounded.read(),
            None => self.params.read(),
        };
        Ok(self.net.forward(&self.cpu, &params, &mut self.replica)?)
    }

    /// One layer's forward; its part of the loss.
    pub fn forward_layer(&mut self, layer: usize) -> Result<f32, TrainError> {
        let params = match &self.rounded {
            Some(rounded) => rounded.read(),
            None => self.params.read(),
        };
        Ok(self.net.forward_layer(layer, &self.cpu, &params, &mut self.replica)?)
    }

    /// One backward through all layers.
    pub fn backward(&mut self) -> Result<(), TrainError> {
        self.net.clear_gradients();
        let params = match &self.rounded {
            Some(rounded) => rounded.read(),
            None => self.params.read(),
        };
        Ok(self.net.backward(&self.cpu, &params, &self.pool, 1.0)?)
    }

    /// One layer's backward.
    pub fn backward_layer(&mut self, layer: usize) -> Result<(), TrainError> {
        let params = match &self.rounded {
            Some(rounded) => rounded.read(),
            None => self.params.read(),
        };
        Ok(self.net.backward_layer(layer, &self.cpu, &params, &self.pool, 1.0)?)
    }

    /// Runs `iterations` forwards and averages the outputs; `each` hears every one.
    pub fn score(
        &mut self,
        iterations: usize,
        each: &mut dyn FnMut(usize, &[Output]),
    ) -> Result<Means, TrainError> {
        let mut score = Score::default();
        for iteration in 0..iterations {
            let loss = self.forward()?;
            let outputs = self.net.outputs(&self.cpu);
            each(iteration, &outputs);
            score.add(outputs, loss);
        }
        self.finish()?;
        let (outputs, loss) = score.means();
        Ok(Means { outputs, loss })
    }

    /// The net.
    #[must_use]
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// The net, to forget gradients or set blobs.
    pub fn net_mut(&mut self) -> &mut Net {
        &mut self.net
    }

    /// What it computes with.
    #[must_use]
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// Restarts the random stream from `seed`.
    pub fn reseed(&mut self, seed: u32) {
        self.replica.rng = Mt19937::new(seed);
    }

    /// Learned and running params.
    #[must_use]
    pub fn params(&self) -> (tensor::SlabReadGuard<'_>, &[f32]) {
        (self.params.read(), &self.replica.running)
    }

    /// Gradients, in the places that [`net::Param::gradient`] says.
    #[must_use]
    pub fn pool(&self) -> tensor::SlabReadGuard<'_> {
        self.pool.read()
    }

    /// Data of a blob, by name, in Caffe's order.
    #[must_use]
    pub fn blob(&self, name: &str) -> Option<net::BlobValues> {
        self.net.blob(&self.cpu, name)
    }

    /// Sets the data of a blob, usually an Input's, from values in Caffe's order.
    pub fn set_blob(&mut self, name: &str, values: &[f32]) -> Result<(), TrainError> {
        Ok(self.net.set_blob(&self.cpu, name, values)?)
    }

    /// Diff of a blob, by name, in Caffe's order.
    #[must_use]
    pub fn blob_diff(&self, name: &str) -> Option<net::BlobValues> {
        self.net.blob_diff(&self.cpu, name)
    }

    /// Sets the diff of an output, to run backward from it.
    pub fn set_blob_diff(&mut self, name: &str, values: &[f32]) -> Result<(), TrainError> {
        Ok(self.net.set_blob_diff(&self.cpu, name, values)?)
    }

    /// Sets param `index` of `layer`.
    ///
    /// # Panics
    ///
    /// If there is no such param or its number of values is another.
    pub fn set_param(&mut self, layer: &str, index: usize, values: &[f32]) {
        let mut params = self.params.write(0..self.params.len());
        self.net.set_param(layer, index, values, &mut params, &mut self.replica.running);
        drop(params);
        self.round_params();
    }

    /// The net with its params, as a model file holds it.
    #[must_use]
    pub fn model(&self) -> NetParameter {
        self.net.model(&self.params.read(), &self.replica.running)
    }
}
