//! Inner product, `y = x·Wᵀ + b`, and its gradients: [`gemm`] with the operands in place.
//!
//! `W` is far larger than a batch, so forward streams it once, unpacked, with the batch packed
//! beside it; batches of 1 to 8 images are then limited by memory, as they must be.

use crate::{
    columns,
    cpu::Cpu,
    gemm::gemm,
    view::{Mat, Rows, RowsMut, Write},
};

/// Sizes of an inner product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InnerProduct {
    /// Rows: images.
    pub n: usize,
    /// Values of a row.
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
    ip: InnerProduct,
    x: &[f32],
    weights: &[f32],
    bias: Option<&[f32]>,
    y: &mut [f32],
) {
    let InnerProduct { n, d, k } = ip;
    ip.check(x, y, weights);
    let write = match bias {
        None => Write::Set,
        Some(bias) => {
            assert_eq!(bias.len(), k, "one bias an output");
            y.chunks_exact_mut(k.max(1)).for_each(|y| y.copy_from_slice(bias));
            Write::Add
        }
    };
    gemm(cpu, n, k, d, Mat::new(x, d), Mat::transposed(weights, d), write, RowsMut::dense(y, k));
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
pub fn backward_data(cpu: &Cpu, ip: InnerProduct, dy: &[f32], weights: &[f32], dx: &mut [f32]) {
    let InnerProduct { n, d, k } = ip;
    ip.check(dx, dy, weights);
    let dx = RowsMut::dense(dx, d);
    gemm(cpu, n, d, k, Mat::new(dy, k), Mat::new(weights, d), Write::Set, dx);
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
    ip: InnerProduct,
    x: &[f32],
    dy: &[f32],
    write: Write,
    dw: &mut [f32],
) {
    let InnerProduct { n, d, k } = ip;
    ip.check(x, dy, dw);
    let dw = RowsMut::dense(dw, d);
    gemm(cpu, k, d, n, Mat::transposed(dy, k), Mat::new(x, d), write, dw);
}

/// `db = Σ_n dy`, or `db += ..`.
///
/// * `dy`: (n, k)
/// * `db`: (k)
///
/// # Panics
///
/// If an operand does not fit.
pub fn backward_bias(cpu: &Cpu, ip: InnerProduct, dy: &[f32], write: Write, db: &mut [f32]) {
    columns::sums_into(cpu, ip.n, ip.k, Rows::dense(dy, ip.k), write, db);
}

impl InnerProduct {
    fn check(&self, x: &[f32], y: &[f32], weights: &[f32]) {
        assert_eq!(x.len(), self.n * self.d, "x of {self:?}");
        assert_eq!(y.len(), self.n * self.k, "y of {self:?}");
        assert_eq!(weights.len(), self.k * self.d, "weights of {self:?}");
    }
}

#[cfg(test)]
mod tests;
