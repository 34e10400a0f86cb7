use super::{ClusterTable, EmulatedResult, EmulatedRow};
use crate::bench::emulated::clusters::{CLUSTERS, EmulatedCluster};
use crate::bench::emulated::outcome::EmulatedOutcome;
use crate::bench::emulated::predict::EmulatedLength;
use train::SumTraffic;

/// A run with planned bytes.
fn took(iteration_s: f64) -> EmulatedResult {
    let traffic = SumTraffic { sent_bytes: 1_000_000, predicted_bytes: 1_000_000, entries: 0 };
    Ok(EmulatedOutcome {
        iteration_s,
        steps: vec![traffic; 2],
        load: Some(12.0),
        bucket_s: vec![1.0],
        bucket_values: vec![1000],
        compressed: Vec::new(),
    })
}

fn table(cluster: &str, results: Vec<(&str, EmulatedResult)>) -> ClusterTable<'static> {
    let cluster: &EmulatedCluster = CLUSTERS.iter().find(|it| it.name == cluster).unwrap();
    let row = |(name, outcome): (&str, EmulatedResult)| {
        let technique = cluster.techniques().into_iter().find(|row| row.name == name).unwrap();
        EmulatedRow { technique, outcome, always: None }
    };
    let length = EmulatedLength { iterations: 3, latency_us: 0.0 };
    let rows: Vec<EmulatedRow> = results.into_iter().map(row).collect();
    let planned = rows.iter().map(|row| row.technique).collect();
    ClusterTable { cluster, length, planned, rows, minutes: 1.0 }
}

/// A ring of 244 MB takes 3.4146 s at 1 Gbit/s.
#[test]
fn the_fastest_dense_sum_is_the_baseline() {
    let slow = ("f32", took(4.2));
    let misses = table("alexnet-1g", vec![slow, ("f16", took(2.0))]).misses();
    assert_eq!(misses, ["alexnet-1g, dense: below 0.85 of the link's limit"]);
    let with_fast = |f16| {
        let fast = ("f32 by halving-doubling", took(3.6));
        table("alexnet-1g", vec![("f32", took(4.2)), fast, ("f16", took(f16))])
    };
    assert_eq!(with_fast(2.0).misses(), ["alexnet-1g, f16: speed"]); // 1.80 times
    assert_eq!(with_fast(1.9).misses(), [""; 0]);
    let text = with_fast(2.0).render();
    assert!(text.contains("the fastest reaches 95 %"), "{text}");
    let f16 = "| f16 | 512 | 1.80 |  | 1.0 | 96 % | 12 % | as predicted | 1.85 | missed: speed |";
    assert!(text.contains(f16), "{text}");
    assert!(text.ends_with("\nDuration: 1 minutes.\n"), "{text}");
}

#[test]
fn a_refused_row_is_missed_and_the_others_stay() {
    let refused = Err("mpirun | failed\nhere".to_owned());
    let table =
        table("alexnet-1g", vec![("f32", took(3.6)), ("bf16", refused), ("f16", took(1.8))]);
    assert_eq!(table.misses(), ["alexnet-1g, bf16: refused"]);
    let text = table.render();
    assert!(text.contains("| bf16 | refused: mpirun / failed here |"), "{text}");
    assert!(text.contains("| f16 | 569 | 2.00 |"), "{text}");
}

#[test]
fn without_a_dense_sum_no_ratio_is_met() {
    let table = table("alexnet-1g", vec![("f32", Err("load".to_owned())), ("f16", took(1.8))]);
    let (dense, f16) = ("alexnet-1g, f32: refused", "alexnet-1g, f16: nothing to compare with");
    assert_eq!(table.misses()[..2], [dense, f16]);
}

/// Lazy allreduce must gain 1.1 times; overlap may lose 2 %.
#[test]
fn a_ladder_is_compared_step_by_step() {
    let misses = |lazy| {
        let overlap = ("+ overlap", took(1.02));
        table("resnet50-56g", vec![("+ f16", took(1.0)), overlap, ("+ lazy", took(lazy))]).misses()
    };
    assert_eq!(misses(0.92), [""; 0]);
    assert_eq!(misses(0.95), ["resnet50-56g, + lazy: speed"]);
    // Of `--rows`, the first has none before it; a refused one leaves nothing to compare with.
    assert_eq!(table("resnet50-56g", vec![("+ lazy", took(1.0))]).misses(), [""; 0]);
    let refused = ("+ overlap", Err("load".to_owned()));
    let misses = table("resnet50-56g", vec![refused, ("+ lazy", took(1.0))]).misses();
    assert_eq!(misses[1], "resnet50-56g, + lazy: nothing to compare with");
}

#[test]
fn other_bytes_than_predicted_are_missed() {
    let mut other = took(1.8).unwrap();
    other.steps[1].sent_bytes += 1;
    let table = table("alexnet-1g", vec![("f32", took(3.6)), ("f16", Ok(other))]);
    assert_eq!(table.misses(), ["alexnet-1g, f16: bytes"]);
    assert!(table.render().contains("| 1000001 B sent, 1000000 B predicted |"));
}

/// The dense f16 row, not that of f32, is what f16 sparse chunks are decided against: compressing
/// was right against f32 only.
#[test]
fn decisions_are_judged_against_the_same_wire_format() {
    let compressed = || {
        let mut run = took(0.6).unwrap();
        run.compressed = vec![true];
        run
    };
    let name = "f16 sparse-chunks 15 %";
    let rows = vec![("f32", took(1.0)), ("f16", took(0.5)), (name, Ok(compressed()))];
    let mut table = table("resnet50-25g", rows);
    assert!(table.decisions().to_string().contains("not shown"));
    table.rows[2].always = Some(Ok(compressed()));
    assert_eq!(table.misses(), ["resnet50-25g, decisions: too many wrong"]);
    table.rows[2].always = Some(Err("load".to_owned()));
    assert_eq!(table.misses(), ["resnet50-25g, f16 sparse-chunks 15 %, always: refused"]);
}
