//! From graph to shaped net: layers are built and shaped, first to last, params are declared and
//! shared, and backward's needs are decided.

use base::Shape;
use caffe_format::LayerParameter;
use layers::{Layer, LayerError, LayerKind, LayerSpec, LayerTraits, ParamDecl};

use crate::graph::{GraphLayer, NetGraph};
use crate::ids::{BlobId, IdVec, ParamId};
use crate::needs::{self, BackwardNeed};
use crate::params::{self, Param};
use crate::{NetError, OpenSources};

/// A net whose blobs have shapes and whose params have places.
pub(crate) struct ShapedNet {
    pub(crate) layers: Vec<ShapedLayer>,
    pub(crate) blobs: IdVec<BlobId, ShapedBlob>,
    pub(crate) params: IdVec<ParamId, Param>,
    /// Blobs that no layer reads, sorted by name.
    pub(crate) outputs: Vec<BlobId>,
}

/// A blob with its shape.
pub(crate) struct ShapedBlob {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// A layer that can run, with its params and what backward wants of it.
pub(crate) struct ShapedLayer {
    pub(crate) built: BuiltLayer,
    pub(crate) params: Vec<ParamId>,
    pub(crate) need: BackwardNeed,
}

/// A layer built from what is written, for bottoms whose shapes are known.
pub(crate) struct BuiltLayer {
    pub(crate) kind: &'static LayerKind,
    /// As written, with its phase.
    pub(crate) written: LayerParameter,
    pub(crate) layer: Box<dyn Layer>,
    pub(crate) traits: LayerTraits,
    pub(crate) decls: Vec<ParamDecl>,
    pub(crate) bottoms: Vec<BlobId>,
    pub(crate) tops: Vec<BlobId>,
    pub(crate) in_place: bool,
    /// Loss weight of each top; 0 for what is not a loss.
    pub(crate) loss_weights: Vec<f32>,
    /// Which of the sources is this data layer's.
    pub(crate) source: Option<usize>,
}

/// Builds and shapes every layer.
pub(crate) fn infer(graph: NetGraph, opener: &mut dyn OpenSources) -> Result<ShapedNet, NetError> {
    let mut shapes = IdVec::<BlobId, Option<Shape>>::like(&graph.blobs, None);
    let mut built = Vec::with_capacity(graph.layers.len());
    let mut sources = 0;
    for wired in graph.layers {
        let source = wired.kind.has_source.then_some(sources);
        sources += usize::from(wired.kind.has_source);
        let (layer, tops) = build(wired, source, &shapes, opener)?;
        for (&top, shape) in layer.tops.iter().zip(tops) {
            shapes[top] = Some(shape);
        }
        built.push(layer);
    }
    let shared = params::share(&built)?;
    let needs = needs::decide(&built, &shared, graph.force_backward);
    let layers = (built.into_iter().zip(shared.of_layer).zip(needs))
        .map(|((built, params), need)| ShapedLayer { built, params, need })
        .collect();
    let mut shapes = shapes.iter_mut();
    let blobs = graph.blobs.map(|name| {
        let shape = shapes.next().and_then(Option::take).unwrap_or_default();
        ShapedBlob { name, shape }
    });
    Ok(ShapedNet { layers, blobs, params: shared.params, outputs: graph.outputs })
}

/// Builds one layer; also the shapes of its tops.
fn build(
    wired: GraphLayer,
    source: Option<usize>,
    shapes: &IdVec<BlobId, Option<Shape>>,
    opener: &mut dyn OpenSources,
) -> Result<(BuiltLayer, Vec<Shape>), NetError> {
    let GraphLayer { kind, written, phase, bottoms, tops, in_place } = wired;
    let name = || written.name().to_owned();
    let objects = |source: LayerError| NetError::Layer { layer: name(), kind: kind.name, source };
    let announced = match kind.has_source {
        true => (opener.shapes(&written, phase))
            .map_err(|source| NetError::Source { layer: name(), source })?,
        false => Vec::new(),
    };
    let spec = LayerSpec {
        layer: &written,
        phase,
        in_place,
        bottoms: bottoms.len(),
        tops: tops.len(),
        source_shapes: &announced,
    };
    let mut layer = (kind.build)(&spec).map_err(objects)?;
    let seen: Vec<Shape> = (bottoms.iter())
        .map(|&blob| shapes[blob].clone().expect("a bottom's maker comes before its reader"))
        .collect();
    let top_shapes = layer.reshape(&seen).map_err(objects)?;
    assert_eq!(top_shapes.len(), tops.len(), "{} shapes all of its tops", kind.name);
    let mut loss_weights = written.loss_weight.clone();
    loss_weights.resize(tops.len(), 0.0);
    if kind.loss && written.loss_weight.is_empty() {
        loss_weights[0] = 1.0;
    }
    let (traits, decls) = (layer.traits(), layer.params());
    for decl in decls.iter().chain(&layer.discarded()) {
        // Set-up fills them; what it would refuse is refused here, where no memory is needed.
        layers::check_filler(&decl.filler, &decl.shape).map_err(|error| objects(error.into()))?;
    }
    let built = BuiltLayer {
        kind,
        written,
        layer,
        traits,
        decls,
        bottoms,
        tops,
        in_place,
        loss_weights,
        source,
    };
    Ok((built, top_shapes))
}
