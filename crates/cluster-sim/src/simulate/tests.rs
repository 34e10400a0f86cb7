use super::{IterationTime, Simulator};
use crate::cluster::{ClusterDescription, StragglerDescription, StragglerDistribution};
use crate::config::{BucketRule, SimulationConfig};
use crate::model::{LayerModel, NetModel, ParamModel};
use collective::{AlgorithmChoice, all_with_plans};
use exchange::ExchangeConfig;

/// A ring of `ranks` in buckets of 4 MB.
pub(crate) fn config(ranks: usize) -> SimulationConfig {
    SimulationConfig {
        ranks,
        batch: 8,
        precision: "f32".into(),
        allreduce: "ring".parse().unwrap(),
        wire: ExchangeConfig::MPI.wire,
        segmentation: ExchangeConfig::MPI.segmentation,
        compression: None,
        buckets: BucketRule::Bytes(4_000_000),
        overlap: true,
        iterations: 1,
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
