//! The project's files: what git tracks, and what it would track.

use std::fs;

use anyhow::Result;

use crate::shell::{self, root};

/// Largest file that belongs in a repository.
const BYTES_MAX: usize = 2 << 20;

/// Names that end so hold text.
const TEXT: &[&str] =
    &[".rs", ".md", ".toml", ".txt", ".prototxt", ".tsv", ".py", ".ci/run", ".gitignore"];

/// A file of the project.
pub(super) struct ProjectFile {
    /// Relative to the root, with slashes.
    pub(super) path: String,
    pub(super) bytes: usize,
    /// Its text; empty for data.
    pub(super) text: String,
}

/// All files, sorted by path.
pub(super) struct Project {
    pub(super) files: Vec<ProjectFile>,
}

impl Project {
    pub(super) fn read() -> Result<Self> {
        let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let list = shell::output(&mut shell::command("git", &list))?;
        let mut paths: Vec<&str> = list.split('\0').filter(|path| !path.is_empty()).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            // Deleted but not yet committed.
            let Ok(content) = fs::read(root().join(path)) else { continue };
            let bytes = content.len();
            let is_text = TEXT.iter().any(|end| path.ends_with(end));
            let text =
                if is_text { String::from_utf8_lossy(&content).into() } else { String::new() };
            files.push(ProjectFile { path: path.into(), bytes, text });
        }
        Ok(Self { files })
    }

    /// Rust sources, the fuzz workspace's included.
    pub(super) fn rust(&self) -> impl Iterator<Item = &ProjectFile> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    /// The text of a file; "" when there is none.
    pub(super) fn text(&self, path: &str) -> &str {
        self.files.iter().find(|file| file.path == path).map_or("", |file| &file.text)
    }

    /// Name and manifest of every crate in `crates/`, and `xtask`.
    pub(super) fn manifests(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|file| {
            let folder = file.path.strip_suffix("/Cargo.toml")?;
            let name = folder.strip_prefix("crates/").or((folder == "xtask").then_some(folder))?;
            Some((name, file.text.as_str()))
        })
    }
}

pub(super) fn sizes(project: &Project) -> Vec<String> {
    let large = project.files.iter().filter(|file| file.bytes > BYTES_MAX);
    large.map(|file| format!("{}: {} bytes", file.path, file.bytes)).collect()
}
