//! `doctor` on this machine, and by logins that are shells here.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::support::Folder;

/// A folder with a remote shell, `rsh`, that ignores the host's name.
fn folder() -> Folder {
    let folder = Folder::new("max_iter: 1");
    folder.write("rsh", "#!/bin/sh\nshift\nexec sh -c \"$1\"\n");
    fs::set_permissions(folder.path("rsh"), fs::Permissions::from_mode(0o755)).unwrap();
    folder.write("hosts", "localhost slots=1\n127.0.0.1:1 # the same machine\n");
    folder
}

#[test]
fn a_machine_and_its_solver_are_examined() {
    let folder = folder();
    let ran = folder.run(&["doctor", "--solver", "solver.prototxt"]).succeeds();
    assert!(ran.out.ends_with("1 host: nothing found\n"), "{}", ran.out);
    fs::remove_file(folder.path("train_lmdb/data.mdb")).unwrap();
    let ran = folder.run(&["doctor", "--solver", "solver.prototxt", "--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let problem = found["findings"][0]["problem"].as_str().unwrap();
    assert!(problem.contains("train_lmdb"), "{problem}");
}

#[test]
fn hosts_are_examined_by_logins() {
    let folder = folder();
    let rsh = folder.path("rsh").display().to_string();
    let args = ["doctor", "--hosts", "hosts", "--rsh", &rsh, "--solver", "solver.prototxt"];
    let ran = folder.run(&args).succeeds();
    assert!(ran.out.contains("2 links: median "), "{}", ran.out);
    assert!(ran.out.ends_with(": nothing found\n"), "{}", ran.out);
    let ran = folder.run(&[&args[..], &["--program", "/no/firecaffe"]].concat());
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    let named = ran.out.matches(": there is no /no/firecaffe, or it cannot be run; copy").count();
    assert_eq!(named, 2, "{}", ran.out);
}
