//! Residuals between stop and resume: a file per rank, or per worker where compression runs between
//! workers.
//!
//! In a world of the same size and with the same compression every rank reads its own file and goes
//! on to the bit. Otherwise residuals are folded: each rank turns its part of the old files into
//! the gradient that has their effect, and adds it to its first gradient. Nothing that was computed
//! is lost, but the weights are not those of a run without a stop.

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

impl Job {
    /// Writes the residuals of this rank. What the sidecar says about those of all ranks, or why
    /// one could not write. A collective: all ranks call it.
    pub(crate) fn save_residuals(
        &mut self,
        names: &SnapshotPaths,
    ) -> Result<Result<ResidualSeal, Vec<String>>, TrainError> {
        let Some(config) = &self.shared.config.compression else {
            return Ok(Ok(ResidualSeal::default()));
        };
        let (compression, iteration) = (config.to_string(), self.iter);
        let shared = Arc::clone(&self.shared);
        let busy = shared.ranks.busy(); // disks may be slow
        let own: Result<Vec<u64>, Vec<String>> = (self.bucket_sums_mut())
            .filter_map(|sums| sums.compressor_mut())
            .map(|compressor| save_residuals(names, &file_of(compressor.save(), iteration)))
            .collect::<Result<Vec<u64>, SnapshotError>>()
            .map_err(|error| crate::causes(&error));
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
    let old_world = seal.hashes.len();
    let (own, iter) = (job.rank(), job.iter);
    let config: CompressionConfig =
        seal.compression.parse().map_err(|source| unfit(names, seal, 0, source))?;
    for index in (own.index()..old_world).step_by(own.world()) {
        let wrong = |source| unfit(names, seal, index, source);
        let rank = Rank::new(index, old_world).expect("below the world");
        let mut compressor = config.build(&job.compression_setup(rank)).map_err(wrong)?;
        compressor
            .load(&state_of(load_residuals(names, &seal.hashes, index, iter)?))
            .map_err(wrong)?;
        compressor.residual_into(&mut folded);
    }
    folded.iter_mut().for_each(|value| *value /= saved_scale);
    if let Some(reduction) = job.workers[0].reduction.as_mut() {
        reduction.folded = folded;
    }
    let now = job.shared.config.compression.as_ref().map(|config| config.kind().momentum);
    if config.kind().momentum == MomentumUse::Corrected && now != Some(MomentumUse::Corrected) {
        // Momentum was in the residuals; what the rule kept is no velocity.
        let shared = Arc::get_mut(&mut job.shared).expect("no step is running");
        shared.history.iter_mut().for_each(|history| history.get_mut().fill(0.0));
    }
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
