//! The accuracies as a dot chart (SVG): one row per net and variant, a whisker of one standard
//! deviation, a tick where the row's limit lies.

use std::fmt::Write;

use super::{AccuracyRow, baseline};

const WIDTH: f64 = 720.0;
const LEFT: f64 = 230.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 50.0;
const ROW: f64 = 20.0;

/// Draws the rows, accuracy to the right.
pub(super) fn draw(rows: &[AccuracyRow]) -> String {
    let limit = |row: &AccuracyRow| {
        baseline(rows, row).map_or_else(|| row.mean(), |first| first.mean() - row.allowed)
    };
    let lows = rows.iter().map(|row| (row.mean() - row.deviation()).min(limit(row)));
    let low = (lows.fold(f64::INFINITY, f64::min) - 0.1).floor();
    let highs = rows.iter().map(|row| row.mean() + row.deviation());
    let high = (highs.fold(0.0, f64::max) + 0.1).ceil();
    let at = |accuracy: f64| LEFT + (accuracy - low) / (high - low) * (WIDTH - LEFT - RIGHT);
    let bottom = TOP + ROW * rows.len() as f64;
    let height = bottom + 45.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"20\" y=\"24\" font-size=\"15\">Test accuracy on Fashion-MNIST: mean, deviation, \
         limit</text>\n"
    );
    let mut accuracy = low;
    while accuracy <= high {
        let (x, below) = (at(accuracy), bottom + 16.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {TOP}V{bottom:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{accuracy}</text>"
        );
        accuracy += 1.0;
    }
    for (index, row) in rows.iter().enumerate() {
        let y = TOP + ROW * (index as f64 + 0.5);
        let (name, text) = (format!("{}, {}", row.net, row.name), y + 4.0);
        let [x, from, to] = [0.0, -row.deviation(), row.deviation()].map(|d| at(row.mean() + d));
        let (tick, up, down) = (at(limit(row)), y - 6.0, y + 6.0);
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{name}</text>\
             <path d=\"M{from:.1} {y:.1}H{to:.1}\" stroke=\"#2471a3\"/>\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#2471a3\"/>\
             <path d=\"M{tick:.1} {up:.1}V{down:.1}\" stroke=\"#c0392b\" stroke-width=\"2\"/>",
            LEFT - 10.0
        );
    }
    let (middle, foot) = ((LEFT + WIDTH - RIGHT) / 2.0, bottom + 36.0);
    let _ = writeln!(
        svg,
        "<text x=\"{middle:.1}\" y=\"{foot:.1}\" text-anchor=\"middle\">accuracy, %</text>"
    );
    svg + "</svg>\n"
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
        assert!(svg.contains(">net, f16</text>") && svg.contains(">90</text>"), "{svg}");
        assert!(svg.ends_with("</svg>\n"));
    }
}
