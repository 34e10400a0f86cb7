//! Blobs as their users see them: by name, in Caffe's order.

use base::Shape;
use kernels::Cpu;
use serde::{Deserialize, Serialize};
use tensor::Layout;

use crate::blob_memory::{BlobMemory, BlobPlace, ImageBlock};
use crate::executable::ExecutableBlob;
use crate::ids::BlobId;
use crate::layouts::convert;
use crate::{Net, RunError};

/// A blob's values in Caffe's order.
#[derive(Debug, Clone, PartialEq)]
pub struct BlobValues {
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
    #[serde(with = "crate::float_text")]
    pub loss_weight: f32,
    /// Row-major values.
    #[serde(with = "crate::float_text")]
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
    pub fn blob(&self, cpu: &Cpu, name: &str) -> Option<BlobValues> {
        let blob = self.find(name)?;
        Some(look(cpu, blob, &self.data[blob.data]))
    }

    /// Diff of a blob, in Caffe's order; zeros where backward wrote nothing. `None` where the plan
    /// gave its memory to others since, or none at all: see [`MemoryPlan`](crate::MemoryPlan).
    #[must_use]
    pub fn blob_diff(&self, cpu: &Cpu, name: &str) -> Option<BlobValues> {
        let blob = self.find(name).filter(|blob| blob.keeps_diff)?;
        Some(look(cpu, blob, self.diff_memory(blob)?))
    }

    /// Memory of a blob's diff, if it has any.
    pub(crate) fn diff_memory(&self, blob: &ExecutableBlob) -> Option<&BlobMemory> {
        Some(&self.diff.as_ref()?[blob.diff?])
    }

    /// Sets the data of a blob, usually an Input's, from values in Caffe's order.
    pub fn set_blob(&mut self, cpu: &Cpu, name: &str, values: &[f32]) -> Result<(), RunError> {
        let blob = &self.blobs[self.known(name)?];
        put(cpu, blob, values, &mut self.data[blob.data])
    }

    /// Sets the diff of a blob, usually an output's, to run backward from it.
    pub fn set_blob_diff(&mut self, cpu: &Cpu, name: &str, values: &[f32]) -> Result<(), RunError> {
        let id = self.known(name)?;
        let blob = &mut self.blobs[id];
        let diffs = self.diff.as_mut().ok_or(RunError::NoDiffs)?;
        let Some(buffer) = blob.diff.filter(|_| blob.keeps_diff) else {
            return Err(RunError::DiffShared { blob: name.into() });
        };
        put(cpu, blob, values, &mut diffs[buffer])?;
        blob.given_diff = true;
        Ok(())
    }

    /// Blobs that no layer reads, sorted by name, as Caffe reports them.
    #[must_use]
    pub fn outputs(&self, cpu: &Cpu) -> Vec<Output> {
        let output = |&id: &BlobId| {
            let blob = &self.blobs[id];
            let BlobValues { values, .. } = look(cpu, blob, &self.data[blob.data]);
            Output { name: blob.name.clone(), loss_weight: self.loss_weight(id), values }
        };
        self.outputs.iter().map(output).collect()
    }

    /// The first layer and blob, in the order they run, with a value that is not finite.
    #[must_use]
    pub fn first_not_finite(&self) -> Option<(&str, &str)> {
        // Of channels of a wider blob, the layer that made the bad value comes first all the same.
        let bad = |blob: &ExecutableBlob| {
            let memory = &self.data[blob.data];
            positions(blob).any(|at| !memory.value(at).is_finite())
        };
        self.layers.iter().enumerate().find_map(|(index, layer)| {
            let mut tops = layer.tops.iter().map(|top| &self.blobs[top.blob]);
            let blob = tops.find(|blob| bad(blob))?;
            Some((self.layer_name(index), blob.name.as_str()))
        })
    }

    fn loss_weight(&self, blob: BlobId) -> f32 {
        let mut tops = self.layers.iter().flat_map(|layer| &layer.tops);
        let top = tops.find(|top| top.blob == blob && top.loss_weight != 0.0);
        top.map_or(0.0, |top| top.loss_weight)
    }

    fn id(&self, name: &str) -> Option<BlobId> {
        let shown = |id: &BlobId| self.blobs[*id].name == name && !self.blobs[*id].hidden;
        self.blobs.ids().find(shown)
    }

    fn known(&self, name: &str) -> Result<BlobId, RunError> {
        self.id(name).ok_or_else(|| RunError::UnknownBlob {
            blob: name.into(),
            known: self.blob_names().collect::<Vec<_>>().join(", "),
        })
    }

    fn find(&self, name: &str) -> Option<&ExecutableBlob> {
        self.id(name).map(|id| &self.blobs[id])
    }
}

/// Where a blob's values are in its memory: together, or in rows where it is some channels of a
/// wider blob.
fn positions(blob: &ExecutableBlob) -> impl Iterator<Item = usize> + use<> {
    let BlobPlace { count, rows, .. } = ImageBlock::All.place(blob);
    (0..count).map(move |at| match rows {
        None => at,
        Some(rows) => at / rows.len * rows.stride + rows.offset + at % rows.len,
    })
}

fn look(cpu: &Cpu, blob: &ExecutableBlob, memory: &BlobMemory) -> BlobValues {
    let mut values = vec![0.0; blob.shape.count()];
    memory.read(cpu, ImageBlock::All.place(blob), &mut values);
    if blob.layout != Layout::RowMajor {
        let stored = values.clone();
        convert(cpu, &blob.shape, blob.layout, &stored, &mut values);
    }
    BlobValues { shape: blob.shape.clone(), values }
}

fn put(
    cpu: &Cpu,
    blob: &ExecutableBlob,
    values: &[f32],
    memory: &mut BlobMemory,
) -> Result<(), RunError> {
    let count = blob.shape.count();
    if values.len() != count {
        let (got, want) = (values.len(), blob.shape.clone());
        return Err(RunError::BlobLength { blob: blob.name.clone(), got, want });
    }
    if blob.placement.is_some() {
        return Err(RunError::BlobJoined { blob: blob.name.clone() });
    }
    let place = ImageBlock::All.place(blob);
    match blob.layout {
        Layout::RowMajor => memory.write(cpu, place, values),
        Layout::ChannelsLast => {
            let mut ordered = vec![0.0; count];
            convert(cpu, &blob.shape, Layout::RowMajor, values, &mut ordered);
            memory.write(cpu, place, &ordered);
        }
    }
    Ok(())
}
