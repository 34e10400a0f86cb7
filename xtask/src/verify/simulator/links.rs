//! What `bench network` measures on the namespace cluster, per world and dilation.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use cluster_sim::ClusterDescription;

use super::draw::EmulatedCase;
use crate::bench::cluster_run::{FOLDER, bench_network};

/// What the cores of one machine move, in Mbit/s.
const MACHINE_MBITS: f64 = 4000.0;

/// The rate of a link of `hosts` hosts: as much as the machine moves.
pub(super) fn link_mbits(hosts: usize) -> f64 {
    (MACHINE_MBITS / hosts as f64).floor()
}

/// Clusters as emulated runs see them.
#[derive(Default)]
pub(super) struct CaseLinks {
    /// By hosts and dilation.
    known: BTreeMap<(usize, u32), ClusterDescription>,
}

impl CaseLinks {
    /// Measures the links of a case, unless they are known; its hosts are up.
    pub(super) fn measure(&mut self, program: &str, case: &EmulatedCase) -> Result<()> {
        let key @ (hosts, dilation) = (case.hosts, case.dilation);
        if self.known.contains_key(&key) {
            return Ok(());
        }
        let file = format!("{FOLDER}/network-{hosts}-{dilation}.toml");
        let dilate = dilation.to_string();
        let flags = ["--dilate", &dilate, "--save", &file, "--silence-max", "600"];
        let cluster = bench_network(program, hosts, &flags)?;
        println!(
            "{hosts} hosts, time {dilation} times slower: {:.2} us, {:.3} us per message, \
             {:.3} GB/s, burst {:.0} bytes",
            cluster.nic.latency_us,
            cluster.nic.message_overhead_us,
            cluster.nic.bandwidth_gbs,
            cluster.nic.burst_bytes
        );
        self.known.insert(key, cluster);
        Ok(())
    }

    /// What was measured for a case.
    pub(super) fn of(&self, case: &EmulatedCase) -> Result<&ClusterDescription> {
        self.known.get(&(case.hosts, case.dilation)).context("every case was measured")
    }
}
