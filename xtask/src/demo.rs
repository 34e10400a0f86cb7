//! `cargo xtask demo [--data DIR]`: LeNet on Fashion-MNIST, from an empty folder to its accuracy.
//!
//! Builds the program, gets the data (a folder, else Debian's package, else a drawn substitute),
//! converts it, trains the example and prints what it reached. Everything made lies in
//! `work/demo/`; a second run replaces the first's.

mod data;

pub(crate) use data::{IdxFiles, find as find_images};

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::shell::{self, cargo, root, target_dir};

/// What we make, relative to the root.
const FOLDER: &str = "work/demo";
/// What is trained.
const EXAMPLE: &str = "examples/lenet";

pub(crate) fn run(args: &[String]) -> Result<()> {
    let given = match args {
        [] => None,
        [flag, folder] if flag == "--data" => Some(Path::new(folder)),
        _ => bail!("usage: cargo xtask demo [--data DIR]"),
    };
    shell::run(&mut cargo(&["build", "--release", "--package", "firecaffe"]))?;
    let data = prepare(FOLDER, given)?;
    let folder = root().join(FOLDER);
    let begin = Instant::now();
    let accuracy = train(&format!("{FOLDER}/solver.prototxt"), &folder.join("log.txt"))?;
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "accuracy {:.2} % on {} after {seconds:.1} s of training",
        100.0 * accuracy,
        data.name
    );
    println!("log: {FOLDER}/log.txt; models: {FOLDER}/lenet_iter_*.caffemodel");
    Ok(())
}

/// Puts Fashion-MNIST's databases and the example's files into `place`, with paths that point
/// there.
pub(crate) fn prepare(place: &str, given: Option<&Path>) -> Result<IdxFiles> {
    let folder = root().join(place);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {place}"))?;
    let data = data::find(given, &folder)?;
    println!("data: {}", data.origin);
    for (part, images, labels) in data.parts() {
        let database = format!("{place}/{part}_lmdb");
        remove(&root().join(&database))?;
        let [images, labels] = [images, labels].map(|file| file.display().to_string());
        let convert = ["data", "convert-idx", &images, &labels, &database];
        shell::run(firecaffe().args(convert))?;
    }
    for file in ["net.prototxt", "solver.prototxt"] {
        let path = root().join(EXAMPLE).join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {file}"))?;
        fs::write(folder.join(file), text.replace(&format!("{EXAMPLE}/"), &format!("{place}/")))?;
    }
    Ok(data)
}

pub(crate) fn firecaffe() -> Command {
    shell::command(&target_dir().join("release/firecaffe").to_string_lossy(), &[])
}

/// Trains and returns the accuracy last logged. Prints losses and test results only.
fn train(solver: &str, log: &Path) -> Result<f64> {
    use std::io::{BufRead, BufReader, Write};
    println!("$ firecaffe train --solver {solver}");
    let mut child = firecaffe()
        .args(["train", "--solver", solver])
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start firecaffe")?;
    let lines = BufReader::new(child.stderr.take().context("stderr is piped")?).lines();
    let mut file = fs::File::create(log).context("cannot write the log")?;
    let mut accuracy = None;
    for line in lines {
        let line = line?;
        writeln!(file, "{line}")?;
        let text = line.split_once("] ").map_or(line.as_str(), |(_, text)| text);
        if text.starts_with("Iteration") && text.contains("loss")
            || text.contains("Test net output")
        {
            println!("{text}");
        }
        if let Some((_, value)) = text.split_once("accuracy = ") {
            accuracy = value.trim().parse().ok();
        }
        if line.starts_with("firecaffe: ") {
            println!("{line}");
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("training failed ({status}); see {}", log.display());
    }
    accuracy.context("the log shows no accuracy")
}

/// Removes what an earlier run made.
fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}
