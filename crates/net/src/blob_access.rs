//! Values and shapes of blobs by number, for callers that keep copies of some of them.

use base::Shape;
use kernels::Cpu;
use tensor::Layout;

use crate::blob_memory::{BlobMemory, ImageBlock};
use crate::executable::ExecutableBlob;
use crate::layouts::convert;
use crate::{Net, RunError};

/// A blob's values or their gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlobPart {
    /// The values.
    Data,
    /// Their gradient.
    Diff,
}

impl Net {
    /// Shape of a blob.
    ///
    /// # Panics
    ///
    /// Like all functions here, if there is no blob of this number.
    #[must_use]
    pub fn shape_at(&self, blob: usize) -> &Shape {
        &self.blobs[self.blob_id(blob)].shape
    }

    /// Memory order of a blob.
    #[must_use]
    pub fn layout_at(&self, blob: usize) -> Layout {
        self.blobs[self.blob_id(blob)].layout
    }

    /// Number of the memory that holds part of a blob; blobs with the same number share it, as a
    /// top in place does with its bottom. `None` for a diff that the plan does not keep.
    #[must_use]
    pub fn buffer_at(&self, blob: usize, part: BlobPart) -> Option<usize> {
        let blob = &self.blobs[self.blob_id(blob)];
        match part {
            BlobPart::Data => Some(blob.data),
            BlobPart::Diff => blob.diff.filter(|_| self.diff.is_some() && blob.keeps_diff),
        }
    }

    /// Values of part of a blob in the given order: its own memory where that has this order, or
    /// `scratch`. None where [`buffer_at`](Self::buffer_at) says so.
    #[must_use]
    pub fn values_at<'a>(
        &'a self,
        cpu: &Cpu,
        (blob, part): (usize, BlobPart),
        order: Layout,
        scratch: &'a mut Vec<f32>,
    ) -> Option<&'a [f32]> {
        self.buffer_at(blob, part)?;
        let blob = &self.blobs[self.blob_id(blob)];
        let memory = match part {
            BlobPart::Data => &self.data[blob.data],
            BlobPart::Diff => self.diff_memory(blob)?,
        };
        let count = blob.shape.count();
        let as_stored = order == blob.layout || Layout::coincide(&blob.shape);
        if let Some(floats) = memory.floats().filter(|_| blob.placement.is_none()) {
            if as_stored {
                return Some(&floats[..count]);
            }
            scratch.resize(count, 0.0);
            convert(cpu, &blob.shape, blob.layout, &floats[..count], scratch);
            return Some(scratch);
        }
        scratch.resize(count, 0.0);
        memory.read(cpu, ImageBlock::All.place(blob), scratch);
        if !as_stored {
            let stored = scratch.clone();
            convert(cpu, &blob.shape, blob.layout, &stored, scratch);
        }
        Some(scratch)
    }

    /// Sets part of a blob from values in the given order. A diff that was set stands in for a loss
    /// weight.
    pub fn set_values_at(
        &mut self,
        cpu: &Cpu,
        (blob, part): (usize, BlobPart),
        order: Layout,
        values: &[f32],
    ) -> Result<(), RunError> {
        let id = self.blob_id(blob);
        let blob = &self.blobs[id];
        match part {
            BlobPart::Data => put_in_order(cpu, blob, order, values, &mut self.data[blob.data]),
            BlobPart::Diff => {
                let diffs = self.diff.as_mut().ok_or(RunError::NoDiffs)?;
                let Some(buffer) = blob.diff.filter(|_| blob.keeps_diff) else {
                    return Err(RunError::DiffShared { blob: blob.name.clone() });
                };
                put_in_order(cpu, blob, order, values, &mut diffs[buffer])?;
                // Whoever shares the memory was given the diff too.
                let shares = |blob: &&mut ExecutableBlob| blob.diff == Some(buffer);
                self.blobs.iter_mut().filter(shares).for_each(|blob| blob.given_diff = true);
                Ok(())
            }
        }
    }

    /// Gives a blob another shape, and memory for it. Layers follow when they run, or when the net
    /// is [reshaped](Self::reshape); those that make the blob of bottoms give it its shape again.
    pub fn reshape_at(&mut self, blob: usize, shape: &Shape) {
        let id = self.blob_id(blob);
        let Self { blobs, data, diff, .. } = self;
        let blob = &mut blobs[id];
        blob.shape.clone_from(shape);
        data[blob.data].grow(blob.extent());
        blob.grow_diff(diff);
    }
}

fn put_in_order(
    cpu: &Cpu,
    blob: &ExecutableBlob,
    order: Layout,
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
    if order == blob.layout || Layout::coincide(&blob.shape) {
        memory.write(cpu, place, values);
    } else {
        let mut ordered = vec![0.0; count];
        convert(cpu, &blob.shape, order, values, &mut ordered);
        memory.write(cpu, place, &ordered);
    }
    Ok(())
}
