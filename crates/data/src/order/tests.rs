//! Every epoch reads every record once, in an order that looks random and never changes.

use std::num::NonZeroU32;

use super::{EpochOrder, GroupShuffle, RecordSharing, RecordUse, RunShuffle, StreamOrder};
use crate::source::ReplicaSlice;

fn shuffled(seed: u32, records: u64) -> StreamOrder {
    let shuffle = NonZeroU32::new(seed).map(|seed| GroupShuffle::alone(seed, 4));
    StreamOrder { records, shuffle }
}

fn records(epoch: &EpochOrder, count: u64) -> Vec<u64> {
    (0..count).map(|place| epoch.at(place).record).collect()
}

#[test]
fn every_epoch_reads_every_record_once_and_knows_where() {
    for count in (1..130).chain([1000, 4095, 4096, 4097, 60_000]) {
        for order in [shuffled(1701, count), StreamOrder { records: count, shuffle: None }] {
            for number in [0, 1, 77] {
                let epoch = order.epoch(number);
                let mut all = records(&epoch, count);
                for (place, &record) in (0..).zip(&all) {
                    let position = number * count + place;
                    assert_eq!(epoch.at(place), RecordUse { position, record });
                    let block = order.block_of(position);
                    assert_eq!(block.use_of(record, 0), Some(position), "{count} records");
                    assert_eq!(block.use_after(record, position), None);
                }
                all.sort_unstable();
                assert!(all.into_iter().eq(0..count), "{count} records, epoch {number}");
            }
        }
    }
}

/// Snapshots hold a seed and a position, not the order: a run that resumes computes it again.
#[test]
fn the_order_does_not_change() {
    let order = shuffled(1701, 10);
    let epochs = [0, 1, 2].map(|epoch| records(&order.epoch(epoch), 10));
    let want = [
        [9, 2, 1, 7, 4, 8, 6, 0, 3, 5],
        [4, 8, 0, 5, 6, 9, 1, 2, 3, 7],
        [2, 4, 8, 0, 5, 1, 3, 7, 9, 6],
    ];
    assert_eq!(epochs, want);
    let large = shuffled(1701, 1_281_167).epoch(89);
    let some = [0, 1, 1_281_166].map(|place| large.at(place).record);
    assert_eq!(some, [607_441, 842_802, 883_427]);
}

/// Each record is at each place equally often, and records that are neighbours in the database are
/// neighbours in an epoch as often as chance has it: within five standard deviations.
#[test]
fn places_and_neighbours_are_as_frequent_as_chance_has_it() {
    for (seed, count) in [(1, 2), (1, 3), (7, 5), (1701, 10), (2, 17)] {
        const EPOCHS: u64 = 8000;
        let size = usize::try_from(count).unwrap();
        let mut seen = vec![0_u32; size * size];
        for epoch in 0..EPOCHS {
            for (place, record) in
                records(&shuffled(seed, count).epoch(epoch), count).iter().enumerate()
            {
                seen[place * size + usize::try_from(*record).unwrap()] += 1;
            }
        }
        let mean = EPOCHS as f64 / count as f64;
        let allowed = 5.0 * (mean * (1.0 - 1.0 / count as f64)).sqrt();
        for times in seen {
            assert!((f64::from(times) - mean).abs() < allowed, "{times} of {mean} in {count}");
        }
    }
    let neighbours = |epoch| {
        let all = records(&shuffled(3, 1000).epoch(epoch), 1000);
        all.windows(2).filter(|pair| pair[0] + 1 == pair[1]).count()
    };
    let found: usize = (0..1000).map(neighbours).sum();
    assert!((842..1158).contains(&found), "{found} of about 1000");
}

#[test]
fn other_epochs_seeds_and_counts_have_other_orders() {
    let of = |seed, epoch, count| records(&shuffled(seed, count).epoch(epoch), count);
    let all = [of(1, 0, 50), of(1, 1, 50), of(2, 0, 50), of(2, 1, 50), of(1, 0, 51)];
    for (index, one) in all.iter().enumerate() {
        assert!(!all[..index].contains(one), "{index}");
    }
}

fn sharing(groups: u32, exchange_every: u32) -> RecordSharing {
    let [groups, exchange_every] = [groups, exchange_every].map(|n| NonZeroU32::new(n).unwrap());
    RecordSharing { groups, exchange_every }
}

/// Each group reads every record once per epoch, in an order of its own; group 0 reads what all
/// replicas read without groups.
#[test]
fn groups_have_permutations_of_their_own() {
    let run =
        |groups| RunShuffle { seed: NonZeroU32::new(1701).unwrap(), sharing: sharing(groups, 1) };
    let mut seen = Vec::new();
    for replica in 0..8 {
        let (shuffle, own) = run(4).group(ReplicaSlice { replica, replicas: 8 });
        assert_eq!(own, ReplicaSlice { replica: replica % 2, replicas: 2 });
        assert_eq!(shuffle.group, replica as u64 / 2);
        let order = StreamOrder { records: 61, shuffle: Some(shuffle) };
        let mut all = records(&order.epoch(3), 61);
        if replica % 2 == 0 {
            assert!(!seen.contains(&all), "replica {replica}");
            seen.push(all.clone());
        }
        all.sort_unstable();
        assert!(all.into_iter().eq(0..61));
    }
    assert_eq!(seen[0], records(&shuffled(1701, 61).epoch(3), 61));
}

/// In the K epochs of a block a record is read by one replica, K times or once more or less, and
/// where it is used next is known.
#[test]
fn a_shard_is_read_for_several_epochs() {
    for (count, replicas, every) in [(64, 8, 3), (61, 8, 2), (61, 3, 5), (7, 7, 4), (100, 1, 2)] {
        let run = RunShuffle { seed: NonZeroU32::new(5).unwrap(), sharing: sharing(1, every) };
        let order = StreamOrder { records: count, shuffle: Some(run.of_group(0, replicas)) };
        let (every, replicas) = (u64::from(every), replicas as u64);
        let mut owners = Vec::new();
        for block in 0..3 {
            let positions = block * every * count..(block + 1) * every * count;
            let now = order.block_of(positions.start);
            let mut uses = vec![Vec::new(); usize::try_from(count).unwrap()];
            for position in positions.clone() {
                let epoch = order.epoch(position / count).at(position % count);
                assert_eq!(epoch, RecordUse { position, record: now.record_at(position) });
                uses[usize::try_from(epoch.record).unwrap()].push(position);
            }
            for (record, uses) in (0..).zip(&uses) {
                let times = uses.len() as u64;
                let exact = count.is_multiple_of(replicas);
                assert!(times.abs_diff(every) <= u64::from(!exact), "{times} times in {every}");
                assert!(uses.iter().all(|p| p % replicas == uses[0] % replicas), "one replica");
                for pair in uses.windows(2) {
                    assert_eq!(now.use_after(record, pair[0]), Some(pair[1]));
                    assert_eq!(now.use_of(record, pair[0] + 1), Some(pair[1]));
                }
                assert_eq!(now.use_of(record, positions.start), Some(uses[0]));
                assert_eq!(now.use_after(record, *uses.last().unwrap()), None);
            }
            owners.push(uses.iter().map(|uses| uses[0] % replicas).collect::<Vec<_>>());
        }
        assert!(replicas == 1 || owners[0] != owners[1], "records move between blocks");
    }
}
