//! Parameters of the whole net: who owns each, who shares it, and where it lives.
//!
//! Values of learned params lie in one slab in net order. Gradients lie in the pool in the order
//! backward finishes them: last layer first, and a shared param at the first layer that uses it,
//! since that one contributes last. Running params (BatchNorm's statistics) lie in neither: each replica
//! has its own.

use std::collections::BTreeMap;
use std::ops::Range;

use base::Shape;
use caffe_format::{FillerParameter, ParamSpec, ParamSpecDimCheckMode};
use layers::ParamKind;

use crate::{NetError, Node};

/// One parameter blob, owned by the first layer that has it.
#[derive(Debug, Clone)]
pub struct Param {
    /// The layer that owns it.
    pub layer: String,
    /// Its place among that layer's params.
    pub index: usize,
    /// Its name (`param { name }`), or "".
    pub name: String,
    /// Caffe's shape.
    pub shape: Shape,
    /// Which memory holds its values.
    pub home: Home,
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
}

/// Which memory holds a param's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// The parameter slab that all workers share.
    Slab,
    /// The replica's running state.
    Running,
    /// This net's own: see [`Net::adopt`](crate::Net::adopt).
    Private,
}

/// Declares every layer's params, shares those with a name, and places them.
pub(crate) fn assign(nodes: &mut [Node]) -> Result<Vec<Param>, NetError> {
    let mut params = Vec::<Param>::new();
    let mut explicit = Vec::<(bool, bool)>::new();
    let mut named = BTreeMap::<String, usize>::new();
    for node in nodes.iter_mut() {
        let declared = node.layer.params();
        let specs = &node.written.param;
        if specs.len() > declared.len() {
            return Err(NetError::ListLength {
                layer: node.written.name().into(),
                field: "param",
                got: specs.len(),
                want: declared.len(),
            });
        }
        for (index, decl) in declared.into_iter().enumerate() {
            let spec = specs.get(index).cloned().unwrap_or_default();
            node.learn.push(spec.lr_mult() != 0.0 && decl.kind == ParamKind::Learned);
            if let Some(&id) = named.get(spec.name()).filter(|_| !spec.name().is_empty()) {
                check_shared(node, &spec, &decl.shape, &params[id], id)?;
                share_multipliers(node, &spec, &mut params[id], &mut explicit[id])?;
                node.params.push(id);
                continue;
            }
            if !spec.name().is_empty() {
                named.insert(spec.name().into(), params.len());
            }
            node.params.push(params.len());
            explicit.push((spec.lr_mult.is_some(), spec.decay_mult.is_some()));
            params.push(Param {
                layer: node.written.name().into(),
                index,
                name: spec.name().into(),
                home: if decl.kind == ParamKind::Learned { Home::Slab } else { Home::Running },
                values: 0..decl.shape.count(),
                gradient: None,
                shape: decl.shape,
                lr_mult: spec.lr_mult(),
                decay_mult: spec.decay_mult(),
                filler: decl.filler,
            });
        }
    }
    place(nodes, &mut params);
    Ok(params)
}

fn check_shared(
    node: &Node,
    spec: &ParamSpec,
    got: &Shape,
    owner: &Param,
    id: usize,
) -> Result<(), NetError> {
    let layer = || node.written.name().to_owned();
    if node.params.contains(&id) {
        return Err(NetError::SharedWithin { layer: layer(), param: spec.name().into() });
    }
    let fits = match spec.share_mode() {
        ParamSpecDimCheckMode::Permissive => got.count() == owner.shape.count(),
        ParamSpecDimCheckMode::Strict => *got == owner.shape,
    };
    if fits {
        return Ok(());
    }
    Err(NetError::SharedShape {
        layer: layer(),
        param: spec.name().into(),
        owner: owner.layer.clone(),
        got: got.clone(),
        want: owner.shape.clone(),
    })
}

/// Multipliers may be written at any of the layers that share; where several write them they agree.
fn share_multipliers(
    node: &Node,
    spec: &ParamSpec,
    param: &mut Param,
    explicit: &mut (bool, bool),
) -> Result<(), NetError> {
    let join = |field, written: Option<f32>, value: &mut f32, explicit: &mut bool| {
        let Some(got) = written else { return Ok(()) };
        if *explicit && got != *value {
            let (layer, param) = (node.written.name().into(), spec.name().into());
            return Err(NetError::SharedMultiplier { layer, param, field, got, want: *value });
        }
        (*explicit, *value) = (true, got);
        Ok(())
    };
    join("lr_mult", spec.lr_mult, &mut param.lr_mult, &mut explicit.0)?;
    join("decay_mult", spec.decay_mult, &mut param.decay_mult, &mut explicit.1)
}

fn place(nodes: &[Node], params: &mut [Param]) {
    let (mut slab, mut running) = (0, 0);
    for param in params.iter_mut() {
        let end = match param.home {
            Home::Slab => &mut slab,
            Home::Running | Home::Private => &mut running,
        };
        param.values = *end..*end + param.shape.count();
        *end = param.values.end;
    }
    let mut first_use = vec![usize::MAX; params.len()];
    for (index, node) in nodes.iter().enumerate().rev() {
        node.params.iter().for_each(|&param| first_use[param] = index);
    }
    let mut order: Vec<usize> = (0..params.len())
        .filter(|&p| params[p].home == Home::Slab && params[p].lr_mult != 0.0)
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
pub(crate) fn pool_len(params: &[Param]) -> usize {
    params.iter().filter_map(|p| p.gradient.as_ref()).map(|range| range.end).max().unwrap_or(0)
}
