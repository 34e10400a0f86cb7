//! `firecaffe check`: every error of a net or solver at once; shapes and memory when there is none.
//!
//! A net is built in each phase and stage that it names, a solver's nets in the states it gives
//! them. Data layers open their databases, since shapes come from there; nothing is written and no
//! iteration runs.

mod findings;
mod states;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use caffe_format::message::Message;
use caffe_format::{NetParameter, SolverParameter, text};
use train::files::{self, ReadPrototxt};
use train::nets::{self, NamedNet, SolverNets};
use train::{AddedLayers, Event, TrainError, check_solver};

use crate::options::{LayerSelectionArgs, PrecisionArgs, PrototxtArgs, file_root};
use crate::output::{complain, print};
pub(crate) use findings::build as describe_net;
use findings::{Findings, build};

const EXAMPLES: &str = "\
Examples:
  firecaffe check examples/lenet/train_test.prototxt
  firecaffe check examples/lenet/solver.prototxt        the solver, its train net and its test nets
  firecaffe check --precision mixed-bf16 net.prototxt   memory with blobs in 16 bits

A net is checked in both phases, without a stage and with those that its rules name; `--stage` takes
their place.";

/// Options of `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// A net or solver prototxt
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    selection: LayerSelectionArgs,
    #[command(flatten)]
    reading: PrototxtArgs,
    #[command(flatten)]
    rounding: PrecisionArgs,
}

/// Checks and reports.
pub(crate) fn run(args: &CheckArgs, added: AddedLayers) -> Result<()> {
    let mut findings = Findings::default();
    match read(&args.file, args) {
        Ok(Written::Net(read)) => {
            findings.notices(&read.notices);
            states::check(&read.message, args, added, &mut findings);
        }
        Ok(Written::Solver(read)) => check_nets(*read, args, added, &mut findings),
        Err(error) => findings.error(*error),
    }
    match findings.verdict(&args.file) {
        Ok(report) => Ok(print(&report)?),
        Err((count, errors)) => {
            complain(&[errors]);
            let s = if count == 1 { "" } else { "s" };
            bail!("{}: {count} error{s}", args.file.display())
        }
    }
}

/// What a file turns out to hold.
enum Written {
    Net(Box<ReadPrototxt<NetParameter>>),
    Solver(Box<ReadPrototxt<SolverParameter>>),
}

/// Reads the file as what its outermost fields say it is.
fn read(file: &Path, args: &CheckArgs) -> Result<Written, Box<TrainError>> {
    let bytes =
        fs::read(file).map_err(|source| TrainError::Read { path: file.to_owned(), source })?;
    let kinds = [NetParameter::EMPTY.kind(), SolverParameter::EMPTY.kind()];
    let unknown = args.reading.unknown();
    Ok(match text::likely_kind(&String::from_utf8_lossy(&bytes), &kinds) {
        0 => Written::Net(Box::new(files::read_net(file, unknown)?)),
        _ => Written::Solver(Box::new(files::read_solver(file, unknown)?)),
    })
}

fn check_nets(
    read: ReadPrototxt<SolverParameter>,
    args: &CheckArgs,
    added: AddedLayers,
    findings: &mut Findings,
) {
    findings.notices(&read.notices);
    let mut solver = read.message;
    args.selection.add_to(&mut solver.train_state);
    if let Err(error) = check_solver(&solver) {
        findings.error(error);
    }
    let mut notices = Vec::new();
    let mut hear = |event| {
        if let Event::Prototxt(notice) = event {
            notices.push(notice);
        }
    };
    let read = nets::read(&solver, file_root(&args.file), args.reading.unknown(), &mut hear);
    findings.notices(&notices);
    let SolverNets { train, tests } = match read {
        Ok(nets) => nets,
        Err(error) => return findings.error(error),
    };
    let named = |(index, test): (usize, NamedNet)| (format!("test net (#{index})"), test);
    let all = [("train net".into(), train)].into_iter();
    for (name, NamedNet { net, origin }) in all.chain(tests.into_iter().enumerate().map(named)) {
        let file = origin.file().map_or(&*args.file, Path::new);
        match build(&net, file, args.rounding.precision, added) {
            Ok(Ok(net)) => findings.table(&name, &net),
            Ok(Err(errors)) => findings.net_errors(&name, &errors),
            Err(error) => findings.error(*error),
        }
    }
}
