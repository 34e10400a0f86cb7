//! Which points are measured: drawn at random, within what the machine and the time allow.
//!
//! A case is a net on some hosts with links of some speed. Six configurations are drawn for each
//! case, of which three must have at least 30 % exposed communication. What would take too long or
//! need too much memory is drawn again and listed.

mod config;

use std::fmt;

use anyhow::{Result, bail};
use base::random::Mt19937;

use super::links::{CaseLinks, link_mbits};
use super::nets::{DrawnNet, ModelledNet, NETS};
use super::point::{EmulatedPoint, ITERATIONS, START_S};
pub(super) use config::PointConfig;
use config::pick;

/// Configurations of one case.
pub(super) const CONFIGS: usize = 6;
/// Speeds of emulated links.
const GBITS: &[f64] = &[1.0, 4.0, 16.0];
/// Exposed communication that half of the points have at least, as a part of the iteration.
const EXPOSED: f64 = 0.3;
/// Real seconds of an iteration at most.
const ITERATION_S: f64 = 60.0;
/// Real seconds of `bench network` besides its start.
const BENCH_S: f64 = 40.0;
/// Pools' worth of memory that a rank needs: with compression there are residuals and buffers.
const POOLS: (f64, f64) = (1.6, 4.0);
/// Draws after which a case is given up.
const TRIES: usize = 400;

/// A net on emulated hosts.
#[derive(Debug, Clone)]
pub(super) struct EmulatedCase {
    pub(super) net: &'static DrawnNet,
    pub(super) hosts: usize,
    /// Of the emulated links.
    pub(super) gbits: f64,
    /// How many times slower than real time.
    pub(super) dilation: u32,
}

/// What a draw may take.
pub(super) struct DrawLimits {
    /// Real seconds of one point.
    point_s: f64,
    /// Bytes that all ranks may allocate.
    memory_bytes: f64,
}

/// All that was drawn.
pub(super) struct PointDraw {
    pub(super) seed: u32,
    pub(super) cases: Vec<EmulatedCase>,
    /// Points of each case.
    counts: Vec<usize>,
    random: Mt19937,
    redrawn: Vec<String>,
}

impl DrawLimits {
    /// For `points` points in so many seconds.
    pub(super) fn new(points: usize, seconds: f64) -> Self {
        let benches = points.div_ceil(CONFIGS) as f64 * (BENCH_S + START_S * 64.0);
        let point_s = ((seconds - benches) / points.max(1) as f64).max(10.0);
        Self { point_s, memory_bytes: 0.8 * free_bytes() }
    }
}

/// Memory that can be allocated; 8 GB where the system does not say.
fn free_bytes() -> f64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kilobytes.map_or(8e9, |kilobytes: f64| 1024.0 * kilobytes)
}

impl EmulatedCase {
    fn draw(random: &mut Mt19937, ranks: &[usize]) -> Self {
        let (net, hosts) = (pick(random, NETS), *pick(random, ranks));
        let gbits = *pick(random, GBITS);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 1000")]
        let dilation = (gbits * 1000.0 / link_mbits(hosts)).ceil() as u32;
        Self { net, hosts, gbits, dilation: dilation.max(2) }
    }

    /// Why it cannot be measured.
    fn refusal(&self, limits: &DrawLimits, net: &ModelledNet) -> Option<String> {
        let computing = f64::from(self.dilation) * self.net.compute_s();
        let start = START_S * self.hosts as f64;
        let longest = ITERATION_S.min((limits.point_s - start) / ITERATIONS.0);
        if computing > longest {
            return Some(format!("computing alone takes {computing:.0} s per iteration"));
        }
        let bits = 2.0 * 32.0 * net.model.values() as f64;
        let sending = bits / (1e6 * link_mbits(self.hosts));
        if sending > longest {
            return Some(format!("a dense sum takes {sending:.0} s per iteration"));
        }
        self.memory_refusal(limits, net, POOLS.0)
    }

    fn memory_refusal(&self, limits: &DrawLimits, net: &ModelledNet, pools: f64) -> Option<String> {
        let needed = pools * (self.hosts * 4 * net.model.values()) as f64;
        let (needed_gb, free_gb) = (needed / 1e9, limits.memory_bytes / 1e9);
        (needed > limits.memory_bytes)
            .then(|| format!("needs {needed_gb:.0} GB of memory, and {free_gb:.0} are free"))
    }
}

