//! The project's automation: `cargo xtask <command>`. One file per command; `cargo xtask` lists
//! them.
//!
//! Commands that call the training crates belong to the feature `linked`. `cargo xtask` builds
//! without it, in seconds on a fresh machine, and starts the full build only for such a command.
#![expect(clippy::print_stdout, reason = "commands print what they find")]

#[cfg(feature = "linked")]
mod bench;
mod ci;
#[cfg(feature = "linked")]
mod codegen;
mod demo;
#[cfg(feature = "linked")]
mod golden;
#[cfg(feature = "linked")]
mod jpeg_peer;
mod packages;
mod python;
#[cfg(feature = "linked")]
mod reproduce;
mod shell;
mod suite;
mod tidy;
mod verify;

use std::process::{Command, ExitCode};

use anyhow::Result;

/// What a command does with the words that follow its name.
type CommandFn = fn(&[String]) -> Result<()>;

/// A command of `cargo xtask`.
struct XtaskCommand {
    name: &'static str,
    /// What follows the name.
    arguments: &'static str,
    about: &'static str,
    /// `None` if it needs the feature `linked` and this build lacks it.
    run: Option<CommandFn>,
}

/// `Some` of a function that exists with the feature `linked` only.
macro_rules! linked {
    ($run:path) => {{
        #[cfg(feature = "linked")]
        let run: Option<CommandFn> = Some($run);
        #[cfg(not(feature = "linked"))]
        let run = None;
        run
    }};
}

const TASKS: &[XtaskCommand] = &[
    XtaskCommand {
        name: "demo",
        arguments: "[--data DIR]",
        about: "train LeNet on Fashion-MNIST and print its accuracy",
        run: Some(demo::run),
    },
    XtaskCommand {
        name: "test",
        arguments: "[python]",
        about: "install what tests need (when root) and run all of them",
        run: Some(suite::run),
    },
    XtaskCommand {
        name: "ci",
        arguments: "",
        about: "what .ci/run does: format, tidy, generated files, lints, docs, tests",
        run: Some(ci::run),
    },
    XtaskCommand {
        name: "tidy",
        arguments: "",
        about: "check the project's own rules",
        run: Some(tidy::run),
    },
    XtaskCommand {
        name: "codegen",
        arguments: "[--check]",
        about: "write generated files, or check that they are up to date",
        run: linked!(codegen::run),
    },
    XtaskCommand {
        name: "golden",
        arguments: "DIR [FILTER]",
        about: "compare with what a reference Caffe recorded",
        run: linked!(golden::run),
    },
    XtaskCommand {
        name: "bench",
        arguments: "collectives|cluster|compare|convergence|data|emulation|jpeg|ladder|limit|peers|scaling|sharing|simulator",
        about: "measure several programs side by side: tables and figures",
        run: linked!(bench::run),
    },
    XtaskCommand {
        name: "reproduce",
        arguments: "[--emulated]",
        about: "simulate what the papers published: docs/reproduction.md; or emulate it: docs/emulated.md",
        run: linked!(reproduce::run),
    },
    XtaskCommand {
        name: "wheel",
        arguments: "",
        about: "build the Python package: a wheel in target/wheels",
        run: Some(python::wheel),
    },
    XtaskCommand {
        name: "verify",
        arguments: "data|doctor|exact|jpeg|launchers|opencv|python|simulator",
        about: "long checks: the same bits for any workers, libjpeg-turbo's pixels, OpenCV reads our models, every \
                launcher, pycaffe's own tests and notebooks, a doctor names faults of a cluster, the simulator predicts emulated runs",
        run: Some(verify::run),
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let found = args
        .split_first()
        .and_then(|(name, rest)| Some((TASKS.iter().find(|task| task.name == *name)?, rest)));
    let Some((task, rest)) = found else {
        println!("{}", help());
        let asked = args.first().is_some_and(|arg| ["help", "--help", "-h"].contains(&&**arg));
        return if asked { ExitCode::SUCCESS } else { ExitCode::from(2) };
    };
    let Some(run) = task.run else { return run_linked(&args) };
    if rest.iter().any(|arg| ["--help", "-h"].contains(&&**arg)) {
        println!("usage: cargo xtask {} {}\n\n{}", task.name, task.arguments, task.about);
        #[cfg(feature = "linked")]
        if task.name == "bench" {
            println!("\n{}", bench::USAGE);
        }
        return ExitCode::SUCCESS;
    }
    match run(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("xtask {}: {error:#}", task.name);
            ExitCode::FAILURE
        }
    }
}

/// `xtask args…` of the build with the feature `linked`, its default.
fn linked(args: &[&str]) -> Command {
    shell::cargo(&[&["run", "--quiet", "--package", "xtask", "--"], args].concat())
}

fn run_linked(args: &[String]) -> ExitCode {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match linked(&args).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE, // it has said why
        Err(error) => {
            println!("xtask: cannot start cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> String {
    let mut text = String::from("usage: cargo xtask <command>\n");
    for XtaskCommand { name, arguments, about, .. } in TASKS {
        let call = format!("{name} {arguments}");
        text += &format!("\n  {call:<22} {about}");
    }
    text
}
