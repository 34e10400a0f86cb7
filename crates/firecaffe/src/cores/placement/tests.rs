use super::{AskedPlacement, CorePlacement, Pin};
use crate::cores::neighbours::Neighbours;
use crate::cores::topology::tests::machine;

const TWO_NODES: &[&str] = &["0-3", "4-7"];

/// One rank that asks for nothing, on a machine of `available` cores.
fn asked(available: usize) -> AskedPlacement {
    AskedPlacement {
        neighbours: Neighbours::NONE,
        workers: None,
        threads: None,
        replicas: None,
        pin: Pin::Auto,
        available,
    }
}

/// One of several ranks that see the same cores.
fn one_of(sharing: usize, before: usize) -> Neighbours {
    Neighbours { here: sharing, sharing, before }
}

#[track_caller]
fn check(nodes: &[&str], allowed: &str, asked: AskedPlacement, want: &str) {
    let placement = CorePlacement::decide(&machine(nodes, allowed), &asked);
    assert_eq!(placement.in_words().strip_prefix("placement: "), Some(want));
}

#[test]
fn one_node_is_never_pinned() {
    check(
        &["0-1"],
        "0-1",
        asked(2),
        "1 rank here x 1 worker x 2 threads; this rank on cores 0-1 (1 of 1 NUMA node), not pinned: \
         one NUMA node",
    );
    let two = AskedPlacement { neighbours: one_of(2, 1), ..asked(2) };
    check(
        &["0-1"],
        "0-1",
        two,
        "2 ranks here x 1 worker x 1 thread; this rank on cores 0-1 (1 of 1 NUMA node), not pinned: \
         one NUMA node",
    );
}

#[test]
fn replicas_that_were_given_are_divided_among_nodes() {
    let four = AskedPlacement { replicas: Some(4), ..asked(8) };
    check(
        TWO_NODES,
        "0-7",
        four,
        "1 rank here x 2 workers x 4 threads; this rank on cores 0-7 (2 of 2 NUMA nodes), workers \
         pinned to cores 0-3 | 4-7",
    );
    let three = AskedPlacement { replicas: Some(3), ..asked(8) };
    let one_worker = "1 rank here x 1 worker x 8 threads; this rank on cores 0-7 (2 of 2 NUMA \
                      nodes), not pinned: every worker uses all nodes; memory stays local with a \
                      rank per NUMA node, or --workers 2 --replicas R";
    check(TWO_NODES, "0-7", three, one_worker);
    check(TWO_NODES, "0-7", asked(8), one_worker);
}

#[test]
fn ranks_are_pinned_to_their_node_unless_told_otherwise() {
    let second = AskedPlacement { neighbours: one_of(2, 1), ..asked(8) };
    check(
        TWO_NODES,
        "0-7",
        second,
        "2 ranks here x 1 worker x 4 threads; this rank on cores 4-7 (1 of 2 NUMA nodes), pinned to \
         its nodes",
    );
    let off = AskedPlacement { pin: Pin::Off, ..second };
    check(
        TWO_NODES,
        "0-7",
        off,
        "2 ranks here x 1 worker x 4 threads; this rank on cores 4-7 (1 of 2 NUMA nodes), not \
         pinned: --pin off",
    );
    check(
        TWO_NODES,
        "4-7",
        AskedPlacement {
            neighbours: Neighbours { sharing: 1, before: 0, ..second.neighbours },
            available: 4,
            ..second
        },
        "2 ranks here x 1 worker x 4 threads; this rank on cores 4-7 (1 of 1 NUMA node), bound by \
         the launcher",
    );
}

#[test]
fn more_threads_than_cores_are_not_pinned() {
    let crowded = AskedPlacement { workers: Some(2), threads: Some(8), ..asked(8) };
    let placement = CorePlacement::decide(&machine(TWO_NODES, "0-7"), &crowded);
    assert!(placement.in_words().contains("not pinned: more threads than"), "{placement:?}");
    let ranks = AskedPlacement { neighbours: one_of(16, 15), ..asked(8) };
    let placement = CorePlacement::decide(&machine(TWO_NODES, "0-7"), &ranks);
    assert_eq!((placement.workers, placement.threads), (1, 1));
    assert!(placement.in_words().contains("not pinned"), "{placement:?}");
}

/// A container or a share of Slurm's: fewer cores than the machine has, and nobody is bound.
#[test]
fn ranks_divide_the_part_of_a_machine_that_they_see() {
    let part = machine(&["0-7", "8-15"], "4-11");
    for before in 0..4 {
        let asked = AskedPlacement { neighbours: one_of(4, before), ..asked(8) };
        let placement = CorePlacement::decide(&part, &asked);
        assert_eq!((placement.workers, placement.threads), (1, 2), "{placement:?}");
        let own = if before < 2 { "4-7" } else { "8-11" };
        let want = format!("this rank on cores {own} (1 of 2 NUMA nodes), pinned to its nodes");
        assert!(placement.in_words().ends_with(&want), "{}", placement.in_words());
    }
    // A quota is for all of them, although each is bound to cores of its own.
    let bound = Neighbours { here: 4, sharing: 1, before: 0 };
    let asked = AskedPlacement { neighbours: bound, ..asked(4) };
    assert_eq!(CorePlacement::decide(&part, &asked).threads, 1);
}
