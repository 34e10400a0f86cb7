//! From a job to a snapshot.

use std::collections::BTreeMap;

use caffe_format::{BlobProto, NetParameter, SolverState};
use net::{Param, ParamStorage, Precision};
use snapshot::{
    ResidualSeal, RunState, SavedReplica, SavedStatistics, SidecarSection, Snapshot, SnapshotPaths,
};

use crate::compression::CompressionDecision;
use crate::step::GradientScale;
use crate::{Event, Job, TrainError};

impl Job {
    /// Writes a snapshot of the present state. A full disk is reported, not fatal: the previous
    /// snapshot is intact and training goes on.
    pub fn snapshot(&mut self, events: &mut dyn FnMut(Event)) -> Result<(), TrainError> {
        if self.emulates() {
            return Ok(()); // there are no weights
        }
        let (model, mut run) = (self.model()?, self.whole_run_state()?);
        let residuals = self.save_residuals(&SnapshotPaths::new(
            &self.shared.config.snapshot_prefix(),
            self.iter,
            self.shared.config.solver.snapshot_format(),
        ))?;
        if self.rank().is_first() {
            let _busy = self.shared.ranks.busy();
            match residuals {
                Ok(residuals) => {
                    run.residuals = residuals;
                    self.write(model, run, events);
                }
                Err(causes) => events(Event::SnapshotFailed { causes }),
            }
        }
        Ok(())
    }

    fn write(&self, model: NetParameter, run: RunState, events: &mut dyn FnMut(Event)) {
        let prefix = self.shared.config.snapshot_prefix();
        let format = self.shared.config.solver.snapshot_format();
        let names = SnapshotPaths::new(&prefix, self.iter, format);
        if names.belong_to_another(self.run_id) {
            events(Event::SnapshotReplaced { model: names.model });
        }
        events(Event::SnapshotBegins);
        let snapshot = Snapshot { model, state: self.solver_state(), run };
        match snapshot::save(&prefix, format, snapshot) {
            Ok(names) => {
                events(Event::SnapshotWritten { model: names.model, state: names.state });
            }
            Err(error) => events(Event::SnapshotFailed { causes: crate::causes(&error) }),
        }
    }

    /// What Caffe's file holds: iteration and history, a blob for every param in net order.
    fn solver_state(&self) -> SolverState {
        let history: Vec<_> = self.shared.history.iter().map(|slab| slab.read()).collect();
        let blob = |slab: &[f32], param: &Param| {
            let values = match param.storage {
                ParamStorage::Slab => slab[param.values.clone()].to_vec(),
                _ => vec![0.0; param.values.len()],
            };
            BlobProto::from_values(param.shape.dims(), values)
        };
        let params = self.net().params();
        SolverState {
            iter: Some(i32::try_from(self.iter).unwrap_or(i32::MAX)),
            current_step: Some(
                i32::try_from(self.shared.solver.rates.current_step(self.iter.saturating_sub(1)))
                    .unwrap_or(i32::MAX),
            ),
            history: (history.iter())
                .flat_map(|slab| params.iter().map(move |param| blob(slab, param)))
                .collect(),
            ..SolverState::default()
        }
    }

    /// The states of all ranks' replicas, in their order. A collective: all ranks call it.
    fn whole_run_state(&self) -> Result<RunState, TrainError> {
        let mut whole = self.run_state();
        if self.shared.ranks.are_several() {
            let all = self.shared.ranks.gather(whole.to_bytes())?;
            let parts = all.iter().enumerate().map(|(rank, bytes)| {
                RunState::from_bytes(bytes).map_err(|_| TrainError::State { rank })
            });
            let parts: Vec<RunState> = parts.collect::<Result<_, _>>()?;
            whole.replicas = parts.into_iter().flat_map(|part| part.replicas).collect();
        }
        Ok(whole)
    }

    /// What the sidecar holds: positions of data sources and random streams of this rank's
    /// replicas. Test nets belong to replica 0.
    fn run_state(&self) -> RunState {
        let mut replicas: Vec<SavedReplica> =
            self.replicas().map(|r| self.replica_state(r)).collect();
        let tests = self.tests.iter().enumerate().filter(|_| self.rank().is_first());
        for (index, test) in tests {
            let named = test.source_states().into_iter();
            let named = named.map(|(name, state)| (test_source_name(index, &name), state));
            replicas[0].sources.extend(named);
        }
        RunState {
            seed: self.shared.config.solver.random_seed(),
            batch: self.shared.config.batch,
            run_id: self.run_id,
            replicas,
            residuals: ResidualSeal::default(), // hashes of files that are yet to be written
            extra: [
                self.sum_sections(),
                numbers_section(RECORD_COUNTS, &self.shared.record_counts),
                numbers_section(DATA_PRINTS, &self.shared.data_prints),
                precision_section(self.shared.config.precision),
            ]
            .concat(),
        }
    }

