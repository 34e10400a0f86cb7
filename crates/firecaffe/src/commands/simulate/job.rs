//! A net and a cluster, from their files: what `simulate` and `advise` begin with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use caffe_format::{NetParameter, Phase};
use cluster_sim::{BucketRule, ClusterDescription, ComputeTimes, NetModel, SimulationConfig};
use exchange::wire::{BF16, F16, WireFormat};
use net::{NetDescription, describe};
use train::{BUCKET_BYTES, DeviceProfile, FileSources, OnBadSample, TrainError, WhichNet, files};

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
    /// Precision of computing, as in `train`; the mixed ones need a `mixed` speed in the cluster
    /// file. `mixed` alone is mixed-f16
    #[arg(long, value_name = "P", default_value = "f32",
          value_parser = ["f32", "mixed", "mixed-bf16", "mixed-f16"])]
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
    own_batch: usize,
    precision: String,
}

impl ClusterJobArgs {
    /// Reads both files. With `ranks`, a cluster with fewer devices is refused.
    pub(crate) fn read(&self, ranks: Option<usize>) -> Result<ClusterJob> {
        let mut cluster = read_cluster(&self.cluster, ranks)?;
        let net = self.describe()?;
        let own = net.batch_items().max(1);
        let model = NetModel::of(&net);
        let folder = self.cluster.parent().unwrap_or(Path::new(""));
        let profiles = cluster.device.profiles.iter_mut();
        for profile in profiles.filter(|profile| model.is_called(&profile.network)) {
            profile.times = Some(read_profile(&folder.join(&profile.file), &net)?);
        }
        let asked = self.batch_size.and_then(|batch| usize::try_from(batch).ok());
        Ok(ClusterJob {
            net: model,
            cluster,
            batch: asked.unwrap_or(own),
            own_batch: own,
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
    /// The batch that the net's file has.
    pub(crate) fn own_batch(&self) -> usize {
        self.own_batch
    }

    fn is_mixed(&self) -> bool {
        self.precision != "f32"
    }

    /// What `train` calls mixed precision: the one that was asked for, or that of the papers.
    pub(crate) fn mixed_precision(&self) -> &'static str {
        if self.precision == "mixed-bf16" { "mixed-bf16" } else { "mixed-f16" }
    }

    /// How gradients travel in mixed precision.
    pub(crate) fn half_wire(&self) -> &'static WireFormat {
        if self.precision == "mixed-bf16" { BF16 } else { F16 }
    }

    /// As `train` does it without flags, on one rank.
    pub(crate) fn config(&self) -> SimulationConfig {
        // Devices have one speed for all kinds of mixed precision.
        let precision = if self.is_mixed() { "mixed" } else { "f32" };
        let base = SimulationConfig::new(1, self.batch, BucketRule::Bytes(BUCKET_BYTES));
        SimulationConfig {
            precision: precision.to_owned(),
            wire: if self.is_mixed() { self.half_wire() } else { base.wire },
            ..base
        }
    }
}

/// A profile's batch and its times for `net`.
fn read_profile(path: &Path, net: &NetDescription) -> Result<(usize, ComputeTimes)> {
    let file = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {file}"))?;
    let profile = DeviceProfile::from_json(&text).with_context(|| file.to_string())?;
    let times = ComputeTimes::of_profile(&profile, net).with_context(|| file.to_string())?;
    Ok((profile.batch, times))
}

/// Reads a cluster file and reports every mistake in it.
pub(crate) fn read_cluster(path: &Path, ranks: Option<usize>) -> Result<ClusterDescription> {
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

/// Reads a number above 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a number is needed".to_owned())?;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("a number above 0".into()) }
}
