//! `cargo xtask bench sharing`: what a job keeps of its speed when another runs on the same cores.
//!
//! Two processes train, each with as many threads as there are cores: the same net, or two that use
//! the cores differently. Every round one runs alone, then both at once, then the other alone. Fair
//! shares are half of the speed alone.

use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use base::median;

use super::ours::Firecaffe;
use super::turns::{TrainingProcess, write_solver};
use super::{asked, flag, save, verdict};

pub(super) const FLAGS: &[&str] = &["--nets", "--rounds", "--seconds", "--markdown", "--firecaffe"];

/// A net of `bench/models`.
#[derive(Debug, Clone, Copy)]
struct SharingNet {
    name: &'static str,
    /// Iterations between displays.
    iterations: usize,
    /// Images of an iteration.
    images: usize,
}

const ALEXNET: SharingNet = SharingNet { name: "alexnet_b32", iterations: 1, images: 32 };
const LENET: SharingNet = SharingNet { name: "lenet_b64", iterations: 20, images: 64 };

/// What runs at once, and what it is called.
const PAIRS: &[(&str, [SharingNet; 2])] = &[
    ("alexnet_b32", [ALEXNET; 2]),
    ("lenet_b64", [LENET; 2]),
    ("lenet_b64+alexnet_b32", [LENET, ALEXNET]),
];
/// What each of two jobs must keep of its speed alone.
const TARGET: f64 = 0.45;
/// Seconds in which a job finds out that it is alone, or is not.
const SETTLE: f64 = 3.0;

/// Displays per second of two processes, round by round.
#[derive(Debug, Default)]
struct SharedRates {
    alone: [Vec<f64>; 2],
    together: [Vec<f64>; 2],
}

impl SharedRates {
    /// What process `index` keeps: the median of each round's ratio.
    fn kept(&self, index: usize) -> f64 {
        let rounds = self.together[index].iter().zip(&self.alone[index]);
        median(rounds.map(|(together, alone)| together / alone).collect())
    }
}

pub(super) fn run(args: &[String]) -> Result<()> {
    let rounds: usize = flag(args, "--rounds", "5").parse().context("--rounds takes a number")?;
    let seconds = flag(args, "--seconds", "6").parse().context("--seconds takes a number")?;
    let program = Firecaffe::find(&flag(args, "--firecaffe", ""))?;
    let mut table = format!(
        "| nets | images/s alone | each of two at once | of its speed alone | at least {TARGET} |\n\
         |---|--:|--:|--:|---|\n"
    );
    let mut missed = 0;
    for &(name, nets) in asked(args, "--nets", PAIRS, |(name, _)| name)? {
        let rates = measure(&program, nets, rounds, seconds)?;
        let kept = [rates.kept(0), rates.kept(1)];
        let least = kept[0].min(kept[1]);
        let speed = |rates: &[Vec<f64>; 2]| {
            let [one, two] = [&rates[0], &rates[1]].map(|rates| median(rates.clone()));
            let images = nets.map(|net| (net.iterations * net.images) as f64);
            [one * images[0], two * images[1]]
        };
        let ([one, two], [first, second]) = (speed(&rates.alone), speed(&rates.together));
        table += &format!(
            "| {name} | {one:.0}, {two:.0} | {first:.0}, {second:.0} | {:.2}, {:.2} | {} |\n",
            kept[0],
            kept[1],
            verdict(least, TARGET)
        );
        missed += usize::from(least < TARGET);
    }
    print!("{table}");
    save(args, "--markdown", &table)?;
    ensure!(missed == 0, "{missed} of the pairs miss {TARGET}");
    Ok(())
}

fn measure(
    program: &Firecaffe,
    nets: [SharingNet; 2],
    rounds: usize,
    seconds: f64,
) -> Result<SharedRates> {
    let start = |net: SharingNet| {
        let solver = write_solver(net.name, net.iterations)?;
        TrainingProcess::start(program.path(), &solver, &[])
    };
    let (mut one, mut two) = (start(nets[0])?, start(nets[1])?);
    let mut rates = SharedRates::default();
    for _ in 0..rounds {
        rates.alone[0].push(one.rate(SETTLE, seconds)?);
        let both = thread::scope(|scope| {
            let other = scope.spawn(|| two.rate(SETTLE, seconds));
            let first = one.rate(SETTLE, seconds)?;
            let second =
                other.join().map_err(|_| anyhow!("measuring {} panicked", nets[1].name))??;
            anyhow::Ok([first, second])
        })?;
        rates.together.iter_mut().zip(both).for_each(|(rates, rate)| rates.push(rate));
        rates.alone[1].push(two.rate(SETTLE, seconds)?);
    }
    Ok(rates)
}

#[cfg(test)]
mod tests {
    use super::SharedRates;

    #[test]
    fn speeds_are_compared_within_a_round() {
        let rates = SharedRates {
            alone: [vec![10.0, 20.0, 10.0], vec![8.0]],
            together: [vec![5.0, 9.0, 5.0], vec![2.0]],
        };
        assert!((rates.kept(0) - 0.5).abs() < 1e-12);
        assert!((rates.kept(1) - 0.25).abs() < 1e-12);
    }
}
