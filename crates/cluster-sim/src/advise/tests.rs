use super::{Advice, AdviceOptions, advise};
use crate::cluster::{ClusterDescription, StragglerDescription, StragglerDistribution};
use crate::config::{BucketRule, SimulationConfig};
use crate::model::{LayerModel, NetModel, ParamModel};
use crate::simulate::Simulator;
use crate::simulate::tests::config;

fn cluster(latency_us: f64, bandwidth_gbs: f64) -> ClusterDescription {
    let text = format!(
        "name = \"test\"\nnodes = 16\n[device]\nname = \"d\"\ngflops = 1000\n\
         [nic]\nlatency_us = {latency_us:.1}\nbandwidth_gbs = {bandwidth_gbs:.1}\n"
    );
    ClusterDescription::parse(&text, None).unwrap()
}

fn net(columns: usize) -> NetModel {
    let layer = |index: usize| LayerModel {
        name: index.to_string(),
        params: vec![ParamModel { rows: 1000, columns }],
        forward_ops: 1e9,
        backward_ops: 2e9,
    };
    NetModel { name: "n".into(), layers: (0..8).map(layer).collect() }
}

fn name(advice: &Advice) -> String {
    advice.best().config.allreduce.to_string()
}

/// Where latency decides, an algorithm of few rounds wins and shorter latency helps; where
/// bandwidth decides, one that sends least.
#[test]
fn the_cluster_decides() {
    let options = AdviceOptions::default();
    let short = advise(&cluster(20_000.0, 10.0), &net(10), &config(16), &options).unwrap();
    assert!(["parameter-server", "reduction-tree"].contains(&&*name(&short)), "{short:?}");
    let losses = short.configs[0].losses;
    assert!(losses.latency > 0.1 && losses.latency > 10.0 * losses.bandwidth, "{losses:?}");
    assert_eq!((losses.arithmetic, losses.stragglers), (0.0, 0.0));
    let long = advise(&cluster(1.0, 0.1), &net(1000), &config(16), &options).unwrap();
    assert!(["halving-doubling", "ring", "direct"].contains(&&*name(&long)), "{long:?}");
    let losses = long.configs[0].losses;
    assert!(losses.bandwidth > 0.5 && losses.latency < 0.1, "{losses:?}");
    assert!(long.what_if[0].gain > 1.5, "{:?}", long.what_if);
    assert!(long.configs.is_sorted_by(|a, b| a.found.images_per_s >= b.found.images_per_s));
}

/// Where nothing is exchanged, only faster devices help.
#[test]
fn what_helps_most_comes_first() {
    let alone = advise(&cluster(1.0, 1.0), &net(10), &config(1), &AdviceOptions::default());
    let what_if = alone.unwrap().what_if;
    assert_eq!(what_if[0].change, "devices of twice the speed");
    assert!((what_if[0].gain - 2.0).abs() < 1e-9, "{what_if:?}");
    assert!(what_if[1..].iter().all(|what| (what.gain - 1.0).abs() < 1e-9), "{what_if:?}");
}

/// Additions, stragglers and narrow uplinks are named where they cost something.
#[test]
fn every_cost_is_a_loss() {
    let mut slow = cluster(1.0, 100.0);
    slow.device.reduce_gbs = Some(0.1);
    let losses = |cluster: &ClusterDescription| {
        let options = AdviceOptions { shown: 1, ..AdviceOptions::default() };
        let advice = advise(cluster, &net(1000), &config(16), &options).unwrap();
        assert_eq!(advice.configs.len(), 1);
        (advice.configs[0].losses, advice.what_if)
    };
    let (adding, _) = losses(&slow);
    assert!(adding.arithmetic > 0.2, "{adding:?}");
    let distribution = StragglerDistribution::Exponential;
    let late = ClusterDescription {
        stragglers: Some(StragglerDescription { distribution, mean: 0.3, seed: 1 }),
        ..cluster(1.0, 100.0)
    };
    let (waiting, what_if) = losses(&late);
    assert!(waiting.stragglers > 0.2, "{waiting:?}");
    assert!(what_if.iter().any(|what| what.change.contains("never late") && what.gain > 1.2));
    let text = cluster(1.0, 0.1).to_string()
        + "[fabric]\ntopology = \"fat-tree\"\nnodes_per_switch = 4\noversubscription = 4\n";
    let (_, what_if) = losses(&ClusterDescription::parse(&text, None).unwrap());
    assert!(what_if.iter().any(|what| what.change.contains("oversubscription")), "{what_if:?}");
}

