//! Where blobs live that a script has touched.
//!
//! The engine keeps values in orders and buffers of its own. A blob gets a home when a script first
//! asks for its values: memory that views show, which outlives the net. From then on the net's
//! driver tells the homes which blobs a layer reads and writes, and they copy what is needed:
//!
//! | state | newer | when |
//! |---|---|---|
//! | `MaybeChanged` | the home, perhaps | the script had control |
//! | `Same` | neither | a layer read it: home → engine |
//! | `Stale` | the engine | a layer wrote it |
//!
//! When the script gets control again, stale homes are brought up to date: engine → home. So a pass
//! copies a touched blob once or twice, and other blobs never. Blobs that share memory in Caffe (in
//! place, splits, reshapes) share a home.
//!
//! Params of layers written in Python have homes too, whose code may write them while it runs:
//! `script_params` has those of the learned ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use tensor::Slab;
use train::{BlobPart, Layout, LentNet, Net, RunError, SharedSlab};

use crate::script_params::ScriptParams;
use crate::view::{load, store};

/// Homes of one net, by what they hold: which part, and which of the engine's buffers.
#[derive(Default)]
pub(crate) struct Homes {
    blobs: BTreeMap<(BlobPart, usize), Home>,
    /// Running statistics and others that are in no slab, by number.
    params: BTreeMap<usize, Home>,
    /// Learned params of layers written in Python.
    scripts: ScriptParams,
    scratch: Vec<f32>,
}

struct Home {
    slab: Arc<SharedSlab>,
    order: Layout,
    state: HomeState,
    /// The blob or param that it was made for.
    number: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HomeState {
    MaybeChanged,
    Same,
    Stale,
}

/// A slab that views may show.
pub(crate) fn new_slab(len: usize) -> Arc<SharedSlab> {
    Arc::new(SharedSlab::new(Slab::zeros(len)))
}

impl Homes {
    /// The home of a blob, if it has one that is large enough.
    pub(crate) fn find(
        &self,
        (part, buffer): (BlobPart, usize),
        count: usize,
    ) -> Option<(&Arc<SharedSlab>, Layout)> {
        let home = self.blobs.get(&(part, buffer)).filter(|home| home.slab.len() >= count)?;
        Some((&home.slab, home.order))
    }

    /// Makes a home for part of a blob, with what the engine has now. `native` asks for the
    /// engine's order.
    pub(crate) fn make(
        &mut self,
        lent: &LentNet<'_>,
        (blob, part): (usize, BlobPart),
        native: bool,
        loss_weight: f32,
    ) {
        let Some(buffer) = lent.net.buffer_at(blob, part) else { return };
        let shape = lent.net.shape_at(blob);
        let old = self.blobs.remove(&(part, buffer));
        let order = match &old {
            Some(home) => home.order,
            None if native => lent.net.layout_at(blob),
            None => Layout::RowMajor,
        };
        let slab = new_slab(shape.count());
        match old {
            Some(home) => {
                let kept = home.slab.len().min(slab.len());
                self.scratch.resize(kept, 0.0);
                load(&home.slab, 0, &mut self.scratch);
                store(&slab, 0, &self.scratch);
            }
            // Caffe's losses hold their weight before the first backward too.
            None if part == BlobPart::Diff && loss_weight != 0.0 => {
                store(&slab, 0, &vec![loss_weight; shape.count()]);
            }
            None => {
                let values = lent.net.values_at(lent.cpu, (blob, part), order, &mut self.scratch);
                store(&slab, 0, values.unwrap_or_default());
            }
        }
        let home = Home { slab, order, state: HomeState::MaybeChanged, number: blob };
        self.blobs.insert((part, buffer), home);
    }

    /// The home of a param that is in no slab, if it has one.
    pub(crate) fn find_param(&self, number: usize) -> Option<&Arc<SharedSlab>> {
        self.params.get(&number).map(|home| &home.slab)
    }

