//! Words that the glossary replaces, and "one a worker" for "one per worker".
//!
//! Only words that have no good meaning here are listed; the others of the style's table ("piece",
//! "turned") also have an ordinary use and are left to review.

use super::files::{Project, ProjectFile};

/// Files that quote what must not be written elsewhere.
const QUOTING: &[&str] = &["docs/glossary.md", "xtask/src/tidy/words.rs"];

/// A word or phrase in small letters, and what to write instead.
const BANNED: &[(&str, &str)] = &[
    ("a figure needs", "a benchmark requires"),
    ("a few a", "a few per"),
    ("ask for pixels ahead", "software prefetch"),
    ("asks for pixels ahead", "software prefetch"),
    ("bell", "wake-up"),
    ("compete for few places", "cache-set conflicts"),
    ("dealing", "replica placement"),
    ("dealt", "placed"),
    ("judge", "failure detector"),
    ("news", "step summary, or control message"),
    ("pulse", "heartbeat"),
    ("settled", "ready"),
    ("settled_by", "ready_after"),
    ("slow twin", "reference"),
    ("f64 twin", "reference"),
    ("taken back", "state what is true now"),
    ("the way of the data", "data flow"),
    ("today's", "name the version, or state what is true now"),
    ("was meant for", "state what is true now"),
    ("winograd's way", "Winograd convolution"),
];

/// Words that count something.
const COUNTS: &[&str] =
    &["one", "two", "three", "four", "five", "six", "seven", "eight", "once", "twice"];

/// Nouns behind "one a".
const NOUNS: &[&str] = &[
    "block",
    "blob",
    "bottom",
    "bucket",
    "byte",
    "call",
    "case",
    "channel",
    "class",
    "column",
    "crate",
    "cycle",
    "direction",
    "entry",
    "error",
    "field",
    "file",
    "generation",
    "gradient",
    "group",
    "host",
    "image",
    "input",
    "iteration",
    "job",
    "label",
    "layer",
    "level",
    "line",
    "machine",
    "message",
    "network",
    "number",
    "panel",
    "param",
    "parameter",
    "process",
    "rank",
    "replica",
    "row",
    "rule",
    "run",
    "sample",
    "score",
    "step",
    "tap",
    "thread",
    "tile",
    "tool",
    "top",
    "value",
    "worker",
];

/// Words between a count and "a" that show another meaning: "one at a time".
const OTHERWISE: &[&str] =
    &["and", "as", "at", "for", "has", "if", "in", "is", "of", "on", "or", "than", "that", "to"];

pub(super) fn banned(project: &Project) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in project.files.iter().filter(|file| is_prose(file)) {
        for (index, line) in file.text.lines().enumerate() {
            for what in wrong(line) {
                complaints.push(format!("{}:{}: {what}", file.path, index + 1));
            }
        }
    }
    complaints
}

fn is_prose(file: &ProjectFile) -> bool {
    let ends = [".rs", ".md", ".toml", ".py"];
    !QUOTING.contains(&&*file.path) && ends.iter().any(|end| file.path.ends_with(end))
}

/// What is wrong with the words of a line.
fn wrong(line: &str) -> Vec<String> {
    let line = line.to_lowercase();
    let found = BANNED.iter().filter(|(phrase, _)| super::sources::has_word(&line, phrase));
    let mut wrong: Vec<_> =
        found.map(|(phrase, instead)| format!("`{phrase}`: {instead}")).collect();
    wrong.extend(one_a(&line).map(|(count, noun)| format!("`{count} .. a {noun}`: per {noun}")));
    wrong
}

/// A count and a noun with "a" or "an" between them that means "per": "one a worker", "one file a
/// layer", "four numbers an input".
fn one_a(line: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = line.split([' ', '`']).filter(|word| !word.is_empty()).collect();
    let noun = |at: usize| {
        let word = words.get(at)?.trim_end_matches(['.', ',', ';', ':', ')', '"']);
        NOUNS.contains(&word).then_some(word)
    };
    for (at, count) in words.iter().enumerate().filter(|(_, word)| COUNTS.contains(word)) {
        // "The one thing a rank knows" is a relative clause.
        if at > 0 && words[at - 1] == "the" {
            continue;
        }
        let word = |by: usize| words.get(at + by).copied().unwrap_or("");
        let found = match (word(1), word(2)) {
            ("a" | "an", _) => noun(at + 2),
            // A full stop or comma before "a" begins something else.
            (thing, "a" | "an")
                if thing.ends_with(char::is_alphanumeric) && !OTHERWISE.contains(&thing) =>
            {
                noun(at + 3)
            }
            _ => None,
        };
        if let Some(noun) = found {
            return Some((count, noun));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::wrong;

    #[test]
    fn wrong_words_are_found_and_ordinary_ones_are_not() {
        let cases = [
            ("/// One a worker.", true),
            ("one file a layer, sorted", true),
            ("drawn once a replica", true),
            ("four numbers an input", true),
            ("in today's format", true),
            ("one at a time; the one thing a rank knows", false),
            ("one per worker", false),
            ("has two replicas. A run ends", false),
            ("the range is settled by then", true),
            ("a doorbell", false),
            ("the net's News and newsletters", true),
            ("newsletters", false),
            ("3x3 by Winograd's way", true),
        ];
        for (line, want) in cases {
            assert_eq!(!wrong(line).is_empty(), want, "{line}: {:?}", wrong(line));
        }
    }
}
