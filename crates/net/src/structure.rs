//! Layers, blobs and params by Caffe's numbers, for callers that run a net layer by layer and look
//! at what lies between.
//!
//! Blobs are numbered as [`Net::blob_names`] lists them; hidden blobs, which hold another memory
//! order of a blob, come after those. Params are numbered as in [`Net::params`]. Passes may insert
//! hidden layers, so a layer of Caffe's is a range of the layers that run.

use std::ops::Range;
use std::sync::Arc;

use base::Shape;
use caffe_format::LayerParameter;

use crate::Net;
use crate::ids::{BlobId, ListId};

/// A layer as Caffe counts them, splits included.
#[derive(Debug, Clone)]
pub struct LayerStructure {
    /// As written, with its phase.
    pub written: Arc<LayerParameter>,
    /// Its type.
    pub kind: &'static str,
    /// Numbers of its bottoms.
    pub bottoms: Vec<usize>,
    /// Numbers of its tops.
    pub tops: Vec<usize>,
    /// Numbers of its params, with the shapes that it declares.
    pub params: Vec<(usize, Shape)>,
    /// Loss weight of each top; 0 for what is not a loss.
    pub loss_weights: Vec<f32>,
    /// Which of the layers that run do its work: its conversions and itself.
    pub runs: Range<usize>,
}

/// A blob that a layer reads or makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerBlob {
    /// Its number.
    pub blob: usize,
    /// Whether backward writes its diff.
    pub writes_diff: bool,
}

impl Net {
    /// The layers in the order they run.
    #[must_use]
    pub fn structure(&self) -> Vec<LayerStructure> {
        let mut layers: Vec<LayerStructure> = Vec::new();
        let mut begin = 0;
        for (index, (exec, is)) in self.layers.iter().zip(&self.description.layers).enumerate() {
            if !is.hidden {
                layers.push(self.layer_structure(index, begin));
                begin = index + 1;
                continue;
            }
            // A conversion belongs to the layer it converts for, or writes back for.
            let writes_back = !self.blobs[exec.tops[0].blob].hidden;
            if let Some(layer) = layers.last_mut().filter(|_| writes_back) {
                (layer.runs.end, begin) = (index + 1, index + 1);
            }
        }
        layers
    }

    fn layer_structure(&self, index: usize, begin: usize) -> LayerStructure {
        let (exec, is) = (&self.layers[index], &self.description.layers[index]);
        let named = |name: &String| self.blob_number(name).expect("every name is a blob's");
        let automatic = exec.tops[is.written.top.len()..].iter().map(|top| top.blob.index());
        LayerStructure {
            written: Arc::clone(&is.written),
            kind: is.kind.name,
            bottoms: is.written.bottom.iter().map(named).collect(),
            tops: is.written.top.iter().map(named).chain(automatic).collect(),
            params: is.params.iter().map(|(id, shape)| (id.index(), shape.clone())).collect(),
            loss_weights: exec.tops.iter().map(|top| top.loss_weight).collect(),
            runs: begin..index + 1,
        }
    }

    /// Number of the blob of this name.
    #[must_use]
    pub fn blob_number(&self, name: &str) -> Option<usize> {
        self.blobs.iter().position(|blob| blob.name == name && !blob.hidden)
    }

    /// Numbers of the blobs that no layer reads, sorted by name, as Caffe reports them.
    #[must_use]
    pub fn output_numbers(&self) -> Vec<usize> {
        self.outputs.iter().map(|blob| blob.index()).collect()
    }

    /// The bottoms of a layer that runs, hidden blobs included.
    pub fn bottoms_of(&self, index: usize) -> impl Iterator<Item = LayerBlob> {
        self.layers[index]
            .bottoms
            .iter()
            .map(|bottom| LayerBlob { blob: bottom.blob.index(), writes_diff: bottom.writes_diff })
    }

    /// The tops of a layer that runs, hidden blobs included.
    pub fn tops_of(&self, index: usize) -> impl Iterator<Item = usize> {
        self.layers[index].tops.iter().map(|top| top.blob.index())
    }

    /// Params that a layer changes when it runs forward: running statistics.
    pub fn running_of(&self, index: usize) -> impl Iterator<Item = usize> {
        self.layers[index].running.iter().map(|param| param.index())
    }

    /// Learned params that a layer uses when it runs.
    pub fn learned_of(&self, index: usize) -> impl Iterator<Item = usize> {
        self.layers[index].learned.iter().map(|used| used.id.index())
    }

    /// Whether a layer that runs has anything to do in backward.
    #[must_use]
    pub fn runs_backward(&self, index: usize) -> bool {
        self.layers[index].backward
    }

    /// Whether a layer that runs is a hidden conversion of another's bottom.
    #[must_use]
    pub fn is_hidden(&self, index: usize) -> bool {
        self.description.layers[index].hidden
    }

    pub(crate) fn blob_id(&self, number: usize) -> BlobId {
        BlobId::new(number)
    }
}
