//! How long the simulator itself takes: one iteration of a net like ResNet-50 on 512 ranks with
//! every algorithm, and on 4,096 ranks with those of at most O(p log p) messages.
//!
//! `cargo run --release -p cluster-sim --example speed`
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use cluster_sim::{
    BucketRule, ClusterDescription, LayerModel, NetModel, ParamModel, SimulationConfig, Simulator,
};
use collective::{AlgorithmChoice, all_with_plans};
use exchange::ExchangeConfig;

const CLUSTER: &str = r#"
name = "4096 hosts"
nodes = 4096
[device]
name = "host"
gflops = 1000.0
reduce_gbs = 20.0
[nic]
latency_us = 5.0
bandwidth_gbs = 12.0
"#;

/// Algorithms whose messages grow with the square of the ranks.
const SQUARE: &[&str] = &["direct", "ring"];

fn main() {
    let cluster = ClusterDescription::parse(CLUSTER, None).expect("it is valid");
    let layer = |index: usize| LayerModel {
        name: index.to_string(),
        params: vec![ParamModel { rows: 64 + 8 * index, columns: 1700 }],
        forward_ops: 1.4e8,
        backward_ops: 2.8e8,
    };
    let net = NetModel { name: "25 M".into(), layers: (0..54).map(layer).collect() };
    println!("{} parameters", net.values());
    for ranks in [512, 4096] {
        for algorithm in all_with_plans() {
            if ranks > 512 && SQUARE.contains(&algorithm.name()) {
                continue;
            }
            let config = SimulationConfig {
                ranks,
                batch: 32,
                precision: "f32".into(),
                allreduce: AlgorithmChoice::Named(algorithm.clone()),
                wire: ExchangeConfig::MPI.wire,
                segmentation: ExchangeConfig::MPI.segmentation,
                compression: None,
                buckets: BucketRule::Bytes(4_000_000),
                overlap: true,
                iterations: 1,
            };
            #[expect(clippy::disallowed_methods, reason = "it measures the simulator")]
            let begin = std::time::Instant::now();
            let found = Simulator::new(&cluster).iteration(&net, &config).expect("it is possible");
            println!(
                "{ranks} ranks, {algorithm}: {:.2} s for {} buckets; an iteration takes {:.1} ms",
                begin.elapsed().as_secs_f64(),
                found.buckets,
                1e3 * found.time.total()
            );
        }
    }
}
