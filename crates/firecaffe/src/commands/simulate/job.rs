//! A net and a cluster, from their files: what `simulate` and `advise` begin with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use caffe_format::{NetParameter, Phase};
use cluster_sim::{
    BucketRule, ClusterDescription, LayerModel, NetModel, ParamModel, SimulationConfig,
};
use collective::AlgorithmChoice;
use exchange::ExchangeConfig;
use net::{NetDescription, Param, describe};
use train::{BUCKET_BYTES, FileSources, OnBadSample, TrainError, WhichNet, files};

use crate::options::{LayerSelectionArgs, PrototxtArgs, file_root};
use crate::output::complain;

/// Which job, on which cluster.
#[derive(Debug, clap::Args)]
pub(crate) struct ClusterJobArgs {
    /// The net prototxt
    #[arg(long, value_name = "FILE")]
    pub(crate) model: PathBuf,
    /// The description of the cluster, like those in clusters/
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster: PathBuf,
    /// Images per iteration on one device [default: the net's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch_size: Option<u32>,
    /// Precision of computing: f32, or mixed where the cluster file has a speed for it
    #[arg(long, value_name = "PRECISION", default_value = "f32", value_parser = ["f32", "mixed"])]
    pub(crate) precision: String,
    #[command(flatten)]
    selection: LayerSelectionArgs,
    #[command(flatten)]
    reading: PrototxtArgs,
}

/// What was read.
pub(crate) struct ClusterJob {
    pub(crate) net: NetModel,
    pub(crate) cluster: ClusterDescription,
    batch: usize,
    precision: String,
}

impl ClusterJobArgs {
    /// Reads both files. With `ranks`, a cluster with fewer devices is refused.
    pub(crate) fn read(&self, ranks: Option<usize>) -> Result<ClusterJob> {
        let cluster = read_cluster(&self.cluster, ranks)?;
        let net = self.describe()?;
        let own = net.batch_items().max(1);
        let asked = self.batch_size.and_then(|batch| usize::try_from(batch).ok());
        Ok(ClusterJob {
            net: net_model(&net, own),
            cluster,
            batch: asked.unwrap_or(own),
            precision: self.precision.clone(),
        })
    }

    fn describe(&self) -> Result<NetDescription> {
        let file = &*self.model;
        let read = files::read_net(file, self.reading.unknown())?;
        let state = Some(self.selection.state(Phase::Train));
        let written = NetParameter { state, ..read.message };
        let written = train::attach_matrices(&written, file_root(file))?;
        let mut sources = FileSources::alone(file_root(file), OnBadSample::Fail);
        let (net, _) =
            describe(&written, &mut sources, net::MemoryPlan::ShareDiffs, net::Precision::F32)
                .map_err(|source| TrainError::Net { which: WhichNet::File(file.into()), source })?;
        Ok(net)
    }
}

impl ClusterJob {
    /// As `train` does it without flags, on one rank.
    pub(crate) fn config(&self) -> SimulationConfig {
        SimulationConfig {
            ranks: 1,
            batch: self.batch,
            precision: self.precision.clone(),
            allreduce: AlgorithmChoice::Auto,
            wire: ExchangeConfig::MPI.wire,
            segmentation: ExchangeConfig::MPI.segmentation,
            compression: None,
            buckets: BucketRule::Bytes(BUCKET_BYTES),
            overlap: true,
            iterations: 1,
        }
    }
}

/// Reads a cluster file and reports every mistake in it.
fn read_cluster(path: &Path, ranks: Option<usize>) -> Result<ClusterDescription> {
    let file = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {file}"))?;
    ClusterDescription::parse(&text, ranks).or_else(|error| {
        let lines: Vec<_> = error.problems.iter().map(|p| format!("{file}:{p}")).collect();
        complain(&lines);
        match lines.len() {
            1 => bail!("{file}: 1 error"),
            count => bail!("{file}: {count} errors"),
        }
    })
}

/// A described net as the simulator needs it, per image of `batch`.
fn net_model(net: &NetDescription, batch: usize) -> NetModel {
    let images = batch as f64;
    let layer = |row: &net::LayerSummary| LayerModel {
        name: row.name.clone(),
        params: net.gradients_of(&row.name).into_iter().map(param_model).collect(),
        forward_ops: row.forward_flops() / images,
        backward_ops: row.backward_flops() / images,
    };
    NetModel { name: net.name.clone(), layers: net.rows.iter().map(layer).collect() }
}

fn param_model(param: &Param) -> ParamModel {
    let (count, dims) = (param.shape.count(), param.shape.dims());
    let rows = if dims.len() > 1 { dims[0].max(1) } else { count };
    ParamModel { rows, columns: count / rows.max(1) }
}

/// Reads a number above 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a number is needed".to_owned())?;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("a number above 0".into()) }
}
