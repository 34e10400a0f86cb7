//! What a process finds out about its own machine.

use std::path::Path;

use anyhow::Result;
use base::Fingerprint;
use caffe_format::text;
use rustix::fs::statvfs;
use serde::{Deserialize, Serialize};
use train::files::{self, UnknownFields};
use train::{AddedLayers, Precision, nets, program_version};

use crate::commands::check::describe_net;
use crate::cores::Topology;
use crate::launch;
use crate::memory_limit::free_bytes_here;
use crate::options::root;

/// A machine as a rank, or a process on it, sees it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct HostFacts {
    pub(super) host: String,
    /// The rank that says so; `None` without a launcher.
    pub(super) rank: Option<usize>,
    /// And the build.
    pub(super) version: String,
    /// Solver, nets and data.
    pub(super) files: Vec<FileFact>,
    /// Cores that the process may run on.
    pub(super) cores: Vec<usize>,
    /// Cores that the job was given of the machine.
    pub(super) given_cores: usize,
    pub(super) numa_nodes: usize,
    /// Bytes.
    pub(super) memory_free: Option<u64>,
    /// Where snapshots go, if a solver says so.
    pub(super) disk: Option<DiskFact>,
}

/// A file, or the data of a layer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FileFact {
    pub(super) name: String,
    /// A fingerprint, or why it cannot be read.
    pub(super) state: Result<String, String>,
}

/// The folder of snapshots.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DiskFact {
    pub(super) folder: String,
    /// Bytes.
    pub(super) free: u64,
    /// Bytes of a snapshot.
    pub(super) needed: u64,
    /// Why nothing can be written there.
    pub(super) error: Option<String>,
}

impl HostFacts {
    /// This machine, with the files that `solver` leads to.
    pub(super) fn collect(solver: Option<&Path>, rank: Option<usize>) -> Self {
        let topology = Topology::read();
        let mut facts = Self {
            host: launch::host(),
            rank,
            version: program_version().to_owned(),
            files: Vec::new(),
            cores: topology.cores(),
            given_cores: topology.given,
            numa_nodes: topology.nodes.len(),
            memory_free: free_bytes_here(),
            disk: None,
        };
        if let Some(solver) = solver
            && let Err(error) = facts.read_solver(solver)
        {
            let name = solver.display().to_string();
            facts.files.push(FileFact { name, state: Err(format!("{error:#}")) });
        }
        facts
    }

    fn read_solver(&mut self, file: &Path) -> Result<()> {
        let solver = files::read_solver(file, UnknownFields::Warn)?.message;
        let print = |text: &str| Ok(format!("{:016x}", Fingerprint::of(text.as_bytes()).value()));
        let mut add = |name: String, state| self.files.push(FileFact { name, state });
        add(file.display().to_string(), print(&text::write(&solver)));
        let nets = nets::read(&solver, root(), UnknownFields::Warn, &mut |_| {})?;
        let mut values = 0;
        for net in std::iter::once(&nets.train).chain(&nets.tests) {
            let name = format!("the net of {}", net.origin.file().unwrap_or("the solver"));
            add(name, print(&text::write(&net.net)));
            for layer in &net.net.layer {
                let Some(data) = data::fingerprint(layer, &root()) else { continue };
                let name = format!("the data of layer `{}`", layer.name());
                let state = data.map(|print| format!("{print:016x}"));
                add(name.clone(), state.map_err(|error| format!("{name}: {error}")));
            }
            // Opens the data, and tells how large a model is.
            match describe_net(&net.net, file, Precision::F32, AddedLayers::default())? {
                Ok(net) => {
                    values = values.max(net.params.iter().map(|param| param.values.len()).sum());
                }
                Err(errors) => add(
                    format!("the net of {}", net.origin.file().unwrap_or("the solver")),
                    Err(errors
                        .iter()
                        .map(|error| train::chain(error))
                        .collect::<Vec<_>>()
                        .join("; ")),
                ),
            }
        }
        self.disk = Some(DiskFact::of(solver.snapshot_prefix(), values));
        Ok(())
    }
}

impl DiskFact {
    /// Where the snapshots of `prefix` go, for a net of so many values: a model, and a state that
    /// is as large.
    fn of(prefix: &str, values: usize) -> Self {
        let path = root().join(prefix);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let needed = 2 * (values * size_of::<f32>()) as u64;
        let shown = folder.display().to_string();
        let free = statvfs(folder).map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        let written = tempfile::tempfile_in(folder).map(drop);
        let error = free.as_ref().err().map(ToString::to_string);
        let error = error.or(written.err().map(|error| error.to_string()));
        Self { folder: shown, free: free.unwrap_or(0), needed, error }
    }
}
