//! Rules about source text.

use super::files::Project;

/// Longest file without an exception.
const LINES_MAX: usize = 500;

/// Files longer than that, each with its reason.
const EXCEPTIONS: &str = "xtask/tidy-exceptions.txt";

/// Where `unsafe_code` may be switched on. Everything else is covered by the workspace's lint.
const UNSAFE_MODULES: &[&str] = &[
    "crates/kernels/src/",
    "crates/tensor/src/",
    "crates/transport/src/",
    // The LMDB library's open and resize are unsafe functions; two lines, argued there.
    "crates/data/src/lmdb/",
    // The standard library cannot set a thread's policy; one line.
    "crates/data/src/stream/background.rs",
    // NumPy makes arrays over memory by its C interface only.
    "crates/python/src/view.rs",
    "xtask/src/tidy/",
];

/// Marks of unfinished work; put together here so that this file does not hold them.
const WORDS: &[&str] = &[concat!("FIX", "ME"), concat!("TB", "D"), concat!("XX", "X")];

/// Folders that exist on somebody's machine only.
const MACHINE_PATHS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

pub(super) fn unsafe_modules(project: &Project) -> Vec<String> {
    let opted = project.rust().filter(|file| file.text.contains("unsafe_code"));
    opted
        .filter(|file| !UNSAFE_MODULES.iter().any(|module| file.path.starts_with(module)))
        .map(|file| format!("{}: switches on `unsafe_code`", file.path))
        .collect()
}

pub(super) fn lengths(project: &Project) -> Vec<String> {
    let exceptions = project.text(EXCEPTIONS);
    let excepted = |path: &str| {
        let mut lines = exceptions.lines();
        lines.any(|line| {
            line.split_once(": ").is_some_and(|(file, why)| file == path && !why.is_empty())
        })
    };
    let long = project.rust().map(|file| (file, file.text.lines().count()));
    long.filter(|(file, lines)| *lines > LINES_MAX && !excepted(&file.path))
        .map(|(file, lines)| format!("{}: {lines} lines and no reason in {EXCEPTIONS}", file.path))
        .collect()
}

pub(super) fn words(project: &Project) -> Vec<String> {
    find(project, |line| {
        let marked = WORDS.iter().find(|word| has_word(line, word)).map(|word| (*word).to_owned());
        marked.or_else(|| {
            let todo = line.split_once(concat!("TO", "DO"))?;
            (!todo.1.starts_with("(#")).then(|| "a to-do without an issue's number".into())
        })
    })
}

pub(super) fn machine_paths(project: &Project) -> Vec<String> {
    // Inside a longer path the words mean something else.
    let inside = |c: char| c.is_alphanumeric() || "._-/}>$".contains(c);
    find(project, |line| {
        let hit = MACHINE_PATHS
            .iter()
            .find(|path| line.match_indices(**path).any(|(at, _)| !line[..at].ends_with(inside)));
        hit.map(|path| (*path).to_owned())
    })
}

/// `writeln!` to standard error writes a line in several calls, which mix with those of other
/// ranks.
pub(super) fn broken_lines(project: &Project) -> Vec<String> {
    let writes = |line: &str| line.contains(concat!("write", "ln!(")) && line.contains("stderr()");
    find(project, |line| writes(line).then(|| "`base::line_to_stderr` keeps it whole".into()))
}

/// A `tests.rs` is about the module it stands under; everything else says what it is for.
pub(super) fn headers(project: &Project) -> Vec<String> {
    let bare = project
        .rust()
        .filter(|file| !file.path.ends_with("/tests.rs") && !file.text.starts_with("//!"));
    bare.map(|file| format!("{}: does not begin with `//!`", file.path)).collect()
}

/// Complaints about lines, with their places.
fn find(project: &Project, wrong: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in &project.files {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(what) = wrong(line) {
                complaints.push(format!("{}:{}: {what}", file.path, index + 1));
            }
        }
    }
    complaints
}

pub(super) fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::{Project, broken_lines, lengths, machine_paths, words};
    use crate::tidy::files::ProjectFile;

    fn project(text: &str) -> Project {
        let file =
            |path: &str, text: &str| ProjectFile { path: path.into(), bytes: 0, text: text.into() };
        Project { files: vec![file("a.rs", text)] }
    }

    #[test]
    fn marks_of_unfinished_work_are_found() {
        let text = format!(
            "// {}: later\nlet LXXXI = 81;\n// {}(#7) fine\n",
            concat!("FIX", "ME"),
            concat!("TO", "DO")
        );
        assert_eq!(words(&project(&text)), [concat!("a.rs:1: FIX", "ME")]);
    }

    #[test]
    fn machine_paths_are_found() {
        let text = format!("open(\"{0}x\")\nroot{0}x\n", concat!("/ho", "me/"));
        assert_eq!(machine_paths(&project(&text)).len(), 1);
    }

    #[test]
    fn lines_in_several_calls_are_found() {
        let text = concat!("write", "ln!(io::stderr(), \"{rank} fails\");\n");
        assert_eq!(broken_lines(&project(text)).len(), 1);
    }

    #[test]
    fn long_files_need_a_reason() {
        assert_eq!(lengths(&project(&"\n".repeat(500))).len(), 0);
        assert_eq!(lengths(&project(&"\n".repeat(501))).len(), 1);
    }
}
