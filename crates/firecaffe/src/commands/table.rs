//! A net as a table: layers, shapes, parameters, multiply-adds, memory.

use base::Shape;
use net::{Net, Row};

use crate::log::{megabytes, memory_plan};

/// Columns: their titles, and whether they hold numbers, which stand to the right.
const COLUMNS: [(&str, bool); 6] = [
    ("layer", false),
    ("type", false),
    ("top shapes", false),
    ("parameters", true),
    ("multiply-adds", true),
    ("activations", true),
];

/// The table of `net` and its memory plan.
pub(super) fn render(net: &Net) -> String {
    let rows = net.rows();
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
    cells.insert(0, COLUMNS.map(|(title, _)| title.to_owned()));
    let widths: [usize; 6] = std::array::from_fn(|column| {
        cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in &cells {
        let mut line = String::new();
        for ((cell, width), (_, right)) in row.iter().zip(widths).zip(COLUMNS) {
            let gap = if line.is_empty() { "" } else { "  " };
            line += gap;
            line += &if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text + &memory_plan(&net.memory()) + "\n"
}

fn cells(row: &Row) -> [String; 6] {
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
