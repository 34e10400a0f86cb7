//! Both collectives are proved for all worlds up to 33, with lengths that differ, zeros among them.

use super::{all_gather_v, all_to_all_v};
use crate::{CollectiveOperation, Plan, PlanFigures, Segmentation, verify};
use base::Rank;

const WORLD_MAX: usize = 33;

/// Whole blocks, and segments that end within them.
const SEGMENTATIONS: [Segmentation; 3] = [
    Segmentation::WHOLE,
    Segmentation { segment_elements: 3, lanes: 2 },
    Segmentation { segment_elements: 1, lanes: 100 },
];

/// Lengths that differ, as a function of two ranks.
type Lengths = fn(usize, usize) -> usize;

/// Nothing at all, one who has something, many different ones, equal ones.
const LENGTHS: [Lengths; 4] =
    [|_, _| 0, |a, _| if a == 0 { 11 } else { 0 }, |a, b| (a * 5 + b * 3) % 8, |_, _| 4];

fn ranks(world: usize) -> impl Iterator<Item = Rank> {
    (0..world).map(move |index| Rank::new(index, world).unwrap())
}

fn gathers(world: usize, len: Lengths, by: Segmentation) -> Vec<Plan> {
    let lens: Vec<usize> = (0..world).map(|rank| len(rank, 1)).collect();
    ranks(world).map(|rank| all_gather_v(rank, &lens, by)).collect()
}

fn exchanges(world: usize, len: Lengths, by: Segmentation) -> Vec<Plan> {
    let plan = |rank: Rank| {
        let outgoing: Vec<usize> = (0..world).map(|to| len(rank.index(), to)).collect();
        let incoming: Vec<usize> = (0..world).map(|from| len(from, rank.index())).collect();
        all_to_all_v(rank, &outgoing, &incoming, by)
    };
    ranks(world).map(plan).collect()
}

#[track_caller]
fn proved(operation: CollectiveOperation, plans: &[Plan]) -> PlanFigures {
    let world = plans.len();
    verify(operation, plans).unwrap_or_else(|err| panic!("{operation:?}, world {world}: {err}"))
}

#[test]
fn every_world_is_proved() {
    for world in 1..=WORLD_MAX {
        for by in SEGMENTATIONS {
            for len in LENGTHS {
                proved(CollectiveOperation::AllGatherV, &gathers(world, len, by));
                proved(CollectiveOperation::AllToAllV, &exchanges(world, len, by));
            }
        }
    }
}

/// More than 4 GiB in one block and in all: lengths are counted in `usize` and segments bounded.
#[test]
fn totals_above_four_gib_are_proved() {
    let by = Segmentation { segment_elements: 1 << 18, lanes: 4 };
    let len: Lengths = |a, b| if a == 1 { 5 << 30 } else { (1 << 20) * (a + b) };
    let figures = proved(CollectiveOperation::AllGatherV, &gathers(3, len, by));
    assert!(figures.received > 5 << 30);
    let figures = proved(CollectiveOperation::AllToAllV, &exchanges(3, len, by));
    assert!(figures.sent >= 10 << 30);
}

/// Nobody sends more than it must: every block once over each link, or to the rank it is for.
#[test]
fn volumes_are_the_least_possible() {
    let len: Lengths = |a, b| 10 * a + b;
    let gathered = proved(CollectiveOperation::AllGatherV, &gathers(5, len, Segmentation::WHOLE));
    let all: usize = (0..5).map(|rank| len(rank, 1)).sum();
    assert_eq!((gathered.rounds, gathered.received), (4, all - len(0, 1)));
    let swapped = proved(CollectiveOperation::AllToAllV, &exchanges(5, len, Segmentation::WHOLE));
    let most: usize = (0..4).map(|to| len(4, to)).sum();
    assert_eq!((swapped.rounds, swapped.sent), (4, most));
}

/// A block in another rank's place, or one that is cut short, is found.
#[test]
fn planted_faults_are_found() {
    let mut plans = exchanges(3, LENGTHS[3], Segmentation::WHOLE);
    plans[0].lanes[0].iter_mut().for_each(|step| {
        if let crate::PlanStep::Send { at, .. } = step {
            at.slot = 3 - at.slot; // what is for 1 goes to 2
        }
    });
    assert!(verify(CollectiveOperation::AllToAllV, &plans).is_err());
    let mut plans = gathers(3, LENGTHS[3], Segmentation::WHOLE);
    plans[2].slots[1] += 1;
    assert!(verify(CollectiveOperation::AllGatherV, &plans).is_err());
}
