//! An emulated run: ranks, messages, sums, compression and data are real, and computation is a wait
//! for as long as a [`DeviceProfile`] says.
//!
//! ```text
//!   real       data layer   forward … forward   backward ─ sum ─ backward …   update
//!   emulated   data layer   wait    … wait      wait+copy ─ sum ─ wait+copy … wait
//! ```
//!
//! The net is compiled without memory for its blobs, there are no weights and no history, and
//! gradients are copied into the pool from one file. So a rank costs little more than its pool, and
//! many fit one machine. Such a run tests, displays and saves nothing.
//!
//! Time is the clock's: one that runs K times slower than real time (`--dilate K`) makes hosts that
//! share two cores K times faster than they are. [`Compute`](crate::compute::Compute) is where a
//! worker computes or waits.

mod error;
mod gradients;
mod memory;

use std::path::PathBuf;
use std::sync::Arc;

use net::Net;
use profile::{ComputeDurations, DeviceProfile, LayerDurations, LayerOperations};

pub use error::EmulationProblem;
pub(crate) use gradients::GradientValues;
pub use memory::MachineMemory;

use crate::{Event, Job};

/// What to wait for instead of computing.
#[derive(Debug, Clone)]
pub struct Emulation {
    /// The file of the profile, for errors about it.
    pub file: PathBuf,
    /// How long layers and the update take.
    pub profile: DeviceProfile,
    /// How many times slower than real time the job's clock runs; for reports, since the clock
    /// alone decides.
    pub dilation: u32,
    /// Gradients of one backward in the order of the pool, as `f32` in the machine's byte order;
    /// `None` for drawn ones.
    pub gradients: Option<PathBuf>,
    /// What memory there is for the ranks on this machine.
    pub memory: MachineMemory,
}

/// What the workers of an emulated job share.
#[derive(Debug)]
pub(crate) struct EmulatedWork {
    pub(crate) durations: ComputeDurations,
    pub(crate) gradients: GradientValues,
}

impl Emulation {
    /// Looks up the net's layers in the profile and opens the gradients.
    pub(crate) fn open(&self, net: &Net) -> Result<Arc<EmulatedWork>, EmulationProblem> {
        let rows = &net.description().rows;
        let layers = rows.iter().map(|row| LayerOperations {
            name: &row.name,
            kind: row.kind,
            params: row.params,
            forward: row.forward_flops(),
            backward: row.backward_flops(),
        });
        let durations = self.profile.durations(net.batch_items(), &layers.collect::<Vec<_>>());
        let mut durations = durations.map_err(|source| {
            let file = self.file.clone();
            EmulationProblem::Profile { file, source }
        })?;
        for layer in (0..net.len()).filter(|&layer| net.is_data(layer)) {
            durations.layers[layer] = LayerDurations::default(); // reads its batch all the same
        }
        let gradients = GradientValues::open(self.gradients.as_deref(), net.pool_len())?;
        Ok(Arc::new(EmulatedWork { durations, gradients }))
    }
}

impl Job {
    /// Whether computation is a wait: then there are no weights.
    pub(crate) fn emulates(&self) -> bool {
        self.shared.config.emulation.is_some()
    }

    /// What the job waits for, if it is emulated.
    pub(crate) fn emulation_begins(&self) -> Option<Event> {
        let Emulation { profile, dilation, .. } = self.shared.config.emulation.as_ref()?;
        let bytes = size_of::<f32>() * self.net().pool_len() * self.workers.len();
        Some(Event::Emulating {
            machine: profile.machine.clone(),
            source: profile.source.clone(),
            dilation: *dilation,
            compute: self.workers[0].compute.total(),
            pool_bytes: bytes,
        })
    }
}

#[cfg(test)]
mod tests;
