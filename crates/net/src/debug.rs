//! `debug_info`: mean absolute values after every layer, as Caffe logs them.

use serde::{Deserialize, Serialize};

use crate::{Net, ParamStorage, ReplicaState};

/// One line of `debug_info`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DebugValue {
    /// The mean absolute value of one blob of one layer.
    Mean {
        /// The layer that was just run.
        layer: String,
        /// Which of its blobs.
        blob: DebugBlob,
        /// The mean; 0 for an empty blob.
        #[serde(with = "crate::float_text")]
        mean: f64,
    },
    /// Norms over all learned params, after the whole backward.
    Norms {
        /// Sums of absolute values and roots of sums of squares of the values.
        data: NetNorms,
        /// The same of their gradients.
        diff: NetNorms,
    },
}

/// Which blob of a layer a mean is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DebugBlob {
    /// Data of a top, after forward.
    Top(String),
    /// Values of a param, after forward: its name, or its index if it has none.
    Param(String),
    /// Diff of a bottom, after backward.
    BottomDiff(String),
    /// Gradient of a param, after backward, by index.
    ParamDiff(usize),
}

/// L1 and L2 norm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NetNorms {
    /// Sum of absolute values.
    #[serde(with = "crate::float_text")]
    pub l1: f64,
    /// Root of the sum of squares.
    #[serde(with = "crate::float_text")]
    pub l2: f64,
}

impl Net {
    /// After a layer's forward: its tops and params.
    #[must_use]
    pub fn forward_debug(
        &self,
        index: usize,
        params: &[f32],
        replica: &ReplicaState,
    ) -> Vec<DebugValue> {
        let (exec, is) = (&self.layers[index], &self.description.layers[index]);
        if is.hidden {
            return Vec::new();
        }
        let layer = is.name();
        let tops = exec.tops.iter().map(|top| {
            let blob = &self.blobs[top.blob];
            let (memory, count) = (&self.data[blob.data], blob.shape.count());
            let values: Vec<f32> = (0..count).map(|at| memory.value(at)).collect();
            mean(layer, DebugBlob::Top(blob.name.clone()), &values)
        });
        let own = is.params.iter().enumerate().map(|(i, &(p, _))| {
            let param = &self.params[p];
            let name = if param.name.is_empty() { i.to_string() } else { param.name.clone() };
            let values = self.values_of(param, params, &replica.running);
            mean(layer, DebugBlob::Param(name), &values)
        });
        tops.chain(own).collect()
    }

    /// After a layer's backward: its bottoms' and params' diffs.
    #[must_use]
    pub fn backward_debug(&self, index: usize, pool: &[f32]) -> Vec<DebugValue> {
        let (exec, is) = (&self.layers[index], &self.description.layers[index]);
        if is.hidden || !is.backward {
            return Vec::new();
        }
        let layer = is.name();
        let written = exec.bottoms.iter().filter(|bottom| bottom.writes_diff);
        let bottoms = written.filter_map(|bottom| {
            let blob = &self.blobs[bottom.blob];
            let (memory, count) = (self.diff_memory(blob)?, blob.shape.count());
            let values: Vec<f32> = (0..count).map(|at| memory.value(at)).collect();
            Some(mean(layer, DebugBlob::BottomDiff(blob.name.clone()), &values))
        });
        let learned = is.params.iter().zip(&is.learn).enumerate();
        let params = learned.filter(|(_, (_, learn))| **learn).filter_map(|(i, (&(p, _), _))| {
            let gradient = self.params[p].gradient.clone()?;
            Some(mean(layer, DebugBlob::ParamDiff(i), &pool[gradient]))
        });
        bottoms.chain(params).collect()
    }

    /// After the whole backward: norms over all params.
    #[must_use]
    pub fn backward_totals(&self, params: &[f32], pool: &[f32]) -> DebugValue {
        let (mut data, mut diff) = ([0.0; 2], [0.0; 2]);
        for param in self.params.iter().filter(|param| param.storage == ParamStorage::Slab) {
            add_norms(&params[param.values.clone()], &mut data);
            if let Some(gradient) = param.gradient.clone() {
                add_norms(&pool[gradient], &mut diff);
            }
        }
        let norms = |[l1, squares]: [f64; 2]| NetNorms { l1, l2: squares.sqrt() };
        DebugValue::Norms { data: norms(data), diff: norms(diff) }
    }
}

fn mean(layer: &str, blob: DebugBlob, values: &[f32]) -> DebugValue {
    let mut norms = [0.0; 2];
    add_norms(values, &mut norms);
    DebugValue::Mean { layer: layer.into(), blob, mean: norms[0] / values.len().max(1) as f64 }
}

/// Adds the sum of absolute values and of squares.
fn add_norms(values: &[f32], [l1, l2]: &mut [f64; 2]) {
    for &value in values {
        let value = f64::from(value);
        *l1 += value.abs();
        *l2 += value * value;
    }
}
