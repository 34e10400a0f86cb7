//! Collectives that a compression will run: what they send, and what they cost.

use crate::{Exchange, ExchangeConfig, ExchangeError};
use collective::AlgorithmChoice;

/// One call of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepCall {
    /// [`bucket_ready`](super::Compressor::bucket_ready) of this bucket.
    Bucket(usize),
    /// [`finish`](super::Compressor::finish).
    Finish,
}

/// A collective to come. Lengths of blocks are in bytes, in order of rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedCollective {
    /// By the algorithm and in the wire format that are configured.
    AllReduce {
        /// Its length.
        values: usize,
    },
    /// The canonical sum in `f32`.
    Sum {
        /// Its length.
        values: usize,
    },
    /// Every rank receives every block.
    AllGatherV {
        /// Each rank's block.
        lens: Vec<usize>,
    },
    /// Every rank receives a block from every other.
    AllToAllV {
        /// What this rank has for each.
        outgoing: Vec<usize>,
    },
}

impl PlannedCollective {
    /// Bytes that this rank will send.
    pub fn bytes(&self, exchange: &mut Exchange) -> Result<u64, ExchangeError> {
        let (me, world) = (exchange.rank().index(), exchange.rank().world());
        match self {
            Self::AllReduce { values } => exchange.all_reduce_bytes(*values),
            Self::Sum { values } => exchange.sum_bytes(*values),
            _ => Ok(self.block_bytes(me, world)),
        }
    }

    /// Bytes that rank `me` sends in blocks.
    fn block_bytes(&self, me: usize, world: usize) -> u64 {
        let (lens, kept) = match self {
            Self::AllReduce { .. } | Self::Sum { .. } => return 0,
            // On the ring a rank passes on every block but that of its right neighbour.
            Self::AllGatherV { lens } => (lens, (me + 1) % world),
            Self::AllToAllV { outgoing } => (outgoing, me),
        };
        let sent = lens.iter().enumerate().filter(|&(rank, _)| world > 1 && rank != kept);
        sent.map(|(_, &len)| len as u64).sum()
    }

    /// Microseconds on rank `me` of `world`, by the cost model of [`collective`].
    #[must_use]
    pub fn cost_us(&self, me: usize, world: usize, config: &ExchangeConfig) -> f64 {
        let network = &config.network;
        let (algorithm, bytes) = match self {
            Self::AllReduce { values } => {
                let bytes = values * config.wire.element_bytes;
                (config.choice.algorithm(world, bytes, network), bytes)
            }
            Self::Sum { values } => {
                (collective::Algorithm::reduction_tree(), values * size_of::<f32>())
            }
            Self::AllGatherV { .. } | Self::AllToAllV { .. } => {
                let rounds = (world - 1) as f64;
                let kilobytes = self.block_bytes(me, world) as f64 / 1e3;
                return rounds * network.latency_us + kilobytes / network.bandwidth_gbs;
            }
        };
        // The library does not say what it does: assume that it is as good as we are.
        let cost = algorithm.cost_us(world, bytes, network);
        cost.or_else(|| {
            AlgorithmChoice::AutoAny.algorithm(world, bytes, network).cost_us(world, bytes, network)
        })
        .expect("a chosen algorithm has a plan")
    }
}
