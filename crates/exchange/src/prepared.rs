//! All-reduces that were prepared: label, and plan or capability. Training asks for the same few
//! again and again, so a repetition allocates nothing here.

use crate::stamp::CollectiveLabel;
use crate::wire::WireFormat;
use crate::{ExchangeConfig, ExchangeError};
use collective::{Algorithm, Plan};
use std::sync::Arc;
use transport::{LibraryDatatype, Transport};

/// One all-reduce, ready to run.
pub(crate) struct PreparedSum {
    algorithm: Algorithm,
    format: &'static WireFormat,
    len: usize,
    pub(crate) label: CollectiveLabel,
    pub(crate) method: SumMethod,
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
pub(crate) struct PreparedSums(Vec<Arc<PreparedSum>>);

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
        let sum = PreparedSum { algorithm: algorithm.clone(), format, len, label, method };
        self.0.push(Arc::new(sum));
        Ok(Arc::clone(self.0.last().expect("pushed above")))
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
