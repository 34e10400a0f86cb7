//! What can be asked of a net without its engine, which may be running: names, shapes, and where
//! touched blobs live.

use std::collections::BTreeSet;
use std::sync::Arc;

use train::{BlobPart, LayerStructure, Layout, LentNet, Param, ParamStorage, Shape, SharedSlab};

use crate::homes::{Homes, new_slab};
use crate::value_locks::ValueLocks;
use crate::view::View;

/// What is known of a net between passes.
pub(crate) struct CoreState {
    pub(crate) layers: Arc<Vec<LayerStructure>>,
    pub(crate) blob_names: Arc<Vec<String>>,
    /// Numbers of the blobs that no layer reads.
    pub(crate) outputs: Arc<Vec<usize>>,
    /// By blob number.
    pub(crate) shapes: Vec<Shape>,
    /// Which memory holds data and diff of each blob.
    buffers: Vec<[Option<usize>; 2]>,
    pub(crate) params: Vec<Param>,
    /// Of the learned values that it uses.
    pub(crate) values: ValueLocks,
    /// Learned values and gradients.
    slabs: [Arc<SharedSlab>; 2],
    pub(crate) homes: Homes,
    /// Memory of param diffs that the engine has none for, by param number.
    pub(crate) no_gradients: Vec<Option<Arc<SharedSlab>>>,
    /// Params whose diffs a script may have written.
    pub(crate) viewed_diffs: BTreeSet<usize>,
    /// Whether gradients begin anew, so that the next backward overwrites them.
    pub(crate) fresh_gradients: bool,
    /// Whether a script changed a shape since layers last followed.
    pub(crate) reshaped: bool,
    /// Whether a pass is under way.
    pub(crate) running: bool,
    /// Why the net cannot be used any more.
    pub(crate) broken: Option<String>,
}

impl CoreState {
    pub(crate) fn new(lent: &LentNet<'_>) -> Self {
        let blob_names: Vec<String> = lent.net.blob_names().map(String::from).collect();
        let mut state = Self {
            layers: Arc::default(),
            shapes: Vec::new(),
            buffers: Vec::new(),
            blob_names: Arc::new(blob_names),
            outputs: Arc::new(lent.net.output_numbers()),
            params: Vec::new(),
            values: ValueLocks::default(),
            slabs: [lent.params, lent.pool].map(Arc::clone),
            homes: Homes::default(),
            no_gradients: vec![None; lent.net.params().len()],
            viewed_diffs: BTreeSet::new(),
            fresh_gradients: false,
            reshaped: false,
            running: false,
            broken: None,
        };
        state.note_structure(lent);
        state
    }

    /// Learns which layers there are, after the net was compiled.
    pub(crate) fn note_structure(&mut self, lent: &LentNet<'_>) {
        self.layers = Arc::new(lent.net.structure());
        let buffers = |blob: usize| {
            [BlobPart::Data, BlobPart::Diff].map(|part| lent.net.buffer_at(blob, part))
        };
        self.params = lent.net.params().to_vec();
        self.buffers = (0..self.blob_names.len()).map(buffers).collect();
        self.homes.move_to(lent.net);
        self.note_shapes(lent);
    }

    /// Learns the shapes that blobs have now.
    pub(crate) fn note_shapes(&mut self, lent: &LentNet<'_>) {
        let shapes = (0..self.blob_names.len()).map(|blob| lent.net.shape_at(blob));
        if !shapes.clone().eq(&self.shapes) {
            self.shapes = shapes.cloned().collect();
        }
    }

    /// The memory that shows part of a blob, if it has a home.
    pub(crate) fn blob_view(&self, blob: usize, part: BlobPart) -> Option<View> {
        let shape = &self.shapes[blob];
        let buffer = self.buffers[blob][part as usize]?;
        let (slab, order) = self.homes.find((part, buffer), shape.count())?;
        Some(View { slab: Arc::clone(slab), start: 0, shape: shape.clone(), order })
    }

    /// The memory that shows part of a param, if it is known without the engine.
    pub(crate) fn param_view(
        &mut self,
        number: usize,
        part: BlobPart,
        shape: &Shape,
    ) -> Option<View> {
        let param = &self.params[number];
        let [values, gradients] = &self.slabs;
        let (slab, start) = match (part, &param.gradient, param.storage) {
            (BlobPart::Data, _, ParamStorage::Slab) => {
                (param.shared_from.as_ref().unwrap_or(values), param.values.start)
            }
            (BlobPart::Data, ..) => (self.homes.find_param(number)?, 0),
            (BlobPart::Diff, Some(range), _) => {
                self.viewed_diffs.insert(number);
                (gradients, range.start)
            }
            (BlobPart::Diff, None, _) => {
                let slab = &mut self.no_gradients[number];
                (&*slab.get_or_insert_with(|| new_slab(shape.count())), 0)
            }
        };
        let (slab, shape) = (Arc::clone(slab), shape.clone());
        Some(View { slab, start, shape, order: Layout::RowMajor })
    }

    /// Weight of a blob in the loss; 0 for what is not a loss.
    pub(crate) fn loss_weight(&self, blob: usize) -> f32 {
        let tops = self.layers.iter().flat_map(|layer| layer.tops.iter().zip(&layer.loss_weights));
        let weights = tops.filter(|(top, _)| **top == blob).map(|(_, &weight)| weight);
        weights.fold(0.0, |sum, weight| if weight == 0.0 { sum } else { weight })
    }

    /// Numbers of the blobs that scripts fill: the tops of Input layers.
    pub(crate) fn inputs(&self) -> Vec<usize> {
        let inputs = self.layers.iter().filter(|layer| layer.kind == "Input");
        inputs.flat_map(|layer| layer.tops.iter().copied()).collect()
    }
}
