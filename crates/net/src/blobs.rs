//! Blobs as their users see them: by name, in Caffe's order.

use base::Shape;
use kernels::Cpu;
use serde::{Deserialize, Serialize};
use tensor::Layout;

use crate::layouts::convert;
use crate::{Blob, MemoryPlan, Net};

/// A blob's values in Caffe's order.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// Caffe's shape.
    pub shape: Shape,
    /// Row-major.
    pub values: Vec<f32>,
}

/// A net output: its name, its loss weight (0 for what is not a loss), and its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The blob's name.
    pub name: String,
    /// Its loss weight.
    pub loss_weight: f32,
    /// Row-major values.
    pub values: Vec<f32>,
}

impl Net {
    /// Names of all blobs, in the order they are made.
    pub fn blob_names(&self) -> impl Iterator<Item = &str> {
        self.blobs.iter().filter(|blob| !blob.hidden).map(|blob| blob.name.as_str())
    }

    /// Shape of a blob.
    #[must_use]
    pub fn blob_shape(&self, name: &str) -> Option<&Shape> {
        self.find(name).map(|blob| &blob.shape)
    }

    /// Data of a blob, in Caffe's order.
    #[must_use]
    pub fn blob(&self, cpu: &Cpu, name: &str) -> Option<Values> {
        let blob = self.find(name)?;
        Some(look(cpu, blob, &self.data[blob.data]))
    }

    /// Diff of a blob, in Caffe's order; zeros where backward wrote nothing. `None` where the plan gave
    /// its memory to others since: see [`MemoryPlan`].
    #[must_use]
    pub fn blob_diff(&self, cpu: &Cpu, name: &str) -> Option<Values> {
        let index = self.index(name)?;
        let blob = self.keeps_diff(index).then(|| &self.blobs[index])?;
        Some(look(cpu, blob, &self.diff[blob.diff]))
    }

    /// Sets the data of a blob, usually an Input's, from values in Caffe's order. `false` when there
    /// is no such blob, the number of values is another, or the plan made it part of another blob.
    pub fn set_blob(&mut self, cpu: &Cpu, name: &str, values: &[f32]) -> bool {
        let Some(index) = self.index(name) else { return false };
        put(cpu, &self.blobs[index], values, &mut self.data[self.blobs[index].data])
    }

    /// Sets the diff of a blob, usually an output's, to run backward from it.
    pub fn set_blob_diff(&mut self, cpu: &Cpu, name: &str, values: &[f32]) -> bool {
        let Some(index) = self.index(name).filter(|&index| self.keeps_diff(index)) else {
            return false;
        };
        let fits = put(cpu, &self.blobs[index], values, &mut self.diff[self.blobs[index].diff]);
        if fits {
            (self.blobs[index].live, self.blobs[index].given) = (true, true);
        }
        fits
    }

    /// Blobs that no layer reads, sorted by name, as Caffe reports them.
    #[must_use]
    pub fn outputs(&self, cpu: &Cpu) -> Vec<Output> {
        let output = |&index: &usize| {
            let blob = &self.blobs[index];
            let Values { values, .. } = look(cpu, blob, &self.data[blob.data]);
            Output { name: blob.name.clone(), loss_weight: self.loss_weight(index), values }
        };
        self.outputs.iter().map(output).collect()
    }

    /// The first layer and blob, in the order they run, with a value that is not finite.
    #[must_use]
    pub fn first_not_finite(&self) -> Option<(&str, &str)> {
        // Of a part of a wider blob, the layer that made the bad value comes first all the same.
        let bad = |blob: &Blob| {
            parts(blob, &self.data[blob.data]).flatten().any(|value| !value.is_finite())
        };
        self.nodes.iter().find_map(|node| {
            let blob = node.tops.iter().map(|&top| &self.blobs[top]).find(|blob| bad(blob))?;
            Some((node.written.name(), blob.name.as_str()))
        })
    }

    /// Whether nobody else uses the memory of a blob's diff.
    fn keeps_diff(&self, blob: usize) -> bool {
        self.plan != MemoryPlan::ShareDiffs || self.outputs.contains(&blob)
    }

    fn loss_weight(&self, blob: usize) -> f32 {
        let mut tops = self.nodes.iter().flat_map(|n| n.tops.iter().zip(&n.loss_weights));
        tops.find(|&(&top, &weight)| top == blob && weight != 0.0)
            .map_or(0.0, |(_, &weight)| weight)
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.blobs.iter().position(|blob| blob.name == name && !blob.hidden)
    }

    fn find(&self, name: &str) -> Option<&Blob> {
        self.index(name).map(|index| &self.blobs[index])
    }
}

/// The runs of memory that hold a blob's values: one, or one a row where it is part of a wider blob.
fn parts<'a>(blob: &Blob, memory: &'a [f32]) -> impl Iterator<Item = &'a [f32]> {
    let count = blob.shape.count();
    let c = blob.shape.nchw().map_or(count, |[_, c, ..]| c);
    let (run, stride, offset) = match blob.placement {
        None => (count, count.max(1), 0),
        Some(place) => (c, place.stride, place.offset),
    };
    (0..count.checked_div(run).unwrap_or(0)).map(move |r| &memory[r * stride + offset..][..run])
}

fn look(cpu: &Cpu, blob: &Blob, memory: &[f32]) -> Values {
    let count = blob.shape.count();
    let mut values = vec![0.0; count];
    let gathered: Vec<f32>;
    let memory = match blob.placement {
        None => memory,
        Some(_) => {
            gathered = parts(blob, memory).flatten().copied().collect();
            &gathered
        }
    };
    match (memory.get(..count), blob.layout) {
        (None, _) => {}
        (Some(memory), Layout::RowMajor) => values.copy_from_slice(memory),
        (Some(memory), from) => convert(cpu, &blob.shape, from, memory, &mut values),
    }
    Values { shape: blob.shape.clone(), values }
}

fn put(cpu: &Cpu, blob: &Blob, values: &[f32], memory: &mut [f32]) -> bool {
    let count = blob.shape.count();
    let Some(memory) = memory.get_mut(..count).filter(|_| values.len() == count) else {
        return false;
    };
    if blob.placement.is_some() {
        return false; // a part of a wider blob, which its maker will write
    }
    match blob.layout {
        Layout::RowMajor => memory.copy_from_slice(values),
        Layout::ChannelsLast => convert(cpu, &blob.shape, Layout::RowMajor, values, memory),
    }
    true
}
