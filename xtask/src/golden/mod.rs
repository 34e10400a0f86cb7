//! `cargo xtask golden DIR`: compares with what a reference Caffe recorded.
//!
//! `DIR` has any of `layers/`, `solvers/`, `nets/`, `data/feeds/`, `legacy/` and `schema.tsv`, in
//! the form its README states; every folder or file in them is a case. Cases that need a layer,
//! rule or source that is not built are skipped. Ends with `N passed, M failed, K skipped`.

mod compare;
mod feeds;
mod format;
mod layers;
mod nets;
mod noise;
mod solvers;
mod tensors;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// How a case ended.
pub(crate) enum CaseVerdict {
    /// As recorded; with a word on how close.
    Passed(String),
    /// Something it needs is not built.
    Skipped(String),
}

/// A kind of case: what it is called, where its cases are, how one is run.
struct CaseKind {
    name: &'static str,
    cases: fn(&Path) -> Result<Vec<PathBuf>>,
    run: fn(&Path) -> Result<CaseVerdict>,
}

const KINDS: &[CaseKind] = &[
    CaseKind { name: "schema", cases: format::schema_cases, run: format::schema },
    CaseKind { name: "legacy", cases: format::legacy_cases, run: format::legacy },
    CaseKind { name: "feeds", cases: feeds::cases, run: feeds::run },
    CaseKind { name: "layers", cases: layers::cases, run: layers::run },
    CaseKind { name: "nets", cases: nets::cases, run: nets::run },
    CaseKind { name: "solvers", cases: solvers::cases, run: solvers::run },
];

/// Runs every case under the folder in `args`, or those whose path contains the second argument.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let Some(root) = args.first().map(Path::new) else {
        bail!("usage: cargo xtask golden DIR [PART OF A CASE'S PATH]");
    };
    if !root.is_dir() {
        bail!("{} is not a folder", root.display());
    }
    let only = args.get(1).map_or("", String::as_str);
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for kind in KINDS {
        for case in (kind.cases)(root)? {
            let shown = case.strip_prefix(root).unwrap_or(&case).display().to_string();
            if !shown.contains(only) {
                continue;
            }
            match (kind.run)(&case) {
                Ok(CaseVerdict::Passed(note)) => {
                    passed += 1;
                    println!("ok       {shown}  {note}");
                }
                Ok(CaseVerdict::Skipped(why)) => {
                    skipped += 1;
                    println!("skipped  {shown}  {why}");
                }
                Err(error) => {
                    failed += 1;
                    println!("FAILED   {} {shown}  {error:#}", kind.name);
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed > 0 {
        bail!("{failed} golden cases differ");
    }
    if passed == 0 {
        bail!("no case was run under {}", root.display());
    }
    Ok(())
}

/// Sorted entries of `dir`, none if it is not there.
pub(crate) fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    if !dir.exists() {
        return Ok(Vec::new());
    }
    let listing = fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
    let mut paths = listing.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Entries of `dir` whose names end in `ending`.
pub(crate) fn ending_in(dir: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut paths = entries(dir)?;
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    Ok(paths)
}

/// The name of a layer type in `net` that is not built, if there is one.
pub(crate) fn missing_layer(net: &caffe_format::NetParameter) -> Option<String> {
    let mut types = net.layer.iter().map(|layer| layer.type_());
    types
        .find(|name| ::layers::find(name).is_none())
        .map(|name| format!("layer type {name} is not built"))
}
