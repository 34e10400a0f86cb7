//! Sums of several operands with a ReLU or its mask, in one pass over memory.
//!
//! Operands are added one after another, first to last, to blocks of the result that stay in L1. So
//! the bits are those of one pass per operand, and each operand is read once.

use crate::{
    cpu::{Cpu, TASK_FLOATS},
    relu::{masked, relu},
    view::Unary,
};

/// Floats of a block.
const BLOCK: usize = 1 << 11;

/// `y = Σ alpha · x` over two terms or more, through a ReLU with slope `through` if there is one.
///
/// # Panics
///
/// If the lengths differ, or there are fewer than two terms.
pub fn weighted_sum(cpu: &Cpu, terms: &[(f32, &[f32])], through: Option<f32>, y: &mut [f32]) {
    let [(alpha, a), (beta, b), rest @ ..] = terms else { panic!("a sum of two terms or more") };
    assert!(terms.iter().all(|(_, x)| x.len() == y.len()), "operands have one length");
    cpu.run_blocks(y, TASK_FLOATS, |task, y| {
        vectorize!(cpu, {
            for (block, y) in y.chunks_mut(BLOCK).enumerate() {
                let at = task * TASK_FLOATS + block * BLOCK;
                let len = y.len();
                let pairs = a[at..][..len].iter().zip(&b[at..][..len]);
                y.iter_mut().zip(pairs).for_each(|(y, (a, b))| *y = alpha * a + beta * b);
                for (gamma, x) in rest {
                    y.iter_mut().zip(&x[at..][..len]).for_each(|(y, x)| *y += gamma * x);
                }
                if let Some(slope) = through {
                    y.iter_mut().for_each(|y| *y = relu(*y, slope));
                }
            }
        });
    });
}

/// The mask that a ReLU applies to a gradient.
#[derive(Debug, Clone, Copy)]
pub struct ReluMask<'a> {
    /// The output of the ReLU, or its input.
    pub y: &'a [f32],
    /// Caffe's `negative_slope`.
    pub slope: f32,
}

impl<'a> ReluMask<'a> {
    /// The mask of `len` values from `at` on.
    #[inline(always)]
    pub(crate) fn range(self, at: usize, len: usize) -> Self {
        ReluMask { y: &self.y[at..][..len], ..self }
    }

    /// Masks `d`, which has as many values.
    #[inline(always)]
    pub(crate) fn apply(self, d: &mut [f32]) {
        d.iter_mut().zip(self.y).for_each(|(d, &y)| *d = masked(y, self.slope, *d));
    }
}

/// `d = first + others[0] + ..`, masked by the ReLU below if there is one. In place, `d` holds the
/// first operand.
///
/// # Panics
///
/// If the lengths differ.
pub fn sum(cpu: &Cpu, first: Unary<'_>, others: &[&[f32]], mask: Option<ReluMask<'_>>) {
    let len = first.count();
    assert!(others.iter().all(|x| x.len() == len), "operands have one length");
    assert!(mask.is_none_or(|mask| mask.y.len() == len), "operands have one length");
    let (first, d) = match first {
        Unary::InPlace(d) => (None, d),
        Unary::OutOfPlace { x, y } => (Some(x), y),
    };
    cpu.run_blocks(d, TASK_FLOATS, |task, d| {
        vectorize!(cpu, {
            for (block, d) in d.chunks_mut(BLOCK).enumerate() {
                add_block(task * TASK_FLOATS + block * BLOCK, first, others, mask, d);
            }
        });
    });
}

/// The block of a [`sum`] that begins at `at`.
#[inline(always)]
fn add_block(
    at: usize,
    first: Option<&[f32]>,
    others: &[&[f32]],
    mask: Option<ReluMask<'_>>,
    d: &mut [f32],
) {
    let len = d.len();
    let rest = match (first, others) {
        (None, others) => others,
        (Some(first), []) => {
            d.copy_from_slice(&first[at..][..len]);
            &[]
        }
        (Some(first), [second, rest @ ..]) => {
            let pairs = first[at..][..len].iter().zip(&second[at..][..len]);
            d.iter_mut().zip(pairs).for_each(|(d, (first, second))| *d = first + second);
            rest
        }
    };
    for x in rest {
        d.iter_mut().zip(&x[at..][..len]).for_each(|(d, x)| *d += x);
    }
    if let Some(mask) = mask {
        mask.range(at, len).apply(d);
    }
}
