//! A network as the simulator needs it: per layer its operations and its params.
//!
//! `of_net` makes it from a described net. The time of an iteration is known per layer (a profile)
//! or as a whole (a device's images per second); a whole is divided among layers by their
//! operations. GradientFlow's measurements support that: the fully connected layers of
//! AlexNet take 7.1 % of backward, and have 8 % of its operations.

use crate::cluster::{DeviceDescription, DeviceSpeed, ProfiledNetwork};
use crate::error::SimulationError;

/// One param that gets a gradient, as a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamModel {
    /// Outputs: of a convolution its filters.
    pub rows: usize,
    /// Values per output.
    pub columns: usize,
}

impl ParamModel {
    /// Number of values.
    #[must_use]
    pub fn values(self) -> usize {
        self.rows * self.columns
    }
}

/// One layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerModel {
    /// Its name.
    pub name: String,
    /// Params whose gradients are ready once it has run backward, in the order of the pool.
    pub params: Vec<ParamModel>,
    /// Operations of forward for one image; a multiply-add counts two.
    pub forward_ops: f64,
    /// The same of backward.
    pub backward_ops: f64,
}

/// A network.
#[derive(Debug, Clone, PartialEq)]
pub struct NetModel {
    /// Its name, by which devices know their speed.
    pub name: String,
    /// In the order in which forward runs them.
    pub layers: Vec<LayerModel>,
}

/// A name without case, spaces and dashes: `ResNet-50` and `resnet50_b8` mean the same network.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Seconds that a device computes in one iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputeTimes {
    /// Of each layer, in the order in which forward runs them.
    pub forward: Vec<f64>,
    /// Of each layer, in the same order.
    pub backward: Vec<f64>,
    /// Of the update.
    pub update: f64,
}

impl ComputeTimes {
    /// Forward, backward and update.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.forward.iter().sum::<f64>() + self.backward.iter().sum::<f64>() + self.update
    }
}

impl NetModel {
    /// Values in the pool: |W|.
    #[must_use]
    pub fn values(&self) -> usize {
        self.layers.iter().flat_map(|layer| &layer.params).map(|param| param.values()).sum()
    }

    /// Operations of forward and backward for one image.
    #[must_use]
    pub fn ops(&self) -> f64 {
        self.layers.iter().map(|layer| layer.forward_ops + layer.backward_ops).sum()
    }

    /// How long `device` computes in an iteration with `batch` images.
    pub fn compute_times(
        &self,
        device: &DeviceDescription,
        precision: &str,
        batch: usize,
    ) -> Result<ComputeTimes, SimulationError> {
        if let Some(times) = self.times_by_profile(device, precision, batch) {
            return Ok(times);
        }
        let passes = match self.seconds_by_speed(device, precision, batch) {
            Some(seconds) => seconds,
            None => {
                let no_speed = || SimulationError::NoSpeed {
                    device: device.name.clone(),
                    network: self.name.clone(),
                    precision: precision.to_owned(),
                    known: device
                        .speeds
                        .iter()
                        .map(|s| format!("{} {}", s.network, s.precision))
                        .collect(),
                };
                let gflops = device.gflops.filter(|_| precision == "f32").ok_or_else(no_speed)?;
                batch as f64 * self.ops() / (1e9 * gflops)
            }
        };
        let bytes = (size_of::<f32>() * self.values()) as f64;
        let update = device.update_gbs.map_or(0.0, |gbs| bytes / (1e9 * gbs));
        let ops = self.ops();
        // Without operations (a net of data layers) all layers count alike.
        let even = passes / (2 * self.layers.len()).max(1) as f64;
        let seconds = |of: f64| if ops > 0.0 { passes * of / ops } else { even };
        Ok(ComputeTimes {
            forward: self.layers.iter().map(|layer| seconds(layer.forward_ops)).collect(),
            backward: self.layers.iter().map(|layer| seconds(layer.backward_ops)).collect(),
            update,
        })
    }

    /// Whether `network` names this net.
    #[must_use]
    pub fn is_called(&self, network: &str) -> bool {
        letters(&self.name).starts_with(&letters(network))
    }

