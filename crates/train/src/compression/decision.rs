//! Never slower than dense: rank 0 decides at the start, per bucket (per step for rows that are
//! decided at once), whether compressing pays.
//!
//! All ranks measure latency and bandwidth by a short probe, unless `--network` gives them. Rank 0
//! measures how fast it encodes and decodes, compares the times by the cost model, and sends the
//! answer to all. It takes about a second. The answer is in the sidecar and is used again after a
//! stop in the same world, so that a resumed run goes on to the bit. A second run may decide
//! otherwise: rates are measured.

use std::sync::Arc;

use collective::Network;
use exchange::bench::compression::{CompressionBenchError, codec_rate};
use exchange::bench::network::{probe, probe_local};
use exchange::compression::decide;
use exchange::{Exchange, ExchangeConfig};
use serde::{Deserialize, Serialize};
use snapshot::SidecarSection;

use crate::event::DecisionOrigin;
use crate::{CompressionProblem, Event, GradientEvent, Job, ResumeProblem, TrainError};

/// Where compressing pays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompressionDecision {
    /// The compression with its options.
    compression: String,
    /// Ranks, or workers, for which it was decided.
    world: usize,
    /// Buckets that are summed densely.
    dense: Vec<bool>,
}

impl CompressionDecision {
    /// The tag of its section in the sidecar.
    const TAG: [u8; 4] = *b"DECI";

    /// As the sidecar holds it.
    pub(crate) fn section(&self) -> SidecarSection {
        let bytes = serde_json::to_vec(self).expect("a name and flags can be written");
        SidecarSection { tag: Self::TAG, bytes }
    }

    /// What a sidecar holds; `None` if nothing was decided.
    pub(crate) fn of_sections(sections: &[SidecarSection]) -> Result<Option<Self>, ResumeProblem> {
        let found = sections.iter().find(|section| section.tag == Self::TAG);
        let read = |section: &SidecarSection| serde_json::from_slice(&section.bytes);
        found.map(|section| read(section).map_err(|_| ResumeProblem::Decision)).transpose()
    }
}

/// What was measured, and the answer: how rank 0 tells the others.
#[derive(Debug, Serialize, Deserialize)]
struct MeasuredDecision {
    dense: Vec<bool>,
    bandwidth_gbs: f64,
    codec_gbs: f64,
}

impl Job {
    /// Decides where compressing pays, or takes the decision of the snapshot. A collective: all
    /// ranks call it.
    pub(crate) fn decide_compression(
        &mut self,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        let Some(config) = self.shared.config.compression.clone() else {
            self.decision = None; // of a snapshot that was written with compression
            return Ok(());
        };
        let world = self.compression_world().unwrap_or(1);
        let (compression, buckets) = (config.to_string(), self.shared.buckets.len());
        let saved = self.decision.take().filter(|saved| {
            saved.compression == compression && saved.world == world && saved.dense.len() == buckets
        });
        let (dense, origin) = match saved {
            _ if self.shared.config.compression_always => {
                (vec![false; buckets], DecisionOrigin::Always)
            }
            Some(saved) => (saved.dense, DecisionOrigin::Snapshot),
            None => {
                let MeasuredDecision { dense, bandwidth_gbs, codec_gbs } =
                    self.measure_decision()?;
                (dense, DecisionOrigin::Measured { bandwidth_gbs, codec_gbs })
            }
        };
        self.bucket_sums_mut().for_each(|sums| sums.set_dense(&dense));
        let compressed = dense.iter().map(|dense| !dense).collect();
        if !self.shared.config.compression_always {
            self.decision =
                Some(CompressionDecision { compression: compression.clone(), world, dense });
        }
        events(Event::Gradients(GradientEvent::Compression { compression, compressed, origin }));
        let notices = self.bucket_sums_mut().next().and_then(|sums| sums.compressor());
        let notices = notices.map(|compressor| compressor.notices()).unwrap_or_default();
        for text in notices {
            events(Event::Gradients(GradientEvent::CompressionNotice { text }));
        }
        Ok(())
    }

    fn measure_decision(&mut self) -> Result<MeasuredDecision, TrainError> {
        let (clock, given) = (Arc::clone(&self.shared.clock), self.shared.config.network);
        let failed =
            |error: CompressionBenchError| TrainError::from(CompressionProblem::from(error));
        let shared = Arc::clone(&self.shared);
        if let Some(mut exchange) = shared.ranks.exchange() {
            let network = match given {
                Some(network) => network,
                None => probe(&mut exchange, &*clock).map_err(|error| failed(error.into()))?,
            };
            let config = ExchangeConfig { network, ..exchange.config().clone() };
            drop(exchange);
            let own = match self.rank().is_first() {
                true => Some(self.decide_with(&config).map_err(failed)?),
                false => None,
            };
            let own = serde_json::to_vec(&own).expect("numbers can be written");
            let first = shared.ranks.gather(own)?.swap_remove(0);
            let read: Option<MeasuredDecision> = serde_json::from_slice(&first).ok().flatten();
            return read.ok_or(TrainError::State { rank: 0 });
        }
        let workers = self.workers.len();
        let network = match given {
            Some(network) => network,
            None => probe_local(workers, workers * shared.config.threads, &*clock)
                .map_err(|error| failed(error.into()))?,
        };
        let exchange = self.workers[0].reduction.as_ref().and_then(|own| own.exchange.as_ref());
        let config =
            exchange.map_or(ExchangeConfig::LOCAL, |exchange: &Exchange| exchange.config().clone());
        self.decide_with(&ExchangeConfig { network, ..config }).map_err(failed)
    }

    /// Rank 0's answer.
    fn decide_with(
        &mut self,
        config: &ExchangeConfig,
    ) -> Result<MeasuredDecision, CompressionBenchError> {
        let shared = Arc::clone(&self.shared);
        let _busy = shared.ranks.busy(); // the others wait
        let sums = self.bucket_sums_mut().next();
        let compressor = sums.and_then(|sums| sums.compressor()).expect("started before");
        let codec_gbs = codec_rate(compressor.config(), &shared.clock)?;
        let Network { bandwidth_gbs, .. } = config.network;
        let dense = decide(compressor, config, codec_gbs);
        Ok(MeasuredDecision { dense, bandwidth_gbs, codec_gbs })
    }
}
