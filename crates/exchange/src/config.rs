//! How values are exchanged.

use crate::wire::{self, WireFormat};
use collective::{AlgorithmChoice, Network, Segmentation};

/// How values are exchanged. Plain data; the same on all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct ExchangeConfig {
    /// Which algorithm moves which sizes.
    pub choice: AlgorithmChoice,
    /// What the choice is computed from.
    pub network: Network,
    /// How buffers are divided for pipelining.
    pub segmentation: Segmentation,
    /// How elements of an all-reduce travel.
    pub wire: &'static WireFormat,
}

impl ExchangeConfig {
    /// For threads: segments that stay in the second-level cache.
    pub const LOCAL: Self = Self {
        choice: AlgorithmChoice::Auto,
        network: Network::LOCAL,
        segmentation: Segmentation { segment_elements: 32 << 10, lanes: 2 },
        wire: wire::F32,
    };
    /// For MPI: segments long enough to fill a link, several under way.
    pub const MPI: Self = Self {
        choice: AlgorithmChoice::Auto,
        network: Network::GIGABIT,
        segmentation: Segmentation { segment_elements: 64 << 10, lanes: 4 },
        wire: wire::F32,
    };

    /// The same in another format, with as many bytes in a message: what a link or cache is filled
    /// by.
    #[must_use]
    pub fn with_wire(mut self, wire: &'static WireFormat) -> Self {
        let segment_elements = &mut self.segmentation.segment_elements;
        *segment_elements =
            segment_elements.saturating_mul(self.wire.element_bytes) / wire.element_bytes;
        self.wire = wire;
        self
    }
}
