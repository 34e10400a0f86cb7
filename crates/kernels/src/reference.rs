//! The textbook formula of every kernel, in f64 and in plain loops. Tests compare the fast kernels
//! with it; it is also the shortest definition of what a kernel computes.

pub mod conv;
pub mod interpolation;
pub mod matrix;
pub mod normalization;
pub mod pointwise;
pub mod pooling;
pub mod roi_pooling;

/// Values as f64.
#[must_use]
pub fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}
