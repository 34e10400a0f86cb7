//! `firecaffe model draw`: Caffe's `draw_net.py`.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use caffe_format::{NetParameter, Phase};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use train::files;
use train::tools::{self, Direction};

use super::picture;
use crate::options::{LayerSelectionArgs, PrototxtArgs, root};
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  firecaffe model draw net.prototxt                  DOT on stdout
  firecaffe model draw net.prototxt net.dot
  firecaffe model draw net.prototxt net.svg --phase TEST   with shapes, parameters, multiply-adds
  firecaffe model draw net.prototxt net.pdf --rankdir TB   through Graphviz, if it is installed

SVG needs no Graphviz. Shapes and costs are left out if the net cannot be built, as without its data.";

/// Options of `model draw`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DrawArgs {
    /// The net prototxt
    #[arg(value_name = "NET")]
    pub(super) net: PathBuf,
    /// The file to write: `.svg`, `.dot`, or what Graphviz makes (`.png`, `.pdf`)
    #[arg(value_name = "OUT")]
    out: Option<PathBuf>,
    /// Show the layers of this phase only
    #[arg(long, value_name = "TRAIN|TEST")]
    pub(super) phase: Option<Phase>,
    /// Where the net flows in DOT and what Graphviz makes: left to right, top to bottom, bottom to
    /// top
    #[arg(long, value_name = "LR|TB|BT", default_value = "LR", ignore_case = true,
          value_parser = direction())]
    rankdir: Direction,
    #[command(flatten)]
    pub(super) selection: LayerSelectionArgs,
    #[command(flatten)]
    reading: PrototxtArgs,
}

/// Takes a direction in any case.
fn direction() -> impl TypedValueParser<Value = Direction> {
    PossibleValuesParser::new(Direction::NAMES)
        .try_map(|name| name.to_uppercase().parse::<Direction>())
}

pub(super) fn run(args: &DrawArgs) -> Result<()> {
    let mut net = files::read_net(&args.net, args.reading.unknown())?.message;
    if let Some(phase) = args.phase {
        let state = Some(args.selection.state(phase));
        (net, _) = net::filter::filter(&NetParameter { state, ..net })?;
    }
    let graph = tools::draw(&net, args.rankdir);
    let Some(out) = &args.out else { return Ok(print(&graph)?) };
    let format = out.extension().and_then(|ending| ending.to_str()).unwrap_or("dot");
    let bytes = match format {
        "dot" | "gv" | "txt" => graph.into_bytes(),
        "svg" => picture::draw(&net, args).svg().into_bytes(),
        format => graphviz(&graph, format)?,
    };
    snapshot::atomic::write(&root().join(out), &bytes)?;
    Ok(())
}

/// What `dot` makes of the graph.
fn graphviz(graph: &str, format: &str) -> Result<Vec<u8>> {
    let mut dot = Command::new("dot")
        .arg(format!("-T{format}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run Graphviz's `dot`: install graphviz, or write a `.dot` file")?;
    let input = dot.stdin.take().context("`dot` takes no input")?;
    // It reads everything before it writes anything. If it has gone, its status says why.
    _ = { input }.write_all(graph.as_bytes());
    let output = dot.wait_with_output().context("`dot` failed")?;
    ensure!(output.status.success(), "`dot -T{format}` failed: {}", output.status);
    Ok(output.stdout)
}
