//! Nets with Python layers: `firecaffe train` becomes `python3 -m caffe train`, with the same
//! options.
//!
//! The process is replaced, not a child started: a launcher such as `mpirun` finds its rank where
//! it put it, and signals reach it. That happens before MPI starts. `python3` is the one of the
//! active environment; its package must be of this program's version, since both halves of a job
//! must compute alike.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, bail};
use caffe_format::NetParameter;
use train::{AddedLayers, files, nets};

use crate::commands::train::TrainArgs;
use crate::options::root;

/// The type of such layers, in a prototxt.
const PYTHON: &str = "Python";
/// The interpreter, found on `PATH`.
const INTERPRETER: &str = "python3";
/// Prints the version of the package.
const VERSION: &str = "import caffe; print(caffe.__version__)";
/// How to get the package, in a checkout of this version.
const INSTALL: &str = "in FireCaffe's source, run `pip install ./crates/python`";

/// Replaces this process if the nets to train have Python layers and `added` has none. Whatever is
/// wrong with the files is left to be reported by training.
pub(crate) fn to_python(train: &TrainArgs, added: AddedLayers, args: &[OsString]) -> Result<()> {
    if added.find(PYTHON).is_some() || !has_python_layers(train) {
        return Ok(());
    }
    check_version()?;
    let words = args.iter().skip(1); // the program's name
    let error = Command::new(INTERPRETER).args(["-m", "caffe"]).args(words).exec();
    Err(error).with_context(|| format!("cannot start `{INTERPRETER} -m caffe`"))
}

fn has_python_layers(args: &TrainArgs) -> bool {
    let unknown = args.running.reading.unknown();
    let Ok(solver) = files::read_solver(&args.solver, unknown) else { return false };
    let mut solver = solver.message;
    args.running.selection.add_to(&mut solver.train_state);
    let Ok(found) = nets::read(&solver, root(), unknown, &mut |_| {}) else { return false };
    let all = [&found.train].into_iter().chain(&found.tests);
    all.into_iter().any(|named| is_in(&named.net))
}

/// Whether a Python layer is among those that the net's state leaves in it.
fn is_in(net: &NetParameter) -> bool {
    let filtered = net::filter(net).map(|(net, _)| net);
    filtered.is_ok_and(|net| net.layer.iter().any(|layer| layer.type_() == PYTHON))
}

/// An error unless the active environment has the package of this version.
fn check_version() -> Result<()> {
    const NEEDED: &str = "the net has Python layers, for which `firecaffe` becomes";
    let ours = env!("CARGO_PKG_VERSION");
    let output = Command::new(INTERPRETER).args(["-c", VERSION]).output().with_context(|| {
        format!("{NEEDED} `{INTERPRETER} -m caffe`, but `{INTERPRETER}` cannot be started")
    })?;
    let found = String::from_utf8_lossy(&output.stdout);
    match found.trim() {
        found if output.status.success() && found == ours => Ok(()),
        found if output.status.success() => bail!(
            "{NEEDED} `{INTERPRETER} -m caffe`, but the package `caffe` of `{INTERPRETER}` is of \
             version {found}, not {ours}: {INSTALL}"
        ),
        _ => {
            let complaint = String::from_utf8_lossy(&output.stderr);
            let last = complaint.lines().last().unwrap_or("no reason given");
            bail!(
                "{NEEDED} `{INTERPRETER} -m caffe`, but `{INTERPRETER}` does not have the package \
                 `caffe` ({last}): {INSTALL}"
            )
        }
    }
}
