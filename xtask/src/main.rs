//! The project's automation: `cargo xtask <command>`. One file a command; `cargo xtask` lists them.
#![expect(clippy::print_stdout, reason = "commands print what they find")]

mod bench;
mod ci;
mod codegen;
mod demo;
mod golden;
mod packages;
mod shell;
mod suite;
mod tidy;
mod verify;

use std::process::ExitCode;

use anyhow::Result;

/// A command: its name, what follows it, what it does, and the function.
struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "demo",
        arguments: "[--data DIR]",
        about: "train LeNet on Fashion-MNIST and print its accuracy",
        run: demo::run,
    },
    Command {
        name: "test",
        arguments: "",
        about: "install what tests need (when root) and run all of them",
        run: suite::run,
    },
    Command {
        name: "ci",
        arguments: "",
        about: "what .ci/run does: format, tidy, generated files, lints, docs, tests",
        run: ci::run,
    },
    Command { name: "tidy", arguments: "", about: "check the project's own rules", run: tidy::run },
    Command {
        name: "codegen",
        arguments: "[--check]",
        about: "write generated files, or check that they are up to date",
        run: codegen::run,
    },
    Command {
        name: "golden",
        arguments: "DIR [PART]",
        about: "compare with what a reference Caffe recorded",
        run: golden::run,
    },
    Command {
        name: "bench",
        arguments: "collectives|cluster|peers|scaling",
        about: "measure several programs side by side: tables and figures",
        run: bench::run,
    },
    Command {
        name: "verify",
        arguments: "exact|opencv",
        about: "check at full size: the same bits on any workers; models that OpenCV reads",
        run: verify::run,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let found = args.split_first().and_then(|(name, rest)| {
        Some((COMMANDS.iter().find(|command| command.name == *name)?, rest))
    });
    let Some((command, rest)) = found else {
        println!("{}", help());
        let asked = args.first().is_some_and(|arg| ["help", "--help", "-h"].contains(&&**arg));
        return if asked { ExitCode::SUCCESS } else { ExitCode::from(2) };
    };
    if rest.iter().any(|arg| ["--help", "-h"].contains(&&**arg)) {
        println!("usage: cargo xtask {} {}\n\n{}", command.name, command.arguments, command.about);
        if command.name == "bench" {
            println!("\n{}", bench::USAGE);
        }
        return ExitCode::SUCCESS;
    }
    match (command.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("xtask {}: {error:#}", command.name);
            ExitCode::FAILURE
        }
    }
}

fn help() -> String {
    let mut text = String::from("usage: cargo xtask <command>\n");
    for Command { name, arguments, about, .. } in COMMANDS {
        let call = format!("{name} {arguments}");
        text += &format!("\n  {call:<22} {about}");
    }
    text
}
