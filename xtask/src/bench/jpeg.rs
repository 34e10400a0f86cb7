//! `cargo xtask bench jpeg`: our JPEG decoder and libjpeg-turbo, one thread each.
//!
//! Both programs stay alive and take turns, so that whatever disturbs the machine disturbs both;
//! the ratio is the median of each round's. Files are made by a seeded script. The last row asks
//! our decoder for a region only, as a cropping transformer may; libjpeg-turbo decodes the whole.
//! Fails if the first row misses its target.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use base::median;

use super::{flag, none_missed, save, speed_up, verdict};
use crate::jpeg_peer::{JpegPeer, files};
use crate::shell::{self, cargo, command, target_dir};

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] = &["--rounds", "--markdown"];

/// Of libjpeg-turbo's speed, for the first case.
const TARGET: f64 = 0.8;

/// Files of one kind.
struct JpegCase {
    name: &'static str,
    /// What the script makes.
    make: &'static str,
    files: usize,
    /// Passes over the files per turn, which then takes some tenths of a second.
    passes: usize,
    crop: Option<usize>,
}

const PHOTO: &str = "--width 256 --height 256 --quality 90 --sampling 420";

const CASES: &[JpegCase] = &[
    case("256 × 256, 4:2:0", PHOTO, (64, 8)),
    case("4:2:2", "--width 256 --height 256 --quality 90 --sampling 422", (64, 6)),
    case("4:4:4", "--width 256 --height 256 --quality 90 --sampling 444", (64, 6)),
    case("grey", "--width 256 --height 256 --quality 90 --sampling gray", (64, 10)),
    case("quality 60", "--width 256 --height 256 --quality 60 --sampling 420", (64, 12)),
    case(
        "progressive",
        "--width 256 --height 256 --quality 90 --sampling 420 --progressive",
        (64, 3),
    ),
    case("32 × 32", "--width 32 --height 32 --quality 90 --sampling 420", (256, 40)),
    case("1600 × 1200", "--width 1600 --height 1200 --quality 90 --sampling 420", (4, 4)),
    JpegCase { crop: Some(227), ..case("a crop of 227 × 227", PHOTO, (64, 8)) },
];

const fn case(name: &'static str, make: &'static str, (files, passes): (usize, usize)) -> JpegCase {
    JpegCase { name, make, files, passes, crop: None }
}

/// Measures and prints the table.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let rounds: usize = flag(args, "--rounds", "15").parse().context("--rounds takes a number")?;
    ensure!(rounds > 0, "--rounds takes 1 or more");
    let peer = JpegPeer::prepare()?;
    shell::run(&mut cargo(&[
        "build",
        "--release",
        "--package",
        "data",
        "--example",
        "jpeg_speed",
    ]))?;
    let ours = target_dir().join("release/examples/jpeg_speed");
    let (mut ours, mut theirs) = (command(&ours.to_string_lossy(), &[]), peer.script("time"));
    let mut sizes = Vec::new();
    for (index, case) in CASES.iter().enumerate() {
        let folder = peer.empty_folder(&format!("case{index}"))?;
        let make = case.make.split(' ').chain(["--seed", "1701", "--count"]);
        shell::output(peer.script("make").arg(&folder).args(make).arg(case.files.to_string()))?;
        let mut bytes = 0;
        for file in files(&folder)? {
            bytes += fs::metadata(file)?.len();
        }
        sizes.push(bytes as f64 / 1e3 / case.files as f64);
        theirs.arg(&folder);
        let crop = case.crop.map_or(String::new(), |side| format!(":{side}"));
        ours.arg(format!("{}{crop}", folder.display()));
    }
    let mut programs = [TimedDecoder::start(&mut ours)?, TimedDecoder::start(&mut theirs)?];
    let mut table = String::from(
        "| files | kB per file | images/s | libjpeg-turbo | ratio | target |\n|---|--:|--:|--:|--:|--:|\n",
    );
    let mut missed = Vec::new();
    for (index, (case, kilobytes)) in CASES.iter().zip(sizes).enumerate() {
        let mut rates = [vec![], vec![]];
        for round in 0..=rounds {
            for (program, rates) in programs.iter_mut().zip(&mut rates) {
                let rate = program.images_per_s(index, (case.files, case.passes))?;
                // The first round warms caches.
                rates.extend((round > 0).then_some(rate));
            }
        }
        let ratio = speed_up(&rates[1], &rates[0]);
        let [ours, theirs] = rates.map(median);
        let name = case.name;
        let target = match index {
            0 => target_cell(name, ratio, &mut missed),
            _ => String::new(),
        };
        let row = format!(
            "| {name} | {kilobytes:.1} | {ours:.0} | {theirs:.0} | {ratio:.2} | {target} |"
        );
        println!("{row}");
        writeln!(table, "{row}")?;
    }
    print!("\n{table}");
    save(args, "--markdown", &table)?;
    none_missed(&missed)
}

/// The cell of the target; `missed` gets the row if it is below.
fn target_cell(name: &str, ratio: f64, missed: &mut Vec<String>) -> String {
    let verdict = verdict(ratio, TARGET);
    if verdict == "missed" {
        missed.push(format!("{name}: {ratio:.2} of libjpeg-turbo's speed, at least {TARGET}"));
    }
    format!("{TARGET} {verdict}")
}

/// A program that decodes when it is asked.
pub(super) struct TimedDecoder {
    child: Child,
    /// `None` once it shall end.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl TimedDecoder {
    pub(super) fn start(start: &mut Command) -> Result<Self> {
        let mut child = start.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let answers = BufReader::new(child.stdout.take().context("its output")?);
        Ok(Self { requests: child.stdin.take(), child, answers })
    }

    /// Speed of `passes` passes over the `files` files of the folder with this index.
    pub(super) fn images_per_s(
        &mut self,
        index: usize,
        (files, passes): (usize, usize),
    ) -> Result<f64> {
        let requests = self.requests.as_mut().context("it has ended")?;
        writeln!(requests, "{index} {passes}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let seconds: f64 = line.trim().parse().context("the program ended early")?;
        Ok((passes * files) as f64 / seconds)
    }
}

impl Drop for TimedDecoder {
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::target_cell;

    #[test]
    fn a_ratio_below_the_target_is_missed() {
        let mut missed = Vec::new();
        assert_eq!(target_cell("4:2:0", 0.8, &mut missed), "0.8 met");
        assert!(missed.is_empty());
        assert_eq!(target_cell("4:2:0", 0.79, &mut missed), "0.8 missed");
        assert_eq!(missed, ["4:2:0: 0.79 of libjpeg-turbo's speed, at least 0.8"]);
    }
}
