//! What the event of a displayed iteration carries.

use std::time::Duration;

use net::Output;
use serde::{Deserialize, Serialize};

use crate::{PhaseTimes, SumTraffic, seconds};

/// What one displayed iteration shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Display {
    /// The iteration.
    pub iter: u64,
    /// Smoothed loss.
    #[serde(with = "net::float_text")]
    pub loss: f32,
    /// The learning rate of its update.
    #[serde(with = "net::float_text")]
    pub rate: f32,
    /// Time since the last display.
    #[serde(with = "seconds")]
    pub elapsed: Duration,
    /// Iterations since the last display.
    pub iterations: u64,
    /// Items trained on since then, by all replicas.
    pub items: u64,
    /// What worker 0 spent its time on since then.
    pub times: PhaseTimes,
    /// What the sums of this iteration sent; `None` if nothing was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<SumTraffic>,
    /// `display`.
    pub interval: u64,
    /// Outputs of the train net.
    pub outputs: Vec<Output>,
}
