//! `cargo xtask reproduce --emulated`: FireCaffe's speed-ups on real ranks with K20 times.
//!
//! NiN and GoogLeNet with a global batch of 1,024 on 1 to 64 emulated hosts of 20 Gbit/s, what
//! Titan's network gave to FireCaffe (`clusters/titan-k20.toml`). One exchange per layer after
//! backward, by a parameter server and by the reduction tree. What is measured and what the
//! simulator says of the same hosts stand in one table and one figure per net; 128 hosts are
//! simulated only. Titan's copies between GPU and host are not part of it.

use std::fs;

use anyhow::{Context, Result};
use cluster_sim::{
    BucketRule, ClusterDescription, ComputeTimes, NetModel, SimulationConfig, Simulator,
};
use profile::{DeviceProfile, DeviceTimes};

use super::nets::describe_file;
use crate::bench::cluster_run::{ClusterNet, FOLDER, NamespaceCluster, bench_network, train, up};
use crate::bench::figure::{FigureLine, draw};
use crate::bench::flag;
use crate::bench::nets::{GOOGLENET, NIN};
use crate::bench::ours::with_mpi;
use crate::shell::root;

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] = &["--emulated", "--hosts", "--iterations", "--firecaffe"];

const GBITS: f64 = 20.0;
const GLOBAL_BATCH: usize = 1024;
/// Hosts that are simulated only.
const SIMULATED: usize = 128;
/// The algorithm, its name, and the Gbit/s that all links may have together: of a server's hosts
/// only its own link is busy, of a tree's half of them at most.
const ALGORITHMS: &[(&str, &str, f64)] =
    &[("parameter-server", "parameter server", 64.0), ("reduction-tree", "reduction tree", 8.0)];
/// No link is faster.
const LINK_GBITS_MAX: f64 = 2.0;

/// A net with the speed of a K20 (`bench/profiles` has its source).
struct K20Net {
    name: &'static str,
    file: &'static str,
    net: ClusterNet,
    images_per_s: f64,
}

const NETS: &[K20Net] = &[
    K20Net { name: "NiN", file: "nin", net: NIN, images_per_s: 112.0 },
    K20Net { name: "GoogLeNet", file: "googlenet", net: GOOGLENET, images_per_s: 45.0 },
];

/// One number of hosts.
struct SpeedUpRow {
    hosts: usize,
    /// Speed-up over one host and percentage of communication; nobody measured 128.
    measured: Option<(f64, f64)>,
    simulated: (f64, f64),
}

/// Measures and writes `docs/emulated.md` with its figures.
pub(super) fn run(args: &[String]) -> Result<()> {
    let hosts = flag(args, "--hosts", "1,2,4,8,16,32,64");
    let hosts: Vec<usize> =
        hosts.split(',').map(str::parse).collect::<Result<_, _>>().context("--hosts")?;
    let iterations: usize = flag(args, "--iterations", "2").parse().context("--iterations")?;
    let program = with_mpi(&flag(args, "--firecaffe", ""))?;
    let mut text = format!(
        "# FireCaffe's speed-ups, emulated\n\n\
         Written by `cargo xtask reproduce --emulated`; do not edit. Ranks and messages are real, \
         computing\nis a wait for a K20's time; {GBITS} Gbit/s per host, global batch \
         {GLOBAL_BATCH}, one exchange per layer after\nbackward. Simulated with the links that \
         `bench network` measured on the same hosts.\n"
    );
    for net in NETS {
        let mut lines = Vec::new();
        text += &format!(
            "\n## {}\n\n| hosts | exchange | speed-up emulated | simulated | communication \
             emulated | simulated |\n|--:|---|--:|--:|--:|--:|\n",
            net.name
        );
        for &(algorithm, name, gbits_max) in ALGORITHMS {
            let emulation = SpeedUpEmulation { net, algorithm, gbits_max, iterations };
            let rows = emulation.rows(&program, &hosts)?;
            rows.iter().for_each(|row| text += &row.line(name));
            let measured = |row: &SpeedUpRow| Some((row.hosts as f64, row.measured?.0));
            let simulated = |row: &SpeedUpRow| (row.hosts as f64, row.simulated.0);
            lines.push(FigureLine {
                name: format!("{name}, emulated"),
                points: rows.iter().filter_map(measured).collect(),
            });
            lines.push(FigureLine {
                name: format!("{name}, simulated"),
                points: rows.iter().map(simulated).collect(),
            });
        }
        let figure = format!("reproduction/emulated-{}.svg", net.file);
        let svg = draw(&format!("{} on emulated K20", net.name), "hosts", "speed-up", &lines);
        fs::write(root().join("docs").join(&figure), svg)?;
        text += &format!("\n![{}]({figure})\n", net.name);
    }
    fs::write(root().join("docs/emulated.md"), text)?;
    Ok(())
}