    /// How gradients are summed: a resumed run goes on to the bit only in the same way.
    fn sum_sections(&self) -> Vec<SidecarSection> {
        let wire = self.shared.config.wire.name.as_bytes().to_vec();
        let scale = self.scale.map(GradientScale::section);
        let wire = SidecarSection { tag: WIRE, bytes: wire };
        let decision = self.decision.as_ref().map(CompressionDecision::section);
        [wire].into_iter().chain(scale).chain(decision).collect()
    }

    fn replica_state(&self, replica: &net::ReplicaState) -> SavedReplica {
        let names = self.net().source_names().into_iter().map(String::from);
        let running = self.net().params().iter().filter(|p| p.storage == ParamStorage::Running);
        SavedReplica {
            sources: names.zip(replica.sources.iter().map(|source| source.state())).collect(),
            random: replica.rng.state(),
            statistics: running
                .map(|param| SavedStatistics {
                    layer: param.layer.clone(),
                    blob: u32::try_from(param.index).unwrap_or(u32::MAX),
                    values: replica.running[param.values.clone()].to_vec(),
                })
                .collect(),
            extra: carried_section(&replica.carried),
        }
    }
}

/// The tag of the wire format's name.
pub(crate) const WIRE: [u8; 4] = *b"WIRE";

/// The tag of the numbers of records that the order of a run depends on.
pub(crate) const RECORD_COUNTS: [u8; 4] = *b"RECS";

/// The tag of the fingerprints of what the train net reads.
pub(crate) const DATA_PRINTS: [u8; 4] = *b"DATA";

/// A number for each of some layers; nothing if there are none.
fn numbers_section(tag: [u8; 4], by_layer: &[(String, u64)]) -> Vec<SidecarSection> {
    let bytes = serde_json::to_vec(by_layer).expect("names and numbers can be written");
    if by_layer.is_empty() { Vec::new() } else { vec![SidecarSection { tag, bytes }] }
}

/// What [`numbers_section`] made; nothing if there is none, `None` if it is damaged.
pub(crate) fn read_numbers(
    tag: [u8; 4],
    sections: &[SidecarSection],
) -> Option<BTreeMap<String, u64>> {
    let Some(section) = sections.iter().find(|section| section.tag == tag) else {
        return Some(BTreeMap::new());
    };
    let numbers: Vec<(String, u64)> = serde_json::from_slice(&section.bytes).ok()?;
    Some(numbers.into_iter().collect())
}

/// The tag of the precision: its name. A run in f32 has none.
pub(crate) const PRECISION: [u8; 4] = *b"PREC";

fn precision_section(precision: Precision) -> Vec<SidecarSection> {
    let bytes = precision.to_string().into_bytes();
    let section = SidecarSection { tag: PRECISION, bytes };
    precision.half().map(|_| section).into_iter().collect()
}

/// The tag of what recurrent layers carry: lengths and values, one after another.
pub(crate) const CARRIED: [u8; 4] = *b"CARR";

fn carried_section(carried: &[Vec<f32>]) -> Vec<SidecarSection> {
    let one = |values: &Vec<f32>| {
        let len = (values.len() as u64).to_le_bytes().to_vec();
        [len, values.iter().flat_map(|value| value.to_le_bytes()).collect()].concat()
    };
    let bytes: Vec<u8> = carried.iter().flat_map(one).collect();
    if carried.is_empty() { Vec::new() } else { vec![SidecarSection { tag: CARRIED, bytes }] }
}

/// What [`carried_section`] made; `None` if it is damaged.
pub(crate) fn read_carried(mut bytes: &[u8]) -> Option<Vec<Vec<f32>>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let (len, rest) = bytes.split_first_chunk()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?.checked_mul(4)?;
        let (values, rest) = rest.split_at_checked(len)?;
        let (values, []) = values.as_chunks() else { return None };
        all.push(values.iter().map(|&value| f32::from_le_bytes(value)).collect());
        bytes = rest;
    }
    Some(all)
}

/// The name a test net's data layer goes by among the sources of a snapshot.
pub(crate) fn test_source_name(net: usize, layer: &str) -> String {
    format!("test {net}/{layer}")
}
