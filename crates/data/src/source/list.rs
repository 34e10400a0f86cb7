//! Lists of files with labels, as `ImageData` and `convert_imageset` read them.

use std::path::Path;

use crate::error::DataError;

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListEntry {
    pub(crate) name: String,
    pub(crate) label: i32,
}

/// Reads a list: on each line a name, the last space, a label. Empty lines are left out.
pub(crate) fn read(path: &Path) -> Result<Vec<ListEntry>, DataError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| DataError::Read { path: path.to_owned(), source })?;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let parsed = line.rsplit_once(' ').and_then(|(name, label)| {
            Some(ListEntry { name: name.to_owned(), label: label.trim().parse().ok()? })
        });
        let bad = || DataError::List { path: path.to_owned(), line: number };
        lines.push(parsed.ok_or_else(bad)?);
    }
    if lines.is_empty() {
        return Err(DataError::NoRecords { path: path.to_owned() });
    }
    Ok(lines)
}
