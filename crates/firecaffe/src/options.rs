//! Options that several commands share, and what they make of files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Result, ensure};
use caffe_format::{NetParameter, NetState, Phase};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use collective::Network;
use kernels::Simd;
use train::files::{self, UnknownFields};
use train::{NetConfig, PathRoot, Precision};

use crate::commands::simulate::read_cluster;
use crate::log::{Log, prototxt};
use crate::memory_limit::memory_limit;
use crate::{cores, gpu};

/// Most threads that can be asked for: more than any machine's cores, less than what exhausts one.
const THREADS_MAX: u64 = 4096;

/// The seed where a prototxt names none. Fixed, so that the same files give the same weights.
pub(crate) const DEFAULT_SEED: u32 = 1701;

/// Formats of databases, as `--backend` names them.
pub(crate) const BACKENDS: &[&str] = &["lmdb", "leveldb"];

/// Threads and SIMD level.
#[derive(Debug, Args)]
pub(crate) struct ComputeArgs {
    /// Threads of each worker; results do not depend on it [default: this process's cores divided
    /// by its workers]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..=THREADS_MAX))]
    threads: Option<u64>,
    /// SIMD level, `avx2` or `portable`; the last bits of results depend on it [default: the best
    /// of this CPU]
    #[arg(long, value_name = "LEVEL")]
    simd: Option<Simd>,
    /// Accepted for compatibility with Caffe; has no effect, because there is no GPU code
    #[arg(long, value_name = "IDS")]
    pub(crate) gpu: Option<String>,
}

impl ComputeArgs {
    pub(crate) fn threads(&self) -> usize {
        self.threads_asked().unwrap_or_else(cores::available)
    }

    /// The number of threads, if it was given.
    pub(crate) fn threads_asked(&self) -> Option<usize> {
        self.threads.and_then(|threads| usize::try_from(threads).ok())
    }

    pub(crate) fn simd(&self) -> Result<Simd> {
        let simd = self.simd.unwrap_or_else(Simd::detect);
        ensure!(simd.is_supported(), "this CPU does not support {simd}; use `--simd portable`");
        Ok(simd)
    }
}

/// Which of a net's layers are built.
#[derive(Debug, Args)]
pub(crate) struct LayerSelectionArgs {
    /// The net's level, for include and exclude rules
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    level: i32,
    /// The net's stages, separated by commas, for include and exclude rules
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    stage: Vec<String>,
}

impl LayerSelectionArgs {
    /// The state of a net that is built by itself.
    pub(crate) fn state(&self, phase: Phase) -> NetState {
        let stage = self.stage.clone();
        NetState { phase: Some(phase), level: Some(self.level), stage, ..NetState::default() }
    }

    /// Puts level and stages into the state of a solver's train net, as Caffe does.
    pub(crate) fn add_to(&self, state: &mut Option<NetState>) {
        let state = state.get_or_insert_default();
        state.level = Some(self.level);
        state.stage.extend(self.stage.iter().cloned());
    }
}

/// How prototxt files are read.
#[derive(Debug, Args)]
pub(crate) struct PrototxtArgs {
    /// Warn about fields that Caffe does not have, as forks of it write, instead of stopping
    #[arg(long)]
    allow_unknown: bool,
}

impl PrototxtArgs {
    pub(crate) fn unknown(&self) -> UnknownFields {
        if self.allow_unknown { UnknownFields::Warn } else { UnknownFields::Reject }
    }
}

/// All of these, for commands that run nets.
#[derive(Debug, Args)]
pub(crate) struct NetRunArgs {
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    #[command(flatten)]
    pub(crate) selection: LayerSelectionArgs,
    #[command(flatten)]
    pub(crate) reading: PrototxtArgs,
    #[command(flatten)]
    pub(crate) rounding: PrecisionArgs,
}

/// What values are rounded to.
#[derive(Debug, Args)]
pub(crate) struct PrecisionArgs {
    /// What blobs and params are rounded to between layers: in mixed precision blobs take half the
    /// memory; sums and master weights stay f32
    #[arg(long, value_name = "P", default_value = "f32",
          value_parser = one_of::<Precision>(Precision::NAMES))]
    pub(crate) precision: Precision,
}

impl NetRunArgs {
    /// How to build `model`: without weights, to be run forward.
    pub(crate) fn config(&self, model: &Path, phase: Phase) -> Result<NetConfig> {
        Ok(NetConfig {
            state: self.selection.state(phase),
            threads: self.compute.threads(),
            simd: self.compute.simd()?,
            seed: DEFAULT_SEED,
            root: root(),
            unknown: self.reading.unknown(),
            memory_limit: memory_limit(),
            precision: self.rounding.precision,
            ..NetConfig::new(model)
        })
    }

    /// Reads a net and warns of what is old in it, or asks for a GPU.
    pub(crate) fn read_net(&self, model: &Path, log: &Log) -> Result<NetParameter> {
        let read = files::read_net(model, self.reading.unknown())?;
        read.notices.iter().for_each(|notice| log.warn(prototxt::notice(notice)));
        if let Some(notice) = gpu::notice(self.compute.gpu.as_deref(), None, &[&read.message]) {
            log.warn(notice);
        }
        Ok(read.message)
    }
}

/// Takes the names of an enum's values: `value_parser = one_of::<Overlap>(Overlap::NAMES)`.
pub(crate) fn one_of<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T> + use<T>
where
    T: FromStr<Err: std::error::Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// Reads a number of seconds: none, or up to a day.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a number of seconds is needed".to_owned())?;
    if (0.0..=86_400.0).contains(&value) { Ok(value) } else { Err("from 0 to 86400".into()) }
}

/// Reads a number of megabytes.
pub(crate) fn megabytes(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a number of megabytes is needed".to_owned())?;
    if value >= 0.0 { Ok(value) } else { Err("0 or more".into()) }
}

/// Bytes of so many megabytes (10^6 bytes); more than there can be means all.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturating is the intent"
)]
pub(crate) fn bytes_of_megabytes(megabytes: f64) -> usize {
    (megabytes * 1e6) as usize
}

/// Reads how long a rank may be silent: long enough for a machine that is busy.
pub(crate) fn silence_max(text: &str) -> Result<f64, String> {
    let value = seconds(text)?;
    if value >= 1.0 { Ok(value) } else { Err("from 1 to 86400".into()) }
}

/// Paths in prototxts start from the working directory, as in Caffe.
pub(crate) fn root() -> PathBuf {
    PathBuf::new()
}

/// Where the paths in the prototxt `file` start.
pub(crate) fn file_root(file: &Path) -> PathRoot {
    PathRoot::from(root()).of_file(file)
}

/// The network of a cluster file, like that which `bench network` saves.
pub(crate) fn read_network(path: &Path) -> Result<Network> {
    Ok(read_cluster(path, None)?.network())
}
