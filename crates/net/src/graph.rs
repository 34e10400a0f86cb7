//! Names become ids: which blob each layer reads and makes, and whether it may.
//!
//! Reports everything that is wrong at once.

use std::collections::BTreeMap;

use caffe_format::{LayerParameter, Phase};
use layers::{AddedLayers, InPlace, LayerKind};

use crate::NetError;
use crate::error::type_hint;
use crate::ids::{BlobId, IdVec};

/// A net whose layers name their blobs by id.
pub(crate) struct NetGraph {
    pub(crate) layers: Vec<GraphLayer>,
    /// Names of the blobs.
    pub(crate) blobs: IdVec<BlobId, String>,
    /// Blobs that no layer reads, sorted by name.
    pub(crate) outputs: Vec<BlobId>,
    /// `force_backward`.
    pub(crate) force_backward: bool,
}

/// A layer with its connections.
pub(crate) struct GraphLayer {
    pub(crate) kind: &'static LayerKind,
    /// As written, with its phase.
    pub(crate) written: LayerParameter,
    pub(crate) phase: Phase,
    pub(crate) bottoms: Vec<BlobId>,
    pub(crate) tops: Vec<BlobId>,
    /// Whether top 0 is bottom 0.
    pub(crate) in_place: bool,
}

/// Connects the layers of a net that has been filtered and split.
pub(crate) fn build(
    layers: Vec<LayerParameter>,
    added: AddedLayers,
    force_backward: bool,
    phase: Phase,
) -> Result<NetGraph, NetError> {
    let mut builder = GraphBuilder { added, ..GraphBuilder::default() };
    for layer in layers {
        builder.add(layer, phase);
    }
    match builder.errors.len() {
        0 => Ok(NetGraph {
            layers: builder.layers,
            outputs: builder.unread.into_values().collect(),
            blobs: builder.blobs,
            force_backward,
        }),
        1 => Err(builder.errors.remove(0)),
        _ => Err(NetError::Several(builder.errors)),
    }
}

#[derive(Default)]
struct GraphBuilder {
    added: AddedLayers,
    layers: Vec<GraphLayer>,
    blobs: IdVec<BlobId, String>,
    /// Every blob made so far, and the layer that made it.
    made: BTreeMap<String, (BlobId, String)>,
    unread: BTreeMap<String, BlobId>,
    errors: Vec<NetError>,
    /// Whether an error lists all layer types.
    listed: bool,
}

impl GraphBuilder {
    fn add(&mut self, mut written: LayerParameter, net_phase: Phase) {
        let layer = &written;
        let name = || layer.name().to_owned();
        let Some(kind) = self.added.find(layer.type_()) else {
            self.unknown(layer);
            return;
        };
        let bottoms = layer.bottom.iter().filter_map(|b| self.read(layer, b)).collect::<Vec<_>>();
        let mut tops = Vec::with_capacity(layer.top.len());
        let mut in_place = false;
        for (i, top) in layer.top.iter().enumerate() {
            if layer.bottom.get(i) == Some(top) {
                if kind.in_place != InPlace::First || i > 0 {
                    let (kind, why, blob) = (kind.name, why_not(kind), top.clone());
                    self.errors.push(NetError::InPlace { layer: name(), kind, why, blob });
                }
                in_place = true;
                if let Some(&(blob, _)) = self.made.get(top) {
                    tops.push(blob);
                    self.unread.insert(top.clone(), blob);
                }
            } else if let Some(blob) = self.make(layer, top) {
                tops.push(blob);
            }
        }
        if kind.loss {
            while tops.len() < kind.tops.min {
                tops.push(self.blobs.push("(automatic)".into()));
            }
        }
        self.check_counts(kind, layer, tops.len());
        let phase = *written.phase.get_or_insert(net_phase);
        self.layers.push(GraphLayer { kind, written, phase, bottoms, tops, in_place });
    }

    /// Reports a layer without a row in the table. It reads and makes its blobs all the same, or
    /// every reader of them would be reported too.
    fn unknown(&mut self, layer: &LayerParameter) {
        let kind = layer.type_().to_owned();
        let listed = !self.listed && type_hint(&kind).is_none();
        self.listed |= listed;
        self.errors.push(NetError::UnknownType { layer: layer.name().into(), kind, listed });
        for bottom in &layer.bottom {
            self.read(layer, bottom);
        }
        for top in layer.top.iter().filter(|top| !layer.bottom.contains(top)) {
            self.make(layer, top);
        }
    }

    fn read(&mut self, layer: &LayerParameter, blob: &str) -> Option<BlobId> {
        if let Some(&(id, _)) = self.made.get(blob) {
            self.unread.remove(blob);
            return Some(id);
        }
        let near = self.made.keys().find(|made| similar(made, blob));
        self.errors.push(NetError::UnknownBottom {
            layer: layer.name().into(),
            blob: blob.into(),
            near: near.cloned(),
        });
        None
    }

    fn make(&mut self, layer: &LayerParameter, top: &str) -> Option<BlobId> {
        if let Some((_, earlier)) = self.made.get(top) {
            self.errors.push(NetError::DuplicateTop {
                layer: layer.name().into(),
                blob: top.into(),
                earlier: earlier.clone(),
            });
            return None;
        }
        let id = self.blobs.push(top.into());
        self.made.insert(top.into(), (id, layer.name().into()));
        self.unread.insert(top.into(), id);
        Some(id)
    }

    fn check_counts(&mut self, kind: &'static LayerKind, layer: &LayerParameter, tops: usize) {
        let bottoms = layer.bottom.len();
        let name = || layer.name().to_owned();
        for (what, got, want) in [("bottoms", bottoms, kind.bottoms), ("tops", tops, kind.tops)] {
            if !want.admits(got) {
                let error = NetError::Arity { layer: name(), kind: kind.name, what, got, want };
                self.errors.push(error);
            }
        }
        if kind.tops_equal_bottoms && bottoms != tops {
            self.errors.push(NetError::Unequal { layer: name(), kind: kind.name, bottoms, tops });
        }
        let lists = [
            ("propagate_down", layer.propagate_down.len(), bottoms),
            ("loss_weight", layer.loss_weight.len(), tops),
        ];
        for (field, got, want) in lists {
            if got != 0 && got != want {
                self.errors.push(NetError::ListLength { layer: name(), field, got, want });
            }
        }
    }
}

/// Whether one name may be a slip for the other: they differ in case, or (longer ones) in one
/// character.
pub(crate) fn similar(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let (short, long) = (short.as_bytes(), long.as_bytes());
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    match long.len() - short.len() {
        _ if short.len() < 3 => false,
        0 => short[same..].iter().skip(1).eq(long[same..].iter().skip(1)),
        1 => short[same..] == long[same + 1..],
        _ => false,
    }
}

/// Why a layer cannot run in place, after a colon.
fn why_not(kind: &LayerKind) -> &'static str {
    match kind.in_place {
        InPlace::ReadsOverwritten => {
            ": it would read values that it has overwritten, and so does Caffe, whose results are \
             wrong"
        }
        InPlace::Never | InPlace::First => "",
    }
}
