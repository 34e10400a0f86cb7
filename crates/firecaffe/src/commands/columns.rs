//! Tables of text: columns as wide as their widest cell, two spaces apart.

/// Which edge of its column a cell stands at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// The titles and rows as lines, without spaces at their ends.
pub(super) fn render<const N: usize>(
    columns: [(&str, Side); N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut cells = vec![columns.map(|(title, _)| title.to_owned())];
    cells.extend(rows);
    let widths: [usize; N] = std::array::from_fn(|column| {
        cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in &cells {
        let mut line = String::new();
        for ((cell, width), (_, side)) in row.iter().zip(widths).zip(columns) {
            let gap = if line.is_empty() { "" } else { "  " };
            line += gap;
            line += &match side {
                Side::Left => format!("{cell:<width$}"),
                Side::Right => format!("{cell:>width$}"),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
