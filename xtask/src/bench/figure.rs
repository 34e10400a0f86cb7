//! Charts of measurements: both axes logarithmic.

use report::chart::{ChartAxis, CurveChart};

/// One line of the chart; points in order of x, all above zero.
pub(crate) struct FigureLine {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Draws the lines as SVG.
pub(crate) fn draw(title: &str, x_name: &str, y_name: &str, lines: &[FigureLine]) -> String {
    let axes = [ChartAxis::log2(x_name), ChartAxis::log2(y_name)];
    let lines = lines.iter().map(|line| (line.name.clone(), line.points.clone()));
    CurveChart::of_lines(title, axes, lines).svg()
}
