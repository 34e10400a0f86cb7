//! What every chart has: a title, a grid with labels, and titles of its axes.

use std::fmt::Write;

use super::ChartAxis;
use super::axis::PlacedAxis;
use crate::text::{escape, shortened};

/// About how wide a character of labels is.
pub(super) const CHARACTER: f64 = 6.8;

/// The rectangle that data is drawn in.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlotArea {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl PlotArea {
    /// The title above, cut to what fits.
    pub(super) fn title(&self, svg: &mut String, title: &str, width: f64) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let most = (width / (CHARACTER + 1.2)) as usize;
        let short = escape(&shortened(title, most));
        let _ = writeln!(svg, "<text class=\"title\" x=\"10\" y=\"20\">{short}</text>");
    }

    /// Vertical lines, their labels, and the title of x below.
    pub(super) fn x_axis(&self, svg: &mut String, axis: &ChartAxis, placed: &PlacedAxis) {
        let Self { left, top, right, bottom } = *self;
        let below = bottom + 17.0;
        svg.push_str("<g class=\"x\">");
        for (x, label) in placed.ticks() {
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>\
                 <text class=\"middle small\" x=\"{x:.1}\" y=\"{below:.1}\">{label}</text>"
            );
        }
        let (middle, foot) = ((left + right) / 2.0, bottom + 36.0);
        let _ = writeln!(
            svg,
            "</g>\n<text class=\"middle axis\" x=\"{middle:.1}\" y=\"{foot:.1}\">{}</text>",
            escape(&axis.title)
        );
    }

    /// Horizontal lines, their labels, and the title of y above them.
    pub(super) fn y_axis(&self, svg: &mut String, axis: &ChartAxis, placed: &PlacedAxis) {
        let Self { left, top, right, .. } = *self;
        let before = left - 7.0;
        svg.push_str("<g class=\"y\">");
        for (y, label) in placed.ticks() {
            let text = y + 4.0;
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>\
                 <text class=\"end small\" x=\"{before:.1}\" y=\"{text:.1}\">{label}</text>"
            );
        }
        let _ = writeln!(
            svg,
            "</g>\n<text class=\"axis\" x=\"10\" y=\"{:.1}\">{}</text>",
            top - 13.0,
            escape(&axis.title)
        );
    }
}
