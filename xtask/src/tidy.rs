//! `cargo xtask tidy`: rules of this project that no linter knows.
//!
//! A check is a function from the project's files to complaints. To add one, write it and add a
//! row.

mod files;
mod layers;
mod manifests;
mod names;
mod prose;
mod sources;
mod testdata;
mod words;

use anyhow::{Result, bail};

use files::Project;

/// A rule and what checks it.
struct TidyCheck {
    rule: &'static str,
    run: fn(&Project) -> Vec<String>,
}

const CHECKS: &[TidyCheck] = &[
    TidyCheck { rule: "every crate takes the workspace's lints", run: manifests::lints },
    TidyCheck { rule: "crates depend only on what the design allows", run: manifests::edges },
    TidyCheck { rule: "`unsafe` stays in the listed modules", run: sources::unsafe_modules },
    TidyCheck { rule: "a file over 500 lines has a reason", run: sources::lengths },
    TidyCheck { rule: "no marks of unfinished work", run: sources::words },
    TidyCheck { rule: "no paths of a developer's machine", run: sources::machine_paths },
    TidyCheck { rule: "lines on stderr are written in one call", run: sources::broken_lines },
    TidyCheck { rule: "every module has a header", run: sources::headers },
    TidyCheck { rule: "every layer is in the table", run: layers::in_table },
    TidyCheck { rule: "test data has a stated origin", run: testdata::origins },
    TidyCheck { rule: "no file over 2 MiB", run: files::sizes },
    TidyCheck { rule: "words are those of docs/glossary.md", run: words::banned },
    TidyCheck { rule: "a type name is declared once", run: names::unique },
    TidyCheck { rule: "a type name says its role", run: names::specific },
    TidyCheck { rule: "text is wrapped at 100 columns", run: prose::columns },
    TidyCheck { rule: "errors have a variant per case", run: prose::string_variants },
    TidyCheck { rule: "no code in comments", run: prose::code_in_comments },
];

pub(crate) fn run(_args: &[String]) -> Result<()> {
    let project = Project::read()?;
    let mut complaints = 0;
    for TidyCheck { rule, run } in CHECKS {
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
