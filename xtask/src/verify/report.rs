//! `cargo xtask verify report`: records, pages and TensorBoard's files as their readers see them.
//!
//! - Pages in headless Chromium (Debian's, with puppeteer-core and axe-core): no console error, no
//!   violation, points and titles of axes read back from the SVG, at 390 and 1,440 pixels.
//! - The command on the page gives the same hash. Runs that are killed at 100 random points and
//!   resumed: every record loads and has every iteration once.
//! - The live page in the same browser during training, then its stop button.
//! - The `tensorboard` package reads our files.
//! - A straggler, a starved data source and a slow link among four ranks are named, by the log too;
//!   without them nobody is. A run of a million iterations goes through the real writer.
//!
//! Names of parts after the options run these only.

mod browser;
mod kills;
mod long_run;
mod ranks;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell::{self, cargo, command, root, target_dir};
use browser::Browser;

const NET: &str = "testdata/golden/solvers/sgd_fixed/net.prototxt";
const DATA: &str = "testdata/golden/data";
const HOSTILE: &str = "</script><script>alert(1)</script>";

/// A part of the check, which needs none of the others.
type ReportPart = fn(&RecordedJob, &Browser) -> Result<()>;

/// What is looked at, the quick parts first.
const PARTS: &[(&str, ReportPart)] = &[
    ("long", |job, _| long_run::run(&job.folder)),
    ("pages", |job, browser| browser.look_at_reports(job)),
    ("live", |job, browser| browser.watch_live_page(job)),
    ("board", |job, browser| browser.tensorboard(job)),
    ("ranks", ranks::run),
    ("calm", ranks::undisturbed),
    ("kills", kills::run),
];

pub(crate) fn run(args: &[String]) -> Result<()> {
    let (program, chosen) = match args {
        [flag, path, chosen @ ..] if flag == "--firecaffe" => (Some(path), chosen),
        chosen => (None, chosen),
    };
    let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    let known = |name: &String| names.contains(&name.as_str());
    let names = names.join("|");
    ensure!(
        chosen.iter().all(known),
        "usage: cargo xtask verify report [--firecaffe PATH] [{names}]…"
    );
    let program = match program {
        Some(path) => fs::canonicalize(path).with_context(|| format!("--firecaffe {path}"))?,
        None => {
            shell::run(&mut cargo(&["build", "--release", "--package", "firecaffe"]))?;
            target_dir().join("release/firecaffe")
        }
    };
    let job = RecordedJob::prepare(program)?;
    let browser = Browser::prepare(&job.folder)?;
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|chosen| chosen == name);
    for (name, part) in PARTS.iter().filter(|(name, _)| is_chosen(name)) {
        part(&job, &browser).with_context(|| format!("part `{name}`"))?;
    }
    match chosen {
        [] => println!("records, reports, the live page and TensorBoard's files passed"),
        _ => println!("these parts passed: {}", chosen.join(", ")),
    }
    Ok(())
}

/// A small training job in a folder of its own.
pub(super) struct RecordedJob {
    program: PathBuf,
    folder: PathBuf,
}

impl RecordedJob {
    fn prepare(program: PathBuf) -> Result<Self> {
        let folder = target_dir().join("verify-report");
        if folder.exists() {
            let keep = ["node_modules", "venv", "package.json", "package-lock.json"];
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if !keep.contains(&name.as_str()) {
                    if path.is_dir() {
                        fs::remove_dir_all(&path)?
                    } else {
                        fs::remove_file(&path)?
                    };
                }
            }
        }
        fs::create_dir_all(&folder)?;
        let data = root().join(DATA);
        let net = fs::read_to_string(root().join(NET)).context(NET)?;
        let net = net.replace("../../data", &data.to_string_lossy());
        fs::write(folder.join("plain.prototxt"), &net)?;
        let hostile = net.replacen("name: \"conv1\"", &format!("name: \"{HOSTILE}\""), 1);
        ensure!(hostile != net, "{NET} has a layer conv1");
        fs::write(folder.join("net.prototxt"), hostile)?;
        Ok(Self { program, folder })
    }

    /// Writes a solver of the net with the hostile name.
    fn solver(&self, name: &str, fields: &str) -> Result<()> {
        self.solver_of("net", name, fields)
    }

    /// Writes a solver.
    fn solver_of(&self, net: &str, name: &str, fields: &str) -> Result<()> {
        let text = format!(
            "net: \"{net}.prototxt\" base_lr: 0.01 lr_policy: \"fixed\" momentum: 0.9 \
             random_seed: 1701 snapshot_prefix: \"{name}\" {fields}\n"
        );
        Ok(fs::write(self.folder.join(format!("{name}.prototxt")), text)?)
    }

    /// `firecaffe args…` in the folder.
    fn firecaffe(&self, args: &[&str]) -> Command {
        let mut command = command(&self.program.to_string_lossy(), args);
        command.current_dir(&self.folder);
        command
    }

    fn train(&self, solver: &str, args: &[&str]) -> Command {
        let solver = format!("{solver}.prototxt");
        self.firecaffe(&[&["train", "--solver", &solver, "--threads", "1"], args].concat())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// The hash that a log ends with.
fn last_hash(log: &str) -> Result<String> {
    let line = log.lines().rev().find(|line| line.contains("weights after "));
    let line = line.context("the log has no hash")?;
    Ok(line.rsplit(' ').next().unwrap_or_default().to_owned())
}

/// Runs a command; what it logged.
fn logged(command: &mut Command) -> Result<String> {
    let output = command.output().context("cannot start firecaffe")?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "firecaffe failed: {log}");
    Ok(log)
}

/// Bytes of all files of a folder.
fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}
