//! How values are exchanged.

use crate::wire::{self, WireFormat};
use collective::{AlgorithmChoice, Network, Segmentation};

/// How buffers are divided into messages. In bytes, since bytes are what fills a link or a cache:
/// a plan's elements have one, two or four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSegmentation {
    /// Bytes of one message, roughly; at least one element.
    pub segment_bytes: usize,
    /// Messages under way at once, as far as [`collective::LANES_MAX`] allows.
    pub lanes: usize,
}

impl ByteSegmentation {
    /// The same for a plan that counts elements of `element_bytes` bytes.
    #[must_use]
    pub fn in_elements(self, element_bytes: usize) -> Segmentation {
        let Self { segment_bytes, lanes } = self;
        Segmentation { segment_elements: (segment_bytes / element_bytes).max(1), lanes }
    }
}

/// How values are exchanged. Plain data; the same on all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct ExchangeConfig {
    /// Which algorithm moves which sizes.
    pub choice: AlgorithmChoice,
    /// What the choice is computed from.
    pub network: Network,
    /// How buffers are divided for pipelining.
    pub segmentation: ByteSegmentation,
    /// How elements of an all-reduce travel.
    pub wire: &'static WireFormat,
}

impl ExchangeConfig {
    /// For threads: segments that stay in the second-level cache.
    pub const LOCAL: Self = Self {
        choice: AlgorithmChoice::Auto,
        network: Network::LOCAL,
        segmentation: ByteSegmentation { segment_bytes: 128 << 10, lanes: 2 },
        wire: wire::F32,
    };
    /// For MPI: segments long enough to fill a link, several under way.
    pub const MPI: Self = Self {
        choice: AlgorithmChoice::Auto,
        network: Network::GIGABIT,
        segmentation: ByteSegmentation { segment_bytes: 256 << 10, lanes: 16 },
        wire: wire::F32,
    };

    /// The same with another format of the elements of an all-reduce.
    #[must_use]
    pub fn with_wire(self, wire: &'static WireFormat) -> Self {
        Self { wire, ..self }
    }
}
