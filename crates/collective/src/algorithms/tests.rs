//! Every row is held to its claims, for all worlds up to 33 and awkward lengths.

use super::{ALGORITHMS, Algorithm, find};
use crate::{Cut, Figures, Operation, Plan, broadcast, verify};
use base::Rank;

const WORLD_MAX: usize = 33;

/// Rows with their defaults, and settings that shape plans differently.
const NAMES: &[&str] = &[
    "direct",
    "halving-doubling",
    "hierarchical:4:direct+ring",
    "hierarchical:4:reduction-tree+halving-doubling",
    "hierarchical:2:parameter-server+direct",
    "hierarchical:3:direct+direct",
    "hierarchical:3:ring+multi-color:2",
    "hierarchical:2:direct+hierarchical:4:halving-doubling+reduction-tree",
    "multi-color",
    "multi-color:1",
    "multi-color:8",
    "parameter-server",
    "parameter-server:3",
    "reduction-tree",
    "ring",
];

fn ranks(world: usize) -> impl Iterator<Item = Rank> {
    (0..world).map(move |index| Rank::new(index, world).unwrap())
}

fn plans(
    algorithm: &Algorithm,
    operation: Operation,
    world: usize,
    len: usize,
    cut: Cut,
) -> Vec<Plan> {
    ranks(world).map(|rank| algorithm.plan(operation, rank, len, cut).unwrap()).collect()
}

#[track_caller]
fn proved(name: &str, operation: Operation, world: usize, len: usize, cut: Cut) -> Figures {
    let algorithm = find(name).unwrap();
    let proof = verify(operation, &plans(&algorithm, operation, world, len, cut));
    proof.unwrap_or_else(|err| {
        panic!("{name} {operation:?}, world {world}, len {len}, {cut:?}: {err}")
    })
}

fn awkward(world: usize) -> [usize; 7] {
    [0, 1, world - 1, world, world + 1, 31, 97]
}

/// A length that every number of shares up to 33 that occurs divides: volumes come out whole.
fn divisible(world: usize) -> usize {
    world * 64 * 9 * 5 * 7 * 11 * 13 * 17
}

#[test]
fn table_is_sorted_so_names_are_unique() {
    assert!(ALGORITHMS.is_sorted_by(|a, b| a.name < b.name));
    for row in ALGORITHMS.iter().filter(|row| row.pattern.is_some()) {
        assert!(NAMES.iter().any(|name| name.starts_with(row.name)), "{} is tested", row.name);
    }
}

/// All-reduce of every algorithm in every world: proved, and exact wherever the row says so.
#[test]
fn all_reduce_is_proved() {
    let cut = Cut { segment: 3, lanes: 2 };
    for name in NAMES {
        let algorithm = find(name).unwrap();
        let mut strayed = algorithm.is_exact(WORLD_MAX);
        for world in 1..=WORLD_MAX {
            for len in awkward(world) {
                for cut in [Cut::WHOLE, cut] {
                    let figures = proved(name, Operation::AllReduce, world, len, cut);
                    assert!(figures.exact || !algorithm.is_exact(world), "{name}, world {world}");
                    strayed |= !figures.exact;
                }
            }
        }
        assert!(strayed, "{name} is exact everywhere but does not say so");
    }
}

#[test]
fn halves_are_proved() {
    for name in NAMES {
        for world in 1..=WORLD_MAX {
            for len in [0, 1, world + 1, 97] {
                for operation in [Operation::ReduceScatter, Operation::AllGather] {
                    proved(name, operation, world, len, Cut { segment: 5, lanes: 3 });
                }
            }
        }
    }
}

#[test]
fn broadcast_is_proved() {
    for world in 1..=WORLD_MAX {
        for (root, len) in [(0, 1), (world - 1, 97), (world / 2, 0), (world / 3, world + 1)] {
            for cut in [Cut::WHOLE, Cut { segment: 7, lanes: 2 }] {
                let plans: Vec<_> =
                    ranks(world).map(|rank| broadcast(root, rank, len, cut)).collect();
                let figures = verify(Operation::Broadcast { root }, &plans).unwrap();
                assert!(figures.rounds <= super::log2_ceil(world) * (1 + len / 7));
            }
        }
    }
}

/// The formulas in the rows are the verifier's figures: equal where tight, never exceeded elsewhere.
#[test]
fn claims_hold() {
    for name in NAMES {
        for world in 1..=WORLD_MAX {
            let len = divisible(world);
            let figures = proved(name, Operation::AllReduce, world, len, Cut::WHOLE);
            let claim = find(name).unwrap().claim(world).unwrap();
            let found = |values: usize| values as f64 / len as f64;
            let port = found(figures.sent.max(figures.received));
            let context = format!("{name}, world {world}: {figures:?} {claim:?}");
            assert!(figures.rounds <= claim.rounds, "{context}");
            assert!(port <= claim.port + 1e-9, "{context}");
            assert!(found(figures.reduced) <= claim.reduced + 1e-9, "{context}");
            if claim.tight {
                assert_eq!(figures.rounds, claim.rounds, "{context}");
                assert!(port >= claim.port - 1e-9, "{context}");
                assert!(found(figures.reduced) >= claim.reduced - 1e-9, "{context}");
            }
        }
    }
}

/// Owners' shares as the rows claim them: what a hierarchy's outer traffic depends on.
#[test]
fn shares_hold() {
    for name in NAMES {
        for world in 1..=WORLD_MAX {
            let len = divisible(world);
            let algorithm = find(name).unwrap();
            let plans = plans(&algorithm, Operation::ReduceScatter, world, len, Cut::WHOLE);
            let largest =
                plans.iter().map(|plan| plan.owned.iter().map(ExactSizeIterator::len).sum());
            let largest: usize = largest.max().unwrap_or(0);
            let claim = algorithm.claim(world).unwrap();
            assert!(largest as f64 <= claim.share * len as f64 + 1e-6, "{name}, world {world}");
        }
    }
}

/// IBM's point: no rank is an inner node of two colours.
#[test]
fn colors_have_disjoint_inner_nodes() {
    for name in ["multi-color:2", "multi-color", "multi-color:8"] {
        for world in 1..=WORLD_MAX {
            let algorithm = find(name).unwrap();
            for plan in plans(&algorithm, Operation::ReduceScatter, world, 960, Cut::WHOLE) {
                let receives = |lane: &crate::Lane| {
                    lane.iter().any(|step| matches!(step, crate::Step::RecvReduce { .. }))
                };
                let inner = plan.lanes.iter().filter(|lane| receives(lane)).count();
                assert!(inner <= 1, "{name}, world {world}: inner node of {inner} colours");
            }
        }
    }
}

#[test]
fn large_worlds_and_buffers_are_proved() {
    for name in NAMES {
        proved(name, Operation::AllReduce, 64, 7_595_176, Cut { segment: 65_536, lanes: 4 });
    }
}

proptest::proptest! {
    /// Beyond the small cases: any name, world, length and cut.
    #[test]
    fn any_cut_is_proved(
        name in 0..NAMES.len(),
        world in 1_usize..70,
        len in 0_usize..5000,
        segment in 1_usize..600,
        lanes in 1_usize..9,
    ) {
        proved(NAMES[name], Operation::AllReduce, world, len, Cut { segment, lanes });
    }
}
