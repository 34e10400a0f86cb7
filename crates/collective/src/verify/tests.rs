//! Plans with a planted fault: the verifier names each.

use super::{VerifyError, verify};
use crate::{Cut, Operation, Place, Plan, Step, find};
use base::Rank;

fn ring(world: usize, len: usize) -> Vec<Plan> {
    let algorithm = find("ring").unwrap();
    (0..world)
        .map(|index| {
            let rank = Rank::new(index, world).unwrap();
            algorithm.plan(Operation::AllReduce, rank, len, Cut::WHOLE).unwrap()
        })
        .collect()
}

#[track_caller]
fn check(plans: &[Plan], want: fn(&VerifyError) -> bool) {
    let found = verify(Operation::AllReduce, plans).expect_err("a planted fault is found");
    assert!(want(&found), "found instead: {found}");
}

fn at(range: std::ops::Range<usize>) -> Place {
    Place { slot: 0, range }
}

#[test]
fn sound_plans_pass() {
    assert!(verify(Operation::AllReduce, &ring(5, 13)).is_ok());
    assert!(verify(Operation::AllReduce, &[]).is_ok());
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
    plans[2].lanes[0].push(Step::Send { to: 0, at: at(0..1) });
    check(&plans, |err| matches!(err, VerifyError::Unmatched { rank: 0, from: 2, lane: 0 }));
}

#[test]
fn lengths_must_meet() {
    let mut plans = ring(3, 9);
    plans[0].lanes[0][0] = Step::Send { to: 1, at: at(0..2) };
    check(&plans, |err| {
        matches!(err, VerifyError::Length { rank: 1, from: 0, want: 3, got: 2, .. })
    });
}

#[test]
fn a_copy_where_a_sum_belongs_loses_a_contribution() {
    let mut plans = ring(3, 9);
    let Step::RecvReduce { from, at } = plans[0].lanes[0][1].clone() else { panic!("a receive") };
    plans[0].lanes[0][1] = Step::RecvCopy { from, at };
    check(&plans, |err| matches!(err, VerifyError::Missing { contribution: 0, .. }));
}

#[test]
fn a_sum_where_a_copy_belongs_counts_twice() {
    let mut plans = ring(3, 9);
    let last = plans[0].lanes[0].len() - 1;
    let Step::RecvCopy { from, at } = plans[0].lanes[0][last].clone() else { panic!("a copy") };
    plans[0].lanes[0][last] = Step::RecvReduce { from, at };
    check(&plans, |err| matches!(err, VerifyError::CountedTwice { .. }));
}

/// Both sides first wait for the other's memory to be free: legal alone, a deadlock together.
#[test]
fn writing_where_one_still_sends_waits() {
    let exchange = |other| Plan {
        len: 1,
        scratch: vec![1],
        lanes: vec![vec![
            Step::Send { to: other, at: at(0..1) },
            Step::Add { from: at(0..1), into: at(0..1) },
            Step::RecvReduce { from: other, at: at(0..1) },
        ]],
        owned: Vec::new(),
    };
    check(&[exchange(1), exchange(0)], |err| {
        matches!(err, VerifyError::Deadlock { rank: 0, step: 1, .. })
    });
}

#[test]
fn receiving_where_one_still_sends_waits() {
    let exchange = |other| Plan {
        len: 1,
        scratch: Vec::new(),
        lanes: vec![vec![
            Step::Send { to: other, at: at(0..1) },
            Step::RecvReduce { from: other, at: at(0..1) },
        ]],
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
    plans[1].lanes[0][0] = Step::Send { to: 1, at: at(0..1) };
    check(&plans, |err| matches!(err, VerifyError::OutOfBounds { rank: 1, step: 0, .. }));
    let mut plans = ring(2, 4);
    plans[0].lanes[0][0] = Step::Send { to: 1, at: at(3..5) };
    check(&plans, |err| matches!(err, VerifyError::OutOfBounds { rank: 0, step: 0, .. }));
    let mut plans = ring(2, 4);
    plans[1].lanes.push(Vec::new());
    check(&plans, |err| matches!(err, VerifyError::Unlike { rank: 1, lanes: 2, .. }));
}

#[test]
fn unwritten_scratch_is_not_sent() {
    let mut plans = ring(2, 4);
    plans[0].scratch.push(2);
    plans[0].lanes[0][0] = Step::Send { to: 1, at: Place { slot: 1, range: 0..2 } };
    check(&plans, |err| matches!(err, VerifyError::Unwritten));
}
