use super::{IterationTime, Simulator};
use crate::cluster::{ClusterDescription, StragglerDescription, StragglerDistribution};
use crate::config::{BucketRule, SimulationConfig};
use crate::model::{LayerModel, NetModel, ParamModel};
use collective::{AlgorithmChoice, all_with_plans};

/// A ring of `ranks` in buckets of 4 MB.
pub(crate) fn config(ranks: usize) -> SimulationConfig {
    SimulationConfig {
        allreduce: "ring".parse().unwrap(),
        step_summary: false,
        ..SimulationConfig::new(ranks, 8, BucketRule::Bytes(4_000_000))
    }
}

fn cluster(text: &str) -> ClusterDescription {
    let text = format!(
        "name = \"test\"\nnodes = 4096\n{text}[device]\nname = \"d\"\ngflops = 100\n\
         [nic]\nlatency_us = 5\nbandwidth_gbs = 3\n"
    );
    ClusterDescription::parse(&text, None).unwrap()
}

/// As many layers as ResNet-50 has with params, and as many values.
fn resnet_like() -> NetModel {
    let layer = |index: usize| LayerModel {
        name: index.to_string(),
        params: vec![ParamModel { rows: 64 + 8 * index, columns: 1700 }],
        forward_ops: 1.4e8,
        backward_ops: 2.8e8,
    };
    NetModel { name: "like ResNet-50".into(), layers: (0..54).map(layer).collect() }
}

fn time(cluster: &ClusterDescription, config: &SimulationConfig) -> IterationTime {
    Simulator::new(cluster).iteration(&resnet_like(), config).unwrap().time
}

#[test]
fn one_rank_exchanges_nothing() {
    let time = time(&cluster(""), &config(1));
    assert_eq!((time.exposed, time.communication), (0.0, 0.0));
    assert!((time.compute - 8.0 * resnet_like().ops() / 100e9).abs() < 1e-9);
}

#[test]
fn overlap_hides_communication() {
    let cluster = cluster("");
    let hidden = time(&cluster, &config(8));
    let exposed = time(&cluster, &SimulationConfig { overlap: false, ..config(8) });
    assert!((hidden.compute - exposed.compute).abs() < 1e-9);
    assert!((exposed.exposed - exposed.communication).abs() < 1e-9, "{exposed:?}");
    assert!(hidden.exposed < 0.2 * exposed.exposed, "{hidden:?}, {exposed:?}");
}

/// What follows the buckets is exposed: losses take their latency, records their bytes.
#[test]
fn losses_and_records_are_exchanged_too() {
    let cluster = cluster("");
    let plain = SimulationConfig { overlap: false, ..config(8) };
    let [without, with, records] = [
        time(&cluster, &plain),
        time(&cluster, &SimulationConfig { step_summary: true, ..plain.clone() }),
        time(&cluster, &SimulationConfig { record_bytes: 1_000_000, ..plain.clone() }),
    ]
    .map(|time| 1e6 * time.exposed);
    // Up and down a tree of three levels, 5 us each.
    assert!((with - without - 30.0).abs() < 1.0, "{with} us, {without} us");
    // 8 MB leave every rank, but an eighth stays; each message waits for the one before.
    let sent = 7.0 / 8.0 * 8e6 / 3e3;
    assert!(records - without > sent, "{records} us, {without} us");
    assert!(records - without < 1.5 * sent + 5000.0, "{records} us, {without} us");
}

/// Four workers sum in memory, and a quarter of the ranks exchange.
#[test]
fn workers_of_a_rank_sum_in_memory() {
    let mut cluster =
        cluster("devices_per_node = 4\n[intra_node]\nlatency_us = 1\nbandwidth_gbs = 10\n");
    cluster.device.reduce_gbs = Some(5.0);
    let plain = SimulationConfig { overlap: false, ..config(8) };
    let joined = SimulationConfig { ranks: 2, workers: 4, ..plain.clone() };
    let pool = 4.0 * resnet_like().values() as f64;
    let two = time(&cluster, &SimulationConfig { ranks: 2, ..plain.clone() }).exposed;
    cluster.intra_node.bandwidth_gbs = 1000.0;
    let four = time(&cluster, &joined).exposed;
    let alone = time(&cluster, &SimulationConfig { ranks: 1, ..joined.clone() }).exposed;
    assert!((alone - 0.75 * pool / 5e9).abs() < 1e-6, "{alone} s");
    assert!(four > alone && two > 0.0, "{four} s, {alone} s");
    assert_eq!(joined.global_batch(), plain.global_batch());
}

#[test]
fn stragglers_delay_all_and_seeds_repeat() {
    let mut cluster = cluster("");
    let even = time(&cluster, &config(8));
    let stragglers = |seed| {
        let distribution = StragglerDistribution::Exponential;
        Some(StragglerDescription { distribution, mean: 0.1, seed })
    };
    cluster.stragglers = stragglers(1);
    let late = time(&cluster, &config(8));
    assert!(late.total() > 1.1 * even.total(), "{late:?}, {even:?}");
    assert_eq!(late, time(&cluster, &config(8)));
    cluster.stragglers = stragglers(2);
    assert_ne!(late, time(&cluster, &config(8)));
}

/// Stragglers that are not late give what is simulated without them, up to the ranks that end a
/// collective early.
#[test]
fn both_ways_of_simulating_agree() {
    for allreduce in ["ring", "halving-doubling", "direct"] {
        let config = SimulationConfig { allreduce: allreduce.parse().unwrap(), ..config(8) };
        let mut cluster = cluster("");
        let uniform = time(&cluster, &config);
        let distribution = StragglerDistribution::Uniform;
        cluster.stragglers = Some(StragglerDescription { distribution, mean: 1e-12, seed: 1 });
        let each = time(&cluster, &config);
        assert!((each.total() / uniform.total() - 1.0).abs() < 1e-3, "{allreduce}");
    }
}

#[test]
fn impossible_jobs_are_refused_by_name() {
    let cluster = cluster("");
    let refused = |config: &SimulationConfig| {
        Simulator::new(&cluster).iteration(&resnet_like(), config).unwrap_err().to_string()
    };
    assert!(refused(&config(5000)).contains("5000 ranks on `test`, which has 4096 devices"));
    assert!(refused(&config(0)).contains("ranks must be 1 or more"));
    assert!(refused(&SimulationConfig { batch: 0, ..config(2) }).contains("the batch must be"));
    let library = SimulationConfig { allreduce: "mpi".parse().unwrap(), ..config(2) };
    assert!(refused(&library).contains("`mpi` has no plan"));
    let mixed = SimulationConfig { precision: "mixed".into(), ..config(2) };
    assert!(refused(&mixed).contains("nothing says how fast `d` trains"));
}

/// What is simulated does not depend on which algorithm is asked for first, and every row of the
/// table can be asked for.
#[test]
fn every_algorithm_is_simulated() {
    let cluster = cluster("");
    let mut simulator = Simulator::new(&cluster);
    for algorithm in all_with_plans() {
        let allreduce = AlgorithmChoice::Named(algorithm.clone());
        let config = SimulationConfig { allreduce, ..config(16) };
        let again = time(&cluster, &config);
        assert_eq!(simulator.iteration(&resnet_like(), &config).unwrap().time, again);
        assert!(again.communication > 0.0, "{algorithm}");
    }
}
