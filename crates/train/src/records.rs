//! What the `Data` layers of the train net read: opened before the net is built, once per process,
//! for all replicas.
//!
//! ```text
//!                 key order                             shuffled
//!  stream    each replica walks over its database,  databases are indexed, and read by number
//!            as in Caffe; nothing to prepare
//!  memory    loaded once; between epochs records move to the ranks that use them next
//! ```
//!
//! All data layers share one order, so that labels in a second database still belong to the images
//! in the first.

mod exchange;
mod memory;
mod memory_check;
mod parcel;
mod schedule;
mod shuffle;

use std::collections::BTreeMap;
use std::sync::Arc;

use caffe_format::{LayerParameter, NetParameter};
use data::order::RunShuffle;
use data::{
    DataError, FillMonitor, PathRoot, RecordAccess, RecordStore, RecordStores, StreamState,
};
use layers::DataSourceError;
use snapshot::{LoadedSnapshot, ResumeExactness};

pub(crate) use exchange::RecordExchange;

use crate::nets::NamedNet;
use crate::placement::ReplicaPlacement;
use crate::ranks::Ranks;
use crate::{DataMode, Event, JobConfig, RecordsProblem, ResumeData, TrainError, WhichNet};

/// The layer type whose records have keys and an order.
const DATA: &str = "Data";

/// What the records of a train net depend on.
pub(crate) struct RecordsRequest<'a> {
    pub(crate) config: &'a JobConfig,
    pub(crate) train: &'a NamedNet,
    pub(crate) placement: ReplicaPlacement,
    pub(crate) ranks: &'a Ranks,
    /// The snapshot that the run goes on from.
    pub(crate) loaded: Option<&'a LoadedSnapshot>,
    /// What the nets of this process need, as far as that was asked.
    pub(crate) nets_bytes: u64,
}

/// Where the train net finds its records.
#[derive(Default)]
pub(crate) struct TrainRecords {
    pub(crate) access: RecordAccess,
    /// Moves records between ranks, if they lie in memory.
    pub(crate) exchange: RecordExchange,
    /// Layers and the numbers of their records, where the order depends on them.
    pub(crate) counts: Vec<(String, u64)>,
    /// What all streams of this process share.
    pub(crate) monitor: Arc<FillMonitor>,
}

impl RecordsRequest<'_> {
    /// Opens what the train net needs in the order that was asked for. A collective with
    /// [`DataMode::Memory`].
    pub(crate) fn open(&self, events: &mut dyn FnMut(Event)) -> Result<TrainRecords, TrainError> {
        let net = net::filter(&self.train.net)
            .map_err(|source| TrainError::Net { which: WhichNet::Train, source })?
            .0;
        let layers: Vec<_> = net.layer.iter().filter(|layer| layer.type_() == DATA).collect();
        let shuffles =
            self.config.shuffle || layers.iter().any(|layer| layer.data_param().shuffle());
        let monitor = Arc::new(FillMonitor::new(Arc::clone(&self.config.clock), 1));
        if !shuffles && self.config.data == DataMode::Stream {
            self.shuffle(None)?;
            return Ok(TrainRecords { monitor, ..TrainRecords::default() });
        }
        check_sources(&net, &layers)?;
        let mut root = PathRoot::from(&self.config.root);
        if let Some(file) = self.config.net_file(&self.train.origin) {
            root = root.of_file(&file);
        }
        let shuffle = self.shuffle(shuffles.then_some(layers[0]))?;
        let (by_layer, exchange) = match self.config.data {
            DataMode::Stream => (index(&layers, &root, shuffle, events)?, Default::default()),
            DataMode::Memory => {
                let loaded = memory::load(self, &layers, &root, shuffle, events)?;
                (loaded.stores, loaded.exchange)
            }
        };
        let counts =
            |(name, store): (&String, &Arc<dyn RecordStore>)| (name.clone(), store.records());
        let counts: Vec<_> = by_layer.iter().map(counts).collect();
        self.check_shards(shuffle, counts.first().map_or(0, |(_, records)| *records))?;
        let access = RecordAccess::Stores(Arc::new(RecordStores { shuffle, by_layer }));
        Ok(TrainRecords { access, exchange, counts, monitor })
    }

    /// The position of each group's endless stream from which on the run reads.
    fn start_position(&self, layer: &LayerParameter) -> u64 {
        let replicas = self.group_replicas() as u64;
        if let Some(state) = self.saved_state(layer) {
            return state.position.div_ceil(replicas) * replicas; // replica 0 has read as many as all
        }
        let continues = self.config.resume_data == ResumeData::Continue;
        let iterations = match self.loaded.filter(|_| continues) {
            Some(loaded) => u64::try_from(loaded.state.iter()).unwrap_or(0),
            None => 0,
        };
        let passes = u64::from(self.config.solver.iter_size().unsigned_abs());
        iterations * passes * u64::from(layer.data_param().batch_size()) * replicas
    }

    /// Where replica 0's stream of a data layer stood when the snapshot was written, if the run
    /// goes on from there. Damage is reported when the stream is restored.
    fn saved_state(&self, layer: &LayerParameter) -> Option<StreamState> {
        if self.config.resume_data == ResumeData::Start {
            return None;
        }
        let ResumeExactness::Exact(run) = &self.loaded?.resume else { return None };
        let sources = &run.replicas.first()?.sources;
        let (_, bytes) = sources.iter().find(|(name, _)| name == layer.name())?;
        StreamState::from_bytes(bytes)
    }
}

