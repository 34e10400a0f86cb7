//! A layer that is not in the table cannot be used, and no test looks at it.

use super::files::Project;

const TABLE: &str = "crates/layers/src/table";

pub(super) fn in_table(project: &Project) -> Vec<String> {
    let table = project.text(&format!("{TABLE}.rs"));
    let mut complaints = Vec::new();
    for file in project.rust() {
        let name = file.path.strip_prefix(TABLE).and_then(|rest| rest.strip_prefix('/'));
        let Some(name) = name.and_then(|name| name.strip_suffix(".rs")) else { continue };
        let is_layer = !name.contains('/') && file.text.contains("const KIND: LayerKind");
        if is_layer && !table.contains(&format!("{name}::KIND")) {
            complaints.push(format!("{}: has no row in {TABLE}.rs", file.path));
        }
    }
    complaints
}
