//! How long a device takes for the layers of a net: what an emulated run waits for instead of
//! computing.
//!
//! A profile is a JSON file. Either it has the times of every layer, as `firecaffe time
//! --save-profile` measures them:
//!
//! ```json
//! { "format": "firecaffe profile 1", "net": "small", "batch": 16, "machine": "2 cores, avx2",
//!   "source": "firecaffe time, 50 iterations", "update_ms": 0.1,
//!   "layers": [ { "name": "ip", "type": "InnerProduct", "forward_ms": 0.2, "backward_ms": 0.4,
//!                 "params": 2500 } ] }
//! ```
//!
//! or it is written by hand, with one published number for the whole iteration:
//!
//! ```json
//! { "format": "firecaffe profile 1", "net": "AlexNet", "batch": 128, "machine": "NVIDIA P100",
//!   "source": "paper, figure 1", "images_per_second": 1664.5 }
//! ```
//!
//! Then the iteration's time is divided by the layers' operations, multiply-adds counted as two;
//! layers without any take none, and neither does the update.
//!
//! This crate knows no net, file or clock: whoever has a net describes its layers as
//! [`LayerOperations`] and gets [`ComputeDurations`]. The emulation and a simulator read the same
//! type.

mod durations;
mod error;
mod json;

pub use durations::{ComputeDurations, LayerDurations, LayerOperations};
pub use error::ProfileError;

/// A profile, checked: times are finite and not negative, the batch is not 0.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceProfile {
    /// The net, as a person calls it; not compared.
    pub net: String,
    /// Items per iteration that the times are for.
    pub batch: usize,
    /// What was measured.
    pub machine: String,
    /// Where the numbers are from.
    pub source: String,
    /// The numbers.
    pub times: DeviceTimes,
}

/// What is known about a device's speed.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceTimes {
    /// Every layer, and the update.
    Layers {
        /// In the order they run.
        layers: Vec<ProfiledLayer>,
        /// Norms, clipping, decay and the rule, for all params.
        update_ms: f64,
    },
    /// The whole iteration.
    Rate {
        /// Items per second on one device.
        images_per_second: f64,
    },
}

/// A layer's measured times.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfiledLayer {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// One forward.
    pub forward_ms: f64,
    /// One backward.
    pub backward_ms: f64,
    /// Values of its params.
    pub params: usize,
}

#[cfg(test)]
mod tests;
