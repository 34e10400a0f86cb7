//! A disk that is full: reported, earlier snapshots intact, training goes on.

use super::support::Folder;

#[test]
fn a_snapshot_that_cannot_be_written_does_not_stop_the_run() {
    let folder = Folder::new("max_iter: 10 snapshot: 5");
    // A folder of the temporary file's name stands in the way of the second snapshot only.
    std::fs::create_dir(folder.path("snap_iter_10.caffemodel.partial")).unwrap();
    std::fs::create_dir(folder.path("snap_iter_10.caffemodel")).unwrap();
    let ran = folder.train(&[]).succeeds();
    assert!(ran.err.contains("no snapshot was written, training goes on"), "{}", ran.err);
    assert!(ran.err.contains("snap_iter_10.caffemodel"), "{}", ran.err);
    folder.train(&["--snapshot", "snap_iter_5.solverstate"]).succeeds();
}

#[test]
fn a_full_disk_does_not_stop_the_run() {
    let folder = Folder::new("");
    std::fs::create_dir(folder.path("disk")).unwrap();
    let Some(disk) = Disk::mount(folder.path("disk")) else {
        println!("SKIPPED: mounting a small file system needs root");
        return;
    };
    // 7 KB of weights: a snapshot of three files takes about 20 KB of the disk's 64.
    folder.write(
        "solver.prototxt",
        super::support::SOLVER.replace("\"snap\"", "\"disk/snap\"") + "max_iter: 60 snapshot: 1",
    );
    let ran = folder.train(&[]).succeeds();
    assert!(ran.err.contains("No space left on device"), "{}", ran.err);
    assert!(ran.err.contains("weights after 60 steps"), "{}", ran.err);
    folder.train(&["--snapshot", "disk/snap_iter_1.solverstate"]).succeeds();
    drop(disk);
}

/// A file system of 64 KiB, unmounted when dropped.
struct Disk(std::path::PathBuf);

impl Disk {
    fn mount(path: std::path::PathBuf) -> Option<Self> {
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&path);
        mount.output().is_ok_and(|output| output.status.success()).then(|| Self(path))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
