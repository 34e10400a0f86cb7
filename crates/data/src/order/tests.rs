//! Every epoch reads every record once, in an order that looks random and never changes.

use std::num::NonZeroU32;

use super::{EpochOrder, RecordUse, StreamOrder};

fn shuffled(seed: u32, records: u64) -> StreamOrder {
    StreamOrder { records, shuffle: NonZeroU32::new(seed) }
}

fn records(epoch: &EpochOrder) -> Vec<u64> {
    (0..epoch.records).map(|place| epoch.at(place).record).collect()
}

#[test]
fn every_epoch_reads_every_record_once_and_knows_where() {
    for count in (1..130).chain([1000, 4095, 4096, 4097, 60_000]) {
        for order in [shuffled(1701, count), StreamOrder { records: count, shuffle: None }] {
            for number in [0, 1, 77] {
                let epoch = order.epoch(number);
                let mut all = records(&epoch);
                for (place, &record) in (0..).zip(&all) {
                    let position = number * count + place;
                    assert_eq!(epoch.at(place), RecordUse { position, record });
                    assert_eq!(epoch.position_of(record), position, "{count} records");
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
    let epochs = [0, 1, 2].map(|epoch| records(&order.epoch(epoch)));
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
            for (place, record) in records(&shuffled(seed, count).epoch(epoch)).iter().enumerate() {
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
        let all = records(&shuffled(3, 1000).epoch(epoch));
        all.windows(2).filter(|pair| pair[0] + 1 == pair[1]).count()
    };
    let found: usize = (0..1000).map(neighbours).sum();
    assert!((842..1158).contains(&found), "{found} of about 1000");
}

#[test]
fn other_epochs_seeds_and_counts_have_other_orders() {
    let of = |seed, epoch, count| records(&shuffled(seed, count).epoch(epoch));
    let all = [of(1, 0, 50), of(1, 1, 50), of(2, 0, 50), of(2, 1, 50), of(1, 0, 51)];
    for (index, one) in all.iter().enumerate() {
        assert!(!all[..index].contains(one), "{index}");
    }
}