/// Eight devices per node, slow links between them and fast memory: workers of one process sum in
/// memory, so fewer ranks send less through each port.
#[test]
fn devices_are_divided_among_ranks() {
    let mut cluster = cluster(50.0, 0.5);
    (cluster.nodes, cluster.devices_per_node) = (4, 8);
    cluster.device.reduce_gbs = Some(100.0);
    cluster.intra_node.bandwidth_gbs = 100.0;
    cluster.intra_node.latency_us = 100.0;
    let advice = advise(&cluster, &net(100), &config(32), &AdviceOptions::default()).unwrap();
    let best = &advice.best().config;
    assert!(best.workers > 1 && best.devices() == 32, "{best:?}");
    assert!(advice.configs.iter().any(|shown| shown.found.config.workers == 1));
    let refused = SimulationConfig { ranks: 8, workers: 3, ..config(8) };
    let error = Simulator::new(&cluster).iteration(&net(1), &refused).unwrap_err();
    assert!(error.to_string().contains("3 workers per rank do not divide the 8 devices"));
}

/// Three workers per rank would not give the bits of one worker: `train` refuses them.
#[test]
fn only_exact_divisions_are_advised() {
    let mut cluster = cluster(50.0, 0.5);
    cluster.devices_per_node = 6;
    cluster.intra_node = cluster.nic.clone();
    let workers = |devices| -> Vec<usize> {
        let advice = advise(&cluster, &net(10), &config(devices), &AdviceOptions::default());
        let mut all: Vec<_> =
            advice.unwrap().configs.iter().map(|shown| shown.found.config.workers).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    assert_eq!(workers(12), [1, 2]);
    assert_eq!(workers(6), [1, 2, 6]);
}

#[test]
fn batches_are_listed_apart() {
    let options = AdviceOptions { batches: vec![4, 16], ..AdviceOptions::default() };
    let advice = advise(&cluster(1.0, 0.1), &net(1000), &config(16), &options).unwrap();
    let [small, large] = &advice.batches[..] else { panic!("{:?}", advice.batches) };
    assert_eq!((small.config.batch, large.config.batch), (4, 16));
    assert!(large.images_per_s > small.images_per_s, "a larger batch hides more");
    assert!(advice.configs.iter().all(|shown| shown.found.config.batch == 8));
}

/// A compression gets a bucket size of its own: with a latency of 20 ms one bucket is best.
#[test]
fn compressions_are_listed_apart() {
    let compressions = vec!["power-sgd:rank=2".parse().unwrap()];
    let options = AdviceOptions { compressions, ..AdviceOptions::default() };
    let advice = advise(&cluster(1.0, 0.1), &net(1000), &config(16), &options).unwrap();
    assert!(advice.configs.iter().all(|shown| shown.found.config.compression.is_none()));
    assert!(advice.compressed[0].images_per_s > 2.0 * advice.best().images_per_s);
    let far = advise(&cluster(20_000.0, 0.1), &net(1000), &config(16), &options).unwrap();
    assert_eq!(far.compressed[0].config.buckets, BucketRule::Bytes(32_000_000));
}

/// Formats and precisions are tried; a precision without a speed is not.
#[test]
fn formats_and_precisions_are_searched() {
    let options = AdviceOptions {
        wires: vec!["f32".parse().unwrap(), "f16".parse().unwrap()],
        precisions: vec!["f32".into(), "mixed".into()],
        ..AdviceOptions::default()
    };
    let best = |cluster: &ClusterDescription| {
        let advice = advise(cluster, &net(1000), &config(16), &options).unwrap();
        let SimulationConfig { wire, precision, .. } = advice.best().config.clone();
        (wire.name, precision)
    };
    assert_eq!(best(&cluster(1.0, 0.1)), ("f16", "f32".into()));
    let text = cluster(1.0, 0.1).to_string().replace(
        "[nic]",
        "[[device.speed]]\nnetwork = \"n\"\nprecision = \"mixed\"\nimages_per_s = 1e6\n[nic]",
    );
    assert_eq!(best(&ClusterDescription::parse(&text, None).unwrap()), ("f16", "mixed".into()));
}
