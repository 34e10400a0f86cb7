//! The textbook formula of every kernel, in f64 and in plain loops, kept forever: what faster versions
//! are compared with, and the shortest answer to "what does it compute?".

pub mod conv;
pub mod matrix;
pub mod normalization;
pub mod pointwise;
pub mod pooling;

/// Values as f64.
#[must_use]
pub fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}
