//! Residuals between stop and resume: a file per rank, or per worker where compression runs between
//! workers.
//!
//! In a world of the same size and with the same compression every rank reads its own file and goes
//! on to the bit. Otherwise residuals are folded: each rank turns its part of the old files into
//! the gradient that has their effect, and adds it to its first gradient that is applied. Nothing
//! that was computed is lost, but the weights are not those of a run without a stop. Until then
//! nothing is compressed for good, and a snapshot has those gradients instead of residuals.

use std::path::Path;
use std::sync::Arc;

use base::Rank;
use exchange::compression::{
    CompressionConfig, MomentumUse, ResidualState, ResidualValues, ResidualVector,
};
use snapshot::{
    ResidualFile, ResidualNumbers, ResidualSeal, SnapshotError, SnapshotPaths, load_residuals,
    save_residuals,
};

use crate::step::GradientScale;
use crate::{Event, GradientEvent, Job, ResumeProblem, TrainError};

/// Instead of a compression's name: gradients that residuals of another world left.
const FOLDED: &str = "folded";

impl Job {
    /// Writes the residuals of this rank. What the sidecar says about those of all ranks, or why
    /// one could not write. A collective: all ranks call it.
    pub(crate) fn save_residuals(
        &mut self,
        names: &SnapshotPaths,
    ) -> Result<Result<ResidualSeal, Vec<String>>, TrainError> {
        let compression = match &self.shared.config.compression {
            _ if self.folded().is_some() => FOLDED.to_owned(),
            Some(config) => config.to_string(),
            None => return Ok(Ok(ResidualSeal::default())),
        };
        let shared = Arc::clone(&self.shared);
        let busy = shared.ranks.busy(); // disks may be slow
        let own: Result<Vec<u64>, Vec<String>> =
            self.save_own_residuals(names).map_err(|error| crate::causes(&error));
        let own = serde_json::to_vec(&own).expect("numbers and texts can be written");
        drop(busy);
        let mut hashes = Vec::new();
        for (rank, bytes) in self.shared.ranks.gather(own)?.iter().enumerate() {
            let read = serde_json::from_slice(bytes).map_err(|_| TrainError::State { rank })?;
            let of_rank: Result<Vec<u64>, Vec<String>> = read;
            match of_rank {
                Ok(of_rank) => hashes.extend(of_rank),
                Err(causes) => return Ok(Err(causes)),
            }
        }
        Ok(Ok(ResidualSeal { compression, hashes }))
    }

    /// Writes the files of this rank; their hashes.
    fn save_own_residuals(&mut self, names: &SnapshotPaths) -> Result<Vec<u64>, SnapshotError> {
        let (rank, iteration) = (self.rank(), self.iter);
        if let Some(folded) = self.folded() {
            let file = ResidualFile {
                iteration,
                rank: rank.index() as u64,
                world: rank.world() as u64,
                compression: FOLDED.to_owned(),
                vectors: vec![(FOLDED.to_owned(), ResidualNumbers::F32(folded.into()))],
            };
            return Ok(vec![save_residuals(names, &file)?]);
        }
        let compressors = self.bucket_sums_mut().filter_map(|sums| sums.compressor_mut());
        compressors
            .map(|compressor| save_residuals(names, &file_of(compressor.save(), iteration)))
            .collect()
    }
}

/// Goes on from the residuals of the snapshot at `state`, whose gradients had the scale `saved`.
pub(crate) fn restore_residuals(
    job: &mut Job,
    state: &Path,
    seal: &ResidualSeal,
    saved: Option<GradientScale>,
    events: &mut dyn FnMut(Event),
) -> Result<(), TrainError> {
    let Some(names) = SnapshotPaths::of_state(state).filter(|_| !seal.hashes.is_empty()) else {
        return Ok(());
    };
    if seal.compression == FOLDED {
        return restore_folded(job, &names, seal);
    }
    let saved_scale = saved.map_or(1.0, GradientScale::factor);
    let now = job.shared.config.compression.as_ref().map(ToString::to_string);
    if now.as_ref() != Some(&seal.compression) || job.compression_world() != Some(seal.hashes.len())
    {
        fold(job, &names, seal, saved_scale)?;
        events(Event::Gradients(GradientEvent::ResidualsFolded {
            compression: seal.compression.clone(),
            world: seal.hashes.len(),
        }));
        return Ok(());
    }
    let (iter, scale) = (job.iter, job.scale.map_or(1.0, GradientScale::factor));
    for compressor in job.bucket_sums_mut().filter_map(|sums| sums.compressor_mut()) {
        let rank = compressor.rank().index();
        let loaded = load_residuals(&names, &seal.hashes, rank, iter)?;
        compressor.load(&state_of(loaded)).map_err(|source| unfit(&names, seal, rank, source))?;
        if scale != saved_scale {
            compressor.rescale(scale / saved_scale);
        }
    }
    Ok(())
}

