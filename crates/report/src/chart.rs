//! Charts as SVG: curves over a number, rows of bars or dots, boxes with arrows.
//!
//! A chart is data; [`CurveChart::svg`] and [`RowChart::svg`] make a file of it, `inline` the
//! element for a page that has [`STYLE`]. Colours are classes (`c0` … `c7`, safe for colour-blind
//! readers), so that a page shows them on a light or a dark ground. Axes have titles with units.
//! A curve has at most [`POINTS_MAX`] points: the minimum and the maximum of every bin.

mod axis;
mod curves;
mod frame;
mod graph;
mod rows;
mod thin;

pub use axis::{AxisScale, ChartAxis};
pub use curves::{Curve, CurveChart, CurveLook};
pub use graph::{GraphBox, GraphDrawing};
pub use rows::{ChartRow, RowChart, RowMark};
pub use thin::{POINTS_MAX, thin, thin_to};

/// How charts look; a page includes it once.
pub const STYLE: &str = include_str!("chart/chart.css");

/// Number of colours; further curves begin anew.
const COLORS: usize = 8;

/// The class of a colour.
fn color(index: usize) -> String {
    format!("c{}", index % COLORS)
}

/// The `svg` element around `body`, as a file of its own if `style` is wanted.
fn element(title: &str, [width, height]: [f64; 2], attributes: &str, body: &str) -> String {
    let title = crate::text::escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width:.0} \
         {height:.0}\" role=\"img\" aria-label=\"{title}\"{attributes}>\n{body}</svg>\n"
    )
}

/// A chart's element as a file: with its style and a ground.
fn file(element: &str) -> String {
    let (open, rest) = element.split_once(">\n").unwrap_or((element, ""));
    format!(
        "{open}>\n<style>{STYLE}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n{rest}"
    )
}

#[cfg(test)]
mod tests;
