//! Plans with a planted fault: the verifier names each.

use super::{VerifyError, verify};
use crate::{Algorithm, CollectiveOperation, Plan, PlanStep, Segmentation, SlotRange};
use base::Rank;

fn ring(world: usize, len: usize) -> Vec<Plan> {
    let algorithm: Algorithm = "ring".parse().unwrap();
    (0..world)
        .map(|index| {
            let rank = Rank::new(index, world).unwrap();
            algorithm.plan(rank, len, Segmentation::WHOLE).unwrap()
        })
        .collect()
}

#[track_caller]
fn check(plans: &[Plan], want: fn(&VerifyError) -> bool) {
    let found =
        verify(CollectiveOperation::AllReduce, plans).expect_err("a planted fault is found");
    assert!(want(&found), "found instead: {found}");
}

fn at(range: std::ops::Range<usize>) -> SlotRange {
    SlotRange { slot: 0, range }
}

#[test]
fn sound_plans_pass() {
    assert!(verify(CollectiveOperation::AllReduce, &ring(5, 13)).is_ok());
    assert!(verify(CollectiveOperation::AllReduce, &[]).is_ok());
}

#[test]
fn a_receive_without_a_send_waits_forever() {
    let mut plans = ring(3, 9);
    plans[1].lanes[0].pop();
    plans[1].lanes[0].pop(); // the last send, to rank 0
    check(&plans, |err| matches!(err, VerifyError::Deadlock { rank: 0, step: 7, .. }));
}

#[test]
fn a_send_without_a_receive_is_left_over() {
    let mut plans = ring(3, 9);
    plans[2].lanes[0].push(PlanStep::Send { to: 0, at: at(0..1) });
    check(&plans, |err| matches!(err, VerifyError::Unmatched { rank: 0, from: 2, lane: 0 }));
}

#[test]
fn lengths_must_meet() {
    let mut plans = ring(3, 9);
    plans[0].lanes[0][0] = PlanStep::Send { to: 1, at: at(0..2) };
    check(&plans, |err| {
        matches!(err, VerifyError::Length { rank: 1, from: 0, want: 3, got: 2, .. })
    });
}

#[test]
fn a_copy_where_a_sum_belongs_loses_a_contribution() {
    let mut plans = ring(3, 9);
    let PlanStep::RecvReduce { from, at } = plans[0].lanes[0][1].clone() else {
        panic!("a receive")
    };
    plans[0].lanes[0][1] = PlanStep::RecvCopy { from, at };
    check(&plans, |err| matches!(err, VerifyError::Missing { contribution: 0, .. }));
}

#[test]
fn a_sum_where_a_copy_belongs_counts_twice() {
    let mut plans = ring(3, 9);
    let last = plans[0].lanes[0].len() - 1;
    let PlanStep::RecvCopy { from, at } = plans[0].lanes[0][last].clone() else { panic!("a copy") };
    plans[0].lanes[0][last] = PlanStep::RecvReduce { from, at };
    check(&plans, |err| matches!(err, VerifyError::CountedTwice { .. }));
}

/// Both sides first wait for the other's memory to be free: legal alone, a deadlock together.
#[test]
fn writing_where_one_still_sends_waits() {
    let exchange = |other| Plan {
        slots: vec![1, 1],
        lanes: vec![vec![
            PlanStep::Send { to: other, at: at(0..1) },
            PlanStep::Add { from: at(0..1), into: at(0..1) },
            PlanStep::RecvReduce { from: other, at: at(0..1) },
        ]],
        passes: Vec::new(),
        owned: Vec::new(),
    };
    check(&[exchange(1), exchange(0)], |err| {
        matches!(err, VerifyError::Deadlock { rank: 0, step: 1, .. })
    });
}

#[test]
fn receiving_where_one_still_sends_waits() {
    let exchange = |other| Plan {
        slots: vec![1],
        lanes: vec![vec![
            PlanStep::Send { to: other, at: at(0..1) },
            PlanStep::RecvReduce { from: other, at: at(0..1) },
        ]],
        passes: Vec::new(),
        owned: Vec::new(),
    };
    check(&[exchange(1), exchange(0)], |err| {
        matches!(err, VerifyError::Deadlock { rank: 0, step: 1, .. })
    });
}

#[test]
fn lanes_must_not_share_memory() {
    let mut plans = ring(2, 4);
    for plan in &mut plans {
        let lane = plan.lanes[0].clone();
        plan.lanes.push(lane);
    }
    check(&plans, |err| matches!(err, VerifyError::LanesOverlap { rank: 0, .. }));
}

#[test]
fn bounds_are_checked() {
    let mut plans = ring(2, 4);
    plans[1].lanes[0][0] = PlanStep::Send { to: 1, at: at(0..1) };
    check(&plans, |err| matches!(err, VerifyError::OutOfBounds { rank: 1, step: 0, .. }));
    let mut plans = ring(2, 4);
    plans[0].lanes[0][0] = PlanStep::Send { to: 1, at: at(3..5) };
    check(&plans, |err| matches!(err, VerifyError::OutOfBounds { rank: 0, step: 0, .. }));
    let mut plans = ring(2, 4);
    plans[1].lanes.push(Vec::new());
    check(&plans, |err| matches!(err, VerifyError::Lanes { rank: 1, lanes: 2, .. }));
}

#[test]
fn unwritten_scratch_is_not_sent() {
    let mut plans = ring(2, 4);
    plans[0].slots.push(2);
    plans[0].lanes[0][0] = PlanStep::Send { to: 1, at: SlotRange { slot: 1, range: 0..2 } };
    check(&plans, |err| matches!(err, VerifyError::Unwritten));
}

#[test]
fn elements_must_end_where_they_belong() {
    let mut plans = ring(2, 4);
    let Some(PlanStep::Send { to, .. }) = plans[0].lanes[0].first().cloned() else {
        panic!("a send")
    };
    plans[0].lanes[0][0] = PlanStep::Send { to, at: at(0..2) }; // the wrong half
    check(&plans, |err| matches!(err, VerifyError::Misplaced { slot: 0, .. }));
}

#[test]
fn more_lanes_than_there_are_is_found() {
    let mut plans = ring(2, 4);
    plans.iter_mut().for_each(|plan| plan.lanes.resize(65, Vec::new()));
    check(&plans, |err| matches!(err, VerifyError::Lanes { lanes: 65, .. }));
}

#[test]
fn slots_of_both_sides_are_compared() {
    let mut plans = ring(2, 4);
    plans[1].slots[0] = 5;
    check(&plans, |err| matches!(err, VerifyError::SlotLength { rank: 1, slot: 0, .. }));
}

#[test]
fn passes_must_tile_the_buffer() {
    let mut plans = ring(2, 4);
    plans[1].passes[0][0].range.end = 3;
    check(&plans, |err| matches!(err, VerifyError::Passes { rank: 1, lane: 0 }));
}
