//! The shuffle of a run, and whether replicas and ranks suit it.

use std::num::NonZeroU32;

use caffe_format::LayerParameter;
use data::order::{RecordSharing, RunShuffle};

use super::RecordsRequest;
use crate::RecordsProblem;

impl RecordsRequest<'_> {
    /// The shuffle, if `layer` and all others are shuffled.
    pub(super) fn shuffle(
        &self,
        layer: Option<&LayerParameter>,
    ) -> Result<Option<RunShuffle>, RecordsProblem> {
        let sharing = self.config.sharing;
        let Some(layer) = layer else {
            let default = sharing == RecordSharing::default();
            return if default { Ok(None) } else { Err(RecordsProblem::SharingInKeyOrder) };
        };
        let (groups, replicas) = (sharing.groups.get() as usize, self.placement.replicas);
        if !replicas.is_multiple_of(groups) {
            return Err(RecordsProblem::Groups { groups, replicas });
        }
        let ranks = self.placement.ranks;
        if ranks > groups && !ranks.is_multiple_of(groups) {
            return Err(RecordsProblem::GroupRanks { groups, ranks });
        }
        Ok(Some(RunShuffle { seed: self.shuffle_seed(layer), sharing }))
    }

    /// Where replicas keep their records for several epochs, each has some.
    pub(super) fn check_shards(
        &self,
        shuffle: Option<RunShuffle>,
        records: u64,
    ) -> Result<(), RecordsProblem> {
        let replicas = self.group_replicas();
        let keeps = shuffle.is_some_and(|shuffle| shuffle.sharing.exchange_every.get() > 1);
        if keeps && records < replicas as u64 {
            return Err(RecordsProblem::FewRecords { records, replicas });
        }
        Ok(())
    }

    /// Replicas of a group.
    pub(super) fn group_replicas(&self) -> usize {
        self.placement.replicas / self.config.sharing.groups.get() as usize
    }

    /// Ranks that hold a copy of the records together. One where there are no more ranks than
    /// groups: the groups of a rank share its copy.
    pub(super) fn ranks_per_copy(&self) -> usize {
        (self.placement.ranks / self.config.sharing.groups.get() as usize).max(1)
    }

    /// The seed of the order: that of the run that is resumed, else the job's. A seed of 0 shuffles
    /// as 1 does, since a saved 0 means that nothing is shuffled.
    fn shuffle_seed(&self, layer: &LayerParameter) -> NonZeroU32 {
        let saved = self.saved_state(layer).and_then(|state| NonZeroU32::new(state.shuffle_seed));
        let own = NonZeroU32::new(self.config.random_seed()).unwrap_or(NonZeroU32::MIN);
        saved.unwrap_or(own)
    }
}
