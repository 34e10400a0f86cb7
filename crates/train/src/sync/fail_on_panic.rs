//! A member of a step that panics fails the step, so that nobody waits for it.

use super::StepSync;

/// Fails the step if it is dropped by a panic.
pub(crate) struct FailOnPanic<'a>(pub(super) &'a StepSync);

impl Drop for FailOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail();
        }
    }
}