    /// The times of a profile that was read: of the batch's own, or proportional to the nearest.
    fn times_by_profile(
        &self,
        device: &DeviceDescription,
        precision: &str,
        batch: usize,
    ) -> Option<ComputeTimes> {
        let ours = |profile: &&ProfiledNetwork| {
            self.is_called(&profile.network) && profile.precision == precision
        };
        let read = device.profiles.iter().filter(ours).filter_map(|profile| profile.times.as_ref());
        let (measured, times) = read.min_by_key(|(measured, _)| measured.abs_diff(batch))?;
        Some(times.scaled(batch as f64 / *measured as f64))
    }

    /// The time of an iteration by the device's measured speeds: proportional to the batch, or, if
    /// several batches were measured, on the line through the two nearest.
    fn seconds_by_speed(
        &self,
        device: &DeviceDescription,
        precision: &str,
        batch: usize,
    ) -> Option<f64> {
        let is_ours =
            |speed: &&DeviceSpeed| self.is_called(&speed.network) && speed.precision == precision;
        let ours: Vec<_> = device.speeds.iter().filter(is_ours).collect();
        let mut measured: Vec<(f64, f64)> = ours
            .iter()
            .filter_map(|speed| {
                Some((speed.batch? as f64, speed.batch? as f64 / speed.images_per_s))
            })
            .collect();
        measured.sort_by(|a, b| a.0.total_cmp(&b.0));
        measured.dedup_by_key(|point| point.0);
        let batch = batch as f64;
        if measured.len() < 2 {
            return Some(batch / ours.first()?.images_per_s);
        }
        let above = measured.partition_point(|point| point.0 < batch).clamp(1, measured.len() - 1);
        let ((low, from), (high, to)) = (measured[above - 1], measured[above]);
        Some((from + (to - from) * (batch - low) / (high - low)).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::{ComputeTimes, LayerModel, NetModel};
    use crate::cluster::{DeviceDescription, DeviceSpeed, ProfiledNetwork};

    fn device(speeds: &[(Option<usize>, f64)]) -> DeviceDescription {
        let speed = |&(batch, images_per_s): &(Option<usize>, f64)| DeviceSpeed {
            network: "NIN".into(),
            precision: "f32".into(),
            batch,
            images_per_s,
        };
        DeviceDescription {
            name: "K20".into(),
            speeds: speeds.iter().map(speed).collect(),
            ..DeviceDescription::NONE
        }
    }

    fn net() -> NetModel {
        let layer = |name: &str, ops| LayerModel {
            name: name.into(),
            params: Vec::new(),
            forward_ops: ops,
            backward_ops: 2.0 * ops,
        };
        NetModel { name: "nin".into(), layers: vec![layer("a", 1e6), layer("b", 3e6)] }
    }

    #[test]
    fn a_whole_is_divided_by_operations() {
        let times = net().compute_times(&device(&[(None, 100.0)]), "f32", 12).unwrap();
        let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-12, "{got}, {want}");
        close(times.total(), 0.12);
        close(times.forward[0], 0.01);
        close(times.backward[1], 0.06);
    }

    #[test]
    fn between_two_measured_batches_time_is_on_their_line() {
        let device = device(&[(Some(10), 100.0), (Some(30), 150.0)]);
        let seconds = |batch| net().compute_times(&device, "f32", batch).unwrap().total();
        assert!((seconds(20) - 0.15).abs() < 1e-12 && (seconds(40) - 0.25).abs() < 1e-12);
    }

    /// A profile wins over a speed, once it was read; layers follow the batch, the update does not.
    #[test]
    fn a_profile_has_the_times_of_every_layer() {
        let mut device = device(&[(None, 100.0)]);
        let profile = |times| ProfiledNetwork {
            network: "NiN".into(),
            precision: "f32".into(),
            file: "nin.json".into(),
            times,
        };
        device.profiles = vec![profile(None)];
        let total =
            |device: &DeviceDescription| net().compute_times(device, "f32", 20).unwrap().total();
        assert!((total(&device) - 0.2).abs() < 1e-12);
        let times = ComputeTimes { forward: vec![0.1, 0.2], backward: vec![0.3, 0.4], update: 0.5 };
        device.profiles = vec![profile(Some((10, times)))];
        assert!((total(&device) - 2.5).abs() < 1e-12);
    }

    #[test]
    fn an_unknown_speed_names_the_known_ones() {
        let error = net().compute_times(&device(&[(None, 1.0)]), "mixed", 1).unwrap_err();
        assert!(error.to_string().contains("NIN f32"), "{error}");
    }
}
