//! Profiles as text: what is written, and the checks that make it a [`DeviceProfile`].

use serde::{Deserialize, Serialize};

use crate::{DeviceProfile, DeviceTimes, ProfileError, ProfiledLayer};

/// What `format` says: a later version can be told from this one.
const FORMAT: &str = "firecaffe profile 1";

/// The file exactly as written: nothing checked but names and types.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileText {
    format: Option<String>,
    net: Option<String>,
    batch: Option<usize>,
    machine: Option<String>,
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    images_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    update_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<Vec<LayerText>>,
}

/// One layer as written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayerText {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    forward_ms: f64,
    backward_ms: f64,
    params: usize,
}

impl DeviceProfile {
    /// Reads what [`to_json`](Self::to_json) or a person wrote.
    pub fn from_json(text: &str) -> Result<Self, ProfileError> {
        let written: ProfileText = serde_json::from_str(text).map_err(ProfileError::Json)?;
        let format = needed("format", written.format)?;
        if format != FORMAT {
            return Err(ProfileError::Format { found: format, expected: FORMAT });
        }
        let batch = needed("batch", written.batch)?;
        if batch == 0 {
            return Err(ProfileError::Batch);
        }
        let times = match (written.layers, written.images_per_second) {
            (Some(layers), None) => DeviceTimes::Layers {
                layers: layers.into_iter().map(checked_layer).collect::<Result<_, _>>()?,
                update_ms: checked("`update_ms`", needed("update_ms", written.update_ms)?)?,
            },
            (None, Some(_)) if written.update_ms.is_some() => {
                return Err(ProfileError::UpdateOfRate);
            }
            (None, Some(images_per_second)) => {
                if checked("`images_per_second`", images_per_second)? == 0.0 {
                    return Err(ProfileError::NoSpeed);
                }
                DeviceTimes::Rate { images_per_second }
            }
            (Some(_), Some(_)) => return Err(ProfileError::TimesTwice),
            (None, None) => return Err(ProfileError::NoTimes),
        };
        Ok(Self {
            net: needed("net", written.net)?,
            batch,
            machine: needed("machine", written.machine)?,
            source: needed("source", written.source)?,
            times,
        })
    }

    /// As JSON, one field per line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut written = ProfileText {
            format: Some(FORMAT.into()),
            net: Some(self.net.clone()),
            batch: Some(self.batch),
            machine: Some(self.machine.clone()),
            source: Some(self.source.clone()),
            ..ProfileText::default()
        };
        match &self.times {
            DeviceTimes::Rate { images_per_second } => {
                written.images_per_second = Some(*images_per_second);
            }
            DeviceTimes::Layers { layers, update_ms } => {
                written.update_ms = Some(*update_ms);
                written.layers = Some(layers.iter().map(layer_text).collect());
            }
        }
        let text = serde_json::to_string_pretty(&written).expect("text and numbers can be written");
        text + "\n"
    }
}

fn layer_text(layer: &ProfiledLayer) -> LayerText {
    let ProfiledLayer { name, kind, forward_ms, backward_ms, params } = layer.clone();
    LayerText { name, kind, forward_ms, backward_ms, params }
}

fn checked_layer(layer: LayerText) -> Result<ProfiledLayer, ProfileError> {
    let LayerText { name, kind, forward_ms, backward_ms, params } = layer;
    for (field, value) in [("forward_ms", forward_ms), ("backward_ms", backward_ms)] {
        checked(&format!("`{field}` of layer `{name}`"), value)?;
    }
    Ok(ProfiledLayer { name, kind, forward_ms, backward_ms, params })
}

fn needed<T>(field: &'static str, value: Option<T>) -> Result<T, ProfileError> {
    value.ok_or(ProfileError::Missing { field })
}

/// A time or a speed: JSON has no infinities, but it has signs.
fn checked(field: &str, value: f64) -> Result<f64, ProfileError> {
    if value >= 0.0 {
        Ok(value)
    } else {
        Err(ProfileError::Negative { field: field.into(), value })
    }
}
