//! How text is laid out, and what must not stand in comments and errors.

use super::files::{Project, ProjectFile};

/// Columns of a line of text.
const COLUMNS_MAX: usize = 100;

/// Lines of Markdown and comments fit the page. Tables, links, code and what is generated from a
/// table cannot be wrapped.
pub(super) fn columns(project: &Project) -> Vec<String> {
    let long = |line: &str| line.chars().count() > COLUMNS_MAX;
    let mut complaints = Vec::new();
    for file in &project.files {
        let is_text = match file.path.rsplit('.').next() {
            Some("md") => markdown as fn(&ProjectFile) -> Vec<bool>,
            Some("rs") => comments,
            _ => continue,
        };
        let lines = file.text.lines().zip(is_text(file)).enumerate();
        for (index, (line, is_text)) in lines {
            let unbroken = line.trim_start().trim_start_matches(['/', '!', ' ']);
            if is_text && long(line) && unbroken.contains(' ') {
                let columns = line.chars().count();
                complaints.push(format!("{}:{}: {columns} columns", file.path, index + 1));
            }
        }
    }
    complaints
}

/// Which lines of Markdown are running text: no table, no code, no link definition.
fn markdown(file: &ProjectFile) -> Vec<bool> {
    running_text(file.text.lines())
}

/// Which lines of a Rust file are comments with running text. A generated file has none.
fn comments(file: &ProjectFile) -> Vec<bool> {
    let generated = file.text.lines().take(2).any(|line| line.contains("Generated from"));
    let bodies = file.text.lines().map(|line| {
        let text = line.trim_start();
        if text.starts_with("//") { text.trim_start_matches(['/', '!']) } else { "" }
    });
    let mut is_text = running_text(bodies);
    for (is_text, line) in is_text.iter_mut().zip(file.text.lines()) {
        *is_text &= !generated && line.trim_start().starts_with("//");
    }
    is_text
}

fn running_text<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<bool> {
    let mut in_code = false;
    let lines = lines.map(|line| {
        let text = line.trim_start();
        if text.starts_with("```") {
            in_code = !in_code;
            return false;
        }
        let only_a_link = text.starts_with('[') && text.contains("]: ");
        !in_code && !text.starts_with('|') && !only_a_link
    });
    lines.collect()
}

/// A variant that holds text cannot be matched on: each case has its own, with fields.
pub(super) fn string_variants(project: &Project) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in project.rust() {
        let mut in_error = false;
        for (index, line) in file.text.lines().enumerate() {
            let text = line.trim_start();
            if let Some((_, name)) = text.split_once("enum ").filter(|_| !text.starts_with("//")) {
                in_error = name.split([' ', '{', '<']).next().is_some_and(|n| n.ends_with("Error"));
            } else if line == "}" {
                in_error = false;
            }
            let variant = text.split_once("(String)").map_or("", |(name, _)| name);
            let is_name = variant.starts_with(char::is_uppercase);
            if in_error && is_name && variant.chars().all(char::is_alphanumeric) {
                let place = format!("{}:{}", file.path, index + 1);
                complaints.push(format!("{place}: `{variant}(String)`"));
            }
        }
    }
    complaints
}

/// Git remembers code; comments are for reasons.
pub(super) fn code_in_comments(project: &Project) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in project.rust() {
        for (index, line) in file.text.lines().enumerate() {
            if is_code_in_comment(line) {
                let place = format!("{}:{}", file.path, index + 1);
                complaints.push(format!("{place}: {}", line.trim()));
            }
        }
    }
    complaints
}

fn is_code_in_comment(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "let ", "if ", "for ", "while ", "match ", "return ", "use ", "fn ", "pub ", "assert",
        "println!", "self.", "#[",
    ];
    let Some(text) = line.trim_start().strip_prefix("// ") else { return false };
    let starts = STARTS.iter().any(|start| text.starts_with(start));
    starts && (text.ends_with(';') || text.ends_with('{') || text.ends_with(']'))
}

#[cfg(test)]
mod tests {
    use super::{Project, ProjectFile, code_in_comments, columns, string_variants};

    #[track_caller]
    fn check(rule: fn(&Project) -> Vec<String>, path: &str, text: &str, want: &[usize]) {
        let file = ProjectFile { path: path.into(), bytes: 0, text: text.into() };
        let complaints = rule(&Project { files: vec![file] });
        let line = |complaint: &String| complaint.split(':').nth(1)?.parse().ok();
        assert_eq!(complaints.iter().filter_map(line).collect::<Vec<usize>>(), want);
    }

    #[test]
    fn long_lines_are_found_where_they_can_be_wrapped() {
        let long = "word ".repeat(21);
        let text = format!("{long}\n| {long} |\n```\n{long}\n```\n[a]: {long}\n- {long}\n");
        check(columns, "a.md", &text, &[1, 7]);
        let word = "x".repeat(120);
        let text = format!("/// {long}\nlet x = \"{long}\";\n// {word}\n//! ```\n//! {long}\n");
        check(columns, "a.rs", &text, &[1]);
    }

    #[test]
    fn text_in_an_error_is_found() {
        let text = "enum NetError {\n    Other(String),\n    Named { name: String },\n}\n\
                    enum Value {\n    Text(String),\n}\n";
        check(string_variants, "a.rs", text, &[2]);
    }

    #[test]
    fn code_in_a_comment_is_found() {
        let text =
            "// let x = 1;\n// for every rank, one\n/// let x = 1;\n// if self.is_empty() {\n";
        check(code_in_comments, "a.rs", text, &[1, 4]);
    }
}
