//! `firecaffe solver scale`: a solver and its net for another global batch.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use train::files::{self, UnknownFields};
use train::tools::{ScalingInput, ScalingRule, scale_solver};

use crate::options::root;
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  firecaffe solver scale --solver examples/lenet/solver.prototxt --batch-size 1024 --out big
  firecaffe train --solver big/solver.prototxt --workers 2 --batch global

Both files keep their comments; every changed line says what it was and why. The written batch_size
is the global batch: `--batch global` divides it among the replicas.";

/// Options of `solver scale`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ScaleArgs {
    /// The solver; its `net` or `train_net` names a file
    #[arg(long, value_name = "FILE")]
    solver: PathBuf,
    /// Images per iteration, over all replicas and `iter_size`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    batch_size: u32,
    /// How the rate follows the batch: linear, or lars for batches beyond a few thousand
    #[arg(long, value_name = "linear|lars", default_value = "linear")]
    rule: ScalingRule,
    /// Folder for solver.prototxt and net.prototxt
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    overwrite: bool,
}

pub(super) fn run(args: &ScaleArgs) -> Result<()> {
    let solver = files::read_solver(&args.solver, UnknownFields::Reject)?.message;
    let named = solver.net.as_ref().or(solver.train_net.as_ref());
    let named = named.context("the solver names no net: `net` or `train_net` must be a file")?;
    let net_path = root().join(named);
    let net = files::read_net(&net_path, UnknownFields::Reject)?.message;
    let (solver_text, net_text) = (read(&args.solver)?, read(&net_path)?);
    let outputs = [args.out.join("solver.prototxt"), args.out.join("net.prototxt")];
    for file in outputs.iter().filter(|_| !args.overwrite) {
        let name = file.display();
        ensure!(!file.exists(), "{name} exists; choose another --out, or give --overwrite");
    }
    let input =
        ScalingInput { solver_text: &solver_text, solver: &solver, net_text: &net_text, net: &net };
    let net_name = outputs[1].to_string_lossy();
    let scaled = scale_solver(input, args.batch_size.into(), args.rule, &net_name)
        .with_context(|| format!("cannot scale {}", args.solver.display()))?;
    fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make folder {}", args.out.display()))?;
    for (file, text) in outputs.iter().zip([&scaled.solver, &scaled.net]) {
        snapshot::atomic::write(file, text.as_bytes())?;
    }
    let [solver, net] = outputs.map(|file| file.display().to_string());
    let (old, new) = (scaled.old_batch, args.batch_size);
    Ok(print(&format!("batch {old} -> {new}\nwrote {solver}\nwrote {net}\n"))?)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
