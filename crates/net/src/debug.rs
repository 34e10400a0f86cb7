//! `debug_info`: mean absolute values after every layer, in Caffe's words.

use base::general;

use crate::{Home, Net, ReplicaState};

impl Net {
    /// After a layer's forward: its tops and params.
    #[must_use]
    pub fn forward_debug(
        &self,
        index: usize,
        params: &[f32],
        replica: &ReplicaState,
    ) -> Vec<String> {
        let node = &self.nodes[index];
        if node.hidden {
            return Vec::new();
        }
        let layer = node.written.name();
        let tops = node.tops.iter().map(|&top| {
            let blob = &self.blobs[top];
            let mean = mean_abs(&self.data[blob.data][..blob.shape.count()]);
            format!("    [Forward] Layer {layer}, top blob {} data: {mean}", blob.name)
        });
        let own = node.params.iter().enumerate().map(|(i, &p)| {
            let param = &self.params[p];
            let name = if param.name.is_empty() { i.to_string() } else { param.name.clone() };
            let mean = mean_abs(match param.home {
                Home::Slab => &params[param.values.clone()],
                Home::Running => &replica.running[param.values.clone()],
                Home::Private => &self.private[param.values.clone()],
            });
            format!("    [Forward] Layer {layer}, param blob {name} data: {mean}")
        });
        tops.chain(own).collect()
    }

    /// After a layer's backward: its bottoms' and params' diffs.
    #[must_use]
    pub fn backward_debug(&self, index: usize, pool: &[f32]) -> Vec<String> {
        let node = &self.nodes[index];
        if node.hidden || !node.backward {
            return Vec::new();
        }
        let layer = node.written.name();
        let wanted = node.bottoms.iter().zip(&node.propagate).filter(|(_, wanted)| **wanted);
        let bottoms = wanted.map(|(&bottom, _)| {
            let blob = &self.blobs[bottom];
            let mean = mean_abs(&self.diff[blob.diff][..blob.shape.count()]);
            format!("    [Backward] Layer {layer}, bottom blob {} diff: {mean}", blob.name)
        });
        let learned = node.params.iter().zip(&node.learn).enumerate();
        let params = learned.filter(|(_, (_, learn))| **learn).filter_map(|(i, (&p, _))| {
            let mean = mean_abs(&pool[self.params[p].gradient.clone()?]);
            Some(format!("    [Backward] Layer {layer}, param blob {i} diff: {mean}"))
        });
        bottoms.chain(params).collect()
    }

    /// After the whole backward: norms over all params.
    #[must_use]
    pub fn backward_totals(&self, params: &[f32], pool: &[f32]) -> String {
        let (mut data, mut diff) = ([0.0; 2], [0.0; 2]);
        for param in self.params.iter().filter(|param| param.home == Home::Slab) {
            add_norms(&params[param.values.clone()], &mut data);
            if let Some(gradient) = param.gradient.clone() {
                add_norms(&pool[gradient], &mut diff);
            }
        }
        format!(
            "    [Backward] All net params (data, diff): L1 norm = ({}, {}); L2 norm = ({}, {})",
            general(data[0]),
            general(diff[0]),
            general(data[1].sqrt()),
            general(diff[1].sqrt()),
        )
    }
}

fn mean_abs(values: &[f32]) -> String {
    let mut norms = [0.0; 2];
    add_norms(values, &mut norms);
    general(norms[0] / values.len().max(1) as f64)
}

/// Adds the sum of absolute values and of squares.
fn add_norms(values: &[f32], [l1, l2]: &mut [f64; 2]) {
    for &value in values {
        let value = f64::from(value);
        *l1 += value.abs();
        *l2 += value * value;
    }
}
