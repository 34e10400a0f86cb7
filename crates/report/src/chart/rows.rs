//! Named rows of bars, dots and ticks along one axis: shares of time, timelines, whiskers.

use std::fmt::Write;

use super::axis::{ChartAxis, PlacedAxis};
use super::frame::{CHARACTER, PlotArea};
use super::{color, element, file};
use crate::text::{escape, shortened};

const WIDTH: f64 = 640.0;
const ROW: f64 = 22.0;
/// Longest name of a row, in characters.
const NAME_MAX: usize = 30;

/// A chart of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RowChart {
    /// What it shows.
    pub title: String,
    /// The axis of all rows.
    pub x: ChartAxis,
    /// What the colours mean, from colour 0.
    pub legend: Vec<String>,
    /// From top to bottom.
    pub rows: Vec<ChartRow>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartRow {
    /// Shown to its left.
    pub name: String,
    /// What is drawn, in this order.
    pub marks: Vec<RowMark>,
}

/// Something on a row.
#[derive(Debug, Clone, PartialEq)]
pub enum RowMark {
    /// A bar.
    Bar {
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
        /// Its colour.
        color: usize,
        /// What it is, shown when pointed at.
        label: String,
    },
    /// A line with a dot in its middle: a mean and its deviation.
    Whisker {
        /// Of the dot.
        mean: f64,
        /// To both sides.
        deviation: f64,
        /// Its colour.
        color: usize,
    },
    /// A short line across the row: a limit.
    Tick {
        /// Where.
        at: f64,
        /// Its colour.
        color: usize,
    },
}

impl RowMark {
    fn ends(&self) -> [f64; 2] {
        match *self {
            Self::Bar { from, to, .. } => [from, to],
            Self::Whisker { mean, deviation, .. } => [mean - deviation, mean + deviation],
            Self::Tick { at, .. } => [at, at],
        }
    }

    fn draw(&self, svg: &mut String, xs: &PlacedAxis, y: f64) {
        let at = |value: f64| xs.at(value).unwrap_or(0.0);
        match self {
            Self::Bar { from, to, color: index, label } => {
                let (x, width) = (at(*from), (at(*to) - at(*from)).max(0.4));
                let (color, top, height) = (color(*index), y - 7.0, 14.0);
                let _ = write!(
                    svg,
                    "<rect class=\"bar {color}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
                     height=\"{height}\"><title>{}</title></rect>",
                    escape(label)
                );
            }
            Self::Whisker { mean, color: index, .. } => {
                let (color, middle) = (color(*index), at(*mean));
                let [from, to] = self.ends().map(at);
                let _ = write!(
                    svg,
                    "<path class=\"thin {color}\" d=\"M{from:.1} {y:.1}H{to:.1}\"/>\
                     <circle class=\"{color}\" cx=\"{middle:.1}\" cy=\"{y:.1}\" r=\"4\"/>"
                );
            }
            Self::Tick { at: value, color: index } => {
                let (color, x, top, bottom) = (color(*index), at(*value), y - 9.0, y + 9.0);
                let _ = write!(
                    svg,
                    "<path class=\"tick {color}\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>"
                );
            }
        }
    }
}

impl RowChart {
    /// As a file.
    #[must_use]
    pub fn svg(&self) -> String {
        file(&self.inline())
    }

    /// As an element of a page.
    #[must_use]
    pub fn inline(&self) -> String {
        let names = self.rows.iter().map(|row| row.name.chars().count().min(NAME_MAX));
        let left = 18.0 + CHARACTER * names.max().unwrap_or(0) as f64;
        let lines = self.legend_lines();
        let top = 38.0 + 18.0 * lines.len() as f64;
        let bottom = top + ROW * self.rows.len().max(1) as f64;
        let area = PlotArea { left, top, right: WIDTH - 22.0, bottom };
        let ends = self.rows.iter().flat_map(|row| &row.marks).flat_map(RowMark::ends);
        let xs = PlacedAxis::over(&self.x, ends, [area.left, area.right], true);
        let mut svg = String::new();
        area.title(&mut svg, &self.title, WIDTH);
        area.x_axis(&mut svg, &self.x, &xs);
        for (index, line) in lines.iter().enumerate() {
            self.draw_legend(&mut svg, line, 42.0 + 18.0 * index as f64);
        }
        for (index, row) in self.rows.iter().enumerate() {
            let y = top + ROW * (index as f64 + 0.5);
            let (x, text) = (left - 8.0, y + 4.0);
            let name = escape(&shortened(&row.name, NAME_MAX));
            let _ = write!(svg, "<text class=\"end\" x=\"{x:.1}\" y=\"{text:.1}\">{name}</text>");
            row.marks.iter().for_each(|mark| mark.draw(&mut svg, &xs, y));
            svg.push('\n');
        }
        element(&self.title, [WIDTH, bottom + 46.0], "", &svg)
    }

    /// Colours and where their names begin, in lines that fit.
    fn legend_lines(&self) -> Vec<Vec<(usize, f64)>> {
        let mut lines: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut x = f64::INFINITY;
        for (color, name) in self.legend.iter().enumerate() {
            let width = 34.0 + 1.1 * CHARACTER * name.chars().count() as f64;
            if x + width > WIDTH {
                lines.push(Vec::new());
                x = 10.0;
            }
            lines.last_mut().expect("the first name begins a line").push((color, x));
            x += width;
        }
        lines
    }

    fn draw_legend(&self, svg: &mut String, line: &[(usize, f64)], y: f64) {
        for &(index, x) in line {
            let (color, name) = (color(index), escape(&self.legend[index]));
            let (top, text) = (y - 10.0, x + 16.0);
            let _ = write!(
                svg,
                "<rect class=\"bar {color}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"11\" \
                 height=\"11\"/><text x=\"{text:.1}\" y=\"{y:.1}\">{name}</text>"
            );
        }
        svg.push('\n');
    }
}
