//! One rank's end of all collectives: chooses the algorithm, keeps its plans, counts and stamps.

mod blocks;
mod known;

use crate::canonical::multiply;
use crate::execute::{Elements, EncodedValues, execute};
use crate::local_sum;
use crate::prepared::{PreparedSums, SumMethod, check_library};
use crate::stamp::CollectiveLabel;
use crate::wire::{self, WireFormat};
use crate::{ExchangeConfig, ExchangeError};
use base::Rank;
use collective::{Algorithm, AlgorithmChoice, Plan};
use std::collections::BTreeMap;
use std::sync::Arc;
use transport::{AlignedBytes, LinkError, Stamp, StretchedLink, Transport, WorkStretch};
use zerocopy::IntoBytes;

/// Most lengths whose algorithm is remembered.
const CHOSEN_MAX: usize = 4096;

/// Every plan's lanes fit every transport.
const _: () = assert!(collective::LANES_MAX <= transport::LANES_MAX);

/// Sums, gathers and spreads between ranks. One per rank; calls must come in the same order on all
/// of them, and the stamps say so when they do not.
pub struct Exchange {
    link: Box<dyn Transport>,
    config: ExchangeConfig,
    sequence: u64,
    sent_bytes: u64,
    sums: PreparedSums,
    /// The configured choice by length.
    chosen: BTreeMap<usize, Algorithm>,
    /// Encoded elements of a 16-bit format.
    encoded: AlignedBytes,
    scratch: Vec<AlignedBytes>,
    /// For what always goes by these.
    direct: Algorithm,
    tree: Algorithm,
}

impl Exchange {
    /// An exchange over `link`.
    #[must_use]
    pub fn new(link: Box<dyn Transport>, config: ExchangeConfig) -> Self {
        Self {
            link,
            config,
            sequence: 0,
            sent_bytes: 0,
            sums: PreparedSums::default(),
            chosen: BTreeMap::new(),
            encoded: AlignedBytes::default(),
            scratch: Vec::new(),
            direct: Algorithm::direct(),
            tree: Algorithm::reduction_tree(),
        }
    }

    /// The same exchange, whose work between messages is stretched: see [`WorkStretch`].
    #[must_use]
    pub fn stretched(self, stretch: Arc<WorkStretch>) -> Self {
        Self { link: Box::new(StretchedLink::new(self.link, stretch)), ..self }
    }

