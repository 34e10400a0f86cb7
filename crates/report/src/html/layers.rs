//! Time per layer, and how far it is from what the machine allows.

use super::{scrolling, table};
use crate::RunHistory;
use crate::chart::{ChartAxis, ChartRow, RowChart, RowMark};
use crate::record::{LayerTime, LayersEntry};

/// Layers that the chart shows: those that take longest.
const SHOWN: usize = 30;

pub(super) fn layers(run: &RunHistory) -> String {
    let Some(entry) = run.layers.as_ref().filter(|entry| !entry.layers.is_empty()) else {
        return String::new();
    };
    let mut order: Vec<&LayerTime> = entry.layers.iter().collect();
    order.sort_by(|a, b| total(b).total_cmp(&total(a)));
    order.truncate(SHOWN);
    let rows = order.iter().map(|layer| chart_row(entry, layer)).collect();
    let bounded = entry.flops_per_s.is_some();
    let mut legend = vec!["forward".to_owned(), "backward".to_owned()];
    if bounded {
        legend.push("least time that the machine allows".into());
    }
    let chart = RowChart {
        title: "Time per layer and iteration, worker 0".into(),
        x: ChartAxis::from_zero("time, ms"),
        legend,
        rows,
    };
    let cells: Vec<_> = entry.layers.iter().map(|layer| cells(entry, layer)).collect();
    let head = ["layer", "type", "forward, ms", "backward, ms", "of the limit"];
    format!(
        "<h2>Layers</h2><figure>{}</figure><details><summary>All {} layers</summary>{}</details>",
        scrolling("time per layer", &chart.inline()),
        entry.layers.len(),
        table("layers", head, &cells)
    )
}

fn total(layer: &LayerTime) -> f64 {
    layer.seconds.iter().sum()
}

/// Milliseconds of one iteration.
fn ms(entry: &LayersEntry, seconds: f64) -> f64 {
    1e3 * seconds / entry.iterations.max(1) as f64
}

/// The least time of a direction in milliseconds: its operations at the peak, or its bytes.
fn least(entry: &LayersEntry, layer: &LayerTime, direction: usize) -> Option<f64> {
    let (flops, bytes) = (entry.flops_per_s?, entry.bytes_per_s?);
    let bound = (layer.flops[direction] / flops).max(layer.bytes[direction] / bytes);
    bound.is_finite().then_some(1e3 * bound)
}

fn chart_row(entry: &LayersEntry, layer: &LayerTime) -> ChartRow {
    let [forward, backward] = layer.seconds.map(|seconds| ms(entry, seconds));
    let bar = |from: f64, time: f64, color: usize, what: &str| RowMark::Bar {
        from,
        to: from + time,
        color,
        label: format!("{}: {what} {time:.3} ms", layer.name),
    };
    let mut marks = vec![bar(0.0, forward, 0, "forward"), bar(forward, backward, 1, "backward")];
    let bounds: Option<f64> = (0..2).map(|direction| least(entry, layer, direction)).sum();
    marks.extend(bounds.filter(|at| *at > 0.0).map(|at| RowMark::Tick { at, color: 2 }));
    ChartRow { name: layer.name.clone(), marks }
}

fn cells(entry: &LayersEntry, layer: &LayerTime) -> [String; 5] {
    let bounds: Option<f64> = (0..2).map(|direction| least(entry, layer, direction)).sum();
    let time = ms(entry, total(layer));
    let share = match bounds {
        Some(bound) if bound > 0.0 && time > 0.0 => format!("{:.0} %", 100.0 * bound / time),
        _ => "-".to_owned(),
    };
    let [forward, backward] = layer.seconds.map(|seconds| format!("{:.3}", ms(entry, seconds)));
    [layer.name.clone(), layer.kind.clone(), forward, backward, share]
}
