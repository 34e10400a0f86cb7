//! `cargo xtask bench precision`: ResNet-50 at batch 16 in f32 and in mixed precision.
//!
//! One process per precision, each one worker of two threads. They stay alive together and take
//! turns of one iteration; what a table shows of speed is the median over rounds of the ratio to
//! f32 in the same round. Memory is what each holds after its first iterations. Fails if mixed
//! precision misses a target.

use anyhow::{Context, Result};
use base::median;

use super::ours::Firecaffe;
use super::turns::TrainingProcess;
use super::{flag, none_missed, save};
use crate::shell::{root, target_dir};

pub(super) const FLAGS: &[&str] = &["--firecaffe", "--rounds", "--markdown"];

/// The first is what the others are compared with.
const PRECISIONS: [&str; 3] = ["f32", "mixed-bf16", "mixed-f16"];
/// Images of an iteration.
const BATCH: usize = 16;
/// What mixed precision may hold of f32's memory.
const MEMORY_MAX: f64 = 0.68;
/// What it must reach of its speed.
const SPEED_MIN: f64 = 0.85;

pub(super) fn run(args: &[String]) -> Result<()> {
    let rounds: usize = flag(args, "--rounds", "15").parse().context("--rounds takes a number")?;
    let program = Firecaffe::find(&flag(args, "--firecaffe", ""))?;
    let solver = write_solver()?;
    let mut processes = Vec::new();
    for precision in PRECISIONS {
        let flags = ["--workers", "1", "--threads", "2", "--precision", precision];
        processes.push(TrainingProcess::start(program.path(), &solver, &flags)?);
    }
    let mut seconds = vec![Vec::new(); PRECISIONS.len()];
    for _ in 0..rounds {
        for (process, seconds) in processes.iter_mut().zip(&mut seconds) {
            seconds.push(process.turn()?);
        }
    }
    let memory: Vec<f64> =
        processes.iter().map(TrainingProcess::resident_mb).collect::<Result<_>>()?;
    let (table, missed) = table(&seconds, &memory);
    print!("{table}");
    save(args, "--markdown", &table)?;
    none_missed(&missed)
}

/// Rows of the table, the first of f32, and what they miss.
fn table(seconds: &[Vec<f64>], memory: &[f64]) -> (String, Vec<String>) {
    let mut text = String::from(
        "| precision | memory MB | of f32 | images/s | of f32 | targets |\n|---|--:|--:|--:|--:|---|\n",
    );
    let mut missed = Vec::new();
    for (index, name) in PRECISIONS.iter().enumerate() {
        let smaller = memory[index] / memory[0];
        let faster = seconds[0].iter().zip(&seconds[index]).map(|(f32, own)| f32 / own);
        let (faster, rate) =
            (median(faster.collect()), BATCH as f64 / median(seconds[index].clone()));
        let misses = match index {
            0 => Vec::new(),
            _ => misses(smaller, faster),
        };
        let targets = match (index, misses.is_empty()) {
            (0, _) => String::new(),
            (_, true) => "met".to_owned(),
            (_, false) => format!("missed: {}", misses.join(", ")),
        };
        missed.extend(misses.iter().map(|what| format!("{name}: {what}")));
        text += &format!(
            "| {name} | {:.0} | {smaller:.2} | {rate:.2} | {faster:.2} | {targets} |\n",
            memory[index]
        );
    }
    (text, missed)
}

/// Which targets memory and speed, in those of f32, miss.
fn misses(memory: f64, speed: f64) -> Vec<&'static str> {
    let memory = (memory > MEMORY_MAX).then_some("memory");
    let speed = (speed < SPEED_MIN).then_some("speed");
    memory.into_iter().chain(speed).collect()
}

/// The benchmarks' ResNet-50 with a batch of 16, and a solver that displays every iteration.
fn write_solver() -> Result<std::path::PathBuf> {
    let written = std::fs::read_to_string(root().join("bench/models/resnet50_b8.prototxt"))?;
    let (net, solver) = ["net", "solver"]
        .map(|name| target_dir().join(format!("precision-{name}.prototxt")))
        .into();
    let dim = |batch: usize| format!("shape {{ dim: {batch}");
    std::fs::write(&net, written.replace(&dim(8), &dim(BATCH))).context("cannot write the net")?;
    let text = format!(
        "net: {:?}\nbase_lr: 1e-6\nlr_policy: \"fixed\"\nmomentum: 0.9\nmax_iter: 1000000\n\
         display: 1\nrandom_seed: 1\n",
        net.display().to_string()
    );
    std::fs::write(&solver, text).context("cannot write the solver")?;
    Ok(solver)
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn targets_are_memory_and_speed() {
        let seconds = [vec![1.0, 2.0], vec![1.0, 2.0], vec![2.0, 4.0]];
        let (text, missed) = table(&seconds, &[100.0, 69.0, 70.0]);
        let last_cell = |row: &str| row.split('|').nth(6).unwrap().trim().to_owned();
        let cells: Vec<String> = text.lines().skip(2).map(last_cell).collect();
        assert_eq!(cells, ["", "missed: memory", "missed: memory, speed"]);
        let want = ["mixed-bf16: memory", "mixed-f16: memory", "mixed-f16: speed"];
        assert_eq!(missed, want);
        let (text, missed) = table(&[vec![1.0], vec![1.1], vec![1.0]], &[100.0, 60.0, 68.0]);
        assert!(missed.is_empty() && text.matches("| met |").count() == 2, "{text}");
    }
}
