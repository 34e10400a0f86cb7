//! The project's automation: `cargo xtask <command>`.
#![expect(clippy::print_stdout, reason = "commands print what they find")]

mod golden;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((command, rest)) if command == "golden" => golden::run(rest),
        _ => bail!("usage: cargo xtask golden DIR"),
    }
}
