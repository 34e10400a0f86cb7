use super::{AccuracyRow, ConvergenceRun, RowGroup, baseline, report, summary};
use anyhow::anyhow;

fn row(net: &'static str, name: &str, group: RowGroup, runs: &[(f64, f64)]) -> AccuracyRow {
    let mut row = AccuracyRow::new(net, name.into(), group, 0.5);
    row.train(runs.iter().map(|&(accuracy, seconds)| Ok(ConvergenceRun { accuracy, seconds })));
    row
}

#[test]
fn rows_are_compared_within_their_net_and_group() {
    let rows = [
        row("a", "dense", RowGroup::Variants, &[(90.0, 1.0)]),
        row("a", "f16", RowGroup::Variants, &[(89.0, 1.0)]),
        row("a", "batch 64", RowGroup::Batches, &[(91.0, 1.0)]),
        row("b", "dense", RowGroup::Variants, &[(80.0, 1.0)]),
    ];
    let first = |index: usize| baseline(&rows, &rows[index]).map(|row| row.name.as_str());
    assert_eq!(first(1), Some("dense"));
    assert_eq!(first(2), Some("batch 64"));
    assert_eq!(baseline(&rows, &rows[3]).map(|row| row.net), Some("b"));
}

#[test]
fn deviation_is_that_of_a_single_run_and_needs_two() {
    let three = row("a", "dense", RowGroup::Variants, &[(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)]);
    assert_eq!((three.mean(), three.deviation()), (Some(2.0), Some(1.0)));
    assert_eq!(row("a", "dense", RowGroup::Variants, &[(1.0, 1.0)]).deviation(), None);
}

/// A run of 61 s misses in the first group only; the last row diverges at its second seed.
#[test]
fn the_table_says_what_is_missed_and_how_long_it_took() {
    let mut diverges = AccuracyRow::new("a", "batch 1024".into(), RowGroup::Batches, 0.5);
    let run = ConvergenceRun { accuracy: 91.0, seconds: 70.0 };
    let mut left = [Ok(run), Err(anyhow!("a | loss\nis NaN")), Ok(run)].into_iter();
    diverges.train(&mut left);
    assert_eq!(left.len(), 1, "the other seeds are not trained");
    let rows = [
        row("a", "dense", RowGroup::Variants, &[(90.0, 50.0), (91.0, 40.0)]),
        row("a", "f16", RowGroup::Variants, &[(90.2, 61.0)]),
        row("a", "top-k", RowGroup::Variants, &[(89.9, 60.0)]),
        row("a", "batch 64", RowGroup::Batches, &[(91.0, 100.0)]),
        diverges,
    ];
    let text = report(&rows, 7.4);
    let verdicts: Vec<&str> =
        text.lines().skip(2).filter_map(|line| line.split(" | ").nth(8)).collect();
    let want =
        ["met |", "missed: a run above 60 s |", "missed: accuracy |", "met |"].map(str::to_owned);
    assert_eq!(verdicts[..4], want);
    assert_eq!(verdicts[4], "missed: seed 2: a / loss is NaN |");
    assert!(text.contains("| a | dense | 90.50 | 0.71 | 2 | 50 | 0.00 | 0.5 | met |"), "{text}");
    assert!(text.ends_with("\nDuration: 7 minutes.\n"), "{text}");
    let error = summary(&rows).unwrap_err().to_string();
    assert_eq!(error, "3 of 5 rows miss what they must reach");
    summary(&rows[..1]).unwrap();
}

#[test]
fn without_a_baseline_nothing_is_met() {
    let mut dense = AccuracyRow::new("a", "dense".into(), RowGroup::Variants, 0.0);
    dense.train([Err(anyhow!("no mpirun"))].into_iter());
    let rows = [dense, row("a", "f16", RowGroup::Variants, &[(90.0, 1.0)])];
    let text = report(&rows, 0.0);
    assert!(text.contains("| a | f16 | 90.00 | - | 1 | 1 | - | 0.5 | missed: nothing"), "{text}");
    assert!(text.contains("| a | dense | - | - | 0 | - | - | 0.0 | missed: seed 1: no"), "{text}");
}