    /// Makes a home for such a param, with what the engine has now.
    pub(crate) fn make_param(&mut self, number: usize, values: &[f32]) {
        let slab = new_slab(values.len());
        store(&slab, 0, values);
        let (order, state) = (Layout::RowMajor, HomeState::MaybeChanged);
        self.params.insert(number, Home { slab, order, state, number });
    }

    /// Makes memory for part of a learned param that a layer written in Python has; `None` for
    /// what is no slab's.
    pub(crate) fn make_script(
        &mut self,
        lent: &LentNet<'_>,
        number: usize,
        part: BlobPart,
    ) -> Option<Arc<SharedSlab>> {
        self.scripts.make(lent, number, part)
    }

    /// Whether there are such params.
    pub(crate) fn has_scripts(&self) -> bool {
        !self.scripts.is_empty()
    }

    /// Exchanges with the engine what scripts changed of such params, and what they have not seen.
    pub(crate) fn exchange_all(&mut self, lent: &LentNet<'_>) {
        self.scripts.exchange(lent, |_| true);
    }

    /// Zeros the gradients of such params; the caller zeros the engine's.
    pub(crate) fn clear_script_gradients(&mut self) {
        self.scripts.clear_gradients();
    }

    /// Before a layer that runs at `position` runs forward.
    pub(crate) fn before_forward(
        &mut self,
        lent: &mut LentNet<'_>,
        position: usize,
    ) -> Result<(), RunError> {
        let bottoms: Vec<usize> = lent.net.bottoms_of(position).map(|b| b.blob).collect();
        // A layer without bottoms may leave its tops as they are: Input does.
        let read = if bottoms.is_empty() { lent.net.tops_of(position).collect() } else { bottoms };
        for blob in read {
            self.bring_in(lent, (blob, BlobPart::Data))?;
        }
        for param in lent.net.running_of(position).collect::<Vec<_>>() {
            self.bring_param_in(lent, param);
        }
        self.exchange_of(lent, position);
        Ok(())
    }

    /// After a layer ran forward.
    pub(crate) fn after_forward(&mut self, lent: &LentNet<'_>, position: usize) {
        for blob in lent.net.tops_of(position) {
            self.mark_stale(lent.net, (blob, BlobPart::Data));
        }
        for param in lent.net.running_of(position) {
            if let Some(home) = self.params.get_mut(&param) {
                home.state = HomeState::Stale;
            }
        }
        self.exchange_of(lent, position);
    }

    /// Before a layer runs backward.
    pub(crate) fn before_backward(
        &mut self,
        lent: &mut LentNet<'_>,
        position: usize,
    ) -> Result<(), RunError> {
        let tops: Vec<usize> = lent.net.tops_of(position).collect();
        for &top in &tops {
            self.bring_in(lent, (top, BlobPart::Data))?;
            self.bring_in(lent, (top, BlobPart::Diff))?;
        }
        for bottom in lent.net.bottoms_of(position).collect::<Vec<_>>() {
            self.bring_in(lent, (bottom.blob, BlobPart::Data))?;
        }
        self.exchange_of(lent, position);
        Ok(())
    }

    /// After a layer ran backward.
    pub(crate) fn after_backward(&mut self, lent: &LentNet<'_>, position: usize) {
        if !lent.net.runs_backward(position) {
            return;
        }
        for bottom in lent.net.bottoms_of(position).filter(|bottom| bottom.writes_diff) {
            self.mark_stale(lent.net, (bottom.blob, BlobPart::Diff));
        }
        self.exchange_of(lent, position);
    }

    /// `exchange_all`, for the params of one layer.
    fn exchange_of(&mut self, lent: &LentNet<'_>, position: usize) {
        self.scripts.exchange(lent, |param| lent.net.learned_of(position).any(|own| own == param));
    }

