//! Every row is held to its claims, for all worlds up to 33 and awkward lengths.

use super::{ALGORITHMS, Algorithm};
use crate::{CollectiveOperation, LANES_MAX, Plan, PlanFigures, Segmentation, broadcast, verify};
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

#[track_caller]
fn named(name: &str) -> Algorithm {
    name.parse().unwrap()
}

fn ranks(world: usize) -> impl Iterator<Item = Rank> {
    (0..world).map(move |index| Rank::new(index, world).unwrap())
}

fn plans(algorithm: &Algorithm, world: usize, len: usize, by: Segmentation) -> Vec<Plan> {
    ranks(world).map(|rank| algorithm.plan(rank, len, by).unwrap()).collect()
}

#[track_caller]
fn proved(name: &str, world: usize, len: usize, by: Segmentation) -> PlanFigures {
    let algorithm = named(name);
    let proof = verify(CollectiveOperation::AllReduce, &plans(&algorithm, world, len, by));
    proof.unwrap_or_else(|err| panic!("{name}, world {world}, len {len}, {by:?}: {err}"))
}

fn awkward(world: usize) -> [usize; 7] {
    [0, 1, world - 1, world, world + 1, 31, 97]
}

/// A length that every number of chunks up to 33 that occurs divides: volumes come out whole.
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
    let small = Segmentation { segment_elements: 3, lanes: 2 };
    for name in NAMES {
        let algorithm = named(name);
        let mut differs = algorithm.is_exact(WORLD_MAX);
        for world in 1..=WORLD_MAX {
            for len in awkward(world) {
                for by in [Segmentation::WHOLE, small] {
                    let figures = proved(name, world, len, by);
                    assert!(figures.exact || !algorithm.is_exact(world), "{name}, world {world}");
                    differs |= !figures.exact;
                }
            }
        }
        assert!(differs, "{name} is exact everywhere but does not say so");
    }
}

#[test]
fn broadcast_is_proved() {
    for world in 1..=WORLD_MAX {
        for (root, len) in [(0, 1), (world - 1, 97), (world / 2, 0), (world / 3, world + 1)] {
            for by in [Segmentation::WHOLE, Segmentation { segment_elements: 7, lanes: 2 }] {
                let plans: Vec<_> =
                    ranks(world).map(|rank| broadcast(root, rank, len, by)).collect();
                let figures = verify(CollectiveOperation::Broadcast { root }, &plans).unwrap();
                assert!(figures.rounds <= super::log2_ceil(world) * (1 + len / 7));
            }
        }
    }
}

/// The formulas in the rows are the verifier's figures: equal where tight, never exceeded
/// elsewhere.
#[test]
fn costs_hold() {
    for name in NAMES {
        for world in 1..=WORLD_MAX {
            let len = divisible(world);
            let figures = proved(name, world, len, Segmentation::WHOLE);
            let cost = named(name).cost(world).unwrap();
            let found = |values: usize| values as f64 / len as f64;
            let busiest_link = found(figures.sent.max(figures.received));
            let context = format!("{name}, world {world}: {figures:?} {cost:?}");
            assert!(figures.rounds <= cost.rounds, "{context}");
            assert!(busiest_link <= cost.busiest_link + 1e-9, "{context}");
            assert!(found(figures.reduced) <= cost.reduced + 1e-9, "{context}");
            if cost.tight {
                assert_eq!(figures.rounds, cost.rounds, "{context}");
                assert!(busiest_link >= cost.busiest_link - 1e-9, "{context}");
                assert!(found(figures.reduced) >= cost.reduced - 1e-9, "{context}");
            }
        }
    }
}

/// What ranks own is as the rows say: a hierarchy's outer traffic depends on it.
#[test]
fn owned_ranges_hold() {
    for name in NAMES {
        for world in 1..=WORLD_MAX {
            let len = divisible(world);
            let algorithm = named(name);
            let plans = plans(&algorithm, world, len, Segmentation::WHOLE);
            let largest =
                plans.iter().map(|plan| plan.owned.iter().map(ExactSizeIterator::len).sum());
            let largest: usize = largest.max().unwrap_or(0);
            let cost = algorithm.cost(world).unwrap();
            assert!(largest as f64 <= cost.owned * len as f64 + 1e-6, "{name}, world {world}");
        }
    }
}

/// IBM's point: no rank is an inner node of two colours.
#[test]
fn colors_have_disjoint_inner_nodes() {
    for name in ["multi-color:2", "multi-color", "multi-color:8"] {
        for world in 1..=WORLD_MAX {
            let algorithm = named(name);
            for plan in plans(&algorithm, world, 960, Segmentation::WHOLE) {
                let receives = |lane: &crate::Lane| {
                    lane.iter().any(|step| matches!(step, crate::PlanStep::RecvReduce { .. }))
                };
                let inner = plan.lanes.iter().filter(|lane| receives(lane)).count();
                assert!(inner <= 1, "{name}, world {world}: inner node of {inner} colours");
            }
        }
    }
}

/// Algorithms with many lanes have fewer passes under way; names that need more lanes are refused.
#[test]
fn lanes_are_bounded() {
    let many = Segmentation { segment_elements: 10, lanes: 100 };
    for name in NAMES.iter().chain(&["multi-color:17", "multi-color:40", "parameter-server:64"]) {
        let algorithm = named(name);
        for world in [1, 5, 40, 70] {
            let lanes = plans(&algorithm, world, 20_000, many)[0].lanes.len();
            assert!((1..=LANES_MAX).contains(&lanes), "{name}, world {world}: {lanes} lanes");
        }
        proved(name, 40, 2_000, many);
    }
    for name in ["multi-color:65", "parameter-server:65"] {
        let text = name.parse::<Algorithm>().unwrap_err().to_string();
        assert!(text.contains("65 is too many: a plan has 64 lanes"), "{text}");
    }
}

#[test]
fn large_worlds_and_buffers_are_proved() {
    for name in NAMES {
        proved(name, 64, 7_595_176, Segmentation { segment_elements: 65_536, lanes: 4 });
    }
}

proptest::proptest! {
    /// Beyond the small cases: any name, world, length and segmentation.
    #[test]
    fn any_segmentation_is_proved(
        name in 0..NAMES.len(),
        world in 1_usize..70,
        len in 0_usize..5000,
        segment_elements in 1_usize..600,
        lanes in 1_usize..9,
    ) {
        proved(NAMES[name], world, len, Segmentation { segment_elements, lanes });
    }
}
