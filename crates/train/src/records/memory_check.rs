//! Whether nets and records fit into memory together, found out before a record is loaded.
//!
//! Each rank says what it needs and what its memory is taken from ([`MemoryPool`]). Ranks of a host
//! that name the same pool share it: the memory of the machine, and the control group of a
//! container or job. A control group of each task is that rank's alone, as its address space is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::RecordsRequest;
use crate::{LimitOrigin, MemoryPool, RecordsProblem, TrainError};

/// What a rank says about its memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RankMemory {
    host: String,
    nets: u64,
    records: u64,
    pools: Vec<MemoryPool>,
}

/// What the ranks of a pool need together.
#[derive(Default)]
struct PoolUse {
    ranks: usize,
    nets: u64,
    records: u64,
    /// The least that one of them has seen.
    bytes: Option<u64>,
}

/// Compares what all ranks need with what there is; `records` are the bytes for those of this rank.
/// A collective.
pub(super) fn check(request: &RecordsRequest<'_>, records: u64) -> Result<(), TrainError> {
    let host = request.ranks.host().to_owned();
    let pools = request.config.memory_pools.clone();
    let own = RankMemory { host, nets: request.nets_bytes, records, pools };
    let own = serde_json::to_vec(&own).expect("names and numbers can be written");
    let read = |(rank, bytes): (usize, &Vec<u8>)| -> Result<RankMemory, TrainError> {
        serde_json::from_slice(bytes).map_err(|_| TrainError::State { rank })
    };
    let all = request.ranks.gather(own)?;
    let all: Vec<RankMemory> = all.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    Ok(fits(&all)?)
}

fn fits(all: &[RankMemory]) -> Result<(), RecordsProblem> {
    let mut pools: BTreeMap<(&str, LimitOrigin, String), PoolUse> = BTreeMap::new();
    for (rank, RankMemory { host, nets, records, pools: own }) in all.iter().enumerate() {
        for pool in own {
            let name = match pool.origin {
                LimitOrigin::AddressSpace => rank.to_string(),
                LimitOrigin::Machine | LimitOrigin::ControlGroup => pool.group.clone(),
            };
            let used = pools.entry((host, pool.origin, name)).or_default();
            used.ranks += 1;
            used.nets = used.nets.saturating_add(*nets);
            used.records = used.records.saturating_add(*records);
            used.bytes = Some(used.bytes.map_or(pool.bytes, |bytes| bytes.min(pool.bytes)));
        }
    }
    for ((host, origin, _), PoolUse { ranks, nets, records, bytes }) in pools {
        if let Some(available) = bytes.filter(|&bytes| nets.saturating_add(records) > bytes) {
            let host = host.to_owned();
            return Err(RecordsProblem::Memory { host, origin, ranks, nets, records, available });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{RankMemory, fits};
    use crate::LimitOrigin::{AddressSpace, ControlGroup, Machine};
    use crate::{LimitOrigin, MemoryPool};

    fn pool(origin: LimitOrigin, group: &str, bytes: u64) -> MemoryPool {
        MemoryPool { origin, group: group.into(), bytes }
    }

    /// Ranks that need 3 MB for nets and 4 MB for records each, on hosts with these pools.
    fn refused(ranks: &[(&str, &[MemoryPool])]) -> Option<String> {
        let of = |&(host, pools): &(&str, &[MemoryPool])| {
            let (host, pools) = (host.into(), pools.to_vec());
            RankMemory { host, nets: 3_000_000, records: 4_000_000, pools }
        };
        let all: Vec<RankMemory> = ranks.iter().map(of).collect();
        fits(&all).err().map(|problem| problem.to_string())
    }

    #[test]
    fn nets_and_records_of_the_ranks_that_share_a_pool_are_added() {
        let machine = |bytes| [pool(Machine, "", bytes)];
        assert_eq!(refused(&[("a", &[])]), None, "nothing is known");
        assert_eq!(refused(&[("a", &machine(7_000_000))]), None);
        let text = refused(&[("", &machine(6_900_000))]).unwrap();
        let want = "`--data memory` needs 4.0 MB for records beside 3.0 MB for nets of 1 rank on \
                    this machine, where 6.9 MB are available: use `--data stream`, or more hosts";
        assert_eq!(text, want);
        // What each rank has seen may differ.
        let two = [("a", &machine(15_000_000)[..]), ("a", &machine(13_000_000))];
        let text = refused(&two).unwrap();
        assert!(
            text.contains("8.0 MB for records beside 6.0 MB for nets of 2 ranks on a"),
            "{text}"
        );
        assert!(text.contains("where 13.0 MB are available"), "{text}");
        assert_eq!(refused(&[("a", &machine(7_000_000)), ("b", &machine(7_000_000))]), None);
    }

    #[test]
    fn what_is_a_ranks_own_is_not_divided() {
        for origin in [ControlGroup, AddressSpace] {
            let own = |task: &str| [pool(Machine, "", 14_000_000), pool(origin, task, 7_000_000)];
            assert_eq!(refused(&[("a", &own("/job/0")), ("a", &own("/job/1"))]), None);
        }
        let shared = [pool(ControlGroup, "/job", 13_000_000)];
        let text = refused(&[("a", &shared), ("a", &shared)]).unwrap();
        assert!(text.contains("where the control group of this container or job allows 13.0 MB"));
        let space = [pool(AddressSpace, "", 6_000_000)];
        let text = refused(&[("a", &space), ("a", &space)]).unwrap();
        assert!(text.contains("nets of 1 rank on a, where `ulimit -v` allows 6.0 MB"), "{text}");
    }
}
