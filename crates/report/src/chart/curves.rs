//! Curves over a number, each named at its right end.

use std::fmt::Write;

use super::axis::{ChartAxis, PlacedAxis};
use super::frame::{CHARACTER, PlotArea};
use super::{color, element, file, thin};
use crate::text::{escape, shortened};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 330.0;
/// Longest name of a curve, in characters.
const NAME_MAX: usize = 24;

/// A chart of curves.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveChart {
    /// What it shows.
    pub title: String,
    /// Horizontal axis.
    pub x: ChartAxis,
    /// Vertical axis.
    pub y: ChartAxis,
    /// What is drawn, in this order.
    pub curves: Vec<Curve>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Shown at its end; nothing if empty.
    pub name: String,
    /// In order of x. Points that are not finite are not drawn.
    pub points: Vec<(f64, f64)>,
    /// Line or dots.
    pub look: CurveLook,
    /// Which colour; equal numbers mark curves that belong together.
    pub color: usize,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveLook {
    /// A line.
    Solid,
    /// A dashed line.
    Dashed,
    /// A dot for every point.
    Dots,
}

impl CurveChart {
    /// A chart of solid lines with a colour each.
    #[must_use]
    pub fn of_lines(
        title: &str,
        [x, y]: [ChartAxis; 2],
        lines: impl IntoIterator<Item = (String, Vec<(f64, f64)>)>,
    ) -> Self {
        let lines = lines.into_iter().enumerate();
        let curves = lines.map(|(color, (name, points))| Curve::new(name, points, color));
        Self { title: title.to_owned(), x, y, curves: curves.collect() }
    }

    /// As a file.
    #[must_use]
    pub fn svg(&self) -> String {
        file(&self.inline())
    }

    /// As an element of a page.
    #[must_use]
    pub fn inline(&self) -> String {
        self.draw(false)
    }

    /// As an element that a page's script can draw anew: curves carry their points.
    #[must_use]
    pub fn with_points(&self) -> String {
        self.draw(true)
    }

    fn draw(&self, keeps_points: bool) -> String {
        let names = self.curves.iter().map(|curve| curve.name.chars().count().min(NAME_MAX));
        let longest = names.max().unwrap_or(0);
        let margin = if longest > 0 { 14.0 + CHARACTER * longest as f64 } else { 20.0 };
        let area = PlotArea { left: 62.0, top: 62.0, right: WIDTH - margin, bottom: HEIGHT - 46.0 };
        let points: Vec<_> = self.curves.iter().map(|curve| thin(&curve.points)).collect();
        let all = || points.iter().flatten();
        let xs = PlacedAxis::over(&self.x, all().map(|p| p.0), [area.left, area.right], false);
        let ys = PlacedAxis::over(&self.y, all().map(|p| p.1), [area.bottom, area.top], true);
        let mut svg = String::new();
        area.title(&mut svg, &self.title, WIDTH);
        area.x_axis(&mut svg, &self.x, &xs);
        area.y_axis(&mut svg, &self.y, &ys);
        let mut ends = Vec::new();
        for (curve, points) in self.curves.iter().zip(&points) {
            let places: Vec<_> =
                points.iter().filter_map(|p| Some((xs.at(p.0)?, ys.at(p.1)?))).collect();
            ends.push(places.last().map_or(area.top, |place| place.1));
            curve.draw(&mut svg, &places, if keeps_points { points } else { &[] });
        }
        names_at_ends(&mut svg, &self.curves, &ends, area);
        let frame = match keeps_points {
            true => {
                let PlotArea { left, top, right, bottom } = area;
                let [low, high] = xs.ends();
                format!(" data-area=\"{left} {top} {right} {bottom}\" data-x=\"{low} {high}\"")
            }
            false => String::new(),
        };
        element(&self.title, [WIDTH, HEIGHT], &frame, &svg)
    }
}

impl Curve {
    /// A solid line.
    #[must_use]
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>, color: usize) -> Self {
        Self { name: name.into(), points, look: CurveLook::Solid, color }
    }

    /// The same with another look.
    #[must_use]
    pub fn looking(self, look: CurveLook) -> Self {
        Self { look, ..self }
    }

    fn draw(&self, svg: &mut String, places: &[(f64, f64)], points: &[(f64, f64)]) {
        let color = color(self.color);
        let class = match self.look {
            CurveLook::Solid => "line",
            CurveLook::Dashed => "line dashed",
            CurveLook::Dots => {
                for (x, y) in places {
                    let _ = write!(
                        svg,
                        "<circle class=\"{color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
                    );
                }
                svg.push('\n');
                return;
            }
        };
        let mut path = String::new();
        for (index, (x, y)) in places.iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' });
        }
        let data: Vec<_> = points.iter().map(|(x, y)| format!("{x} {}", short(*y))).collect();
        let data = match data.is_empty() {
            true => String::new(),
            false => format!(" data-points=\"{}\"", data.join(" ")),
        };
        let title = escape(&self.name);
        let _ = writeln!(
            svg,
            "<path class=\"{class} {color}\" d=\"{path}\"{data}><title>{title}</title></path>"
        );
    }
}

/// A value with six digits: more than a screen shows.
fn short(value: f64) -> String {
    let text = format!("{value:.5e}");
    let number: f64 = text.parse().unwrap_or(value);
    let plain = number.to_string();
    if plain.len() <= text.len() { plain } else { text }
}

/// Names beside the ends, moved apart where they would overlap.
fn names_at_ends(svg: &mut String, curves: &[Curve], ends: &[f64], area: PlotArea) {
    let mut order: Vec<_> = ends.iter().map(|y| y + 4.0).enumerate().collect();
    order.retain(|(index, _)| !curves[*index].name.is_empty());
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let gap = 15.0;
    let mut above = f64::NEG_INFINITY;
    for (_, y) in &mut order {
        *y = y.max(above + gap);
        above = *y;
    }
    let mut below = area.bottom + 8.0 + gap;
    for (_, y) in order.iter_mut().rev() {
        *y = y.min(below - gap);
        below = *y;
    }
    order.sort_by_key(|end| end.0);
    svg.push_str("<g class=\"names\">");
    for (index, y) in order {
        let curve = &curves[index];
        let (name, color) = (escape(&shortened(&curve.name, NAME_MAX)), color(curve.color));
        let x = area.right + 7.0;
        let _ = write!(svg, "<text class=\"{color}\" x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>");
    }
    svg.push_str("</g>\n");
}
