//! Parameters of the whole net: who owns each, who shares it, and where it is.
//!
//! Values of learned params are in one slab in net order. Gradients are in the pool in the order in
//! which backward finishes them: last layer first, and a shared param at the first layer that uses
//! it, since that one contributes last. Running params (BatchNorm's statistics) are in neither:
//! each replica has its own.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use base::Shape;
use caffe_format::{FillerParameter, ParamSpec, ParamSpecDimCheckMode};
use layers::ParamKind;
use tensor::SharedSlab;

use crate::NetError;
use crate::ids::{IdVec, ParamId};
use crate::shapes::BuiltLayer;

/// One parameter blob, owned by the first layer that has it.
#[derive(Debug, Clone)]
pub struct Param {
    /// The layer that owns it.
    pub layer: String,
    /// Its index among that layer's params.
    pub index: usize,
    /// Its name (`param { name }`), or "".
    pub name: String,
    /// Caffe's shape.
    pub shape: Shape,
    /// Which memory holds its values.
    pub storage: ParamStorage,
    /// Where its values are in that memory.
    pub values: Range<usize>,
    /// Where its gradient is in the pool; `None` when it never gets one.
    pub gradient: Option<Range<usize>>,
    /// Factor of the learning rate.
    pub lr_mult: f32,
    /// Factor of the weight decay.
    pub decay_mult: f32,
    /// How the values begin.
    pub filler: FillerParameter,
    /// The slab of another net that `values` is a range of instead, where this net
    /// [shares](crate::Net::share_values) the other's values.
    pub shared_from: Option<Arc<SharedSlab>>,
}

/// Which memory holds a param's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamStorage {
    /// The parameter slab that all workers share.
    Slab,
    /// The replica's running state.
    Running,
    /// This net's own: see [`Net::adopt`](crate::Net::adopt).
    Private,
    /// As `Private`, for a param that would be in a replica's running state.
    PrivateRunning,
}

/// The params of a net, and which of them each layer uses.
pub(crate) struct SharedParams {
    pub(crate) params: IdVec<ParamId, Param>,
    /// For each layer its params in Caffe's order.
    pub(crate) of_layer: Vec<Vec<ParamId>>,
}

/// Collects every layer's params, shares those with a name, and places them.
pub(crate) fn share(layers: &[BuiltLayer]) -> Result<SharedParams, NetError> {
    let mut params = IdVec::<ParamId, Param>::default();
    // Whether `lr_mult` and `decay_mult` were written, at any of the layers that share.
    let mut explicit = IdVec::<ParamId, (bool, bool)>::default();
    let mut named = BTreeMap::<String, ParamId>::new();
    let mut of_layer = Vec::with_capacity(layers.len());
    for layer in layers {
        let specs = &layer.written.param;
        if specs.len() > layer.decls.len() {
            return Err(NetError::ListLength {
                layer: layer.written.name().into(),
                field: "param",
                got: specs.len(),
                want: layer.decls.len(),
            });
        }
        let mut used = Vec::with_capacity(layer.decls.len());
        for (index, decl) in layer.decls.iter().enumerate() {
            let spec = specs.get(index).cloned().unwrap_or_default();
            if let Some(&id) = named.get(spec.name()).filter(|_| !spec.name().is_empty()) {
                if used.contains(&id) {
                    let (layer, param) = (layer.written.name().into(), spec.name().into());
                    return Err(NetError::SharedWithin { layer, param });
                }
                check_shared(layer, &spec, &decl.shape, &params[id])?;
                share_multipliers(layer, &spec, &mut params[id], &mut explicit[id])?;
                used.push(id);
                continue;
            }
            if !spec.name().is_empty() {
                named.insert(spec.name().into(), params.next_id());
            }
            explicit.push((spec.lr_mult.is_some(), spec.decay_mult.is_some()));
            used.push(params.push(declared(layer, index, &spec)));
        }
        of_layer.push(used);
    }
    place(&of_layer, &mut params);
    Ok(SharedParams { params, of_layer })
}

/// Param `index` of the layer that owns it, not placed yet.
fn declared(layer: &BuiltLayer, index: usize, spec: &ParamSpec) -> Param {
    let decl = &layer.decls[index];
    Param {
        layer: layer.written.name().into(),
        index,
        name: spec.name().into(),
        storage: match decl.kind {
            ParamKind::Learned | ParamKind::Constant => ParamStorage::Slab,
            ParamKind::Running => ParamStorage::Running,
        },
        values: 0..decl.shape.count(),
        gradient: None,
        shape: decl.shape.clone(),
        lr_mult: if decl.kind == ParamKind::Constant { 0.0 } else { spec.lr_mult() },
        decay_mult: spec.decay_mult(),
        filler: decl.filler.clone(),
        shared_from: None,
    }
}

fn check_shared(
    layer: &BuiltLayer,
    spec: &ParamSpec,
    got: &Shape,
    owner: &Param,
) -> Result<(), NetError> {
    let fits = match spec.share_mode() {
        ParamSpecDimCheckMode::Permissive => got.count() == owner.shape.count(),
        ParamSpecDimCheckMode::Strict => *got == owner.shape,
    };
    if fits {
        return Ok(());
    }
    Err(NetError::SharedShape {
        layer: layer.written.name().into(),
        param: spec.name().into(),
        owner: owner.layer.clone(),
        got: got.clone(),
        want: owner.shape.clone(),
    })
}

/// Multipliers may be written at any of the layers that share; where several write them they agree.
fn share_multipliers(
    layer: &BuiltLayer,
    spec: &ParamSpec,
    param: &mut Param,
    explicit: &mut (bool, bool),
) -> Result<(), NetError> {
    let join = |field, written: Option<f32>, value: &mut f32, explicit: &mut bool| {
        let Some(got) = written else { return Ok(()) };
        if *explicit && got != *value {
            let (layer, param) = (layer.written.name().into(), spec.name().into());
            return Err(NetError::SharedMultiplier { layer, param, field, got, want: *value });
        }
        (*explicit, *value) = (true, got);
        Ok(())
    };
    join("lr_mult", spec.lr_mult, &mut param.lr_mult, &mut explicit.0)?;
    join("decay_mult", spec.decay_mult, &mut param.decay_mult, &mut explicit.1)
}

fn place(of_layer: &[Vec<ParamId>], params: &mut IdVec<ParamId, Param>) {
    let (mut slab, mut running) = (0, 0);
    for param in params.iter_mut() {
        let end = match param.storage {
            ParamStorage::Slab | ParamStorage::Private => &mut slab,
            ParamStorage::Running | ParamStorage::PrivateRunning => &mut running,
        };
        param.values = *end..*end + param.shape.count();
        *end = param.values.end;
    }
    let mut first_use = IdVec::like(params, usize::MAX);
    for (index, used) in of_layer.iter().enumerate().rev() {
        used.iter().for_each(|&param| first_use[param] = index);
    }
    let mut order: Vec<ParamId> = (params.ids())
        .filter(|&p| params[p].storage == ParamStorage::Slab && params[p].lr_mult != 0.0)
        .collect();
    order.sort_by_key(|&param| (std::cmp::Reverse(first_use[param]), param));
    let mut pool = 0;
    for param in order {
        let end = pool + params[param].shape.count();
        params[param].gradient = Some(pool..end);
        pool = end;
    }
}

/// Values in the gradient pool.
pub(crate) fn pool_len(params: &IdVec<ParamId, Param>) -> usize {
    params.iter().filter_map(|p| p.gradient.as_ref()).map(|range| range.end).max().unwrap_or(0)
}
