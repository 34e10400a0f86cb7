//! `cargo xtask tidy [FOLDER]`: rules of this project that no linter knows.
//!
//! A check is a function from the project's files to complaints. To add one, write it and add a
//! row. `FOLDER` (`crates/net`) lists what remains to be done there for the rules that are new.

mod files;
mod layers;
mod manifests;
mod names;
mod prose;
mod sources;
mod testdata;
mod words;

use std::collections::BTreeMap;

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

/// Rules that are new, and folders that do not follow them yet: what they find there is counted,
/// and is no error.
const NEW: &[&str] = &[
    "words are those of docs/glossary.md",
    "a type name is declared once",
    "a type name says its role",
    "text is wrapped at 100 columns",
    "errors have a variant per case",
];
const PENDING: &[&str] = &["crates/", "xtask/", "fuzz/", "docs/", "bench/", "examples/", ""];

pub(crate) fn run(args: &[String]) -> Result<()> {
    let project = Project::read()?;
    let (mut complaints, mut remaining) = (0, BTreeMap::new());
    for TidyCheck { rule, run } in CHECKS {
        for complaint in run(&project) {
            let pending = PENDING.iter().any(|folder| complaint.starts_with(folder));
            if NEW.contains(rule) && pending {
                if args.first().is_some_and(|arg| complaint.starts_with(arg)) {
                    println!("{complaint} ({rule})");
                }
                let parts: Vec<&str> = complaint.split(['/', ':']).take(2).collect();
                *remaining.entry((parts.join("/"), *rule)).or_insert(0) += 1;
                continue;
            }
            println!("{complaint} ({rule})");
            complaints += 1;
        }
    }
    for ((folder, rule), count) in remaining {
        println!("remaining in {folder}: {count} ({rule})");
    }
    if complaints > 0 {
        bail!("{complaints} complaints");
    }
    println!("{} rules hold for {} files", CHECKS.len(), project.files.len());
    Ok(())
}
