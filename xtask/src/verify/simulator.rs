//! `cargo xtask verify simulator --seed S`: whether the simulator predicts emulated runs.
//!
//! ```text
//!   draw cases ─▶ bench network per case ─▶ draw configurations, predict ─▶ write ─▶ measure ─▶ compare
//!   net, ranks,   on the namespace           algorithm, bucket, wire or      before    train --emulate
//!   Gbit/s        cluster                    compression, overlap
//! ```
//!
//! Predictions are in a file before the first run is measured. Six configurations belong to each
//! case, so that the same runs show whether the simulator picks the best one. Then three nets train
//! for real on two hosts, where communication slows computing down, which emulation cannot show.
//!
//! What the draw leaves out: `threshold`, whose volume follows from the values of gradients.

mod compare;
mod draw;
mod links;
mod nets;
mod point;
mod training;

use std::fs::{self, File};
use std::io::Write;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::bench::cluster_run::{NamespaceCluster, up};
use crate::bench::ours::with_mpi;
use crate::bench::{check_flags, flag, save};
use crate::shell::root;
use compare::{MeasuredPoint, PointComparison};
use draw::{DrawLimits, PointDraw};
use links::{CaseLinks, link_mbits};
use point::EmulatedPoint;

const USAGE: &str =
    "usage: cargo xtask verify simulator [--seed S] [--points N] [--ranks 4,8] [--budget MINUTES]
           [--parts points,training] [--predict] [--markdown FILE] [--firecaffe PATH]";

const FLAGS: &[&str] = &[
    "--seed",
    "--points",
    "--ranks",
    "--budget",
    "--parts",
    "--predict",
    "--markdown",
    "--firecaffe",
];

/// Where predictions go, in the project's folder; git ignores it.
const FOLDER: &str = "work/simulator";

pub(super) fn run(args: &[String]) -> Result<()> {
    check_flags(args, FLAGS, USAGE)?;
    let number = |name: &str, default: &str| -> Result<usize> {
        let text = flag(args, name, default);
        text.parse().with_context(|| format!("`{name} {text}` is no number\n{USAGE}"))
    };
    let (seed, points, budget) =
        (number("--seed", "1")?, number("--points", "40")?, number("--budget", "90")?);
    let ranks = flag(args, "--ranks", "4,8,16,32,64");
    let ranks: Vec<usize> = (ranks.split(','))
        .map(|text| text.parse().with_context(|| format!("`--ranks {text}` is no number")))
        .collect::<Result<_>>()?;
    ensure!(ranks.iter().all(|ranks| (2..=64).contains(ranks)), "--ranks: from 2 to 64");
    let parts = flag(args, "--parts", "points,training");
    let has = |part: &str| parts.split(',').any(|asked| asked == part);
    if !parts.split(',').all(|part| ["points", "training"].contains(&part)) {
        bail!("--parts takes points, training or both\n{USAGE}");
    }
    let only_predicts = args.iter().any(|arg| arg == "--predict");
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let begin = Instant::now();
    let mut report = String::new();
    let mut failed = Vec::new();
    if has("points") {
        let training_s = if has("training") { training::SECONDS } else { 0.0 };
        let limits = DrawLimits::new(points, 60.0 * budget as f64 - training_s);
        let draw = PointDraw::cases(u32::try_from(seed)?, points, &ranks, &limits)?;
        let (text, missed) = verify_points(draw, &limits, &program, only_predicts)?;
        report += &text;
        failed.extend(missed);
    }
    if has("training") && !only_predicts {
        let (text, missed) = training::verify(&program)?;
        report += &text;
        failed.extend(missed);
    }
    let minutes = begin.elapsed().as_secs_f64() / 60.0;
    report += &format!("\nseed {seed}, {minutes:.0} minutes\n");
    println!("\nseed {seed}, {minutes:.0} minutes");
    save(args, "--markdown", &report)?;
    ensure!(failed.is_empty(), "outside the tolerance: {}", failed.join("; "));
    Ok(())
}

/// Predicts, writes, measures and compares; the report, and what is outside its tolerance.
fn verify_points(
    mut draw: PointDraw,
    limits: &DrawLimits,
    program: &str,
    only_predicts: bool,
) -> Result<(String, Vec<String>)> {
    println!("{}", draw.announce(limits));
    let mut links = CaseLinks::default();
    for hosts in draw.worlds() {
        let _cluster = NamespaceCluster;
        up(hosts, link_mbits(hosts), false)?;
        for case in draw.cases.iter().filter(|case| case.hosts == hosts) {
            links.measure(program, case)?;
        }
    }
    let points = draw.points(&links, limits)?;
    let seconds: f64 = points.iter().map(EmulatedPoint::seconds).sum();
    let text = format!(
        "# {} points, predicted before they were measured\n\npredicted duration {:.0} minutes\n\n{}{}",
        points.len(),
        seconds / 60.0,
        draw.redrawn(),
        compare::predictions(&points)
    );
    fs::create_dir_all(root().join(FOLDER))?;
    let file = root().join(FOLDER).join(format!("predictions-{}.md", draw.seed));
    fs::write(&file, &text).with_context(|| format!("cannot write {}", file.display()))?;
    println!("{text}");
    if only_predicts {
        return Ok((text, Vec::new()));
    }
    let measured = measure(&points, &draw, program)?;
    let comparison = PointComparison::new(&points, &measured);
    let table = comparison.table();
    println!("{table}");
    Ok((draw.redrawn() + &table, comparison.missed()))
}

/// Measures every point, and adds each to a file as it comes: the run is long. A point that fails
/// is measured again; if it fails twice it has no measurement, and the others go on.
fn measure(
    points: &[EmulatedPoint],
    draw: &PointDraw,
    program: &str,
) -> Result<Vec<Option<MeasuredPoint>>> {
    let path = root().join(FOLDER).join(format!("measured-{}.md", draw.seed));
    let mut file =
        File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    write!(file, "{}", compare::COLUMNS)?;
    let mut measured: Vec<Option<MeasuredPoint>> = points.iter().map(|_| None).collect();
    for hosts in draw.worlds() {
        let _cluster = NamespaceCluster;
        up(hosts, link_mbits(hosts), false)?;
        for (index, point) in points.iter().enumerate().filter(|(_, p)| p.case.hosts == hosts) {
            let found = point.measure(program).or_else(|error| {
                println!("{}, {}: again, since {error:#}", point.case, point.config);
                point.measure(program)
            });
            match found {
                Ok(found) => {
                    let line = compare::line(point, &found);
                    println!("{line}");
                    writeln!(file, "{line}")?;
                    measured[index] = Some(found);
                }
                Err(error) => println!("{}, {}: {error:#}", point.case, point.config),
            }
        }
    }
    Ok(measured)
}