    /// Copies what the script may have changed into the engine: all of it, or values only. Whether
    /// any values were copied.
    pub(crate) fn bring_all_in(
        &mut self,
        lent: &mut LentNet<'_>,
        parts: &[BlobPart],
    ) -> Result<bool, RunError> {
        let changed = |(&(part, _), home): (&(BlobPart, usize), &Home)| {
            let wanted = parts.contains(&part) && home.state == HomeState::MaybeChanged;
            wanted.then_some((home.number, part))
        };
        let blobs: Vec<(usize, BlobPart)> = self.blobs.iter().filter_map(changed).collect();
        let any = blobs.iter().any(|(_, part)| *part == BlobPart::Data);
        for blob in blobs {
            self.bring_in(lent, blob)?;
        }
        for param in self.params.keys().copied().collect::<Vec<_>>() {
            self.bring_param_in(lent, param);
        }
        Ok(any)
    }

    /// Says that layers ran that nobody told about: all of the engine's values are newer.
    pub(crate) fn mark_all_stale(&mut self) {
        let homes = self.blobs.values_mut().chain(self.params.values_mut());
        homes.for_each(|home| home.state = HomeState::Stale);
    }

    /// Says that the params that are in no slab were set.
    pub(crate) fn mark_params_stale(&mut self) {
        self.params.values_mut().for_each(|home| home.state = HomeState::Stale);
    }

    /// Brings stale homes up to date, since the script gets control.
    pub(crate) fn release(&mut self, lent: &LentNet<'_>) {
        let Self { blobs, params, scratch, .. } = self;
        for (&(part, _), home) in blobs.iter_mut() {
            if home.state == HomeState::Stale {
                let blob = (home.number, part);
                if let Some(values) = lent.net.values_at(lent.cpu, blob, home.order, scratch) {
                    if values.len() > home.slab.len() {
                        home.slab = new_slab(values.len());
                    }
                    store(&home.slab, 0, values);
                }
            }
            home.state = HomeState::MaybeChanged;
        }
        for (&param, home) in params.iter_mut() {
            if home.state == HomeState::Stale
                && let Some(values) = lent.net.running_values(param, &lent.replica.running)
            {
                store(&home.slab, 0, values);
            }
            home.state = HomeState::MaybeChanged;
        }
    }

    /// Finds the homes' buffers again after the net was compiled anew, which begins with zeros.
    pub(crate) fn move_to(&mut self, net: &Net) {
        for ((part, _), mut home) in std::mem::take(&mut self.blobs) {
            home.state = HomeState::MaybeChanged;
            if let Some(buffer) = net.buffer_at(home.number, part) {
                self.blobs.insert((part, buffer), home);
            }
        }
    }

    fn bring_in(
        &mut self,
        lent: &mut LentNet<'_>,
        (blob, part): (usize, BlobPart),
    ) -> Result<(), RunError> {
        let Some(buffer) = lent.net.buffer_at(blob, part) else { return Ok(()) };
        let Some(home) = self.blobs.get_mut(&(part, buffer)) else { return Ok(()) };
        if home.state != HomeState::MaybeChanged {
            return Ok(());
        }
        let count = lent.net.shape_at(home.number).count();
        if count > home.slab.len() {
            let slab = new_slab(count);
            self.scratch.resize(home.slab.len(), 0.0);
            load(&home.slab, 0, &mut self.scratch);
            store(&slab, 0, &self.scratch);
            home.slab = slab;
        }
        self.scratch.resize(count, 0.0);
        load(&home.slab, 0, &mut self.scratch);
        home.state = HomeState::Same;
        lent.net.set_values_at(lent.cpu, (home.number, part), home.order, &self.scratch)
    }

    fn bring_param_in(&mut self, lent: &mut LentNet<'_>, param: usize) {
        let Some(home) = self.params.get_mut(&param) else { return };
        if home.state == HomeState::MaybeChanged {
            self.scratch.resize(home.slab.len(), 0.0);
            load(&home.slab, 0, &mut self.scratch);
            lent.net.set_running_values(param, &self.scratch, &mut lent.replica.running);
            home.state = HomeState::Same;
        }
    }

    fn mark_stale(&mut self, net: &Net, (blob, part): (usize, BlobPart)) {
        let Some(buffer) = net.buffer_at(blob, part) else { return };
        if let Some(home) = self.blobs.get_mut(&(part, buffer)) {
            home.state = HomeState::Stale;
        }
    }
}
