//! `firecaffe model upgrade`: Caffe's `upgrade_net_proto_text`, `upgrade_net_proto_binary` and
//! `upgrade_solver_proto_text`.

use std::path::PathBuf;

use anyhow::Result;
use train::tools;

use crate::log::prototxt;
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  firecaffe model upgrade old.prototxt new.prototxt
  firecaffe model upgrade old.caffemodel new.caffemodel
  firecaffe model upgrade --solver old_solver.prototxt solver.prototxt

Text stays text and binary stays binary. Training and testing upgrade by themselves; this saves the result.";

/// Options of `model upgrade`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UpgradeArgs {
    /// The net, model or solver, text or binary
    #[arg(value_name = "OLD")]
    input: PathBuf,
    /// The file to write
    #[arg(value_name = "NEW")]
    output: PathBuf,
    /// The file holds a solver
    #[arg(long)]
    solver: bool,
}

pub(super) fn run(args: &UpgradeArgs) -> Result<()> {
    let upgrade = if args.solver { tools::upgrade_solver } else { tools::upgrade_net };
    let changes = upgrade(&args.input, &args.output)?;
    let mut notices: Vec<String> = changes.iter().map(prototxt::upgrade).collect();
    if notices.is_empty() {
        notices.push("was up to date".into());
    }
    let file = args.input.display();
    let mut text: String = notices.iter().map(|notice| format!("{file}: {notice}\n")).collect();
    text += &format!("wrote {}\n", args.output.display());
    print(&text)?;
    Ok(())
}
