//! Simulation against real training: three nets on two hosts of 1 Gbit/s, one thread each.
//!
//! In every round the links and the layers are measured on both hosts at once, then the same job
//! trains; the simulator has seen no training. Medians of the rounds' ratios count.

use std::fs;

use ::train::BUCKET_BYTES;
use anyhow::{Context, Result};
use base::median;
use cluster_sim::{
    BucketRule, ClusterDescription, ComputeTimes, NetModel, SimulationConfig, Simulator,
};
use profile::DeviceProfile;

use crate::bench::cluster_run::{ClusterSpeed, FOLDER, NamespaceCluster, bench_network, train, up};
use crate::bench::emulation::{EmulatedJob, HOSTS, JOBS, MBITS};
use crate::reproduce::describe_file;
use crate::shell::root;

/// How far the median ratio may be from 1.
const TOLERANCE: f64 = 0.1;
const ROUNDS: usize = 3;
/// How long all of it takes, in seconds.
pub(super) const SECONDS: f64 = 420.0;

/// Images per second of one round.
struct TrainingRound {
    simulated: f64,
    real: ClusterSpeed,
}

/// Trains and simulates; the report, and what is outside its tolerance.
pub(super) fn verify(program: &str) -> Result<(String, Vec<String>)> {
    let _cluster = NamespaceCluster;
    up(HOSTS, MBITS, false)?;
    let mut text = format!(
        "\n## Real training on {HOSTS} hosts of 1 Gbit/s\n\n\
         | net, batch per host | real images/s | simulated | simulated / real | exposed, real |\n\
         |---|--:|--:|--:|--:|\n"
    );
    print!("{text}");
    let mut missed = Vec::new();
    for job in JOBS {
        let rounds: Vec<_> = (0..ROUNDS).map(|_| round(job, program)).collect::<Result<_>>()?;
        let of = |part: &dyn Fn(&TrainingRound) -> f64| median(rounds.iter().map(part).collect());
        let ratio = of(&|round| round.simulated / round.real.images_per_s);
        let row = format!(
            "| {}, {} | {:.1} | {:.1} | {ratio:.3} | {:.1} % |\n",
            job.title,
            job.batch,
            of(&|round| round.real.images_per_s),
            of(&|round| round.simulated),
            of(&|round| round.real.exposed)
        );
        print!("{row}");
        text += &row;
        if (ratio - 1.0).abs() > TOLERANCE {
            missed
                .push(format!("{} is simulated {ratio:.2} times as fast as it trains", job.title));
        }
    }
    Ok((text, missed))
}

fn round(job: &EmulatedJob, program: &str) -> Result<TrainingRound> {
    let file = format!("{FOLDER}/two-hosts.toml");
    let cluster = bench_network(program, HOSTS, &["--threads", "1", "--save", &file])?;
    let profile = job.save_profile(program)?;
    let simulated = simulate(job, &cluster, &profile)?;
    let solver = job.net.write_solver(job.batch, job.iterations)?;
    let real = train(program, HOSTS, &solver, &["--network", &file])?;
    Ok(TrainingRound { simulated, real })
}

/// Images per second, as `train` runs without flags.
fn simulate(job: &EmulatedJob, cluster: &ClusterDescription, profile: &str) -> Result<f64> {
    let net = describe_file(&root().join(job.net.write(job.batch)?))?;
    let text = fs::read_to_string(root().join(profile)).with_context(|| profile.to_owned())?;
    let profile = DeviceProfile::from_json(&text)?;
    let times = ComputeTimes::of_profile(&profile, &net)?;
    let config = SimulationConfig::new(HOSTS, job.batch, BucketRule::Bytes(BUCKET_BYTES));
    let found = Simulator::new(cluster).iteration_with(&NetModel::of(&net), &times, &config)?;
    Ok((HOSTS * job.batch) as f64 / found.time.total())
}
