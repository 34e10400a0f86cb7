//! A gradient that becomes what was subtracted.

use caffe_format::SolverParameter;
use kernels::{Cpu, Simd};

use crate::{BLOCK, BlockSums, ParamSlot, ParamSlots, RULES, Solver, UpdateGradient, UpdateSlice};

/// Values, gradient and histories after three updates from the same start.
fn run(rule: &str, replaces: bool) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let solver = Solver::lower(&SolverParameter {
        type_: Some(rule.into()),
        base_lr: Some(0.01),
        lr_policy: Some("fixed".into()),
        momentum: Some(if ["AdaGrad", "RMSProp"].contains(&rule) { 0.0 } else { 0.9 }),
        weight_decay: Some(0.01),
        ..SolverParameter::default()
    })
    .unwrap();
    let len = BLOCK + 100;
    let slot = ParamSlot { values: 0..len, gradient: 0..len, lr_mult: 2.0, decay_mult: 1.0 };
    let slots = ParamSlots::new(vec![slot]);
    let norms = vec![BlockSums::default(); slots.blocks()];
    let mut values: Vec<f32> = (0..len).map(|at| (at as f32).sin()).collect();
    let mut histories = vec![vec![0.0; len]; 2];
    let (mut before, mut gradient) = (values.clone(), Vec::new());
    for iter in 0..3 {
        before.clone_from(&values);
        gradient = (0..len).map(|at| (at as f32 * 0.7 + iter as f32).cos()).collect::<Vec<f32>>();
        let mut history = histories.iter_mut().take(solver.histories());
        let history = std::array::from_fn(|_| history.next().map_or(&mut [][..], |h| &mut h[..]));
        let gradient = match replaces {
            true => UpdateGradient::Replaced(&mut gradient),
            false => UpdateGradient::Kept(&gradient),
        };
        let slice = UpdateSlice { slot: 0, values: &mut values, gradient, history };
        let step = solver.step(iter, 0, 1.0, &slots, &norms);
        solver.update(&Cpu::new(2, Simd::detect()), &step, vec![slice]);
    }
    (before, gradient, values)
}

#[test]
fn updates_that_are_kept_change_no_bit() {
    for rule in RULES {
        let (before, update, values) = run(rule.name, true);
        let (_, _, want) = run(rule.name, false);
        assert_eq!(values, want, "{}", rule.name);
        for ((before, update), value) in before.iter().zip(&update).zip(&values) {
            let error = (before - update - value).abs();
            assert!(error <= f32::EPSILON * before.abs(), "{}: {error}", rule.name);
        }
        assert!(update.iter().any(|&update| update != 0.0), "{}", rule.name);
    }
}
