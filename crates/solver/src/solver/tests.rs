//! What a compression that corrects momentum asks of the rule.

use caffe_format::SolverParameter;
use kernels::{Cpu, Simd};

use crate::{ParamSlot, ParamSlots, Solver, UpdateGradient, UpdateSlice};

/// The weight after `steps` updates from 1 with gradient `gradient`.
fn weight_after(solver: &Solver, gradient: f32, steps: u64) -> f32 {
    let slot = ParamSlot { values: 0..1, gradient: 0..1, lr_mult: 1.0, decay_mult: 1.0 };
    let slots = ParamSlots::new(vec![slot]);
    let (cpu, gradient) = (Cpu::new(1, Simd::Portable), [gradient]);
    let (mut values, mut history) = ([1.0], [0.0]);
    for iter in 0..steps {
        let step = solver.step(iter, 0, 1.0, &slots, &[]);
        let history = [&mut history[..], &mut []];
        let slice = UpdateSlice {
            slot: 0,
            values: &mut values,
            gradient: UpdateGradient::Kept(&gradient),
            history,
        };
        solver.update(&cpu, &step, vec![slice]);
    }
    values[0]
}

#[test]
fn corrected_momentum_applies_gradients_as_they_are_and_decays_as_strongly() {
    for rule in ["SGD", "Nesterov"] {
        let solver = Solver::lower(&SolverParameter {
            type_: Some(rule.into()),
            base_lr: Some(0.01),
            lr_policy: Some("fixed".into()),
            momentum: Some(0.9),
            weight_decay: Some(0.01),
            ..SolverParameter::default()
        })
        .unwrap();
        let corrected = solver.with_corrected_momentum();
        let [usual, corrected_weight] = [&solver, &corrected].map(|s| weight_after(s, 0.0, 500));
        assert!(usual < 0.7, "{rule}: decayed to {usual}");
        assert!((usual - corrected_weight).abs() < 0.01, "{rule}: {usual}, {corrected_weight}");
        let moved = weight_after(&corrected, 1.0, 1) - weight_after(&corrected, 0.0, 1);
        assert!((moved + 0.01).abs() < 1e-6, "{rule}: {moved}");
    }
}
