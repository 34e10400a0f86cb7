//! A thread whose work can wait.

/// Lets the calling thread, and those that it starts, begin work only once a core is free or due to
/// it. Otherwise the system may stop a thread that computes in the moment in which it returns a
/// batch, to run the one that fills it: the net then waits while all cores are busy. The share of
/// the cores that a thread gets is the same. Where the system refuses, nothing changes.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library cannot set a thread's policy")]
pub(super) fn enter() {
    let priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: 0 is the calling thread; the parameter is read during the call only.
    _ = unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const priority) };
}

/// Other systems have no such policy.
#[cfg(not(target_os = "linux"))]
pub(super) fn enter() {}
