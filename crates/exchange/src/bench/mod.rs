//! Measures exchanges: `firecaffe bench allreduce` and `firecaffe bench network`.

pub mod allreduce;
mod check;
pub mod network;
pub mod report;
