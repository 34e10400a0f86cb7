//! The accuracies as a dot chart (SVG): one row per net and variant, a whisker of one standard
//! deviation, a tick where the row's limit lies. A row without a finished run is left out.

use report::chart::{ChartAxis, ChartRow, RowChart, RowMark};

use super::table::{AccuracyRow, baseline};

/// Draws the rows, accuracy to the right.
pub(super) fn draw(rows: &[AccuracyRow]) -> String {
    let chart_row = |row: &AccuracyRow| {
        let mean = row.mean()?;
        let deviation = row.deviation().unwrap_or(0.0);
        let first = baseline(rows, row).and_then(AccuracyRow::mean);
        let limit = first.map(|first| RowMark::Tick { at: first - row.allowed, color: 1 });
        let dot = RowMark::Whisker { mean, deviation, color: 0 };
        let marks = [dot].into_iter().chain(limit).collect();
        Some(ChartRow { name: format!("{}, {}", row.net, row.name), marks })
    };
    RowChart {
        title: "Test accuracy on Fashion-MNIST".to_owned(),
        x: ChartAxis::linear("accuracy, %"),
        legend: vec!["mean and standard deviation".to_owned(), "limit".to_owned()],
        rows: rows.iter().filter_map(chart_row).collect(),
    }
    .svg()
}

#[cfg(test)]
mod tests {
    use super::super::table::{AccuracyRow, ConvergenceRun, RowGroup};
    use super::draw;

    #[test]
    fn a_row_has_its_name_and_its_mean() {
        let row = |name: &str, accuracy: Option<f64>| {
            let mut row = AccuracyRow::new("net", name.into(), RowGroup::Variants, 0.5);
            let run = accuracy.map(|accuracy| Ok(ConvergenceRun { accuracy, seconds: 1.0 }));
            row.train(run.into_iter());
            row
        };
        let svg = draw(&[row("dense", Some(90.0)), row("f16", Some(89.95)), row("bf16", None)]);
        assert!(svg.contains(">net, f16</text>") && svg.contains(">90.0</text>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2);
    }
}
