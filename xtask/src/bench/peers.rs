//! `cargo xtask bench peers`: every network of `bench/models` here and in PyTorch, on the same
//! cores.
//!
//! The programs, and their numbers of threads, take turns round after round, so that whatever
//! disturbs the machine disturbs all of them; small networks take several turns per round. Medians
//! over rounds are compared: forward + backward, and the same with the update (SGD with momentum).
//! PyTorch runs in both memory orders and the better one counts. The share is that of the FMA peak,
//! measured between the rounds. What two cores can give at most, two programs of one thread at once
//! show: they share caches and memory, and wait for nothing. Two rounds take seven minutes.

mod report;

use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use base::median;
use kernels::peak;

use super::ours::Firecaffe;
use super::torch::{LAYOUTS, Peer, Python};
use super::{Rate, asked, flag, save};

/// A network, the ratios to reach, and how to measure it.
pub(super) struct PeerNet {
    pub(super) name: &'static str,
    /// File in `bench/models`, without its ending.
    file: &'static str,
    /// Iterations of a program's turn.
    iterations: usize,
    /// Turns in a round: short ones vary more.
    turns: usize,
    /// Ratio to the best peer that 1 and 2 threads should reach.
    pub(super) targets: [f64; 2],
    /// Whether 2 threads should be 1.9 times as fast as 1.
    pub(super) scales: bool,
}

pub(super) const NETS: &[PeerNet] = &[
    net("AlexNet", "alexnet_b32", (1, 1), [1.5, 1.7], true),
    net("GoogLeNet", "googlenet_b16", (1, 1), [1.5, 1.7], true),
    net("NiN", "nin_b32", (1, 1), [1.15, 1.2], true),
    net("ResNet-50", "resnet50_b8", (1, 1), [1.15, 1.3], true),
    net("LeNet", "lenet_b64", (30, 5), [1.4, 1.6], false),
    net("CIFAR-10 quick", "cifar10_quick_b100", (8, 3), [1.2, 1.4], false),
];

const fn net(
    name: &'static str,
    file: &'static str,
    (iterations, turns): (usize, usize),
    targets: [f64; 2],
    scales: bool,
) -> PeerNet {
    PeerNet { name, file, iterations, turns, targets, scales }
}

/// Medians of one network at one number of threads.
pub(super) struct PeerTimes {
    pub(super) net: &'static PeerNet,
    pub(super) threads: usize,
    pub(super) ours: Rate,
    /// Images per second, forward and backward, round by round.
    pub(super) rounds: Vec<f64>,
    /// The same of two programs at once, one thread each; empty where it is not asked for.
    pub(super) pairs: Vec<f64>,
    /// In the order of [`LAYOUTS`]; empty without PyTorch.
    pub(super) peers: Vec<Rate>,
    /// Of the FMA peak, forward and backward.
    pub(super) share: f64,
}

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] =
    &["--nets", "--threads", "--rounds", "--json", "--markdown", "--python", "--firecaffe"];

/// Measures, prints the table and what it says about the targets.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let nets = asked(args, "--nets", NETS, |net| net.file)?;
    let threads = flag(args, "--threads", "1,2");
    let threads: Result<Vec<usize>, _> = threads.split(',').map(str::parse).collect();
    let threads = threads.context("--threads takes numbers, separated by commas")?;
    let rounds: usize = flag(args, "--rounds", "3").parse().context("--rounds takes a number")?;
    let firecaffe = Firecaffe::find(&flag(args, "--firecaffe", ""))?;
    let python = Python::find(&flag(args, "--python", "python3"));
    let begin = Instant::now();
    let mut results = Vec::new();
    for net in nets {
        let start = |&threads| PeerTurn::start(python.as_ref(), net, threads);
        let mut turns: Vec<PeerTurn> = threads.iter().map(start).collect::<Result<_>>()?;
        for _ in 0..rounds * net.turns {
            turns.iter_mut().try_for_each(|turn| turn.take(&firecaffe))?;
        }
        results.extend(turns.into_iter().map(PeerTurn::measured));
        println!("{} measured; {} s so far", net.name, begin.elapsed().as_secs());
    }
    let table = report::table(&results);
    print!("\n{table}");
    save(args, "--markdown", &table)?;
    save(args, "--json", &report::json(&results))
}

/// A network at one number of threads, here and in PyTorch.
struct PeerTurn {
    net: &'static PeerNet,
    file: String,
    threads: usize,
    peers: Vec<Peer>,
    ours: Vec<Rate>,
    /// Images per second of two programs of one thread at once.
    pairs: Vec<f64>,
    theirs: Vec<Vec<Rate>>,
    /// Our GFLOPS.
    speeds: Vec<f64>,
    /// The best FMA peak seen, in GFLOPS.
    top: f64,
}

impl PeerTurn {
    fn start(python: Option<&Python>, net: &'static PeerNet, threads: usize) -> Result<Self> {
        let file = format!("bench/models/{}.prototxt", net.file);
        let start = |python: &Python| LAYOUTS.map(|layout| python.start(&file, layout, threads));
        let peers: Vec<Peer> = python.map(start).into_iter().flatten().collect::<Result<_>>()?;
        let theirs = vec![Vec::new(); peers.len()];
        let (ours, pairs, speeds) = (vec![], vec![], vec![]);
        Ok(Self { net, file, threads, peers, ours, pairs, theirs, speeds, top: 0.0 })
    }

    /// A round of it.
    fn take(&mut self, firecaffe: &Firecaffe) -> Result<()> {
        self.top = self.top.max(gflops(self.threads));
        // Its own warm-up is shorter than theirs: one turn of ours is two iterations more.
        let iterations = self.net.iterations + 2;
        let timed = firecaffe.time(&self.file, self.threads, iterations)?;
        if self.net.scales && self.threads == 1 {
            self.pairs.push(firecaffe.two_at_once(&self.file, iterations)?);
        }
        self.speeds.push(timed.gflop / timed.seconds);
        self.ours.push(timed.rate);
        for (peer, rates) in self.peers.iter_mut().zip(&mut self.theirs) {
            rates.push(peer.measure(self.net.iterations)?);
        }
        Ok(())
    }

    fn measured(self) -> PeerTimes {
        PeerTimes {
            net: self.net,
            threads: self.threads,
            ours: Rate::median(&self.ours),
            rounds: self.ours.iter().map(|rate| rate.pass).collect(),
            pairs: self.pairs,
            peers: self.theirs.iter().map(|rates| Rate::median(rates)).collect(),
            share: median(self.speeds) / self.top,
        }
    }
}

/// FMA peak of `threads` cores, in GFLOPS: the best of three short tries.
fn gflops(threads: usize) -> f64 {
    const STEPS: usize = 20_000_000;
    let tries = (0..3).map(|_| {
        let begin = Instant::now();
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| std::hint::black_box(peak::multiply_adds(STEPS)));
            }
        });
        (threads * peak::flops(STEPS)) as f64 / begin.elapsed().as_secs_f64() / 1e9
    });
    tries.fold(0.0, f64::max)
}
