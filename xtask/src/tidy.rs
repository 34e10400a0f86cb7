//! `cargo xtask tidy`: rules of this project that no linter knows, each a few lines over the files.
//!
//! A check is a function from the project's files to complaints. To add one, write it and add a row.

mod files;
mod layers;
mod manifests;
mod sources;
mod testdata;

use anyhow::{Result, bail};

use files::Project;

/// A rule and what checks it.
struct Check {
    rule: &'static str,
    run: fn(&Project) -> Vec<String>,
}

const CHECKS: &[Check] = &[
    Check { rule: "every crate takes the workspace's lints", run: manifests::lints },
    Check { rule: "crates depend only on what the design allows", run: manifests::edges },
    Check { rule: "`unsafe` stays in its rooms", run: sources::unsafe_rooms },
    Check { rule: "a file over 500 lines has a reason", run: sources::lengths },
    Check { rule: "no unfinished business", run: sources::words },
    Check { rule: "no path of somebody's machine", run: sources::machine_paths },
    Check { rule: "lines on stderr are written in one piece", run: sources::broken_lines },
    Check { rule: "every module has a header", run: sources::headers },
    Check { rule: "every layer is in the table", run: layers::in_table },
    Check { rule: "test data has a stated origin", run: testdata::origins },
    Check { rule: "no file over 2 MiB", run: files::sizes },
];

pub(crate) fn run(_args: &[String]) -> Result<()> {
    let project = Project::read()?;
    let mut complaints = 0;
    for Check { rule, run } in CHECKS {
        for complaint in run(&project) {
            println!("{complaint} ({rule})");
            complaints += 1;
        }
    }
    if complaints > 0 {
        bail!("{complaints} complaints");
    }
    println!("{} rules hold for {} files", CHECKS.len(), project.files.len());
    Ok(())
}
