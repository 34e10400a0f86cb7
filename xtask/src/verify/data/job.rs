//! Databases of numbered records, a small net over them, and runs of it on ranks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use caffe_format::{DataParameterDb, Datum};
use data::convert::DatabaseWriter;

use crate::shell::{self, root, target_dir};

/// What reads blobs `data` and `label`.
const LAYERS: &str = r#"
layer { name: "drop" type: "Dropout" bottom: "data" top: "drop" }
layer { name: "ip" type: "InnerProduct" bottom: "drop" top: "ip"
        inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" }
"#;

/// A folder in which jobs run.
pub(crate) struct JobFolder {
    pub(crate) path: PathBuf,
}

/// What a solver says besides its net.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JobLength {
    pub(crate) iterations: usize,
    pub(crate) display: usize,
    pub(crate) snapshot: usize,
}

/// A record of a database that is not like the others.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OddRecord {
    /// It is no Datum.
    Damaged(u32),
    /// It has another label than it should.
    Relabelled(u32),
}

impl JobFolder {
    /// An empty folder, which git ignores.
    pub(crate) fn new(name: &str) -> Result<Self> {
        let path = root().join("work/data").join(name);
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir_all(&path)?;
        Ok(Self { path })
    }

    /// Writes a database of `records` records of 1 x `side` x `side` bytes. Pixels and label follow
    /// from a record's number, but for those of `odd`.
    pub(crate) fn database(
        &self,
        name: &str,
        records: u32,
        side: u32,
        odd: Option<OddRecord>,
    ) -> Result<()> {
        let path = self.path.join(name);
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        let mut writer = DatabaseWriter::create(&path, DataParameterDb::Lmdb)?;
        let count = (side * side) as usize;
        for record in 0..records {
            let mut datum = numbered(record, side);
            match odd {
                Some(OddRecord::Damaged(odd)) if odd == record => {
                    datum.data = Some(vec![7; count / 2]);
                }
                Some(OddRecord::Relabelled(odd)) if odd == record => {
                    datum.label = datum.label.map(|label| 9 - label)
                }
                _ => {}
            }
            writer.put(&format!("{record:08}"), &datum)?;
        }
        writer.finish()?;
        Ok(())
    }

    /// Writes net and solver. Dropout masks differ between replicas, so that weights tell which
    /// replica read what. `data` is the layer that reads, or one like it.
    pub(crate) fn write(&self, data: &str, length: JobLength) -> Result<()> {
        self.write_net(&format!("{data}\n{LAYERS}"), length)
    }

    /// Writes a net and a solver for it.
    pub(crate) fn write_net(&self, net: &str, length: JobLength) -> Result<()> {
        let JobLength { iterations, display, snapshot } = length;
        let solver = format!(
            "net: \"net.prototxt\"\nbase_lr: 0.0001\nlr_policy: \"fixed\"\nmomentum: 0.9\n\
             random_seed: 1701\nmax_iter: {iterations}\ndisplay: {display}\nsnapshot: {snapshot}\n\
             snapshot_prefix: \"run\"\nsnapshot_after_train: false\n"
        );
        fs::write(self.path.join("net.prototxt"), net)?;
        fs::write(self.path.join("solver.prototxt"), solver)?;
        Ok(())
    }

    /// `firecaffe train` in this folder, on `ranks` ranks; without `mpirun` on one.
    pub(crate) fn train(&self, ranks: usize, flags: &str) -> Command {
        let program = program();
        let mut command = match ranks {
            1 => shell::command(&program, &[]),
            _ => self.mpirun(&[(ranks, &self.path)], &program),
        };
        let solver = ["train", "--solver", "solver.prototxt", "--threads", "1"];
        command.args(solver).args(flags.split_whitespace()).current_dir(&self.path);
        command
    }

    /// `mpirun` that starts `program` on so many ranks in each folder, with the same arguments for
    /// the last part: for others they must be added.
    pub(crate) fn mpirun(&self, parts: &[(usize, &Path)], program: &str) -> Command {
        let mpirun = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"];
        let mut command = shell::command("mpirun", &mpirun);
        command.args(["--mca", "mpi_yield_when_idle", "1"]);
        for (index, (ranks, folder)) in parts.iter().enumerate() {
            if index > 0 {
                command.arg(":");
            }
            command.args(["-n", &ranks.to_string(), "-wdir"]).arg(folder).arg(program);
        }
        command.env("TMPDIR", &self.path).stdin(Stdio::null());
        command
    }
}

/// Record `record`: pixels and label follow from the number.
pub(crate) fn numbered(record: u32, side: u32) -> Datum {
    let mut noise = u64::from(record) + 1;
    let pixels = (0..side * side).map(|_| {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        noise.to_be_bytes()[0]
    });
    Datum::raw([1, side, side], pixels.collect(), i32::try_from(record % 10).unwrap_or(0))
}

/// The program that was built.
pub(crate) fn program() -> String {
    target_dir().join("release/firecaffe").to_string_lossy().into_owned()
}

/// A `Data` layer that reads `source`.
pub(crate) fn data_layer(source: &str, batch_size: usize) -> String {
    format!(
        "layer {{ name: \"data\" type: \"Data\" top: \"data\" top: \"label\"\n\
         transform_param {{ mirror: true scale: 0.004 }}\n\
         data_param {{ source: \"{source}\" batch_size: {batch_size} backend: LMDB }} }}"
    )
}

/// Runs to the end and gives the log; an error with its last lines if that fails.
pub(crate) fn finish(command: &mut Command) -> Result<String> {
    let ended = command.output().context("cannot start")?;
    let log = String::from_utf8_lossy(&ended.stderr).into_owned();
    ensure!(ended.status.success(), "training failed: {}", last_lines(&log));
    Ok(log)
}

/// The end of a log, where its error is; `mpirun` adds a frame that says less.
pub(crate) fn last_lines(log: &str) -> String {
    let own = log.split("\n-----").next().unwrap_or(log);
    let lines: Vec<&str> = own.trim().lines().collect();
    lines[lines.len().saturating_sub(6)..].join("\n")
}

/// Hashes of the weights, with the number of steps before each.
pub(crate) fn hashes(log: &str) -> Result<Vec<(usize, String)>> {
    let mut found = Vec::new();
    for line in log.lines() {
        let Some((_, rest)) = line.split_once("weights after ") else { continue };
        let Some((steps, hash)) = rest.split_once(" steps: ") else { continue };
        found.push((steps.parse().context("a number of steps")?, hash.trim().to_owned()));
    }
    ensure!(!found.is_empty(), "the log shows no hash of weights");
    found.dedup();
    Ok(found)
}
