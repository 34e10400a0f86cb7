//! Running other programs, and where things are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The project's root folder.
pub(crate) fn root() -> PathBuf {
    let built_in = || PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut here = env::var_os("CARGO_MANIFEST_DIR").map_or_else(built_in, PathBuf::from);
    here.pop();
    here
}

/// Where cargo builds.
pub(crate) fn target_dir() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// `program args…`, to be run in the project's root.
pub(crate) fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// `cargo args…`, with the cargo that runs us.
pub(crate) fn cargo(args: &[&str]) -> Command {
    command(&env::var("CARGO").unwrap_or_else(|_| "cargo".into()), args)
}

/// Shows and runs a command; an error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    println!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "`{shown}` failed ({status})");
    Ok(())
}

/// Runs a command quietly and returns what it printed; an error with its complaint if it fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command.output().with_context(|| format!("cannot start `{shown}`"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{shown}` failed: {}", complaint.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    let words = [name].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