/// Opens and indexes the databases of all `layers`.
fn index(
    layers: &[&LayerParameter],
    root: &PathRoot,
    shuffle: Option<RunShuffle>,
    events: &mut dyn FnMut(Event),
) -> Result<BTreeMap<String, Arc<dyn RecordStore>>, TrainError> {
    let mut stores: BTreeMap<String, Arc<dyn RecordStore>> = BTreeMap::new();
    let mut counts = Vec::new();
    for layer in layers {
        let name = layer.name();
        let mut progress = |done, all| {
            events(Event::PreparingRecords { layer: name.into(), done, all });
        };
        let store = data::store::open_layer(layer, root, &mut progress)
            .map_err(|error| source_error(layer, error))?;
        let (records, seed) = (store.records(), shuffle.map(|shuffle| shuffle.seed.get()));
        events(Event::RecordsReady { layer: name.into(), records, shuffle: seed, memory: None });
        counts.push((name, records));
        stores.insert(name.into(), store);
    }
    check_counts(counts)?;
    Ok(stores)
}

fn source_error(layer: &LayerParameter, error: DataError) -> TrainError {
    TrainError::Source { layer: layer.name().into(), source: DataSourceError(Box::new(error)) }
}

/// Everything that reads files must read in the shared order.
fn check_sources(net: &NetParameter, ordered: &[&LayerParameter]) -> Result<(), RecordsProblem> {
    let Some(data) = ordered.first() else { return Err(RecordsProblem::NoDataLayer) };
    let reads = ["HDF5Data", "ImageData", "WindowData"];
    match net.layer.iter().find(|layer| reads.contains(&layer.type_())) {
        None => Ok(()),
        Some(layer) => Err(RecordsProblem::OtherSource {
            layer: layer.name().into(),
            kind: layer.type_().into(),
            data: data.name().into(),
        }),
    }
}

/// Data layers with these numbers of records can share one order.
fn check_counts<'a>(
    layers: impl IntoIterator<Item = (&'a str, u64)>,
) -> Result<(), RecordsProblem> {
    let mut layers = layers.into_iter();
    let Some((first, wanted)) = layers.next() else { return Ok(()) };
    match layers.find(|&(_, records)| records != wanted) {
        None => Ok(()),
        Some((layer, records)) => {
            let (layer, first) = (layer.into(), first.into());
            Err(RecordsProblem::RecordCounts { layer, records, first, wanted })
        }
    }
}

#[cfg(test)]
mod tests;
