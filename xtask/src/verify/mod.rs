//! `cargo xtask verify <what>`: checks that take too long, or install too much, for the tests: the
//! same bits for any workers and ranks, pixels as libjpeg-turbo decodes them, models that OpenCV
//! reads, one binary under every launcher, a doctor that names every fault of a cluster, emulated
//! runs as the simulator predicts them, records in one order from everywhere, pycaffe's own tests
//! and notebooks, reports as a browser and TensorBoard show them.

#[cfg(feature = "linked")]
pub(crate) mod data;
mod doctor;
mod exact;
#[cfg(feature = "linked")]
mod jpeg;
pub(crate) mod launchers;
#[cfg(feature = "linked")]
mod opencv;
mod python;
#[cfg(feature = "linked")]
mod report;
#[cfg(feature = "linked")]
mod simulator;

use anyhow::{Result, bail};

/// Checks that call the training crates.
#[cfg(not(feature = "linked"))]
const LINKED: &[&str] = &["data", "jpeg", "opencv", "report", "simulator"];

const USAGE: &str =
    "usage: cargo xtask verify data|doctor|exact|jpeg|launchers|opencv|python|report|simulator";

pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first() {
        #[cfg(feature = "linked")]
        Some((what, rest)) if what == "data" => data::run(rest),
        #[cfg(feature = "linked")]
        Some((what, rest)) if what == "jpeg" => jpeg::run(rest),
        #[cfg(feature = "linked")]
        Some((what, rest)) if what == "opencv" => opencv::run(rest),
        #[cfg(feature = "linked")]
        Some((what, rest)) if what == "report" => report::run(rest),
        #[cfg(feature = "linked")]
        Some((what, rest)) if what == "simulator" => simulator::run(rest),
        #[cfg(not(feature = "linked"))]
        Some((what, _)) if LINKED.contains(&what.as_str()) => {
            let words: Vec<&str> = args.iter().map(String::as_str).collect();
            crate::shell::run(&mut crate::linked(&[&["verify"], &words[..]].concat()))
        }
        Some((what, rest)) if what == "doctor" => doctor::run(rest),
        Some((what, rest)) if what == "exact" => exact::run(rest),
        Some((what, rest)) if what == "launchers" => launchers::run(rest),
        Some((what, rest)) if what == "python" => python::run(rest),
        _ => bail!("{USAGE}"),
    }
}
