//! `firecaffe report`: one HTML file that explains a run, or compares several.

use std::path::PathBuf;

use anyhow::Result;
use report::RunHistory;
use report::html::{PageKind, page};

use crate::options::root;
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  firecaffe train --solver solver.prototxt --record runs/a
  firecaffe report runs/a --out a.html
  firecaffe report runs/a runs/b caffe.log --out compared.html

A run is a folder that `train --record` wrote, or a file with the log of `caffe train`, of which only
curves are shown. The file needs nothing else: no network, no other files.";

/// Options of `report`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReportArgs {
    /// Folders of records, or logs of Caffe's
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
}

/// Reads the runs and writes the page.
pub(crate) fn run(args: &ReportArgs) -> Result<()> {
    let runs = args.runs.iter().map(|path| Ok(RunHistory::read(&root().join(path))?));
    let mut runs = runs.collect::<Result<Vec<_>>>()?;
    for (run, path) in runs.iter_mut().zip(&args.runs) {
        run.name = path.display().to_string();
    }
    snapshot::atomic::write(&root().join(&args.out), page(&runs, PageKind::File).as_bytes())?;
    let findings = runs.iter().flat_map(|run| {
        let found = report::findings(run);
        found.into_iter().map(|text| format!("{}: {text}\n", run.name))
    });
    let findings: String = findings.collect();
    print(&format!("{findings}report: {}\n", args.out.display()))?;
    Ok(())
}
