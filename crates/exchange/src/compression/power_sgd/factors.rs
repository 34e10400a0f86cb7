//! The products of one matrix with its factors, row by row. Rows are contiguous; factors are stored
//! column by column.
//!
//! * `m`: (rows, columns)
//! * `p`: (rows, rank), column j at `p[j * rows..]`
//! * `q`: (columns, rank), column j at `q[j * columns..]`

use super::super::arithmetic::{add_scaled_all, dot, single};
use base::Fingerprint;
use base::random::Mt19937;
use std::ops::Range;

/// Rows that are projected together: they stay in the second-level cache, and Q is read and written
/// once for all of them.
const ROW_BLOCK: usize = 4;

/// A matrix that is sent as two factors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FactoredMatrix {
    /// Where it is in the pool.
    pub(super) range: Range<usize>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Where its factors are in those of the bucket.
    pub(super) p: Range<usize>,
    pub(super) q: Range<usize>,
}

impl FactoredMatrix {
    /// `m - p qᵀ`, in place.
    pub(super) fn subtract_product(&self, m: &mut [f32], p: &[f32], q: &[f32]) {
        for (row, m) in m.chunks_mut(self.columns).enumerate() {
            self.subtract_row(row, m, p, q);
        }
    }

    fn subtract_row(&self, row: usize, m: &mut [f32], p: &[f32], q: &[f32]) {
        let columns = p.chunks(self.rows).zip(q.chunks(self.columns));
        add_scaled_all(columns.map(|(p, q)| (-p[row], q)), m);
    }

    /// `m = m - p qᵀ + gradient`, where `old` holds the factors (p, q) of the last step, if there
    /// are any; then `product = m right`.
    pub(super) fn accumulate(
        &self,
        m: &mut [f32],
        gradient: &[f32],
        old: Option<(&[f32], &[f32])>,
        right: &[f32],
        product: &mut [f32],
    ) {
        let rows = m.chunks_mut(self.columns).zip(gradient.chunks(self.columns));
        for (row, (m, gradient)) in rows.enumerate() {
            if let Some((p, q)) = old {
                self.subtract_row(row, m, p, q);
            }
            crate::canonical::add_assign(m, gradient);
            for (right, product) in right.chunks(self.columns).zip(product.chunks_mut(self.rows)) {
                product[row] = dot(m, right);
            }
        }
    }

    /// `q = mᵀ p`.
    pub(super) fn project(&self, m: &[f32], p: &[f32], q: &mut [f32]) {
        q.fill(0.0);
        for (block, m) in m.chunks(ROW_BLOCK * self.columns).enumerate() {
            for (p, q) in p.chunks(self.rows).zip(q.chunks_mut(self.columns)) {
                let p = p[block * ROW_BLOCK..].iter().copied();
                add_scaled_all(p.zip(m.chunks(self.columns)), q);
            }
        }
    }

    /// `values = p qᵀ`.
    pub(super) fn expand(&self, p: &[f32], q: &[f32], values: &mut [f32]) {
        values.fill(0.0);
        for (row, values) in values.chunks_mut(self.columns).enumerate() {
            let columns = p.chunks(self.rows).zip(q.chunks(self.columns));
            add_scaled_all(columns.map(|(p, q)| (p[row], q)), values);
        }
    }

    /// Makes the columns of q as long as one, so that a product with them has the size of the
    /// matrix, whatever the wire format. A column that is zero is drawn anew, the same on all
    /// ranks: at the start, and when a gradient was zero or had a lower rank.
    pub(super) fn normalise(&self, q: &mut [f32], seed: u64, step: u64) {
        for (column, q) in q.chunks_mut(self.columns).enumerate() {
            if length(q) == 0.0 {
                let label = format!("power-sgd {seed} {} {column} {step}", self.range.start);
                let [a, b, c, d, ..] = Fingerprint::of(label.as_bytes()).value().to_le_bytes();
                Mt19937::new(u32::from_le_bytes([a, b, c, d])).fill_gaussian(0.0, 1.0, q);
            }
            let length = length(q);
            for value in q {
                *value = single(f64::from(*value) / length);
            }
        }
    }
}

fn length(values: &[f32]) -> f64 {
    values.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::FactoredMatrix;

    fn matrix() -> FactoredMatrix {
        FactoredMatrix { range: 0..6, rows: 2, columns: 3, p: 0..2, q: 0..3 }
    }

    /// By hand: m = (1 2 3; 4 5 6), right = (1, 0, -1), then p = (1, 2), q = (1, 1, 0).
    #[test]
    fn products_of_two_by_three() {
        let (matrix, mut m, mut product) = (matrix(), [0.0; 6], [0.0; 2]);
        let gradient = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        matrix.accumulate(&mut m, &gradient, None, &[1.0, 0.0, -1.0], &mut product);
        assert_eq!((m, product), (gradient, [-2.0, -2.0]));
        let mut q = [9.0; 3];
        matrix.project(&m, &[1.0, 2.0], &mut q);
        assert_eq!(q, [9.0, 12.0, 15.0]);
        let mut values = [7.0; 6];
        matrix.expand(&[1.0, 2.0], &[1.0, 1.0, 0.0], &mut values);
        assert_eq!(values, [1.0, 1.0, 0.0, 2.0, 2.0, 0.0]);
        let old = (&[1.0, 2.0][..], &[1.0, 1.0, 0.0][..]);
        matrix.accumulate(&mut m, &gradient, Some(old), &[1.0, 0.0, 0.0], &mut product);
        assert_eq!((m, product), ([1.0, 3.0, 6.0, 6.0, 8.0, 12.0], [1.0, 6.0]));
        matrix.subtract_product(&mut m, &[1.0, 0.0], &[1.0, 2.0, 3.0]);
        assert_eq!(m, [0.0, 1.0, 3.0, 6.0, 8.0, 12.0]);
    }

    #[test]
    fn columns_are_normalised_and_empty_ones_drawn() {
        let mut q = [3.0, 0.0, 4.0];
        matrix().normalise(&mut q, 1, 1);
        assert_eq!(q, [0.6, 0.0, 0.8]);
        let draw = |seed, step| {
            let mut q = [0.0; 3];
            matrix().normalise(&mut q, seed, step);
            q
        };
        assert!((super::length(&draw(1, 1)) - 1.0).abs() < 1e-6);
        assert_eq!(draw(1, 1), draw(1, 1));
        assert_ne!(draw(1, 1), draw(2, 1));
        assert_ne!(draw(1, 1), draw(1, 2));
    }
}
