//! From a described net, and a device's profile of it, to what the simulator needs.

use crate::model::{ComputeTimes, LayerModel, NetModel, ParamModel};
use net::{LayerSummary, NetDescription, Param};
use profile::{DeviceProfile, LayerOperations, ProfileError};

impl NetModel {
    /// A described net; operations are those of one image of its batch.
    #[must_use]
    pub fn of(net: &NetDescription) -> Self {
        let images = net.batch_items().max(1) as f64;
        let layer = |row: &LayerSummary| LayerModel {
            name: row.name.clone(),
            params: net.gradients_of(&row.name).into_iter().map(param_model).collect(),
            forward_ops: row.forward_flops() / images,
            backward_ops: row.backward_flops() / images,
        };
        Self { name: net.name.clone(), layers: net.rows.iter().map(layer).collect() }
    }
}

fn param_model(param: &Param) -> ParamModel {
    let rows = param.shape.dims().first().copied().unwrap_or(1).max(1);
    ParamModel { rows, columns: param.shape.count() / rows }
}

impl ComputeTimes {
    /// What a profile says of `net`, for the profile's batch. Layers without bottoms take no time:
    /// their data is prepared while others compute.
    pub fn of_profile(profile: &DeviceProfile, net: &NetDescription) -> Result<Self, ProfileError> {
        let layers = net.rows.iter().map(|row| LayerOperations {
            name: &row.name,
            kind: row.kind,
            params: row.params,
            forward: row.forward_flops(),
            backward: row.backward_flops(),
        });
        let durations = profile.durations(profile.batch, &layers.collect::<Vec<_>>())?;
        let computes = net.rows.iter().map(|row| f64::from(u8::from(!row.bottoms.is_empty())));
        let layers: Vec<_> = durations.layers.iter().zip(computes).collect();
        Ok(Self {
            forward: layers.iter().map(|(layer, on)| on * layer.forward.as_secs_f64()).collect(),
            backward: layers.iter().map(|(layer, on)| on * layer.backward.as_secs_f64()).collect(),
            update: durations.update.as_secs_f64(),
        })
    }

    /// The same with another batch: layers take proportionally longer, the update does not.
    #[must_use]
    pub fn scaled(&self, times: f64) -> Self {
        let scale = |seconds: &Vec<f64>| seconds.iter().map(|s| s * times).collect();
        Self { forward: scale(&self.forward), backward: scale(&self.backward), update: self.update }
    }
}
