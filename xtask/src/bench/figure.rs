//! A line chart as SVG: both axes logarithmic, one colour per line, names at the right end.

use std::fmt::Write;

/// One line of the chart; points in order of x, all above zero.
pub(crate) struct FigureLine {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 170.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const COLORS: &[&str] =
    &["#c0392b", "#2471a3", "#1e8449", "#b9770e", "#6c3483", "#148f77", "#616a6b"];

/// Draws the lines.
pub(crate) fn draw(title: &str, x_name: &str, y_name: &str, lines: &[FigureLine]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let xs = Axis::over(points().map(|point| point.0), LEFT, WIDTH - RIGHT);
    let ys = Axis::over(points().map(|point| point.1), HEIGHT - BOTTOM, TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{title}</text>\n"
    );
    for x in xs.doublings() {
        let at = xs.at(x);
        let (top, bottom, below) = (TOP, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 18.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{x}</text>"
        );
    }
    for y in ys.doublings() {
        let (at, right, before) = (ys.at(y), WIDTH - RIGHT, LEFT - 8.0);
        let text = at + 4.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>\
             <text x=\"{before}\" y=\"{text:.1}\" text-anchor=\"end\">{y}</text>"
        );
    }
    let (middle, foot) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0);
    let _ =
        writeln!(svg, "<text x=\"{middle}\" y=\"{foot}\" text-anchor=\"middle\">{x_name}</text>");
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"36\" font-size=\"11\">{y_name}</text>");
    let mut labels = labels(lines, &ys);
    for (line, color) in lines.iter().zip(COLORS.iter().cycle()) {
        let path: Vec<_> = line
            .points
            .iter()
            .map(|point| format!("{:.1} {:.1}", xs.at(point.0), ys.at(point.1)))
            .collect();
        let (path, name) = (path.join("L"), &line.name);
        let (x, y) = (WIDTH - RIGHT + 8.0, labels.remove(0));
        let _ = writeln!(
            svg,
            "<path d=\"M{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"{x}\" y=\"{y:.1}\" fill=\"{color}\">{name}</text>"
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Heights of the names: beside the lines' ends, moved apart where they would overlap.
fn labels(lines: &[FigureLine], ys: &Axis) -> Vec<f64> {
    let end = |line: &FigureLine| line.points.last().map_or(TOP, |point| ys.at(point.1) + 4.0);
    let mut order: Vec<_> = lines.iter().map(end).enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut above = f64::NEG_INFINITY;
    for (_, y) in &mut order {
        *y = y.max(above + 15.0);
        above = *y;
    }
    order.sort_by_key(|label| label.0);
    order.into_iter().map(|label| label.1).collect()
}

/// A logarithmic scale between powers of two.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = values
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        Self { low: low.log2().floor(), high: high.log2().ceil(), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.log2() - self.low) / (self.high - self.low).max(1.0);
        self.from + share * (self.to - self.from)
    }

    fn doublings(&self) -> impl Iterator<Item = f64> {
        let (low, high) = (self.low, self.high);
        std::iter::successors(Some(low), move |at| (*at < high).then_some(at + 1.0)).map(f64::exp2)
    }
}

#[cfg(test)]
mod tests {
    use super::{FigureLine, draw};

    #[test]
    fn a_line_has_its_points_and_its_name() {
        let line = FigureLine { name: "tree".to_owned(), points: vec![(2.0, 4.0), (4.0, 2.0)] };
        let svg = draw("title", "hosts", "updates", &[line]);
        assert!(svg.contains("M60.0 40.0L550.0 370.0"), "{svg}");
        assert!(svg.contains(">tree</text>") && svg.ends_with("</svg>\n"));
    }
}