impl PointDraw {
    /// Draws the cases of `points` points.
    pub(super) fn cases(
        seed: u32,
        points: usize,
        ranks: &[usize],
        limits: &DrawLimits,
    ) -> Result<Self> {
        let mut random = Mt19937::new(seed);
        let (mut cases, mut counts, mut redrawn) = (Vec::new(), Vec::new(), Vec::new());
        let mut left = points;
        for _ in 0..TRIES {
            if left == 0 {
                return Ok(Self { seed, cases, counts, random, redrawn });
            }
            let case = EmulatedCase::draw(&mut random, ranks);
            match case.refusal(limits, &case.net.model()?) {
                Some(reason) => redrawn.push(format!("{case}: {reason}")),
                None => {
                    counts.push(left.min(CONFIGS));
                    left -= left.min(CONFIGS);
                    cases.push(case);
                }
            }
        }
        bail!("no cases can be drawn within the limits: {}", redrawn.join("; "))
    }

    /// Numbers of hosts, each once.
    pub(super) fn worlds(&self) -> Vec<usize> {
        let mut worlds: Vec<usize> = self.cases.iter().map(|case| case.hosts).collect();
        worlds.sort_unstable();
        worlds.dedup();
        worlds
    }

    /// What will be measured and for how long.
    pub(super) fn announce(&self, limits: &DrawLimits) -> String {
        let benches: f64 =
            self.cases.iter().map(|case| BENCH_S + START_S * case.hosts as f64).sum();
        let points: usize = self.counts.iter().sum();
        let cases: Vec<String> = self.cases.iter().map(ToString::to_string).collect();
        format!(
            "{points} points in {} cases: {}\nbench network: {:.0} minutes; then at most {:.0} s per \
             point, {:.0} minutes",
            cases.len(),
            cases.join("; "),
            benches / 60.0,
            limits.point_s,
            points as f64 * limits.point_s / 60.0
        )
    }

    /// Draws configurations of all cases, with predictions.
    pub(super) fn points(
        &mut self,
        links: &CaseLinks,
        limits: &DrawLimits,
    ) -> Result<Vec<EmulatedPoint>> {
        let mut points = Vec::new();
        let cases: Vec<_> = self.cases.iter().cloned().zip(self.counts.clone()).collect();
        for (case, count) in cases {
            let (net, cluster) = (case.net.model()?, links.of(&case)?);
            let mut drawn: Vec<EmulatedPoint> = Vec::new();
            let mut tries = 0;
            while drawn.len() < count {
                tries += 1;
                let config = PointConfig::draw(&mut self.random);
                if drawn.iter().any(|point| point.config == config) {
                    continue;
                }
                let pools = if config.compression.is_some() { POOLS.1 } else { POOLS.0 };
                let reason = case.memory_refusal(limits, &net, pools);
                if let Some(reason) = reason {
                    self.refuse(&case, &config, &reason, tries)?;
                    continue;
                }
                let point = EmulatedPoint::predict(&case, &config, &net, cluster)?;
                let exposed = 100.0 * point.exposed();
                let reason = if point.iteration_s() > ITERATION_S {
                    Some(format!("an iteration would take {:.0} s", point.iteration_s()))
                } else if point.seconds() > limits.point_s {
                    Some(format!("it would take {:.0} s", point.seconds()))
                } else if drawn.len() < count.div_ceil(2) && point.exposed() < EXPOSED {
                    Some(format!("only {exposed:.0} % exposed, and 30 % are due"))
                } else {
                    None
                };
                match reason {
                    Some(reason) => self.refuse(&case, &config, &reason, tries)?,
                    None => drawn.push(point),
                }
            }
            points.extend(drawn);
        }
        Ok(points)
    }

    fn refuse(
        &mut self,
        case: &EmulatedCase,
        config: &PointConfig,
        reason: &str,
        tries: usize,
    ) -> Result<()> {
        self.redrawn.push(format!("{case}, {config}: {reason}"));
        if tries > TRIES {
            bail!("{case}: no configuration within the limits in {TRIES} draws; last: {reason}");
        }
        Ok(())
    }

    /// What was drawn again, and why.
    pub(super) fn redrawn(&self) -> String {
        let lines: Vec<_> = self.redrawn.iter().map(|line| format!("- {line}\n")).collect();
        format!("Drawn again: {}\n\n{}\n", lines.len(), lines.concat())
    }
}

impl fmt::Display for EmulatedCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { net, hosts, gbits, dilation } = self;
        write!(f, "{} on {hosts} hosts of {gbits} Gbit/s (K = {dilation})", net.name)
    }
}

#[cfg(test)]
pub(super) mod tests;
