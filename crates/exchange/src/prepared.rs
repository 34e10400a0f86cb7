//! All-reduces that were prepared: label, and plan or capability. Training asks for the same few
//! again and again, so a repetition allocates nothing here. Lengths that change from step to step
//! (sparse chunks) push out the oldest.

use crate::execute::planned_elements;
use crate::stamp::CollectiveLabel;
use crate::wire::WireFormat;
use crate::{ExchangeConfig, ExchangeError};
use base::Rank;
use collective::{Algorithm, Plan};
use std::collections::VecDeque;
use std::sync::Arc;
use transport::{LibraryDatatype, Transport};

/// Most all-reduces that are kept.
const PREPARED_MAX: usize = 256;

/// One all-reduce, ready to run.
pub(crate) struct PreparedSum {
    algorithm: Algorithm,
    format: &'static WireFormat,
    len: usize,
    pub(crate) label: CollectiveLabel,
    pub(crate) method: SumMethod,
    /// What this rank sends, by its plan. Without messages (shared memory, the library's own
    /// algorithm) what `direct` would send, so that figures can be compared.
    pub(crate) sent_bytes: u64,
}

/// How a transport runs an all-reduce.
pub(crate) enum SumMethod {
    /// By messages.
    Plan(Plan),
    /// By direct reads of the other ranks' memory: what `direct` means between threads.
    SharedMemory,
    /// By the library underneath, as elements of this type.
    Library(LibraryDatatype),
}

/// What was prepared since the configuration changed.
#[derive(Default)]
pub(crate) struct PreparedSums(VecDeque<Arc<PreparedSum>>);

impl PreparedSums {
    /// The all-reduce of `len` elements by this algorithm in this format.
    pub(crate) fn get(
        &mut self,
        link: &mut dyn Transport,
        config: &ExchangeConfig,
        algorithm: &Algorithm,
        format: &'static WireFormat,
        len: usize,
    ) -> Result<Arc<PreparedSum>, ExchangeError> {
        let is_same = |sum: &&Arc<PreparedSum>| {
            sum.len == len && sum.format == format && sum.algorithm == *algorithm
        };
        if let Some(sum) = self.0.iter().find(is_same) {
            return Ok(Arc::clone(sum));
        }
        let text = format!("all-reduce of {len} {format} by {algorithm}");
        let label = CollectiveLabel::new(&text, config.segmentation);
        let method = method(link, config, algorithm, format, len)?;
        let elements = match &method {
            SumMethod::Plan(plan) => planned_elements(plan),
            SumMethod::SharedMemory | SumMethod::Library(_) => direct_elements(link.rank(), len),
        };
        let sent_bytes = elements * format.element_bytes as u64;
        let sum =
            PreparedSum { algorithm: algorithm.clone(), format, len, label, method, sent_bytes };
        if self.0.len() == PREPARED_MAX {
            self.0.pop_front();
        }
        let sum = Arc::new(sum);
        self.0.push_back(Arc::clone(&sum));
        Ok(sum)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets all: plans depend on the configuration.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Which capability or plan serves an algorithm on this transport.
fn method(
    link: &mut dyn Transport,
    config: &ExchangeConfig,
    algorithm: &Algorithm,
    format: &'static WireFormat,
    len: usize,
) -> Result<SumMethod, ExchangeError> {
    if algorithm.is_direct() && link.shared_memory().is_some() {
        return Ok(SumMethod::SharedMemory);
    }
    let segmentation = config.segmentation.in_elements(format.element_bytes);
    if let Some(plan) = algorithm.plan(link.rank(), len, segmentation) {
        return Ok(SumMethod::Plan(plan));
    }
    check_library(link, algorithm, format).map(SumMethod::Library)
}

/// The datatype by which the library underneath sums `format`, or why `algorithm` cannot be left to
/// it: there is none, or it does not know the format.
pub(crate) fn check_library(
    link: &mut dyn Transport,
    algorithm: &Algorithm,
    format: &'static WireFormat,
) -> Result<LibraryDatatype, ExchangeError> {
    let (algorithm, transport) = (algorithm.clone(), link.name());
    if link.library_sum().is_none() {
        return Err(ExchangeError::NoLibrary { algorithm, transport });
    }
    format.library.ok_or(ExchangeError::LibraryFormat { algorithm, format })
}

/// What a rank sends in an all-reduce of `len` elements by `direct`, in one pass: everybody else's
/// chunks to their owners, then its own chunk to everybody else.
fn direct_elements(rank: Rank, len: usize) -> u64 {
    let own = base::chunk(len, rank.world(), rank.index()).len();
    (len - own + (rank.world() - 1) * own) as u64
}