    /// This rank and the size of the world.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.link.rank()
    }

    /// `local` or `mpi`.
    #[must_use]
    pub fn transport(&self) -> &'static str {
        self.link.name()
    }

    /// Whether the library underneath can sum: then algorithm `mpi` can run.
    pub fn has_library_sum(&mut self) -> bool {
        self.link.library_sum().is_some()
    }

    /// How elements of an all-reduce travel.
    #[must_use]
    pub fn wire(&self) -> &'static WireFormat {
        self.config.wire
    }

    /// Bytes that this rank has sent in collectives so far. Where an all-reduce needs no messages
    /// (threads that read each other's memory, the library's own algorithm) it counts as `direct`.
    #[must_use]
    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// What this rank would send in an [`all_reduce`](Self::all_reduce) of `len` values, by its
    /// plan.
    pub fn all_reduce_bytes(&mut self, len: usize) -> Result<u64, ExchangeError> {
        let algorithm = self.algorithm(len);
        self.planned_bytes(self.config.wire, &algorithm, len)
    }

    /// What this rank would send in a [`sum`](Self::sum) of `len` values, by its plan.
    pub fn sum_bytes(&mut self, len: usize) -> Result<u64, ExchangeError> {
        let tree = self.tree.clone();
        self.planned_bytes(wire::F32, &tree, len)
    }

    /// How values are exchanged from here on.
    pub fn configure(&mut self, config: ExchangeConfig) {
        self.config = config;
        self.sums.clear();
        self.chosen.clear();
    }

    /// How values are exchanged.
    #[must_use]
    pub fn config(&self) -> &ExchangeConfig {
        &self.config
    }

    /// An error if an algorithm that the configuration names cannot run here. It would be the same
    /// when the first sum begins.
    pub fn check(&mut self) -> Result<(), ExchangeError> {
        let ExchangeConfig { choice, wire, .. } = &self.config;
        for algorithm in choice.named().into_iter().filter(|algorithm| algorithm.is_library()) {
            check_library(&mut *self.link, algorithm, wire)?;
        }
        Ok(())
    }

    /// Leaves the sum over all ranks in `values`, by the algorithm and in the wire format that are
    /// configured. Returns the algorithm.
    pub fn all_reduce(&mut self, values: &mut [f32]) -> Result<Algorithm, ExchangeError> {
        self.all_reduce_scaled(values, 1.0)
    }

    /// The same for `scale` times `values`. Where they are encoded to be sent, multiplying and
    /// rounding them takes no pass over memory of its own.
    pub fn all_reduce_scaled(
        &mut self,
        values: &mut [f32],
        scale: f32,
    ) -> Result<Algorithm, ExchangeError> {
        let algorithm = self.algorithm(values.len());
        self.sum_in(self.config.wire, &algorithm, values, scale)?;
        Ok(algorithm)
    }

    /// Leaves the canonical sum over all ranks in `values`, whatever is configured: for all that is
    /// not a gradient.
    pub fn sum(&mut self, values: &mut [f32]) -> Result<(), ExchangeError> {
        let tree = self.tree.clone();
        self.sum_in(wire::F32, &tree, values, 1.0)
    }

    /// Returns when all ranks have come here.
    pub fn barrier(&mut self) -> Result<(), ExchangeError> {
        self.sum_directly(&mut [0.0])
    }

    /// As [`sum`](Self::sum), in one round: between threads by direct reads, without messages.
    pub(crate) fn sum_directly(&mut self, values: &mut [f32]) -> Result<(), ExchangeError> {
        let direct = self.direct.clone();
        self.sum_in(wire::F32, &direct, values, 1.0)
    }

    /// The transport, stamped as the next collective, for measurements that are not one.
    pub(crate) fn link(&mut self, what: &str) -> &mut dyn Transport {
        self.begin(&CollectiveLabel::new(what, self.config.segmentation));
        &mut *self.link
    }

    /// The algorithm for `len` values.
    pub fn algorithm(&mut self, len: usize) -> Algorithm {
        if let Some(algorithm) = self.chosen.get(&len) {
            return algorithm.clone();
        }
        let ExchangeConfig { choice, network, wire, .. } = &self.config;
        let algorithm = match choice {
            AlgorithmChoice::Auto | AlgorithmChoice::AutoAny
                if self.link.shared_memory().is_some() =>
            {
                self.direct.clone() // nothing between threads is faster
            }
            _ => choice.algorithm(self.link.rank().world(), wire.element_bytes * len, network),
        };
        if self.chosen.len() == CHOSEN_MAX {
            self.chosen.clear();
        }
        self.chosen.insert(len, algorithm.clone());
        algorithm
    }

    /// How many all-reduces are prepared.
    #[cfg(test)]
    fn prepared_count(&self) -> usize {
        self.sums.len()
    }

    fn planned_bytes(
        &mut self,
        format: &'static WireFormat,
        algorithm: &Algorithm,
        len: usize,
    ) -> Result<u64, ExchangeError> {
        let Self { link, config, .. } = self;
        let prepared = self.sums.get(&mut **link, config, algorithm, format, len)?;
        Ok(prepared.sent_bytes)
    }

    fn sum_in(
        &mut self,
        format: &'static WireFormat,
        algorithm: &Algorithm,
        values: &mut [f32],
        scale: f32,
    ) -> Result<(), ExchangeError> {
        let Self { link, config, .. } = self;
        let prepared = self.sums.get(&mut **link, config, algorithm, format, values.len())?;
        let stamp = self.begin(&prepared.label);
        let done = match &prepared.method {
            SumMethod::Plan(plan) => self.sum_by_plan(plan, format, values, scale),
            SumMethod::SharedMemory => {
                multiply(values, scale);
                let memory = self.link.shared_memory().expect("asked when it was prepared");
                local_sum::all_reduce(memory, format, values).map(|()| prepared.sent_bytes)
            }
            SumMethod::Library(datatype) => {
                multiply(values, scale);
                let library = self.link.library_sum().expect("asked when it was prepared");
                library.sum(values.as_mut_bytes(), *datatype).map(|()| prepared.sent_bytes)
            }
        };
        self.end_sent(stamp, done)
    }

    fn sum_by_plan(
        &mut self,
        plan: &Plan,
        format: &'static WireFormat,
        values: &mut [f32],
        scale: f32,
    ) -> Result<u64, LinkError> {
        let elements = Elements::of(format);
        let scratch_lens = plan.slots.get(1..).unwrap_or_default();
        if self.scratch.len() < scratch_lens.len() {
            self.scratch.resize(scratch_lens.len(), AlignedBytes::default());
        }
        for (scratch, len) in self.scratch.iter_mut().zip(scratch_lens) {
            scratch.resize(len * elements.bytes);
        }
        let scratch = self.scratch.iter_mut().map(|scratch| &mut scratch[..]);
        let Some(conversion) = format.conversion else {
            multiply(values, scale);
            let slots = [values.as_mut_bytes()].into_iter().chain(scratch);
            return execute(&mut *self.link, elements, plan, slots, None, &mut || false);
        };
        self.encoded.resize(values.len() * elements.bytes);
        let slots = [&mut self.encoded[..]].into_iter().chain(scratch);
        let encoded = EncodedValues { values, scale, conversion };
        execute(&mut *self.link, elements, plan, slots, Some(encoded), &mut || false)
    }

    /// Stamps all messages from here on.
    fn begin(&mut self, label: &CollectiveLabel) -> Stamp {
        self.sequence += 1;
        let stamp = label.stamp(self.sequence);
        self.link.begin(&stamp);
        stamp
    }

    /// Ends what [`begin`](Self::begin) began and counts what was sent.
    fn end_sent(
        &mut self,
        stamp: Stamp,
        done: Result<u64, LinkError>,
    ) -> Result<(), ExchangeError> {
        self.sent_bytes += self.end(stamp, done)?;
        Ok(())
    }

    /// Ends what [`begin`](Self::begin) began.
    fn end<T>(&mut self, stamp: Stamp, done: Result<T, LinkError>) -> Result<T, ExchangeError> {
        self.link.end();
        let Stamp { sequence, label, .. } = stamp;
        done.map_err(|source| ExchangeError::Link { sequence, label: label.to_string(), source })
    }
}

#[cfg(test)]
mod tests;
