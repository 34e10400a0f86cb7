use super::{ScheduledBucket, schedule};
use crate::config::{BucketRule, SimulationConfig};
use crate::model::{LayerModel, NetModel, ParamModel};
use crate::simulate::tests::config;
use exchange::compression::PlannedCollective;

/// Four layers of 160·256 weights and 160 biases.
fn net() -> NetModel {
    let layer = |index: usize| LayerModel {
        name: index.to_string(),
        params: vec![ParamModel { rows: 160, columns: 256 }, ParamModel { rows: 160, columns: 1 }],
        forward_ops: 1.0,
        backward_ops: 2.0,
    };
    NetModel { name: "four".into(), layers: (0..4).map(layer).collect() }
}

fn of(change: impl Fn(&mut SimulationConfig)) -> Vec<ScheduledBucket> {
    let mut config = config(4);
    change(&mut config);
    schedule(&net(), &config).unwrap()
}

fn ready(buckets: &[ScheduledBucket]) -> Vec<usize> {
    buckets.iter().map(|bucket| bucket.ready_after).collect()
}

#[test]
fn buckets_wait_for_their_layers() {
    assert_eq!(ready(&of(|config| config.buckets = BucketRule::Bytes(0))), [1, 2, 3, 4]);
    assert_eq!(ready(&of(|config| config.buckets = BucketRule::Bytes(200_000))), [2, 4]);
    assert_eq!(
        ready(&of(|config| config.buckets = BucketRule::PerParam)),
        [1, 1, 2, 2, 3, 3, 4, 4]
    );
    let after = of(|config| {
        config.buckets = BucketRule::Bytes(0);
        config.overlap = false;
    });
    assert_eq!(ready(&after), [4; 4]);
}

#[test]
fn compressions_say_what_they_send() {
    let sparse = of(|config| {
        config.buckets = BucketRule::Bytes(20_000);
        config.compression = Some("sparse-chunks:share=0.25,chunk=4096".parse().unwrap());
    });
    let sums: usize = sparse
        .iter()
        .flat_map(|bucket| &bucket.collectives)
        .map(|collective| match collective {
            PlannedCollective::AllReduce { values } => *values,
            _ => 0,
        })
        .sum();
    assert!((35_000..=60_000).contains(&sums), "a quarter of 164,480: {sums}");
    assert!(sparse.len() > 4 && ready(&sparse).is_sorted(), "{sparse:?}");
    assert!(matches!(sparse.last().unwrap().collectives[..], [PlannedCollective::Sum { .. }]));
    for text in ["one-bit", "power-sgd", "threshold", "top-k"] {
        let compressed = of(|config| config.compression = Some(text.parse().unwrap()));
        assert!(!compressed.is_empty() && compressed[0].coded_bytes > 0, "{text}");
    }
}
