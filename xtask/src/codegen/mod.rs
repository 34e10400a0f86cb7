//! `cargo xtask codegen [--check]`: files that are a function of a table.

mod layers;
mod schema;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::shell::root;

/// A generated file and what makes its text from the project's root.
struct Generated {
    path: &'static str,
    text: fn(&Path) -> Result<String>,
}

const FILES: &[Generated] = &[
    Generated { path: "crates/caffe-format/src/schema.rs", text: schema },
    Generated { path: "docs/algorithms.md", text: |_| Ok(collective::docs::markdown()) },
    Generated { path: "docs/layers.md", text: layers },
];

/// Writes every file that is out of date, or with `--check` names it.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("usage: cargo xtask codegen [--check]"),
    };
    let mut stale = Vec::new();
    for Generated { path, text } in FILES {
        let file = root().join(path);
        let want = text(&root())?;
        if fs::read_to_string(&file).is_ok_and(|have| have == want) {
            continue;
        }
        if check {
            stale.push(*path);
        } else {
            fs::write(&file, want).with_context(|| format!("cannot write {path}"))?;
            println!("wrote {path}");
        }
    }
    if !stale.is_empty() {
        bail!("out of date: {}; run `cargo xtask codegen`", stale.join(", "));
    }
    println!("generated files are up to date");
    Ok(())
}

fn schema(root: &Path) -> Result<String> {
    Ok(schema::generate(&schema_table(root)?, &extensions_table(root)?))
}

fn layers(root: &Path) -> Result<String> {
    Ok(layers::markdown(&(schema_table(root)? + &extensions_table(root)?)))
}

fn schema_table(root: &Path) -> Result<String> {
    let table = root.join("crates/caffe-format/schema.tsv");
    fs::read_to_string(table).context("cannot read the schema table")
}

fn extensions_table(root: &Path) -> Result<String> {
    let table = root.join("crates/caffe-format/extensions.tsv");
    fs::read_to_string(table).context("cannot read the extensions table")
}
