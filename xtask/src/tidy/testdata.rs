//! Data that came from elsewhere says from where and under which licence.
//!
//! Every file in `testdata/` is named in the first column of the table in `testdata/README.md`, by
//! its path, its folder or a pattern with `*`. Every other folder of test data has a README of its
//! own.

use super::files::Project;

const FOLDER: &str = "testdata/";

pub(super) fn origins(project: &Project) -> Vec<String> {
    let readme = project.text("testdata/README.md");
    let rows = readme.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let patterns: Vec<&str> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let mut complaints = Vec::new();
    for file in &project.files {
        if let Some(path) = file.path.strip_prefix(FOLDER) {
            let name = path.rsplit('/').next().unwrap_or(path);
            let known = |pattern: &&str| {
                matches(pattern, path)
                    || matches(pattern, name)
                    || path.starts_with(&format!("{}/", pattern.trim_end_matches('/')))
            };
            if name != "README.md" && !patterns.iter().any(known) {
                complaints.push(format!("{}: not in testdata/README.md", file.path));
            }
        } else if let Some((folder, _)) = file.path.split_once("/test_data/") {
            let readme = format!("{folder}/test_data/README.md");
            if project.text(&readme).is_empty()
                && !complaints.contains(&format!("{readme}: is missing"))
            {
                complaints.push(format!("{readme}: is missing"));
            }
        }
    }
    complaints
}

/// Whether `path` is `pattern`, where `*` stands for anything.
fn matches(pattern: &str, path: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == path };
    let Some(mut tail) = path.strip_prefix(head) else { return false };
    let parts: Vec<&str> = rest.split('*').collect();
    for (index, part) in parts.iter().enumerate() {
        if index + 1 == parts.len() {
            return tail.ends_with(part);
        }
        let Some(at) = tail.find(part) else { return false };
        tail = &tail[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_anything() {
        let cases = [
            ("a/b", "a/b", true),
            ("a/*", "a/b/c", true),
            ("a/*.x", "a/b.x", true),
            ("a/*.x", "a/b.y", false),
            ("*b*d", "abcd", true),
            ("*b*d", "acd", false),
        ];
        cases.iter().for_each(|&(pattern, path, want)| assert_eq!(matches(pattern, path), want));
    }
}
