//! `firecaffe check`: every error of a net or solver at once; shapes and memory when there is none.
//!
//! A net is built in both phases, a solver's nets in the states it gives them. Data layers open
//! their databases, since shapes come from there; nothing is written and no iteration runs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use caffe_format::message::Message;
use caffe_format::{NetParameter, Phase, SolverParameter, text};
use net::{MemoryPlan, NetDescription, NetError, describe};
use train::files::{self, PrototxtNotice, ReadPrototxt};
use train::nets::{self, NamedNet, SolverNets};
use train::{FileSources, OnBadSample, TrainError, check_solver};

use super::table;
use crate::log::prototxt;
use crate::options::{LayerSelectionArgs, PrototxtArgs, file_root};
use crate::output::{complain, print};

const EXAMPLES: &str = "\
Examples:
  firecaffe check examples/lenet/train_test.prototxt
  firecaffe check examples/lenet/solver.prototxt        the solver, its train net and its test nets";

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
}

/// What was found: text for stdout, and errors.
#[derive(Default)]
struct Findings {
    text: String,
    errors: Vec<String>,
}

/// Checks and reports.
pub(crate) fn run(args: &CheckArgs) -> Result<()> {
    let mut findings = Findings::default();
    match read(&args.file, args) {
        Ok(Written::Net(net)) => check_net(&net, args, &mut findings),
        Ok(Written::Solver(solver)) => check_nets(*solver, args, &mut findings),
        Err(error) => findings.error(*error),
    }
    let file = args.file.display();
    if findings.errors.is_empty() {
        findings.text += &format!("{file}: no errors\n");
        print(&findings.text)?;
        return Ok(());
    }
    complain(&findings.errors);
    match findings.errors.len() {
        1 => bail!("{file}: 1 error"),
        count => bail!("{file}: {count} errors"),
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

fn check_net(read: &ReadPrototxt<NetParameter>, args: &CheckArgs, findings: &mut Findings) {
    findings.notices(&read.notices);
    let mut shown: Option<Vec<String>> = None;
    for phase in [Phase::Train, Phase::Test] {
        let state = Some(args.selection.state(phase));
        let net = NetParameter { state, ..read.message.clone() };
        let name = format!("phase {}", if phase == Phase::Train { "TRAIN" } else { "TEST" });
        let Some(net) = findings.build(&name, &net, &args.file) else { continue };
        // A net without rules is the same in both phases; once is enough.
        let layers: Vec<_> = net.rows.iter().map(|row| row.name.clone()).collect();
        if shown.as_ref() != Some(&layers) {
            findings.table(&name, &net);
        }
        shown = Some(layers);
    }
}

fn check_nets(read: ReadPrototxt<SolverParameter>, args: &CheckArgs, findings: &mut Findings) {
    findings.notices(&read.notices);
    let mut solver = read.message;
    args.selection.add_to(&mut solver.train_state);
    if let Err(error) = check_solver(&solver) {
        findings.error(error);
    }
    let read = nets::read(&solver, file_root(&args.file), args.reading.unknown(), &mut |_| {});
    let SolverNets { train, tests } = match read {
        Ok(nets) => nets,
        Err(error) => return findings.error(error),
    };
    let named = |(index, test): (usize, NamedNet)| (format!("test net (#{index})"), test);
    let all = [("train net".into(), train)].into_iter();
    for (name, NamedNet { net, origin }) in all.chain(tests.into_iter().enumerate().map(named)) {
        let file = origin.file().map_or(&*args.file, Path::new);
        if let Some(net) = findings.build(&name, &net, file) {
            findings.table(&name, &net);
        }
    }
}

impl Findings {
    fn notices(&mut self, notices: &[PrototxtNotice]) {
        notices.iter().for_each(|notice| self.text += &(prototxt::notice(notice) + "\n"));
    }

    /// Adds what is wrong, a prototxt's errors one by one.
    fn error(&mut self, error: TrainError) {
        match error {
            TrainError::Prototxt(all) => {
                self.errors.extend(all.errors().iter().map(ToString::to_string))
            }
            error => self.errors.push(train::chain(&error)),
        }
    }

    /// Compiles a net of `file` without allocating its blobs, or adds what is wrong with it; what
    /// is wrong in both phases counts once.
    fn build(&mut self, name: &str, written: &NetParameter, file: &Path) -> Option<NetDescription> {
        let mut sources = FileSources::alone(file_root(file), OnBadSample::Fail);
        let plan = match written.state().phase() {
            Phase::Train => MemoryPlan::ShareDiffs,
            Phase::Test => MemoryPlan::ForwardOnly,
        };
        let written = match train::attach_matrices(written, file_root(file)) {
            Ok(written) => written,
            Err(error) => {
                self.error(error);
                return None;
            }
        };
        let errors = match describe(&written, &mut sources, plan) {
            Ok((net, _)) => return Some(net),
            Err(NetError::Several(errors)) => errors,
            Err(error) => vec![error],
        };
        for text in errors.iter().map(|error| train::chain(error)) {
            if !self.errors.iter().any(|known| known.ends_with(&text)) {
                self.errors.push(format!("{name}: {text}"));
            }
        }
        None
    }

    fn table(&mut self, name: &str, net: &NetDescription) {
        self.text += &format!("{} ({name})\n{}\n", net.name, table::render(net));
    }
}
