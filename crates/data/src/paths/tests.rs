//! Paths that exist elsewhere than they should.
#![expect(clippy::disallowed_methods, reason = "files are made in a temporary folder")]

use std::fs;
use std::path::Path;

use super::PathRoot;

/// What is said about `written` in the prototxt `file`, in a folder with `a/b` and `a/b/list.txt`.
fn misplaced(written: &str, file: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("a/b")).unwrap();
    fs::write(folder.path().join("a/b/list.txt"), "").unwrap();
    let start = folder.path().join("start");
    let root = PathRoot::from(&start).of_file(&folder.path().join(file));
    let told = root.misplaced(written)?;
    let shown = told.to_string().replace(&*folder.path().to_string_lossy(), "DIR");
    // The working directory of a test cannot be chosen, so the other wording is made from this one.
    let here = super::MisplacedPath { start: Path::new("").into(), ..told };
    let shown_here = here.to_string().replace(&*folder.path().to_string_lossy(), "DIR");
    Some(format!("{shown}\n{shown_here}"))
}

#[test]
fn a_path_is_looked_for_beside_its_prototxt_and_above() {
    let beside = "list.txt does not exist, but DIR/a/b/list.txt does: paths start from DIR/start; change the path\n\
                  list.txt does not exist, but DIR/a/b/list.txt does: paths start from the working directory; `cd DIR/a/b`, or change the path";
    assert_eq!(misplaced("list.txt", "a/b/net.prototxt").as_deref(), Some(beside));
    let above = misplaced("a/b/list.txt", "a/b/net.prototxt").unwrap();
    assert!(above.ends_with("`cd DIR`, or change the path"), "{above}");
    assert_eq!(misplaced("absent", "a/b/net.prototxt"), None);
    assert_eq!(misplaced("", "a/b/net.prototxt"), None);
    assert_eq!(misplaced("b/list.txt", "net.prototxt"), None);
}

#[test]
fn a_path_that_exists_is_not_misplaced() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    for file in ["list.txt", "a/list.txt"] {
        fs::write(folder.path().join(file), "").unwrap();
    }
    let root = PathRoot::from(folder.path()).of_file(&folder.path().join("a/net.prototxt"));
    assert_eq!(root.misplaced("list.txt"), None);
    assert_eq!(PathRoot::from(folder.path()).misplaced("absent"), None, "no prototxt is known");
}
