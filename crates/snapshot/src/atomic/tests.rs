use std::{fs, io, path::Path};

use super::{write, write_with};

/// Names in a folder.
fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn folders_are_made_and_files_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/file");
    write(&path, b"old").unwrap();
    write(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(path.parent().unwrap()), ["file"]);
}

#[test]
fn a_writer_that_gives_up_leaves_the_old_file_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    write(&path, b"old").unwrap();
    let error = write_with(&path, |out| {
        out.write_all(&[1; 3 << 20])?;
        Err(io::ErrorKind::StorageFull.into())
    });
    let error = error.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot write {}: write failed", path.display()));
    assert_eq!(error.source.kind(), io::ErrorKind::StorageFull);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(dir.path()), ["file"]);
}

/// `/dev/full` answers every write as a full disk does; small writes fail when the buffer is
/// emptied.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file() {
    for bytes in [10, 3 << 20] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        write(&path, b"old").unwrap();
        std::os::unix::fs::symlink("/dev/full", dir.path().join("file.partial")).unwrap();
        let error = write(&path, &vec![1; bytes]).unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::StorageFull, "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["file"]);
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("file"), b"").unwrap();
    let error = write(&dir.path().join("file/below"), b"").unwrap_err();
    assert_eq!(error.action, "create");
}
