//! The accuracies as a dot chart (SVG): one row per net and variant, a whisker of one standard
//! deviation, a tick where the row's limit lies.

use report::chart::{ChartAxis, ChartRow, RowChart, RowMark};

use super::{AccuracyRow, baseline};

/// Draws the rows, accuracy to the right.
pub(super) fn draw(rows: &[AccuracyRow]) -> String {
    let limit = |row: &AccuracyRow| {
        baseline(rows, row).map_or_else(|| row.mean(), |first| first.mean() - row.allowed)
    };
    let row = |row: &AccuracyRow| ChartRow {
        name: format!("{}, {}", row.net, row.name),
        marks: vec![
            RowMark::Whisker { mean: row.mean(), deviation: row.deviation(), color: 0 },
            RowMark::Tick { at: limit(row), color: 1 },
        ],
    };
    RowChart {
        title: "Test accuracy on Fashion-MNIST".to_owned(),
        x: ChartAxis::linear("accuracy, %"),
        legend: vec!["mean and standard deviation".to_owned(), "limit".to_owned()],
        rows: rows.iter().map(row).collect(),
    }
    .svg()
}

#[cfg(test)]
mod tests {
    use super::{AccuracyRow, draw};

    #[test]
    fn a_row_has_its_name_and_its_mean() {
        let row = |name: &str, accuracy: f64| AccuracyRow {
            net: "net",
            name: name.into(),
            accuracies: vec![accuracy],
            allowed: 0.5,
        };
        let svg = draw(&[row("dense", 90.0), row("f16", 89.95)]);
        assert!(svg.contains(">net, f16</text>") && svg.contains(">90.0</text>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2);
    }
}