impl SpeedUpRow {
    fn line(&self, name: &str) -> String {
        let percent = |share: f64| format!("{share:.0} %");
        let (speed_up, share) =
            self.measured.map_or(("".into(), "".into()), |(speed_up, share)| {
                (format!("{speed_up:.1}"), percent(share))
            });
        let (simulated, simulated_share) = self.simulated;
        format!(
            "| {} | {name} | {speed_up} | {simulated:.1} | {share} | {} |\n",
            self.hosts,
            percent(simulated_share)
        )
    }
}

/// One net and one algorithm.
struct SpeedUpEmulation<'a> {
    net: &'a K20Net,
    algorithm: &'static str,
    gbits_max: f64,
    iterations: usize,
}

impl SpeedUpEmulation<'_> {
    fn rows(&self, program: &str, hosts: &[usize]) -> Result<Vec<SpeedUpRow>> {
        let alone = GLOBAL_BATCH as f64 / self.net.images_per_s;
        let mut rows = Vec::new();
        let mut last = None;
        for &hosts in hosts {
            if hosts == 1 {
                let measured = Some((alone / self.measure_alone(program)?, 0.0));
                rows.push(SpeedUpRow { hosts, measured, simulated: (1.0, 0.0) });
                continue;
            }
            let dilation = self.dilation(hosts);
            let _cluster = NamespaceCluster;
            up(hosts, 1e3 * GBITS / f64::from(dilation), true)?;
            let file = format!("{FOLDER}/emulated.toml");
            let dilate = dilation.to_string();
            let flags = ["--dilate", &dilate, "--save", &file, "--silence-max", "600"];
            let cluster = bench_network(program, hosts, &flags)?;
            let simulated = self.simulate(&cluster, hosts, alone)?;
            let measured = Some(self.measure(program, hosts, dilation, alone)?);
            let row = SpeedUpRow { hosts, measured, simulated };
            print!("{}", row.line(self.algorithm));
            rows.push(row);
            last = Some(cluster);
        }
        if let Some(cluster) = last {
            let wider = ClusterDescription { nodes: SIMULATED, ..cluster };
            let simulated = self.simulate(&wider, SIMULATED, alone)?;
            rows.push(SpeedUpRow { hosts: SIMULATED, measured: None, simulated });
        }
        Ok(rows)
    }

    /// How many times slower time passes.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 1000")]
    fn dilation(&self, hosts: usize) -> u32 {
        let link = LINK_GBITS_MAX.min(self.gbits_max / hosts as f64);
        (GBITS / link).ceil().max(2.0) as u32
    }

    fn profile(&self, batch: usize) -> DeviceProfile {
        DeviceProfile {
            net: self.net.name.to_owned(),
            batch,
            machine: "NVIDIA K20".to_owned(),
            source: "bench/profiles, with another batch".to_owned(),
            times: DeviceTimes::Rate { images_per_second: self.net.images_per_s },
        }
    }

    /// Writes solver and profile of a batch; their paths.
    fn write(&self, batch: usize) -> Result<(String, String)> {
        let solver = self.net.net.write_solver(batch, self.iterations)?;
        let profile = format!("{FOLDER}/{}_k20.json", self.net.file);
        fs::write(root().join(&profile), self.profile(batch).to_json())?;
        Ok((solver, profile))
    }

    /// Seconds of an iteration on one host.
    fn measure_alone(&self, program: &str) -> Result<f64> {
        let (solver, profile) = self.write(GLOBAL_BATCH)?;
        let _cluster = NamespaceCluster;
        up(1, 1000.0, false)?;
        let speed = train(program, 1, &solver, &["--emulate", &profile])?;
        Ok(GLOBAL_BATCH as f64 / speed.images_per_s)
    }

    /// Speed-up and percentage of communication.
    fn measure(
        &self,
        program: &str,
        hosts: usize,
        dilation: u32,
        alone: f64,
    ) -> Result<(f64, f64)> {
        let (solver, profile) = self.write(GLOBAL_BATCH / hosts)?;
        let dilate = dilation.to_string();
        let mut flags = vec!["--emulate", &*profile, "--dilate", &dilate];
        flags.extend(["--allreduce", self.algorithm, "--bucket-mb", "0", "--overlap", "off"]);
        let speed = train(program, hosts, &solver, &flags)?;
        Ok((alone * speed.images_per_s / GLOBAL_BATCH as f64, speed.exposed))
    }

    /// The same by the simulator.
    fn simulate(
        &self,
        cluster: &ClusterDescription,
        hosts: usize,
        alone: f64,
    ) -> Result<(f64, f64)> {
        let batch = GLOBAL_BATCH / hosts;
        let net = describe_file(&root().join(self.net.net.write(batch)?))?;
        let times = ComputeTimes::of_profile(&self.profile(batch), &net)?;
        let config = SimulationConfig {
            allreduce: self.algorithm.parse()?,
            overlap: false,
            ..SimulationConfig::new(hosts, batch, BucketRule::Bytes(0))
        };
        let mut simulator = Simulator::new(cluster);
        let time = simulator.iteration_with(&NetModel::of(&net), &times, &config)?.time;
        Ok((alone / time.total(), 100.0 * time.exposed / time.total()))
    }
}
