//! A drawing of boxes and arrows from top to bottom, without Graphviz.
//!
//! A box stands one row below the lowest box that it needs, so arrows only point down. Within a
//! row, boxes are ordered by the mean place of what they need, which keeps most arrows short. Takes
//! time in proportion to boxes and arrows.

use std::fmt::Write;

use super::frame::CHARACTER;
use super::{color, element, file};
use crate::text::{escape, shortened};

const LINE: f64 = 16.0;
const GAP: f64 = 26.0;
const MARGIN: f64 = 16.0;
/// Longest line of a box, in characters.
const LINE_MAX: usize = 34;

/// Boxes and arrows.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphDrawing {
    /// What it shows.
    pub title: String,
    /// In an order in which arrows point forward.
    pub boxes: Vec<GraphBox>,
}

/// One box.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphBox {
    /// Its text; the first line is its name.
    pub lines: Vec<String>,
    /// Its colour.
    pub color: usize,
    /// The boxes that arrows come from; those that are not before it are left out.
    pub needs: Vec<usize>,
}

/// Where a box stands.
#[derive(Debug, Clone, Copy, Default)]
struct BoxPlace {
    row: usize,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl GraphDrawing {
    /// As a file.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut places = self.rows();
        let width = self.spread(&mut places);
        let height = places.iter().map(|place| place.y + place.height).fold(0.0, f64::max);
        let mut svg = String::new();
        for (index, node) in self.boxes.iter().enumerate() {
            let needed = node.needs.iter().filter(|need| **need < index);
            needed.for_each(|need| arrow(&mut svg, places[*need], places[index]));
        }
        for (node, place) in self.boxes.iter().zip(&places) {
            node.draw(&mut svg, *place);
        }
        file(&element(&self.title, [width, height + MARGIN], "", &svg))
    }

    /// The size of every box and its row.
    fn rows(&self) -> Vec<BoxPlace> {
        let mut places: Vec<BoxPlace> = Vec::with_capacity(self.boxes.len());
        for (index, node) in self.boxes.iter().enumerate() {
            let needed = node.needs.iter().filter(|need| **need < index);
            let row = needed.map(|need| places[*need].row + 1).max().unwrap_or(0);
            let longest = node.lines.iter().map(|line| line.chars().count().min(LINE_MAX)).max();
            let width = 20.0 + CHARACTER * longest.unwrap_or(0) as f64;
            let height = 10.0 + LINE * node.lines.len() as f64;
            places.push(BoxPlace { row, x: 0.0, y: 0.0, width, height });
        }
        places
    }

    /// Places the boxes of every row side by side; the width of the drawing.
    fn spread(&self, places: &mut [BoxPlace]) -> f64 {
        let rows = places.iter().map(|place| place.row + 1).max().unwrap_or(0);
        let mut of_row: Vec<Vec<usize>> = vec![Vec::new(); rows];
        places.iter().enumerate().for_each(|(index, place)| of_row[place.row].push(index));
        let width_of = |row: &[usize], places: &[BoxPlace]| {
            row.iter().map(|index| places[*index].width + GAP).sum::<f64>() - GAP
        };
        let widest = of_row.iter().map(|row| width_of(row, places)).fold(160.0, f64::max);
        let mut y = MARGIN;
        for row in &mut of_row {
            let middle = |index: usize| {
                let needed = self.boxes[index].needs.iter().filter(|need| **need < index);
                let middles: Vec<f64> =
                    needed.map(|need| places[*need].x + places[*need].width / 2.0).collect();
                middles.iter().sum::<f64>() / middles.len().max(1) as f64
            };
            let mut order: Vec<_> = row.iter().map(|index| (middle(*index), *index)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut x = MARGIN + (widest - width_of(row, places)) / 2.0;
            let height = row.iter().map(|index| places[*index].height).fold(0.0, f64::max);
            for (_, index) in order {
                (places[index].x, places[index].y) = (x, y);
                x += places[index].width + GAP;
            }
            y += height + GAP;
        }
        widest + 2.0 * MARGIN
    }
}

impl GraphBox {
    fn draw(&self, svg: &mut String, place: BoxPlace) {
        let BoxPlace { x, y, width, height, .. } = place;
        // An arrow over several rows passes behind the boxes between: their text stays readable.
        for class in ["ground", &*format!("box {}", color(self.color))] {
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
                 height=\"{height:.1}\" rx=\"5\"/>"
            );
        }
        for (index, line) in self.lines.iter().enumerate() {
            let (middle, base) = (x + width / 2.0, y + 17.0 + LINE * index as f64);
            let class = if index == 0 { "middle name" } else { "middle small" };
            let text = escape(&shortened(line, LINE_MAX));
            let _ = write!(
                svg,
                "<text class=\"{class}\" x=\"{middle:.1}\" y=\"{base:.1}\">{text}</text>"
            );
        }
        svg.push('\n');
    }
}

fn arrow(svg: &mut String, from: BoxPlace, to: BoxPlace) {
    let (x0, y0) = (from.x + from.width / 2.0, from.y + from.height);
    let (x1, y1) = (to.x + to.width / 2.0, to.y);
    let bend = ((y1 - y0) / 2.0).min(40.0);
    let (a, b, left, right, wing) = (y0 + bend, y1 - bend, x1 - 4.0, x1 + 4.0, y1 - 7.0);
    let _ = writeln!(
        svg,
        "<path class=\"arrow\" d=\"M{x0:.1} {y0:.1}C{x0:.1} {a:.1} {x1:.1} {b:.1} {x1:.1} {y1:.1}\
         M{left:.1} {wing:.1}L{x1:.1} {y1:.1}L{right:.1} {wing:.1}\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::{GraphBox, GraphDrawing};

    #[test]
    fn boxes_stand_below_what_they_need() {
        let node = |name: &str, needs: &[usize]| GraphBox {
            lines: vec![name.into()],
            color: 0,
            needs: needs.to_vec(),
        };
        // The last one names a box that comes after it, which a hostile net could make it do.
        let boxes =
            vec![node("<data>", &[]), node("a", &[0]), node("b", &[0]), node("sum", &[1, 2, 9])];
        let drawing = GraphDrawing { title: "net".into(), boxes };
        let rows: Vec<_> = drawing.rows().iter().map(|place| place.row).collect();
        assert_eq!(rows, [0, 1, 1, 2]);
        let svg = drawing.svg();
        assert_eq!(svg.matches("class=\"arrow\"").count(), 4);
        assert!(svg.contains("&lt;data&gt;") && !svg.contains("<data>"), "{svg}");
    }
}
