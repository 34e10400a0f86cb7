//! `cargo xtask verify data [order|failures|memory|input]`: records reach replicas in one order,
//! from everywhere; and what goes wrong on the way is named.
//!
//! * `order`: 60,000 records and eight replicas, streamed and in memory, on 1, 2, 4 and 8 ranks
//!   with one and two workers, and stopped in mid-epoch: every key that a replica gets is what the
//!   definition of the order says, and the weights are the same at every display.
//! * `failures`: a rank that is killed or stopped while records are loaded or exchanged is named
//!   within ten seconds, and the job goes on from its last snapshot with the same weights.
//! * `memory`: what a rank with 1 GB of records takes is what was announced.
//! * `input`: damaged records, a database that changed, ranks with different databases.

mod failures;
mod input;
pub(crate) mod job;
mod memory;
mod order;

use anyhow::{Result, bail};

use crate::packages::{self, Packages};
use crate::shell::{self, cargo};
use crate::suite::MPI_PACKAGES;

const USAGE: &str = "usage: cargo xtask verify data [order|failures|memory|input]";

type CheckFn = fn() -> Result<()>;

const CHECKS: &[(&str, CheckFn)] = &[
    ("order", order::run),
    ("failures", failures::run),
    ("memory", memory::run),
    ("input", input::run),
];

pub(crate) fn run(args: &[String]) -> Result<()> {
    let asked = match args {
        [] => None,
        [name] if CHECKS.iter().any(|(known, _)| known == name) => Some(name),
        _ => bail!("{USAGE}"),
    };
    if let Packages::Missing(reason) = packages::ensure(MPI_PACKAGES)? {
        bail!("this check needs MPI: {reason}");
    }
    shell::run(&mut cargo(&["build", "--release", "--package", "firecaffe"]))?;
    for (name, check) in CHECKS {
        if asked.is_none_or(|asked| asked == name) {
            println!("\n## {name}\n");
            check()?;
        }
    }
    println!("\nverify data: all checks passed");
    Ok(())
}
