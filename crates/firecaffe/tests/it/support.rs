//! A folder with a small data set, a small net and a solver, and a way to run the program in it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// 128 images of Fashion-MNIST.
pub(crate) const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/golden/data");

/// A LeNet that trains in milliseconds.
pub(crate) const NET: &str = r#"
name: "small"
layer {
  name: "data" type: "Data" top: "data" top: "label"
  transform_param { scale: 0.00390625 }
  data_param { source: "train_lmdb" batch_size: 16 backend: LMDB }
}
layer {
  name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 4 kernel_size: 5 stride: 2 weight_filler { type: "xavier" } }
}
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer {
  name: "pool" type: "Pooling" bottom: "conv" top: "pool"
  pooling_param { pool: MAX kernel_size: 2 stride: 2 }
}
layer {
  name: "ip" type: "InnerProduct" bottom: "pool" top: "ip"
  inner_product_param { num_output: 10 weight_filler { type: "xavier" } }
}
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
layer {
  name: "accuracy" type: "Accuracy" bottom: "ip" bottom: "label" top: "accuracy"
  include { phase: TEST }
}
"#;

/// What every solver here has; tests add `max_iter` and what they are about.
pub(crate) const SOLVER: &str = r#"
net: "net.prototxt"
base_lr: 0.05
lr_policy: "fixed"
momentum: 0.9
snapshot_prefix: "snap"
random_seed: 1701
"#;

/// A fresh folder.
pub(crate) struct Folder(TempDir);

/// A run under way, whose log is read line by line; ended when dropped.
pub(crate) struct Running {
    child: Child,
    lines: BufReader<ChildStderr>,
    /// What was read so far.
    seen: String,
}

/// How a run ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    /// A folder with nothing in it.
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with `train_lmdb`, `net.prototxt` and a solver that has `more` lines.
    pub(crate) fn new(more: &str) -> Self {
        let folder = Self::empty();
        let images = format!("{DATA}/fashion128-images-idx3-ubyte");
        let labels = format!("{DATA}/fashion128-labels-idx1-ubyte");
        folder.run(&["data", "convert-idx", &images, &labels, "train_lmdb"]).succeeds();
        folder.write("net.prototxt", NET);
        folder.solver(more);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Writes the solver with `more` lines.
    pub(crate) fn solver(&self, more: &str) {
        self.write("solver.prototxt", format!("{SOLVER}{more}\n"));
    }

    /// Names of all files, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    }

    /// The program with `args`, to be run here.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_firecaffe"));
        command.args(args).current_dir(self.0.path()).env("TZ", "UTC");
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    /// `train --solver solver.prototxt` and what else.
    pub(crate) fn train(&self, more: &[&str]) -> Ran {
        self.run(&[&["train", "--solver", "solver.prototxt"], more].concat())
    }
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines, seen: String::new() }
    }

    /// Waits for another line, one that contains `text`, however long that takes.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        loop {
            let start = self.seen.len();
            let read = self.lines.read_line(&mut self.seen).unwrap();
            assert_ne!(read, 0, "`{text}` never came:\n{}", self.seen);
            if self.seen[start..].contains(text) {
                return;
            }
        }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub(crate) fn send(&self, signal: &str) {
        send(signal, &self.child.id().to_string());
    }

    /// Waits for the end; the error stream is that of the whole run.
    pub(crate) fn end(mut self) -> Ran {
        self.lines.read_to_string(&mut self.seen).unwrap();
        let code = self.child.wait().unwrap().code();
        Ran { code, out: String::new(), err: std::mem::take(&mut self.seen) }
    }
}

impl Drop for Running {
    /// A run that a failed test leaves behind would not end by itself. First politely: it may be
    /// `mpirun`, which then ends its ranks.
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        let kill = format!("kill -TERM {}", self.child.id());
        let _ = Command::new("sh").args(["-c", &kill]).status();
        for _ in 0..100 {
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal as the shell does: `kill` as a program of its own is not on every machine.
#[track_caller]
pub(crate) fn send(signal: &str, pid: &str) {
    let kill = format!("kill {signal} {pid}");
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success(), "{kill}");
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl Ran {
    /// Asserts that it went well.
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self
    }

    /// Asserts exit code 1 and returns the error: the last line, the only one of its kind.
    #[track_caller]
    pub(crate) fn fails(&self) -> String {
        assert_eq!(self.code, Some(1), "{}{}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        let (_, error) = self.err.split_once("firecaffe: ").expect("an error line");
        error.trim_end().to_owned()
    }

    /// The last `weights after N steps: HASH`.
    #[track_caller]
    pub(crate) fn hash(&self) -> &str {
        let line = self.err.lines().rfind(|line| line.contains("weights after "));
        line.unwrap_or_else(|| panic!("no hash in {}", self.err)).split_once("] ").unwrap().1
    }
}

/// Whether a file name exists anywhere a user would see it.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
