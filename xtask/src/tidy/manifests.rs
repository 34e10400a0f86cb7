//! Rules about `Cargo.toml`: lints, and who may depend on whom.

use super::files::Project;

/// What each crate may use of the others: the design's table of what must not be known, from the
/// other side. `firecaffe`, `python` and `xtask` may use everything.
const EDGES: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("caffe-format", &[]),
    ("tensor", &["base"]),
    ("kernels", &[]),
    ("layers", &["base", "caffe-format", "kernels", "tensor"]),
    ("net", &["base", "caffe-format", "kernels", "layers", "tensor"]),
    ("solver", &["base", "caffe-format", "kernels", "tensor"]),
    ("data", &["base", "caffe-format", "kernels", "tensor"]),
    ("collective", &["base"]),
    ("profile", &[]),
    ("transport", &["base"]),
    ("exchange", &["base", "collective", "kernels", "tensor", "transport"]),
    ("snapshot", &["base", "caffe-format"]),
    ("report", &["snapshot"]),
    (
        "train",
        &[
            "base",
            "caffe-format",
            "collective",
            "data",
            "exchange",
            "kernels",
            "layers",
            "net",
            "profile",
            "snapshot",
            "solver",
            "tensor",
            "transport",
        ],
    ),
    ("cluster-sim", &["base", "collective", "exchange", "net", "profile"]),
];

/// Crates above the table.
const TOP: &[&str] = &["firecaffe", "python", "xtask"];

pub(super) fn lints(project: &Project) -> Vec<String> {
    let bare = project.manifests().filter(|(_, text)| !text.contains("[lints]\nworkspace = true"));
    bare.map(|(name, _)| format!("{name}: `[lints] workspace = true` is missing")).collect()
}

pub(super) fn edges(project: &Project) -> Vec<String> {
    let names: Vec<&str> = project.manifests().map(|(name, _)| name).collect();
    let mut complaints = Vec::new();
    for (name, text) in project.manifests().filter(|(name, _)| !TOP.contains(name)) {
        let Some((_, allowed)) = EDGES.iter().find(|(row, _)| *row == name) else {
            complaints.push(format!("{name}: not in the table of allowed dependencies"));
            continue;
        };
        let used = dependencies(text).filter(|used| names.contains(used));
        let wrong = used.filter(|used| !allowed.contains(used));
        complaints.extend(wrong.map(|used| format!("{name}: must not know {used}")));
    }
    complaints
}

/// Names in `[dependencies]`; what only tests use does not count.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Project, edges};
    use crate::tidy::files::ProjectFile;

    #[test]
    fn an_edge_the_design_forbids_is_named() {
        let manifest = |path: &str, dependencies: &str| ProjectFile {
            path: path.into(),
            bytes: 0,
            text: format!(
                "[dependencies]\n{dependencies}\n[dev-dependencies]\ndata.workspace = true\n"
            ),
        };
        let files = vec![
            manifest("crates/base/Cargo.toml", ""),
            manifest("crates/data/Cargo.toml", "base.workspace = true"),
            manifest("crates/net/Cargo.toml", "base.workspace = true\ndata = { path = \"..\" }"),
        ];
        assert_eq!(edges(&Project { files }), ["net: must not know data"]);
    }
}
