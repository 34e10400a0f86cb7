//! `cargo xtask verify <what>`: checks that take too long, or install too much, for the tests: the
//! same bits for any workers and ranks, pixels as libjpeg-turbo decodes them, models that OpenCV
//! reads, one binary under every launcher.

mod exact;
#[cfg(feature = "linked")]
mod jpeg;
mod launchers;
#[cfg(feature = "linked")]
mod opencv;

use anyhow::{Result, bail};

pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first() {
        #[cfg(feature = "linked")]
        Some((what, rest)) if what == "jpeg" => jpeg::run(rest),
        #[cfg(feature = "linked")]
        Some((what, rest)) if what == "opencv" => opencv::run(rest),
        #[cfg(not(feature = "linked"))]
        Some((what, _)) if what == "jpeg" || what == "opencv" => {
            crate::shell::run(&mut crate::linked(&["verify", what]))
        }
        Some((what, rest)) if what == "exact" => exact::run(rest),
        Some((what, rest)) if what == "launchers" => launchers::run(rest),
        _ => bail!("usage: cargo xtask verify exact|jpeg|launchers|opencv"),
    }
}
