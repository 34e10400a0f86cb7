use std::collections::BTreeMap;
use std::num::NonZeroU32;

use data::order::{GroupShuffle, RecordSharing, RunShuffle, StreamOrder};
use data::shard::RecordSlot;

use super::{PARCEL_BYTES, RecordTransfer, TransferSchedule};
use crate::ReplicaPlacement;

const RECORDS: u64 = 61;

fn schedule(lengths: impl Fn(u64) -> u32, ranks: usize, sharing: (u32, u32)) -> TransferSchedule {
    let placement = ReplicaPlacement { replicas: 8, workers: 1, ranks };
    let [groups, exchange_every] = [sharing.0, sharing.1].map(|n| NonZeroU32::new(n).unwrap());
    let sharing = RecordSharing { groups, exchange_every };
    let run = RunShuffle { seed: NonZeroU32::new(3).unwrap(), sharing };
    let groups = groups.get() as usize;
    let order = |shuffle: GroupShuffle| StreamOrder { records: RECORDS, shuffle: Some(shuffle) };
    let orders = (0..groups).map(|group| order(run.of_group(group, 8 / groups))).collect();
    TransferSchedule::new(orders, (0..RECORDS).map(lengths).collect(), placement)
}

/// Every record goes from where it lies to the rank that reads it next; in groups, to one of its
/// group; and only from block to block.
#[test]
fn every_record_goes_where_it_is_used_next() {
    for (ranks, groups, every) in
        [(1, 1, 1), (2, 1, 1), (4, 1, 1), (8, 1, 1), (4, 2, 1), (8, 4, 1), (4, 1, 3), (8, 2, 2)]
    {
        let schedule = schedule(|_| 1, ranks, (groups, every));
        let (groups, replicas) = (groups as usize, 8 / u64::from(groups));
        let rank_of = |group: usize, position: u64| {
            (group * (8 / groups) + usize::try_from(position % replicas).unwrap()) * ranks / 8
        };
        let reads = |group: usize, position: u64| {
            schedule.orders[group].block_of(position).record_at(position)
        };
        for position in [0, 5, RECORDS, 200] {
            let mut seen = vec![Vec::new(); groups];
            for transfer in schedule.first_uses(position) {
                let group = transfer.to * groups / ranks;
                let used = (position..).find(|&p| reads(group, p) == transfer.record);
                assert_eq!(Some(transfer.position), used);
                assert_eq!(transfer.to, rank_of(group, used.unwrap()));
                assert_eq!(transfer.from * groups / ranks, group, "it stays in its group");
                seen[group].push(transfer.record);
            }
            for mut seen in seen {
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..RECORDS));
            }
        }
        let block = schedule.block_len();
        let mut new = vec![0; groups];
        for transfer in schedule.next_uses(block..2 * block) {
            let RecordSlot::Used(earlier) = transfer.slot else { panic!("a use") };
            let group = transfer.from * groups / ranks;
            let next = (earlier + 1..).find(|&p| reads(group, p) == transfer.record);
            assert_eq!(Some(transfer.position), next);
            assert_eq!(transfer.from, rank_of(group, earlier));
            assert_eq!(transfer.to, rank_of(group, transfer.position));
            assert_eq!(transfer.is_new, transfer.position >= 2 * block);
            assert!(transfer.is_new || transfer.from == transfer.to, "only blocks move records");
            new[group] += usize::from(transfer.is_new);
        }
        assert!(new.iter().all(|&records| records as u64 == RECORDS), "{new:?}");
    }
}

/// Where shards are short, a record is used more than once before its next exchange.
#[test]
fn a_parcel_takes_nothing_out_of_slots_that_it_fills() {
    let schedule = schedule(|_| 1000, 4, (1, 5));
    let mut parcels = 0;
    for parcel in schedule.parcels(schedule.next_uses(0..schedule.block_len())) {
        let filled: Vec<u64> = parcel.iter().map(|transfer| transfer.position).collect();
        for transfer in &parcel {
            let RecordSlot::Used(position) = transfer.slot else { panic!("a use") };
            assert!(!filled.contains(&position));
        }
        parcels += 1;
    }
    assert!(parcels < 60, "{parcels} parcels for 5 cycles of 8 records");
}

/// Short records, long ones, longer ones than a parcel, and empty ones.
#[test]
fn parcels_hold_all_bytes_of_a_record_in_order_and_within_bounds() {
    let lengths: [fn(u64) -> u32; 4] = [
        |_| 300_000,
        |r| u32::try_from(r * 37_000).unwrap(),
        |r| if r % 9 == 0 { 3_000_000 } else { 9 },
        |_| 0,
    ];
    for (lengths, ranks) in lengths.into_iter().zip([4, 2, 8, 4]) {
        let schedule = schedule(lengths, ranks, (1, 1));
        let whole: BTreeMap<u64, RecordTransfer> =
            schedule.next_uses(0..RECORDS).map(|transfer| (transfer.position, transfer)).collect();
        let mut joined: BTreeMap<u64, RecordTransfer> = BTreeMap::new();
        for parcel in schedule.parcels(whole.values().copied()) {
            for transfer in &parcel {
                match joined.get_mut(&transfer.position) {
                    Some(last) => {
                        assert_eq!((last.end, last.is_last), (transfer.start, false));
                        (last.end, last.is_last) = (transfer.end, transfer.is_last);
                    }
                    None => {
                        assert_eq!(transfer.start, 0);
                        joined.insert(transfer.position, *transfer);
                    }
                }
            }
            assert!(bytes_per_rank(&parcel, ranks).into_iter().all(|bytes| bytes <= PARCEL_BYTES));
        }
        assert!(joined == whole);
    }
}

/// A parcel takes as long as its busiest rank, so every rank should have as much to do.
#[test]
fn parcels_are_full_for_every_rank() {
    let records = 20_000;
    let placement = ReplicaPlacement { replicas: 8, workers: 1, ranks: 8 };
    let shuffle = NonZeroU32::new(7).map(|seed| GroupShuffle::alone(seed, 8));
    let order = StreamOrder { records, shuffle };
    let schedule = TransferSchedule::new(vec![order], vec![8000; 20_000].into(), placement);
    let parcels: Vec<_> = schedule.parcels(schedule.first_uses(0)).collect();
    for parcel in &parcels[..parcels.len() - 2] {
        let bytes = bytes_per_rank(parcel, 8);
        let mean = bytes.iter().sum::<usize>() / bytes.len();
        assert!(mean > PARCEL_BYTES * 90 / 100, "{bytes:?}");
    }
    let busiest = bytes_per_rank(&parcels.concat(), 8).into_iter().max().unwrap();
    assert!(parcels.len() <= busiest.div_ceil(PARCEL_BYTES) + 1, "{} parcels", parcels.len());
}

/// Bytes out of each rank, then those into each.
fn bytes_per_rank(parcel: &[RecordTransfer], ranks: usize) -> Vec<usize> {
    let mut bytes = vec![0; 2 * ranks];
    for transfer in parcel.iter().filter(|transfer| transfer.from != transfer.to) {
        bytes[transfer.from] += transfer.end - transfer.start;
        bytes[ranks + transfer.to] += transfer.end - transfer.start;
    }
    bytes
}
