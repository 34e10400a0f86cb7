//! The side channel of failure detection: small messages that travel whatever the exchange is
//! doing.

use base::Rank;

/// Carries heartbeats between ranks and can end the job.
pub trait HeartbeatChannel: Send {
    /// This rank and the size of the world.
    fn rank(&self) -> Rank;
    /// Sends a heartbeat to `to`, without waiting; a rank that takes none may miss some.
    fn send(&mut self, to: usize, heartbeat: &[u8]);
    /// The next heartbeat that has arrived, and from whom.
    fn poll(&mut self) -> Option<(usize, Vec<u8>)>;
    /// Ends all ranks of the job with this exit code. Does not return where that works.
    fn abort(&mut self, code: i32);
}
