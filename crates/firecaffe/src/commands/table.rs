//! A net as a table: layers, shapes, parameters, multiply-adds, memory.

use base::{Shape, megabytes};
use net::{LayerSummary, NetDescription};

use super::columns::{self, Side};
use crate::log::memory_plan;

const COLUMNS: [(&str, Side); 6] = [
    ("layer", Side::Left),
    ("type", Side::Left),
    ("top shapes", Side::Left),
    ("parameters", Side::Right),
    ("multiply-adds", Side::Right),
    ("activations", Side::Right),
];

/// The table of `net` and its memory plan.
pub(super) fn render(net: &NetDescription) -> String {
    let rows = &net.rows;
    let mut cells: Vec<_> = rows.iter().filter(|row| !row.hidden).map(cells).collect();
    let parameters: usize = rows.iter().map(|row| row.params).sum();
    let multiply_adds: u64 = rows.iter().map(|row| row.multiply_adds).sum();
    let activations: usize = rows.iter().map(|row| row.activation_bytes).sum();
    cells.push([
        "total".into(),
        String::new(),
        String::new(),
        thousands(parameters as u64),
        thousands(multiply_adds),
        megabytes(activations),
    ]);
    columns::render(COLUMNS, cells) + &memory_plan(&net.memory) + "\n" + &shapes_only(net)
}

/// FireCaffe's table 1: what model and data parallelism would exchange per iteration, and work.
pub(super) fn volumes(net: &NetDescription) -> String {
    let batch = net.batch_items().max(1) as f64;
    let weighted = |row: &&LayerSummary| row.multiply_adds > 0 && row.params_read > 0;
    let inputs = net.rows.iter().filter(weighted).filter_map(|row| row.bottoms.first());
    let data = VALUE_BYTES * inputs.map(|shape| shape.count() as f64).sum::<f64>() / batch;
    let learned = net.params.iter().filter_map(|param| param.gradient.as_ref());
    let weights = VALUE_BYTES * learned.map(|range| range.len() as f64).sum::<f64>();
    let ops: f64 = net.rows.iter().map(|row| row.forward_flops() + row.backward_flops()).sum();
    let [data_mb, weights_mb] = [data / 1e6, weights / 1e6];
    let ratio = FIRECAFFE_BATCH * data / weights.max(1.0);
    format!(
        "|D| {data_mb:.3} MB per image, |W| {weights_mb:.3} MB, |D|/|W| {ratio:.1} at batch \
         {FIRECAFFE_BATCH}, {:.4} G operations per image forward and backward\n",
        ops / batch / 1e9
    )
}

/// The batch of FireCaffe's table 1.
const FIRECAFFE_BATCH: f64 = 1024.0;

const VALUE_BYTES: f64 = 4.0;

/// Says which layers `train` would refuse, since only their shapes are known.
fn shapes_only(net: &NetDescription) -> String {
    let Some((fork, layers)) = net.shapes_only() else { return String::new() };
    let mut types: Vec<_> = layers.into_iter().map(|(_, kind)| kind).collect();
    types.sort_unstable();
    types.dedup();
    let types = types.join(", ");
    format!("not trained here: only the shapes of {types} are known; the {fork} fork runs them\n")
}

fn cells(row: &LayerSummary) -> [String; 6] {
    let shapes: Vec<_> = row.tops.iter().map(dims).collect();
    [
        row.name.clone(),
        row.kind.into(),
        shapes.join(", "),
        thousands(row.params as u64),
        thousands(row.multiply_adds),
        megabytes(row.activation_bytes),
    ]
}

/// `64x1x28x28`; a single value has no axes and is `1`.
fn dims(shape: &Shape) -> String {
    let dims: Vec<_> = shape.dims().iter().map(usize::to_string).collect();
    if dims.is_empty() { "1".into() } else { dims.join("x") }
}

/// `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn commas_stand_before_every_third_digit() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")];
        cases.iter().for_each(|&(number, want)| assert_eq!(thousands(number), want));
    }
}
