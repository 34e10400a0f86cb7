//! Measures exchanges: `firecaffe bench allreduce` and `firecaffe bench network`.

pub mod allreduce;
pub mod network;
pub mod report;