/// Leaves the effect of old residuals for worker 0 to add to its first gradient.
fn fold(
    job: &mut Job,
    names: &SnapshotPaths,
    seal: &ResidualSeal,
    saved_scale: f32,
) -> Result<(), TrainError> {
    let mut folded = vec![0.0; job.net().pool_len()];
    let (old_world, iter) = (seal.hashes.len(), job.iter);
    let config: CompressionConfig =
        seal.compression.parse().map_err(|source| unfit(names, seal, 0, source))?;
    for index in read_here(job, old_world) {
        let wrong = |source| unfit(names, seal, index, source);
        let rank = Rank::new(index, old_world).expect("below the world");
        let mut compressor = config.build(&job.compression_setup(rank)).map_err(wrong)?;
        compressor
            .load(&state_of(load_residuals(names, &seal.hashes, index, iter)?))
            .map_err(wrong)?;
        compressor.residual_into(&mut folded);
    }
    folded.iter_mut().for_each(|value| *value /= saved_scale);
    job.set_folded(folded);
    let now = job.shared.config.compression.as_ref().map(|config| config.kind().momentum);
    if config.kind().momentum == MomentumUse::Corrected && now != Some(MomentumUse::Corrected) {
        // Momentum was in the residuals; what the rule kept is no velocity.
        let shared = Arc::get_mut(&mut job.shared).expect("no step is running");
        shared.history.iter_mut().for_each(|history| history.get_mut().fill(0.0));
    }
    Ok(())
}

/// The files of an old world that this rank reads.
fn read_here(job: &Job, old_world: usize) -> impl Iterator<Item = usize> + use<> {
    (job.rank().index()..old_world).step_by(job.rank().world())
}

/// Goes on with gradients that were folded, but not applied, before the snapshot.
fn restore_folded(
    job: &mut Job,
    names: &SnapshotPaths,
    seal: &ResidualSeal,
) -> Result<(), TrainError> {
    let mut folded = vec![0.0; job.net().pool_len()];
    let mut values = folded.clone();
    for index in read_here(job, seal.hashes.len()) {
        let state = state_of(load_residuals(names, &seal.hashes, index, job.iter)?);
        let copied = state.copy_f32(FOLDED, &mut values);
        copied.map_err(|source| unfit(names, seal, index, source))?;
        folded.iter_mut().zip(&values).for_each(|(folded, value)| *folded += value);
    }
    job.set_folded(folded);
    Ok(())
}

fn unfit(
    names: &SnapshotPaths,
    seal: &ResidualSeal,
    rank: usize,
    source: exchange::compression::CompressionError,
) -> TrainError {
    let path = names.residuals(rank as u64, seal.hashes.len() as u64);
    TrainError::Resume { path, source: ResumeProblem::Residuals(source) }
}

fn file_of(state: ResidualState<'_>, iteration: u64) -> ResidualFile<'_> {
    let ResidualState { compression, rank, world, vectors } = state;
    let vectors = vectors.into_iter().map(numbers_of).collect();
    ResidualFile { iteration, rank, world, compression, vectors }
}

fn numbers_of(vector: ResidualVector<'_>) -> (String, ResidualNumbers<'_>) {
    match vector.values {
        ResidualValues::F32(values) => (vector.name, ResidualNumbers::F32(values)),
        ResidualValues::U64(values) => (vector.name, ResidualNumbers::U64(values)),
    }
}

fn state_of(file: ResidualFile<'static>) -> ResidualState<'static> {
    let values = |(name, numbers): (String, ResidualNumbers<'static>)| match numbers {
        ResidualNumbers::F32(values) => {
            ResidualVector { name, values: ResidualValues::F32(values) }
        }
        ResidualNumbers::U64(values) => {
            ResidualVector { name, values: ResidualValues::U64(values) }
        }
    };
    let ResidualFile { compression, rank, world, vectors, .. } = file;
    let vectors = vectors.into_iter().map(values).collect();
    ResidualState { compression, rank, world, vectors }
}
