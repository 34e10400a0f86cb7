//! From a profile and the layers of a net to the time of each.

use std::time::Duration;

use crate::{DeviceProfile, DeviceTimes, ProfileError, ProfiledLayer};

/// What a profile needs to know of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerOperations<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub kind: &'a str,
    /// Values of its params.
    pub params: usize,
    /// Floating-point operations of a forward.
    pub forward: f64,
    /// Floating-point operations of a backward.
    pub backward: f64,
}

/// How long a layer takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LayerDurations {
    /// One forward.
    pub forward: Duration,
    /// One backward.
    pub backward: Duration,
}

/// How long the computation of one iteration takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComputeDurations {
    /// In the order they run.
    pub layers: Vec<LayerDurations>,
    /// The update of all params.
    pub update: Duration,
}

impl ComputeDurations {
    /// Forward, backward and update.
    #[must_use]
    pub fn total(&self) -> Duration {
        let layers: Duration = self.layers.iter().map(|layer| layer.forward + layer.backward).sum();
        layers + self.update
    }
}

impl DeviceProfile {
    /// The times of a net with these layers, in the order they run, whose batch has `batch` items.
    pub fn durations(
        &self,
        batch: usize,
        layers: &[LayerOperations<'_>],
    ) -> Result<ComputeDurations, ProfileError> {
        if batch != self.batch {
            return Err(ProfileError::OtherBatch { profile: self.batch, net: batch });
        }
        match &self.times {
            DeviceTimes::Layers { layers: measured, update_ms } => Ok(ComputeDurations {
                layers: matched(measured, layers)?,
                update: milliseconds(*update_ms),
            }),
            DeviceTimes::Rate { images_per_second } => {
                divided(batch as f64 / images_per_second, layers)
            }
        }
    }
}

/// Every layer's own times; names, types and sizes must agree.
fn matched(
    measured: &[ProfiledLayer],
    layers: &[LayerOperations<'_>],
) -> Result<Vec<LayerDurations>, ProfileError> {
    let known = |name: &str| layers.iter().any(|layer| layer.name == name);
    if let Some(other) = measured.iter().find(|layer| !known(&layer.name)) {
        return Err(ProfileError::OtherLayer { layer: other.name.clone() });
    }
    let find = |layer: &LayerOperations<'_>| {
        let named = measured.iter().find(|measured| measured.name == layer.name);
        let named = named.ok_or_else(|| ProfileError::NoLayer { layer: layer.name.into() })?;
        if named.kind != layer.kind || named.params != layer.params {
            return Err(ProfileError::LayerDiffers {
                layer: layer.name.into(),
                profile: named.kind.clone(),
                profile_params: named.params,
                net: layer.kind.into(),
                net_params: layer.params,
            });
        }
        let [forward, backward] = [named.forward_ms, named.backward_ms].map(milliseconds);
        Ok(LayerDurations { forward, backward })
    };
    layers.iter().map(find).collect()
}

/// `seconds`, divided by operations.
fn divided(seconds: f64, layers: &[LayerOperations<'_>]) -> Result<ComputeDurations, ProfileError> {
    let all: f64 = layers.iter().map(|layer| layer.forward + layer.backward).sum();
    if all <= 0.0 {
        return Err(ProfileError::NoOperations);
    }
    let time = |operations: f64| Duration::from_secs_f64(seconds * operations / all);
    let layers = layers.iter().map(|layer| LayerDurations {
        forward: time(layer.forward),
        backward: time(layer.backward),
    });
    Ok(ComputeDurations { layers: layers.collect(), update: Duration::ZERO })
}

/// Longer than a century is a century: the number came from a file.
fn milliseconds(milliseconds: f64) -> Duration {
    const CENTURY: f64 = 3.2e9;
    Duration::from_secs_f64((milliseconds / 1e3).min(CENTURY))
}
