//! The ranks of this machine, and those of them that may run on the same cores.
//!
//! Ranks that a launcher bound have cores of their own. Ranks that it did not bind share what they
//! all see, be it the machine, a container's part of it or a share of Slurm's; so the ranks tell
//! each other, and no guess is made from the size of what one of them sees.

use anyhow::{Context, Result};
use exchange::Exchange;
use serde::{Deserialize, Serialize};

use super::topology::Topology;
use crate::{launch, machine};

/// Among whom this rank's cores are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Neighbours {
    /// Ranks on this machine, this one included.
    pub(crate) here: usize,
    /// Those that may run on the same cores, this one included.
    pub(crate) sharing: usize,
    /// Those of them with a lower number.
    pub(crate) before: usize,
}

/// What a rank says about its cores.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RankCores {
    /// The kernel, and the name of the host: containers have names of their own.
    host: (String, String),
    /// Numbers of cores.
    cores: String,
}

impl Neighbours {
    pub(crate) const NONE: Self = Self { here: 1, sharing: 1, before: 0 };

    /// All ranks call this together.
    pub(crate) fn meet(exchange: &mut Exchange) -> Result<Self> {
        let own = RankCores {
            host: (machine::identity(), launch::host()),
            cores: Topology::read().list().to_string(),
        };
        let own = serde_json::to_vec(&own).context("cores can be written")?;
        let all = exchange.all_gather_v(&own)?;
        let all = all.iter().map(|bytes| serde_json::from_slice(bytes));
        let all: Vec<_> =
            all.collect::<Result<_, _>>().context("a rank runs another version of firecaffe")?;
        Ok(Self::of(&all, exchange.rank().index()))
    }

    /// As far as the launcher says it, for processes that do not join each other.
    pub(crate) fn of_launcher() -> Self {
        let (here, bound) = (launch::ranks_here(), Topology::read().is_bound());
        match launch::local_rank().filter(|&local| local < here && !bound) {
            Some(before) => Self { here, sharing: here, before },
            None => Self { here, ..Self::NONE },
        }
    }

    /// How many of the `seen` cores are this rank's; a control group leaves `available` of them to
    /// all ranks here.
    pub(crate) fn cores_each(self, seen: usize, available: usize) -> usize {
        let quota = if available < seen { available / self.here } else { seen };
        (seen / self.sharing).min(quota).max(1)
    }

    fn of(all: &[RankCores], rank: usize) -> Self {
        let own = &all[rank];
        let here = all.iter().filter(|other| other.host == own.host).count();
        let sharing = all.iter().filter(|other| *other == own).count();
        let before = all[..rank].iter().filter(|other| *other == own).count();
        Self { here, sharing, before }
    }
}

#[cfg(test)]
mod tests {
    use super::{Neighbours, RankCores};

    #[test]
    fn cores_are_shared_with_ranks_of_the_host_that_see_the_same() {
        let ranks = |all: &[(&str, &str)]| -> Vec<(usize, usize, usize)> {
            let of = |&(host, cores): &(&str, &str)| RankCores {
                host: ("kernel".to_owned(), host.to_owned()),
                cores: cores.to_owned(),
            };
            let all: Vec<RankCores> = all.iter().map(of).collect();
            let found = (0..all.len()).map(|rank| Neighbours::of(&all, rank));
            found.map(|found| (found.here, found.sharing, found.before)).collect()
        };
        let unbound = [("a", "0-15"), ("b", "0-15"), ("a", "0-15"), ("a", "0-15")];
        assert_eq!(ranks(&unbound), [(3, 3, 0), (1, 1, 0), (3, 3, 1), (3, 3, 2)]);
        let bound = [("a", "0-7"), ("a", "8-15"), ("a", "0-7"), ("a", "8-15")];
        assert_eq!(ranks(&bound), [(4, 2, 0), (4, 2, 0), (4, 2, 1), (4, 2, 1)]);
    }
}
