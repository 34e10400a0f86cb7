//! Inner product, `y = x·Wᵀ + b`, and its gradients.
//!
//! `W` is far larger than a batch. Forward streams it once, unpacked, with the batch packed
//! ([`gemm`]). The gradients of small batches (`small_batch`) cost as much as reading or writing
//! `W` once, unpacked; those of larger batches are matrix products too.
//!
//! Every form adds the terms of a value one by one, in order, so the bits of an image do not depend
//! on the other images of the batch.

mod small_batch;
mod strip;

use crate::{
    column_sums,
    cpu::Cpu,
    gemm::gemm,
    view::{MatrixView, StridedRows, StridedRowsMut, Write},
};

/// Largest batch for which backward to data reads `W` unpacked.
const SMALL_BATCH_DATA: usize = 12;
/// Largest batch whose products are added to a row of `dw` in one pass.
const SMALL_BATCH_WEIGHTS: usize = 6;

/// Sizes of an inner product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InnerProductShape {
    /// Rows: images of the batch.
    pub n: usize,
    /// Inputs: values of a row.
    pub d: usize,
    /// Outputs.
    pub k: usize,
}

/// `y = x·Wᵀ + bias`.
///
/// * `x`: (n, d)
/// * `weights`: (k, d)
/// * `bias`: (k)
/// * `y`: (n, k)
///
/// # Panics
///
/// If an operand does not fit.
pub fn forward(
    cpu: &Cpu,
    ip: InnerProductShape,
    x: &[f32],
    weights: &[f32],
    bias: Option<&[f32]>,
    y: &mut [f32],
) {
    let InnerProductShape { n, d, k } = ip;
    ip.check(x, y, weights);
    assert!(bias.is_none_or(|bias| bias.len() == k), "one bias per output");
    let write = match bias {
        None => Write::Set,
        Some(bias) => {
            y.chunks_exact_mut(k.max(1)).for_each(|y| y.copy_from_slice(bias));
            Write::Add
        }
    };
    gemm(
        cpu,
        n,
        k,
        d,
        MatrixView::new(x, d),
        MatrixView::transposed(weights, d),
        write,
        StridedRowsMut::dense(y, k),
    );
}

/// `dx = dy·W`, overwriting.
///
/// * `dy`: (n, k)
/// * `weights`: (k, d)
/// * `dx`: (n, d)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward_data(
    cpu: &Cpu,
    ip: InnerProductShape,
    dy: &[f32],
    weights: &[f32],
    dx: &mut [f32],
) {
    let InnerProductShape { n, d, k } = ip;
    ip.check(dx, dy, weights);
    if (1..=SMALL_BATCH_DATA).contains(&n) {
        return small_batch::backward_data(cpu, ip, dy, weights, dx);
    }
    let dx = StridedRowsMut::dense(dx, d);
    gemm(cpu, n, d, k, MatrixView::new(dy, k), MatrixView::new(weights, d), Write::Set, dx);
}

/// `dw = dyᵀ·x`, or `dw += ..`.
///
/// * `x`: (n, d)
/// * `dy`: (n, k)
/// * `dw`: (k, d)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward_weights(
    cpu: &Cpu,
    ip: InnerProductShape,
    x: &[f32],
    dy: &[f32],
    write: Write,
    dw: &mut [f32],
) {
    let InnerProductShape { n, d, k } = ip;
    ip.check(x, dy, dw);
    if n <= SMALL_BATCH_WEIGHTS {
        return small_batch::backward_weights(cpu, ip, x, dy, write, dw);
    }
    let dw = StridedRowsMut::dense(dw, d);
    gemm(cpu, k, d, n, MatrixView::transposed(dy, k), MatrixView::new(x, d), write, dw);
}

/// `db = Σ_n dy`, or `db += ..`.
///
/// * `dy`: (n, k)
/// * `db`: (k)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward_bias(cpu: &Cpu, ip: InnerProductShape, dy: &[f32], write: Write, db: &mut [f32]) {
    column_sums::sums_into(cpu, ip.n, ip.k, StridedRows::dense(dy, ip.k), write, db);
}

impl InnerProductShape {
    fn check(&self, x: &[f32], y: &[f32], weights: &[f32]) {
        assert_eq!(x.len(), self.n * self.d, "x of {self:?}");
        assert_eq!(y.len(), self.n * self.k, "y of {self:?}");
        assert_eq!(weights.len(), self.k * self.d, "weights of {self:?}");
    }
}

#[cfg(test)]
mod tests;
