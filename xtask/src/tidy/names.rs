//! Type names: each declared once in the workspace, and none too general to search for.

use std::collections::BTreeMap;

use super::files::Project;

/// Names that say nothing about the role of a type.
const GENERAL: &[&str] = &[
    "Args", "Block", "Case", "Command", "Conv", "Cut", "Data", "Entry", "Fill", "Info", "Input",
    "Item", "Line", "Loaded", "Mat", "Names", "Options", "Part", "Pass", "Piece", "Place",
    "Record", "Row", "Run", "Section", "Share", "Span", "Spec", "Stage", "State", "Step", "Table",
    "Target", "Task", "Tree", "Window", "Work", "Writer",
];

pub(super) fn unique(project: &Project) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in project.rust() {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(name) = declared(line) {
                places.entry(name).or_default().push(format!("{}:{}", file.path, index + 1));
            }
        }
    }
    let twice = places.into_iter().filter(|(_, places)| places.len() > 1);
    twice
        .flat_map(|(name, places)| {
            let others = move |at: usize| format!("`{name}` is declared {at} times");
            let count = places.len();
            places.into_iter().map(move |place| format!("{place}: {}", others(count)))
        })
        .collect()
}

pub(super) fn specific(project: &Project) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in project.rust() {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(name) = declared(line).filter(|name| GENERAL.contains(name)) {
                let place = format!("{}:{}", file.path, index + 1);
                complaints.push(format!("{place}: `{name}` does not say its role"));
            }
        }
    }
    complaints
}

/// The type that a line declares. An indented `type` is an associated one.
fn declared(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let words = match text.strip_prefix("pub") {
        Some(rest) if rest.starts_with([' ', '(']) => {
            let rest = rest
                .strip_prefix('(')
                .map_or(rest, |rest| rest.split_once(')').map_or("", |(_, rest)| rest));
            rest.trim_start()
        }
        _ => text,
    };
    let words = words.strip_prefix("unsafe ").unwrap_or(words);
    let (keyword, rest) = words.split_once(' ')?;
    let associated = keyword == "type" && line.starts_with(' ');
    if !["struct", "enum", "trait", "type", "union"].contains(&keyword) || associated {
        return None;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest.starts_with(char::is_uppercase).then_some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::{Project, declared, specific, unique};
    use crate::tidy::files::ProjectFile;

    #[test]
    fn declarations_are_recognised() {
        let cases = [
            ("pub struct Rank {", Some("Rank")),
            ("pub(crate) enum Launch {", Some("Launch")),
            ("    pub(super) struct Inner<'a>(&'a str);", Some("Inner")),
            ("type Environment<'a> = &'a str;", Some("Environment")),
            ("    type Error = String;", None),
            ("pub unsafe trait Pod {}", Some("Pod")),
            ("/// struct Rank", None),
            ("struct $name;", None),
            ("publish = struct Rank", None),
        ];
        for (line, want) in cases {
            assert_eq!(declared(line), want, "{line}");
        }
    }

    #[test]
    fn a_name_declared_twice_is_found_in_both_places() {
        let file =
            |path: &str, text: &str| ProjectFile { path: path.into(), bytes: 0, text: text.into() };
        let files = vec![file("a.rs", "struct Slab;\nstruct Run;"), file("b.rs", "enum Slab {}")];
        let project = Project { files };
        assert_eq!(unique(&project).len(), 2);
        assert_eq!(specific(&project), ["a.rs:2: `Run` does not say its role"]);
    }
}
