//! Ending the whole job, launcher included.
//!
//! `MPI_Abort` ends all ranks that can be reached. When a host cannot, Open MPI's `mpirun` waits
//! for that host's answer for ever; so a small process stays behind and ends the launcher if it has
//! not gone by itself:
//!
//! ```text
//!   mpirun ── rank ── MPI_Abort ──▶ ranks end ──▶ mpirun ends          (usually)
//!               └──── guard: waits, then TERM, then KILL to mpirun     (if it still runs)
//! ```

use super::calls::MpiCalls;
use std::os::unix::process::{CommandExt, parent_id};
use std::process::{Command, Stdio};

/// Launchers that a guard may end; anything else that started us is not ours to touch.
const LAUNCHERS: &[&str] =
    &["mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "hydra_pmi_proxy"];

/// `$0` is the launcher, `$1` its name: asked again before each signal, since numbers are reused.
const GUARD: &str = r#"
is_there() { [ "$(cat /proc/$0/comm 2>/dev/null)" = "$1" ]; }
sleep 2; is_there "$1" && kill -TERM $0
sleep 1; is_there "$1" && kill -TERM $0
sleep 1; is_there "$1" && kill -KILL $0
"#;

/// Ends all ranks with this exit code.
pub(super) fn abort(calls: &dyn MpiCalls, code: i32) {
    leave_guard();
    calls.abort(code);
}

/// Starts the guard, if a launcher is our parent. Without one there is nothing to wait for.
fn leave_guard() {
    let parent = parent_id();
    let name = std::fs::read_to_string(format!("/proc/{parent}/comm")).unwrap_or_default();
    let name = name.trim();
    if !LAUNCHERS.contains(&name) {
        return;
    }
    // A group of its own, and no pipes: neither the launcher's signals nor its end reach it.
    let _ = Command::new("sh")
        .args(["-c", GUARD, &parent.to_string(), name])
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
