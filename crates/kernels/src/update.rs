//! Update rules: one pass over parameter, gradient and history.

use crate::cpu::{CHUNK, Cpu};

/// SGD with momentum, as Caffe: `history = momentum · history + rate · grad; param -= history`.
///
/// # Panics
///
/// If the lengths differ.
pub fn sgd(
    cpu: &Cpu,
    rate: f32,
    momentum: f32,
    grad: &[f32],
    history: &mut [f32],
    param: &mut [f32],
) {
    assert_eq!(grad.len(), history.len(), "one history a gradient");
    assert_eq!(grad.len(), param.len(), "one gradient a parameter");
    cpu.run_chunks2((history, param), [CHUNK; 2], |index, history, param| {
        let grad = &grad[index * CHUNK..][..param.len()];
        vectorize!(cpu, {
            for ((history, param), &grad) in history.iter_mut().zip(param).zip(grad) {
                *history = rate * grad + momentum * *history;
                *param -= *history;
            }
        });
    });
}

#[cfg(test)]
mod tests;
