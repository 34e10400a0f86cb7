use super::{AskedPlacement, CorePlacement, Pin};
use crate::cores::topology::tests::machine;

const TWO_NODES: &[&str] = &["0-3", "4-7"];

/// One rank that asks for nothing, on a machine of `available` cores.
fn asked(available: usize) -> AskedPlacement {
    AskedPlacement {
        ranks_here: 1,
        local_rank: None,
        workers: None,
        threads: None,
        replicas: None,
        pin: Pin::Auto,
        available,
    }
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
    let two = AskedPlacement { ranks_here: 2, local_rank: Some(1), ..asked(2) };
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
    let second = AskedPlacement { ranks_here: 2, local_rank: Some(1), ..asked(8) };
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
        AskedPlacement { available: 4, ..second },
        "2 ranks here x 1 worker x 4 threads; this rank on cores 4-7 (1 of 1 NUMA node), bound by \
         the launcher",
    );
}

#[test]
fn more_threads_than_cores_are_not_pinned() {
    let crowded = AskedPlacement { workers: Some(2), threads: Some(8), ..asked(8) };
    let placement = CorePlacement::decide(&machine(TWO_NODES, "0-7"), &crowded);
    assert!(placement.in_words().contains("not pinned: more threads than"), "{placement:?}");
    let ranks = AskedPlacement { ranks_here: 16, local_rank: Some(15), ..asked(8) };
    let placement = CorePlacement::decide(&machine(TWO_NODES, "0-7"), &ranks);
    assert_eq!((placement.workers, placement.threads), (1, 1));
    assert!(placement.in_words().contains("not pinned"), "{placement:?}");
}
