//! Why a simulation is impossible.

use collective::Algorithm;
use exchange::compression::CompressionError;

/// Why a simulation is impossible: each names the culprit and a remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// Ranks without a device.
    #[error(
        "{ranks} ranks on `{cluster}`, which has {devices} devices; simulate at most {devices}, or \
         describe more nodes"
    )]
    TooManyRanks {
        /// Asked for.
        ranks: usize,
        /// There are.
        devices: usize,
        /// The cluster's name.
        cluster: String,
    },
    /// No ranks, or no images.
    #[error("{what} must be 1 or more")]
    Zero {
        /// Of what.
        what: &'static str,
    },
    /// A rank on two nodes.
    #[error(
        "{workers} workers per rank do not divide the {per_node} devices of a node; use a divisor"
    )]
    DividedNode {
        /// Of a rank.
        workers: usize,
        /// Devices.
        per_node: usize,
    },
    /// The library's own algorithm.
    #[error("`{algorithm}` has no plan: nobody knows what the MPI library does; name another one")]
    NoPlan {
        /// Which.
        algorithm: Algorithm,
    },
    /// Nobody measured this.
    #[error(
        "nothing says how fast `{device}` trains `{network}` in {precision}; add \
         `[[device.speed]]` or `[[device.profile]]` to the cluster file, or `gflops` for f32 \
         (known: {})", .known.join(", ")
    )]
    NoSpeed {
        /// The device.
        device: String,
        /// The network.
        network: String,
        /// The precision.
        precision: String,
        /// What the file has.
        known: Vec<String>,
    },
    /// A compression that cannot run on this net.
    #[error(transparent)]
    Compression(#[from] CompressionError),
}
