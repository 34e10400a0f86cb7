//! Learned params of layers written in Python, in nets of Python's own.
//!
//! Such a layer's code may write its params and their diffs while it runs, when Rust holds
//! references to the engine's. So the arrays that it sees are memory of their own, which is
//! exchanged with the engine's before and after the layer runs, around loading and saving, and
//! around a solver's update. Neither side says when it has written: what differs from the last
//! exchange is newer, and the script's wins.

use std::sync::Arc;

use train::{BlobPart, LentNet, ParamStorage, SharedSlab};

use crate::homes::new_slab;
use crate::view::{load, store};

/// Those of one net.
#[derive(Default)]
pub(crate) struct ScriptParams {
    params: Vec<ScriptParam>,
    scratch: Vec<f32>,
}

/// Values or gradient of one of them.
struct ScriptParam {
    number: usize,
    part: BlobPart,
    /// What the script sees.
    slab: Arc<SharedSlab>,
    /// What both sides had after the last exchange.
    exchanged: Vec<f32>,
}

impl ScriptParams {
    /// Makes memory for part of a param, or finds it; `None` where the engine has it in no slab.
    pub(crate) fn make(
        &mut self,
        lent: &LentNet<'_>,
        number: usize,
        part: BlobPart,
    ) -> Option<Arc<SharedSlab>> {
        let same = |param: &&ScriptParam| (param.number, param.part) == (number, part);
        if let Some(param) = self.params.iter().find(same) {
            return Some(Arc::clone(&param.slab));
        }
        let (slab, start) = engines(lent, number, part)?;
        let mut exchanged = vec![0.0; lent.net.params()[number].shape.count()];
        load(slab, start, &mut exchanged);
        let slab = new_slab(exchanged.len());
        store(&slab, 0, &exchanged);
        self.params.push(ScriptParam { number, part, slab: Arc::clone(&slab), exchanged });
        Some(slab)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.params.is_empty()
    }

    /// Copies what has changed since the last exchange of the params that `wanted` is true of.
    pub(crate) fn exchange(&mut self, lent: &LentNet<'_>, wanted: impl Fn(usize) -> bool) {
        let Self { params, scratch } = self;
        for param in params.iter_mut().filter(|param| wanted(param.number)) {
            let Some((slab, start)) = engines(lent, param.number, param.part) else { continue };
            scratch.resize(param.exchanged.len(), 0.0);
            load(&param.slab, 0, scratch);
            if !same_bits(scratch, &param.exchanged) {
                store(slab, start, scratch);
                param.exchanged.copy_from_slice(scratch);
                continue;
            }
            load(slab, start, scratch);
            if !same_bits(scratch, &param.exchanged) {
                store(&param.slab, 0, scratch);
                param.exchanged.copy_from_slice(scratch);
            }
        }
    }

    /// Zeros what scripts see of gradients.
    pub(crate) fn clear_gradients(&mut self) {
        for param in self.params.iter_mut().filter(|param| param.part == BlobPart::Diff) {
            param.exchanged.fill(0.0);
            store(&param.slab, 0, &param.exchanged);
        }
    }
}

/// Where the engine has part of a param.
fn engines<'a>(
    lent: &'a LentNet<'_>,
    number: usize,
    part: BlobPart,
) -> Option<(&'a SharedSlab, usize)> {
    let param = &lent.net.params()[number];
    match part {
        BlobPart::Data if param.storage == ParamStorage::Slab => {
            let slab = param.shared_from.as_ref().unwrap_or(lent.params);
            Some((slab, param.values.start))
        }
        BlobPart::Data => None,
        BlobPart::Diff => Some((lent.pool, param.gradient.as_ref()?.start)),
    }
}

/// NaN is the same as itself here.
fn same_bits(left: &[f32], right: &[f32]) -> bool {
    left.iter().map(|value| value.to_bits()).eq(right.iter().map(|value| value.to_bits()))
}
