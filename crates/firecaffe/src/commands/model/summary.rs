//! `firecaffe model summary`: what a net consists of and what it costs.

use std::path::PathBuf;

use anyhow::Result;
use caffe_format::{NetParameter, Phase};
use net::describe;
use train::{AddedLayers, FileSources, OnBadSample, TrainError, WhichNet, files};

use crate::commands::table;
use crate::log::prototxt;
use crate::options::{LayerSelectionArgs, PrecisionArgs, PrototxtArgs, file_root};
use crate::output::print;

const EXAMPLES: &str = "\
Example:
  firecaffe model summary examples/googlenet/deploy.prototxt

Multiply-adds are those of one forward of the whole batch; backward costs about twice as many.
|D| are the inputs of all convolutions and inner products, |W| the gradients: FireCaffe's table 1.
What data parallelism exchanges is |W|, so it pays where |D|/|W| is high.";

/// Options of `model summary`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SummaryArgs {
    /// The net prototxt
    #[arg(value_name = "NET", required_unless_present = "model")]
    net: Option<PathBuf>,
    /// The net prototxt, as Caffe's commands take it
    #[arg(long, value_name = "FILE", conflicts_with = "net")]
    model: Option<PathBuf>,
    /// Phase to build the net in
    #[arg(long, value_name = "TRAIN|TEST", default_value = "TRAIN")]
    phase: Phase,
    #[command(flatten)]
    selection: LayerSelectionArgs,
    #[command(flatten)]
    reading: PrototxtArgs,
    #[command(flatten)]
    rounding: PrecisionArgs,
}

pub(super) fn run(args: &SummaryArgs, added: AddedLayers) -> Result<()> {
    let file = args.net.as_ref().or(args.model.as_ref()).expect("clap requires one of them");
    let read = files::read_net(file, args.reading.unknown())?;
    let state = Some(args.selection.state(args.phase));
    let written = NetParameter { state, ..read.message };
    let written = train::attach_matrices(&written, file_root(file))?;
    let plan = match args.phase {
        Phase::Train => net::MemoryPlan::ShareDiffs,
        Phase::Test => net::MemoryPlan::ForwardOnly,
    };
    let mut sources = FileSources::alone(file_root(file), OnBadSample::Fail).with_layers(added);
    let (net, _) = describe(&written, &mut sources, plan, args.rounding.precision)
        .map_err(|source| TrainError::Net { which: WhichNet::File(file.into()), source })?;
    let notices: String =
        read.notices.iter().map(|notice| prototxt::notice(notice) + "\n").collect();
    let text = table::render(&net) + &table::volumes(&net);
    print(&format!("{notices}{}\n{text}", net.name))?;
    Ok(())
}
